import { readFile, writeFile } from 'node:fs/promises';
for (const f of process.argv.slice(2)) await writeFile(f, (await readFile(f, 'utf8')).trimEnd() + '\n');
