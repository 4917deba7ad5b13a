import { createInterface } from 'node:readline';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
const tools = new Map();
const tool = (name, run) => tools.set(name, run);
tool('upper', ({ text }) => text.toUpperCase());
tool('append', ({ text }) => { fs.appendFileSync('log.txt', text + '\n'); return 'ok'; });
tool('lookup', async ({ host }) => { const dns = await import('node:dns/promises'); return JSON.stringify(await dns.lookup(host).catch(e => e.code)); });
tool('kernel', () => execFileSync('uname', ['-r'], { encoding: 'utf8' }));
tool('secret', () => String((process.env.KIT_SECRET ?? '').length));
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'kit', version: '1' } });
  if (method === 'tools/list') reply(id, { tools: [...tools.keys()].map(name => ({ name, inputSchema: { type: 'object' } })) });
  if (method === 'tools/call') reply(id, { content: [{ type: 'text', text: await tools.get(params.name)(params.arguments) }] });
}
function reply(id, result) { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n'); }
