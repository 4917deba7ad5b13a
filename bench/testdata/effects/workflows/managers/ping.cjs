require('dns').lookup('ping.example.test', () => {});
