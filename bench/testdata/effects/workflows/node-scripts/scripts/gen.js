import { mkdir, writeFile } from 'node:fs/promises';
import { template } from './lib/template.js';
await mkdir('gen', { recursive: true });
await writeFile('gen/index.js', template('demo'));
