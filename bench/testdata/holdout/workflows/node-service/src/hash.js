import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
if (isMainThread) {
  const w = new Worker(new URL(import.meta.url), { workerData: 'package.json' });
  w.on('message', m => console.log(m));
} else {
  const h = createHash('sha256');
  await pipeline(createReadStream(workerData), h);
  parentPort.postMessage(h.digest('hex'));
}
