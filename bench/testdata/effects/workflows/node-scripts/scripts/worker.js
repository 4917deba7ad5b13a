import { Worker, isMainThread } from 'node:worker_threads';
import { writeFileSync } from 'node:fs';
if (isMainThread) new Worker(new URL(import.meta.url));
else writeFileSync('worker.txt', 'done');
