import https from 'node:https';
https.get('https://data.example.test/list.json', r => r.resume()).on('error', e => console.error(e.code));
