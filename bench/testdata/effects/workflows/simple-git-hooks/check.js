require('dns').lookup('policy.example.test', () => {});
