import { writeFileSync } from 'node:fs';
import { banner, type Target } from './lib/banner.ts';

const target: Target = (process.env.BUILD_TARGET as Target) ?? 'dev';
writeFileSync('bundle.js', banner(target));
