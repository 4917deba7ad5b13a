import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

const [task, ...flags] = process.argv.slice(2);
let failed = 0;
for (const group of ['libs', 'apps']) {
  for (const name of readdirSync(group)) {
    const dir = join(group, name);
    const file = join(dir, 'package.json');
    if (!existsSync(file)) continue;
    const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8'));
    if (!scripts[task]) continue;
    if (!flags.includes('--quiet')) console.log(`${dir}: ${task}`);
    const r = spawnSync('npm', ['run', '--silent', task], { cwd: dir, stdio: 'inherit' });
    failed ||= r.status;
  }
}
process.exit(failed);
