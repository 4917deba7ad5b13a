import { readFileSync } from 'node:fs';
console.log(JSON.parse(readFileSync('package.json')).name);
