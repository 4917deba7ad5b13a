require('fs').writeFileSync('prepared.txt', '');
