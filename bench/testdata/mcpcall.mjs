// A small MCP client: mcpcall.mjs SERVER TOOL INPUT. Looks the server up in .mcp.json, starts it or posts to it, makes
// one call, prints the result, and ends the server.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [server, tool, input] = process.argv.slice(2);
const whole = { ...process.env };
const expand = s => s.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, k, d) => whole[k] ?? d ?? '');
const config = JSON.parse(readFileSync('.mcp.json', 'utf8')).mcpServers[server];
const version = '2025-06-18';
const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'mcpcall', version: '1' } } };
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: JSON.parse(input) } };

async function http() {
  let session;
  const post = async m => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': version };
    for (const [k, v] of Object.entries(config.headers ?? {})) headers[k] = expand(v);
    if (session) headers['mcp-session-id'] = session;
    const r = await fetch(expand(config.url), { method: 'POST', headers, body: JSON.stringify(m) });
    session = r.headers.get('mcp-session-id') ?? session;
    return r.text();
  };
  await post(hello);
  await post(ready);
  console.log(await post(call));
}

function stdio() {
  const env = { ...whole };
  for (const [k, v] of Object.entries(config.env ?? {})) env[k] = expand(v);
  const child = spawn(config.command, (config.args ?? []).map(expand), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = m => child.stdin.write(JSON.stringify(m) + '\n');
  createInterface({ input: child.stdout }).on('line', line => {
    const m = JSON.parse(line);
    if (m.id === 1) { send(ready); send(call); }
    if (m.id === 2) { console.log(line); child.stdin.end(); }
  });
  send(hello);
}

await (config.url ? http() : stdio());
