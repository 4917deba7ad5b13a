const { mkdirSync, copyFileSync } = require('fs');
mkdirSync('dist', { recursive: true });
copyFileSync('index.js', 'dist/index.js');
