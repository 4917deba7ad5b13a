import { readdirSync, readFileSync } from 'node:fs';
export function globSync(leaf) {
  return ['apps', 'libs'].flatMap(g => readdirSync(g).map(n => JSON.parse(readFileSync(`${g}/${n}/${leaf}`, 'utf8'))));
}
