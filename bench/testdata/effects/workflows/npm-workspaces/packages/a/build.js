const fs = require('fs');
fs.mkdirSync('dist', { recursive: true });
fs.copyFileSync('package.json', 'dist/package.json');
