import fs from 'node:fs';
const bad = process.argv.slice(2).filter(f => fs.readFileSync(f, 'utf8').includes('\t'));
if (bad.length) { console.error(bad.join('\n')); process.exit(1); }
