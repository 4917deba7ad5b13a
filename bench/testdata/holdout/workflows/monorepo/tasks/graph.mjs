import { globSync } from './glob.mjs';
const edges = [];
for (const p of globSync('package.json')) {
  for (const d of Object.keys(p.dependencies ?? {})) edges.push([p.name, d]);
}
console.log(edges.map(([a, b]) => `${a} -> ${b}`).join('\n'));
