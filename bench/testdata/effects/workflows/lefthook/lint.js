for (const f of process.argv.slice(2)) require('fs').readFileSync(f);
