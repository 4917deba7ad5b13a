import { createServer } from 'node:http';
createServer((q, r) => {
  let body = '';
  q.on('data', d => (body += d)).on('end', () => {
    const m = JSON.parse(body);
    r.setHeader('content-type', 'application/json');
    if (m.id === undefined) return r.writeHead(202).end();
    const result = m.method === 'initialize'
      ? { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'remote', version: '1' } }
      : { content: [{ type: 'text', text: 'done' }] };
    r.end(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }));
  });
}).listen(7411, '127.0.0.1');
