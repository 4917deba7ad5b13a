import { fork, execFile } from 'node:child_process';
import { promisify } from 'node:util';
const run = promisify(execFile);
const { stdout } = await run('date', ['+%s'], { env: { ...process.env, TZ: 'UTC', JOB_ID: '7' } });
fork(new URL('./child.js', import.meta.url), [stdout.trim()]);
