await fetch('http://hooks.example.test/push', { method: 'POST', body: process.argv[2] }).catch(() => {});
