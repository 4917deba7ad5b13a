require('fs').writeFileSync('pre.txt', '');
