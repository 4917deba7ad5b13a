import { createInterface } from 'node:readline';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const tools = {
  add: ({ a, b }) => a + b,
  read_note: ({ name }) => readFileSync(`notes/${name}.md`, 'utf8'),
  save_note: ({ name, text }) => (writeFileSync(`notes/${name}.md`, text), 'saved'),
  fetch_page: async ({ path }) => (await fetch(`http://wiki.example.test/${path}`)).text(),
  history: () => execFileSync('git', ['--version'], { encoding: 'utf8' }),
  whoami: () => process.env.NOTES_USER ?? 'nobody',
};

createInterface({ input: process.stdin }).on('line', async line => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  let result;
  if (m.method === 'initialize') result = { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } };
  else if (m.method === 'tools/list') result = { tools: Object.keys(tools).map(name => ({ name, inputSchema: { type: 'object' } })) };
  else {
    try {
      result = { content: [{ type: 'text', text: String(await tools[m.params.name](m.params.arguments)) }] };
    } catch (e) {
      result = { isError: true, content: [{ type: 'text', text: String(e) }] };
    }
  }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\n');
});
