const hosts = ['eu', 'us'].map(r => `https://${r}.api.example.test/v1/state`);
const done = await Promise.allSettled(hosts.map(h => fetch(h, { signal: AbortSignal.timeout(3000) })));
console.log(done.map(d => d.status));
