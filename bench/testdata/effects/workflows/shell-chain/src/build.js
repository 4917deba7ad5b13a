require('fs').writeFileSync('out/app.js', `// ${process.env.VERSION}\n`);
