#!/usr/bin/env node
'use strict'
// An install script in the manner of packages that ship a binary for each platform.
const { execFileSync, spawnSync } = require('child_process')
const crypto = require('crypto')
const fs = require('fs')
const https = require('https')
const os = require('os')
const path = require('path')

const pkg = require('./package.json')
const platforms = {
  'linux x64': { name: 'tool-linux-x64', file: 'bin/tool' },
  'linux arm64': { name: 'tool-linux-arm64', file: 'bin/tool' },
  'darwin arm64': { name: 'tool-darwin-arm64', file: 'bin/tool' },
  'win32 x64': { name: 'tool-win32-x64', file: 'tool.exe' },
}

const cacheDir = process.env.TOOL_CACHE || path.join(os.homedir(), '.cache', 'tool')
const mirror = process.env.TOOL_MIRROR || 'https://downloads.example.com/tool'

class Cache {
  #dir
  constructor(dir) {
    this.#dir = dir
    this.hits = 0
  }

  file(name) {
    return path.join(this.#dir, name.replace(/[^a-z0-9.]+/gi, '-'))
  }

  has(name) {
    if (!fs.existsSync(this.file(name))) return false
    this.hits++
    return true
  }

  write(name, data) {
    fs.mkdirSync(this.#dir, { recursive: true })
    fs.writeFileSync(this.file(name), data, { mode: 0o755 })
  }
}

function target() {
  const found = platforms[`${process.platform} ${os.arch()}`]
  if (!found) throw new Error(`no build for ${process.platform} ${os.arch()}`)
  return found
}

function download(url, redirects = 3) {
  return new Promise((resolve, reject) => {
    https.get(url, (res) => {
      const { statusCode, headers } = res
      if (statusCode > 300 && statusCode < 400 && headers.location && redirects > 0) {
        return download(headers.location, redirects - 1).then(resolve, reject)
      }
      if (statusCode !== 200) return reject(new Error(`status ${statusCode}`))
      const chunks = []
      res.on('data', (c) => chunks.push(c))
      res.on('end', () => resolve(Buffer.concat(chunks)))
    }).on('error', reject)
  })
}

function check(data, sum) {
  const got = crypto.createHash('sha256').update(data).digest('hex')
  if (sum && got !== sum) throw new Error(`expected ${sum}, got ${got}`)
}

async function install() {
  if (/^(1|true)$/i.test(process.env.TOOL_SKIP_DOWNLOAD || '')) {
    console.log('download skipped')
    return
  }
  const { name, file } = target()
  let binary
  try {
    binary = require.resolve(`${name}/${file}`)
  } catch {
    const cache = new Cache(cacheDir)
    const key = `${name}-${pkg.version}`
    if (!cache.has(key)) {
      const data = await download(`${mirror}/${pkg.version}/${name}.tgz`)
      check(data, pkg.checksums && pkg.checksums[name])
      cache.write(key, data)
    }
    binary = path.join(__dirname, 'bin', 'tool')
    fs.copyFileSync(cache.file(key), binary)
    fs.chmodSync(binary, 0o755)
  }
  const shown = execFileSync(binary, ['--version'], { encoding: 'utf8', env: { ...process.env, TOOL_QUIET: '1' } }).trim()
  if (shown !== pkg.version) throw new Error(`expected ${pkg.version}, got ${shown}`)
}

if (process.platform === 'win32') {
  spawnSync('cmd', ['/c', 'where', 'tool'], { stdio: 'inherit' })
}

install().catch((err) => {
  console.error(err.message)
  process.exitCode = 1
})
