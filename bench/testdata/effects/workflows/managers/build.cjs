require('fs').writeFileSync('built.txt', '');
