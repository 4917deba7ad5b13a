require('fs').writeFileSync('ready', process.env.TOOL_MODE || 'default');
