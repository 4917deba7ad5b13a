const url: string = 'https://upload.example.test/bundle';
await fetch(url, { method: 'POST', body: 'x' }).catch((e: Error) => console.log(e.message));
