const name = ['f', 's'].join('');
require(name).rmSync('gone', { recursive: true, force: true });
require(name).appendFileSync('log.txt', 'x');
