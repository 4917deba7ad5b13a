import * as fs from 'node:fs/promises';
interface Entry { name: string; size: number }
async function entries(): Promise<Entry[]> {
  const names = await fs.readdir('src');
  return Promise.all(names.map(async (name): Promise<Entry> => ({ name, size: (await fs.stat(`src/${name}`)).size })));
}
export async function list(): Promise<void> { console.table(await entries()); }
export async function docs(): Promise<void> {
  await fs.mkdir('docs', { recursive: true });
  await fs.writeFile('docs/files.json', JSON.stringify(await entries()));
}
