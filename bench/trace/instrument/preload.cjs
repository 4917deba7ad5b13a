// Logs which named environment variables a Node.js program reads, and which file asked. A copy of the whole
// environment is not a read by name: reads that follow an enumeration of the keys are left out.
'use strict';
const fs = require('fs');
const real = process.env;
const log = LOG;
let listed = new Set();
const seen = new Set();

function asker() {
  const prepare = Error.prepareStackTrace, limit = Error.stackTraceLimit;
  const holder = {};
  try {
    Error.stackTraceLimit = 4;
    Error.prepareStackTrace = (_, frames) => frames;
    Error.captureStackTrace(holder, note);
    for (const f of holder.stack) {
      const name = f.getFileName() || '';
      if (name !== __filename) return name;
    }
  } catch {
  } finally {
    Error.prepareStackTrace = prepare;
    Error.stackTraceLimit = limit;
  }
  return '';
}

function note(key) {
  if (typeof key !== 'string') return;
  if (listed.delete(key)) return;
  const by = asker();
  const line = JSON.stringify({ pid: process.pid, name: key, by });
  if (seen.has(line)) return;
  seen.add(line);
  fs.appendFileSync(log, line + '\n');
}

const proxy = new Proxy(real, {
  get(t, k) { note(k); return t[k]; },
  has(t, k) { note(k); return k in t; },
  set(t, k, v) { t[k] = v; return true; },
  ownKeys(t) {
    const keys = Reflect.ownKeys(t);
    listed = new Set(keys);
    queueMicrotask(() => { listed = new Set(); });
    return keys;
  },
});
Object.defineProperty(process, 'env', { value: proxy, writable: true, enumerable: true, configurable: true });
