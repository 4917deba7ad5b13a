package jsscan

import (
	"slices"
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/script/scripttest"
)

func TestProgram(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"nothing", "console.log('hello')", nil},
		{"write", "const fs = require('fs')\nfs.writeFileSync('out.txt', 'x')", []string{"2 effect file.write /w/out.txt"}},
		{"alias", "const {execSync: run} = require('node:child_process'); run('git status')", []string{"1 shell git status"}},
		{"promises", "import {writeFile as w} from 'fs/promises'\nawait w(`${process.cwd()}/a`, '')", []string{"2 effect file.write /w/a"}},
		{"namespace", "import * as cp from 'child_process'\ncp.spawn('node', ['a.js', '--x'])", []string{"2 exec node a.js --x"}},
		{"not called", "const fs = require('fs')\nfunction f() { fs.unlinkSync('x') }", nil},
		{"called", "const fs = require('fs')\nf()\nfunction f() { fs.rmSync('/x', {force: true}) }", []string{"3 effect file.delete /x"}},
		{"shadowed", "function f(fs) { fs.go('x') }\nconst fs = {writeFileSync() {}}\nfs.writeFileSync('x')", nil},
		{"home", "const {join} = require('path'), os = require('os')\nrequire('fs').readFileSync(join(os.homedir(), '.ssh', 'id_rsa'))", []string{"2 effect file.read /home/u/.ssh/id_rsa"}},
		{"shell option", "require('child_process').spawn('a', ['b', 'c'], {shell: true})", []string{"1 shell a b c"}},
		{"fork", "require('child_process').fork('./w.js', ['x'])", []string{"1 script /w/w.js x"}},
		{"environment", "if (process.env.TOKEN) {}", []string{"1 effect environment.read TOKEN"}},
		{"child environment", "require('child_process').execFile('a', [], {env: {...process.env, NEW: '1', PATH: process.env.PATH}})", []string{"1 effect environment.read PATH", "1 effect environment.write NEW", "1 exec a"}},
		{"fetch", "await fetch('https://example.com/x')", []string{"1 effect network.fetch https://example.com/x"}},
		{"https options", "require('https').get({hostname: 'example.com', path: '/p'}, r => r.on('data', () => {}))", []string{"1 effect network.fetch https://example.com/p"}},
		{"listen", "require('http').createServer((q, s) => {}).listen(3000)", []string{"1 effect network.listen *:3000"}},
		{"loopback", "require('net').createServer().listen(80, '127.0.0.1')", []string{"1 effect network.listen 127.0.0.1:80"}},
		{"platform decided", "const cp = require('child_process')\nif (process.platform === 'win32') cp.execSync('dir'); else cp.execSync('ls')", []string{"2 shell ls"}},
		{"branch open", "const cp = require('child_process')\nif (process.env.X) cp.execSync('a')\nelse cp.execSync('b')", []string{"2 effect environment.read X", "2 shell a ?", "3 shell b ?"}},
		{"variable set", "if (process.env.SET === '1') require('child_process').execSync('a')\nif (process.env.UNSET) require('child_process').execSync('b')", []string{"1 effect environment.read SET", "1 shell a", "2 effect environment.read UNSET"}},
		{"argument", "if (process.argv[2] === 'init') require('fs').mkdirSync('d')\nelse require('fs').mkdirSync('e')", []string{"1 effect file.write /w/d"}},
		{"exit", "process.exit(0)\nrequire('fs').mkdirSync('d')", nil},
		{"catch", "const cp = require('child_process')\ntry { cp.execSync('a') } catch { cp.execSync('b') }\ntry { f() } catch { cp.execSync('c') }\nfunction f() {}", []string{"2 shell a", "2 shell b !"}},
		{"throw", "try { throw new Error() } catch (e) { require('fs').mkdirSync('d') }", []string{"1 effect file.write /w/d"}},
		{"computed module", "require(process.env.MOD)", []string{"1 effect environment.read MOD", "1 unknown a module whose name is computed"}},
		{"eval", "eval(process.env.CODE)", []string{"1 effect environment.read CODE", "1 unknown code that is made while running (eval)"}},
		{"eval of a literal", "eval(\"require('fs').mkdirSync('d')\")", []string{"1 effect file.write /w/d"}},
		{"callback", "require('child_process').exec('a', (err) => { require('fs').mkdirSync('d') })", []string{"1 shell a", "1 effect file.write /w/d ?"}},
		{"loop", "for (const d of ['a', 'b']) require('fs').mkdirSync(`/t/${d}`)", []string{"1 effect file.write /t/a", "1 effect file.write /t/b"}},
		{"class", "const fs = require('fs')\nclass A { constructor(p) { this.p = p }\n go() { fs.mkdirSync(this.p) } idle() { fs.mkdirSync('no') } }\nclass B extends A { constructor() { super('/b') } }\nnew B().go()", []string{"3 effect file.write /b"}},
		{"typescript", "import fs from 'fs'\nfs.writeFileSync('a', 'b')", []string{"2 effect file.write /w/a"}},
		{"regex is not division", "const a = 1 / 2, r = /require('fs').mkdirSync('x')/.test('y'); a / r / 1", nil},
		{"template", "const n = process.env.N\nrequire('child_process').execSync(`npm i ${n} --save`)", []string{"1 effect environment.read N", "2 shell npm i * --save"}},
		{"map", "const cp = require('child_process')\nconst m = new Map([['init', () => cp.execSync('a')], ['other', () => cp.execSync('b')]])\nm.set('third', () => cp.execSync('c'))\nconst f = m.get(process.argv[2])\nif (f) f()\nif (m.has('none')) cp.execSync('d')\nfor (const [k] of m) if (k === 'third') m.get(k)()", []string{"2 shell a", "3 shell c"}},
		{"set", "const cp = require('child_process')\nconst s = new Set(['init'])\ns.add('x')\nif (s.has(process.argv[2])) cp.execSync('a')\nif (s.has('y')) cp.execSync('b')\nfor (const v of s) cp.execSync(v)\n;[...s].forEach((v) => cp.execSync('go ' + v))", []string{"4 shell a", "6 shell init", "6 shell x", "7 shell go init", "7 shell go x"}},
		{"a list that may be empty", "const cp = require('child_process')\nconst m = String(cp.execSync('v')).match(/a/g) || []\nconst [x] = [...new Set(m.map((s) => s.trim()))]\nif (!x) cp.execSync('no'); else cp.execSync('yes')", []string{"2 shell v", "4 shell no ?", "4 shell yes ?"}},
		{"chosen function", "require('fs')[process.env.F]('x')", []string{"1 effect environment.read F", "1 unknown a function of fs that is chosen while the program runs"}},
		{"named in pieces", "const c = require('child_' + 'process'); c['ex' + 'ecSync']('a'); global['ev' + 'al'](\"c.execSync('b')\")", []string{"1 shell a", "1 shell b"}},
		{"other ways to require", "module.require('fs').mkdirSync('a'); process.mainModule.require('fs').mkdirSync('b'); require('module')._load('fs').mkdirSync('c'); module.constructor._load('fs').mkdirSync('d')", []string{"1 effect file.write /w/a", "1 effect file.write /w/b", "1 effect file.write /w/c", "1 effect file.write /w/d"}},
		{"function of a constructor", "[].constructor.constructor(\"require('fs').mkdirSync('a')\")(); (() => 0).constructor(process.env.X)()", []string{"1 effect file.write /w/a", "1 effect environment.read X", "1 unknown code that is made while running (Function)"}},
		{"failed child", "const cp = require('child_process')\ncp.exec('test', (err) => { if (err) cp.execSync('build') ; else cp.execSync('done') })", []string{"2 shell test", "2 shell build !", "2 shell done ?"}},
		{"exit status", "const cp = require('child_process')\nconst r = cp.spawnSync('a')\nif (r.status !== 0) { cp.execSync('b') }\nif (!r.error) cp.execSync('c')", []string{"2 exec a", "3 shell b !", "4 shell c ?"}},
		{"early return after failure", "const cp = require('child_process')\nfunction f() { const r = cp.spawnSync('a'); if (r.status === 0) return; cp.execSync('b') }\nf(); cp.execSync('c')", []string{"2 exec a", "2 shell b !", "3 shell c"}},
		{"asking for a path says nothing of it", "const fs = require('fs')\nfs.stat(process.env.P, (err) => { if (err) fs.mkdirSync('d') })", []string{"2 effect environment.read P", "2 effect file.write /w/d ?"}},
		{"environment of a package", "require('debug')('x'); require('mkdirp').sync('d')", []string{"1 effect environment.read DEBUG", "1 effect file.write /w/d"}},
		{"worker", "const {Worker, isMainThread} = require('worker_threads')\nif (isMainThread) new Worker('/w/main.js'); else require('fs').mkdirSync('d')", []string{"2 unknown a worker whose file is not known"}},
		{"arguments", "const a = require('minimist')(process.argv.slice(2).concat('--exec=go'))\nif (a.exec === 'go') require('fs').mkdirSync(a._[0]); else require('fs').mkdirSync('no')", []string{"2 effect file.write /w/init"}},
		{"C library", "const {execSync} = require('child_process')\nconst r = process.report.getReport()\nif (r.header.glibcVersionRuntime) execSync('glibc'); else execSync('musl')", []string{"3 shell glibc"}},
		{"interop", "var __importStar = (this && this.__importStar) || function (mod) { if (mod && mod.__esModule) return mod; var result = {}; return result }\nconst fs = __importStar(require('fs'))\nfs.mkdirSync('d')", []string{"3 effect file.write /w/d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Program(scripttest.Tree{"/w/package.json": "{}"}, "/w/main.js", scripttest.Options(c.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := scripttest.Findings(list); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestProgramFollowsInput(t *testing.T) {
	server := `
import { createInterface } from 'node:readline'
import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const tools = { save: ({ name }) => writeFileSync('notes/' + name, ''), history: () => execSync('git log') }
createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line)
  if (m.method === 'tools/call') tools[m.params.name](m.params.arguments)
})
`
	sdk := `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { execSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
const server = new McpServer({ name: 'notes' })
server.tool('save', {}, async ({ name }) => { writeFileSync('notes/' + name, '') })
server.registerTool('history', {}, () => execSync('git log'))
`
	for name, src := range map[string]string{"lines": server, "sdk": sdk} {
		opts := scripttest.Options(src)
		opts.HasInput = true
		opts.Input = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"name":"a.md"}}}
`
		list, err := Program(scripttest.Tree{}, "/w/server.mjs", opts)
		if err != nil {
			t.Fatal(err)
		}
		got := scripttest.Findings(list)
		if len(got) != 1 || !strings.HasSuffix(got[0], "effect file.write /w/notes/a.md") {
			t.Errorf("%s: got %q, want the one write", name, got)
		}
	}
}

func TestResolve(t *testing.T) {
	tree := scripttest.Tree{
		"/w/package.json":                     `{"name": "app", "imports": {"#in": "./lib/in.js"}}`,
		"/w/lib/in.js":                        "require('fs').mkdirSync('in')",
		"/w/lib/index.js":                     "exports.f = () => require('fs').mkdirSync('index')",
		"/w/node_modules/main/package.json":   `{"main": "lib"}`,
		"/w/node_modules/main/lib/index.js":   "require('fs').mkdirSync('main')",
		"/w/node_modules/map/package.json":    `{"exports": {".": {"import": "./no.mjs", "require": {"node": "./yes.cjs"}}, "./sub/*": "./src/*.js"}}`,
		"/w/node_modules/map/yes.cjs":         "require('fs').mkdirSync('map')",
		"/w/node_modules/map/src/a.js":        "require('fs').mkdirSync('sub')",
		"/w/node_modules/@s/p/package.json":   "{}",
		"/w/node_modules/@s/p/index.js":       "module.exports = class { go() { require('fs').mkdirSync('scope') } }",
		"/w/node_modules/esm/package.json":    `{"type": "module", "exports": "./e.js"}`,
		"/w/node_modules/esm/e.js":            "import { mkdirSync } from 'fs'\nexport * from './r.js'\nexport default function () { mkdirSync('esm') }",
		"/w/node_modules/esm/r.js":            "export const named = () => import('fs').then((fs) => fs.mkdirSync('named'))",
		"/w/node_modules/a/index.js":          "exports.b = require('b'); exports.f = () => require('fs').mkdirSync('cycle')",
		"/w/node_modules/b/index.js":          "const a = require('a'); module.exports = () => a.f()",
		"/w/node_modules/broken/package.json": "[",
		"/w/node_modules/broken/index.js":     "require('fs').mkdirSync('broken')",
	}
	for _, c := range []struct{ src, want string }{
		{"require('#in')", "in"},
		{"require('./lib').f()", "index"},
		{"require('main')", "main"},
		{"require('map')", "map"},
		{"require('map/sub/a')", "sub"},
		{"const P = require('@s/p'); new P().go()", "scope"},
		{"import go from 'esm'; go()", "esm"},
		{"import { named } from 'esm'; named()", "named"},
		{"import('esm').then((m) => m.default())", "esm"},
		{"require('a').b()", "cycle"},
		{"require('broken')", "broken"},
	} {
		list, err := Program(tree, "/w/main.js", scripttest.Options(c.src))
		if err != nil {
			t.Fatal(err)
		}
		got := scripttest.Findings(list)
		if len(got) != 1 || !strings.Contains(got[0], "effect file.write /w/"+c.want) {
			t.Errorf("%s: got %q, want a write of %s", c.src, got, c.want)
		}
	}
	for _, src := range []string{"require('map/other')", "require('./none')", "import 'nothing'"} {
		list, err := Program(tree, "/w/main.js", scripttest.Options(src))
		if err != nil {
			t.Fatal(err)
		}
		if got := scripttest.Findings(list); len(got) != 1 || !strings.Contains(got[0], "unknown the module") {
			t.Errorf("%s: got %q, want an unknown", src, got)
		}
	}
}

func TestProgramFollowsFolders(t *testing.T) {
	tree := scripttest.Tree{"/w/packages/a/package.json": "{}", "/w/packages/b/package.json": "{}", "/w/packages/note.txt": ""}
	for _, src := range []string{
		"const fs = require('fs'), cp = require('child_process')\nfor (const d of fs.readdirSync('packages')) if (fs.statSync('packages/' + d).isDirectory()) cp.execSync('build ' + d)",
		"const fs = require('fs'), cp = require('child_process')\nfs.readdirSync('/w/packages', {withFileTypes: true}).filter((e) => e.isDirectory()).forEach((e) => cp.execSync('build ' + e.name))",
		"const fs = require('fs/promises'), cp = require('child_process')\n;(async () => { for (const d of await fs.readdir('packages')) { if (d.endsWith('.txt')) continue; cp.execSync('build ' + d) } })()",
	} {
		list, err := Program(tree, "/w/main.js", scripttest.Options(src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range scripttest.Findings(list) {
			if strings.Contains(f, "shell") {
				got = append(got, f)
			}
		}
		if want := []string{"2 shell build a", "2 shell build b"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPackageTable(t *testing.T) {
	for line := range strings.Lines(packagesText) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' || len(f) == 1 {
			continue
		}
		if len(f) < 3 || len(f) > 4 {
			t.Errorf("%q: want a package alone, or package, member, effect and an argument", line)
			continue
		}
		class, _, _ := strings.Cut(f[2], ".")
		switch class {
		case "file", "tree", "link", "network", "shell", "exec", "run", "env", "variable", "addon", "unknown":
		default:
			t.Errorf("%q: the effect %q is not one that is followed", line, f[2])
		}
		if class != "variable" && len(f) == 4 && f[3] != "-" && (len(f[3]) != 1 || f[3][0] > '9') {
			t.Errorf("%q: the argument is a position from 0 to 9", line)
		}
	}
}
