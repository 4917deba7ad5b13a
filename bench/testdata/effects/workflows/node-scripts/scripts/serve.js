import { createServer } from 'node:http';
const s = createServer((q, r) => r.end('ok'));
s.listen(Number(process.argv[2]), process.argv[3], () => s.close());
