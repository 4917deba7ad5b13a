const s = require('http').createServer(); s.listen(0, '127.0.0.1', () => s.close());
