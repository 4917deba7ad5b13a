// The sinkhole: answers every name with one address, and every TCP connection to a well-known port with a refusal.
'use strict';
const dgram = require('dgram'), net = require('net'), fs = require('fs');
const dns = dgram.createSocket('udp4');
dns.on('message', (q, from) => {
  let end = 12;
  while (end < q.length && q[end]) end += q[end] + 1;
  end += 5;
  const a = q.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(q.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(a ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const parts = [head, q.subarray(12, end)];
  if (a) parts.push(Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]));
  dns.send(Buffer.concat(parts), from.port, from.address);
});
const ports = [21, 22, 25, 80, 443, 8080, 8443];
const refuse = c => {
  c.on('error', () => {});
  c.once('data', d => c.end(/^[A-Z]+ /.test(d.toString('latin1')) ? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' : ''));
};
let left = ports.length + 1;
const ready = () => { if (--left === 0) fs.writeFileSync(process.argv[2], ''); };
dns.bind(53, '198.51.100.1', ready);
for (const p of ports) net.createServer(refuse).listen(p, '0.0.0.0', ready);
// Descriptor 3 is the read end of a pipe whose other end the tracer holds: the sink goes when the tracer does.
fs.createReadStream(null, { fd: 3 }).on('close', () => process.exit(0)).resume();
