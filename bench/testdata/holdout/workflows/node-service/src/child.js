import { createWriteStream } from 'node:fs';
import { createGzip } from 'node:zlib';
const z = createGzip();
z.pipe(createWriteStream('job.log.gz'));
z.end(process.argv[2]);
