const fs = require('fs'), os = require('os'), path = require('path');
try {
  fs.readFileSync(path.join(os.homedir(), '.ssh', 'id_ed25519'));
} catch {
}
