require('fs').writeFileSync('stamp.txt', 'now');
