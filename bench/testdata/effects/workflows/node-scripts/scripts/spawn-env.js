import { spawnSync } from 'node:child_process';
spawnSync('true', [], { env: { ...process.env, BUILD_ID: '7' } });
