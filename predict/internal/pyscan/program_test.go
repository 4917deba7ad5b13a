package pyscan

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
		{"nothing", "print('hello')\n", nil},
		{"open for writing", "with open('out.txt', 'w') as f:\n    f.write('x')\n", []string{"1 effect file.write /w/out.txt"}},
		{"open for reading", "open('/etc/passwd').read()\n", []string{"1 effect file.read /etc/passwd"}},
		{"mode by name", "open(file, mode=m) if (file := 'a') and (m := 'ab') else None\n", []string{"1 effect file.write /w/a"}},
		{"subprocess", "import subprocess\nsubprocess.run(['git', 'status'], check=True)\n", []string{"2 exec git status"}},
		{"alias", "from subprocess import check_call as r\nr('ls -l | wc', shell=True)\n", []string{"2 shell ls -l | wc"}},
		{"module alias", "import subprocess as sp, sys\nsp.call([sys.executable, '-m', 'pip', 'install', 'x'])\n", []string{"2 exec python3 -m pip install x"}},
		{"system", "import os\nos.system(f'rm -rf {os.environ[\"X\"]}/build')\n", []string{"2 effect environment.read X", "2 shell rm -rf */build"}},
		{"not called", "import os\ndef f():\n    os.remove('x')\n", nil},
		{"main", "import os\ndef main():\n    os.makedirs('/a/b')\nif __name__ == '__main__':\n    main()\n", []string{"3 effect file.write /a/b"}},
		{"pathlib", "from pathlib import Path\nroot = Path(__file__).resolve().parent\n(root / 'out' / 'a.txt').write_text('x')\n", []string{"3 effect file.write /w/out/a.txt"}},
		{"home", "from pathlib import Path\n(Path.home() / '.ssh' / 'id_rsa').read_text()\nimport os\nopen(os.path.expanduser('~/.netrc'))\n", []string{"2 effect file.read /home/u/.ssh/id_rsa", "4 effect file.read /home/u/.netrc"}},
		{"environment", "import os\na = os.environ.get('A'); b = os.getenv('B', 'x'); c = os.environ['C']; os.environ['D'] = '1'\n", []string{"2 effect environment.read A", "2 effect environment.read B", "2 effect environment.read C", "2 effect environment.write D"}},
		{"child environment", "import os, subprocess\nenv = os.environ.copy()\nenv['NEW'] = '1'\nsubprocess.check_output(['a'], env=env, cwd='sub')\n", []string{"4 effect environment.write NEW", "4 exec a"}},
		{"child environment as a literal", "import os, subprocess\nsubprocess.run(['a'], env={**os.environ, 'K': 'v'})\n", []string{"2 effect environment.write K", "2 exec a"}},
		{"requests", "import requests\nrequests.post('https://example.com/x', data={})\n", []string{"2 effect network.send https://example.com/x"}},
		{"session", "import requests\ns = requests.Session()\ns.get('https://example.com/y')\n", []string{"3 effect network.fetch https://example.com/y"}},
		{"urlopen", "from urllib.request import urlopen, Request\nurlopen(Request('https://example.com'))\n", []string{"2 effect network.fetch https://example.com"}},
		{"socket", "import socket\ns = socket.socket()\ns.connect(('example.com', 25))\n", []string{"3 effect network.send example.com:25"}},
		{"server", "from http.server import HTTPServer, BaseHTTPRequestHandler\nHTTPServer(('127.0.0.1', 80), BaseHTTPRequestHandler).serve_forever()\n", []string{"2 effect network.listen 127.0.0.1:80"}},
		{"platform decided", "import sys, os\nif sys.platform == 'win32':\n    os.system('dir')\nelif sys.platform.startswith('linux'):\n    os.system('ls')\n", []string{"5 shell ls"}},
		{"python 2 branch", "import sys, os\nif sys.version_info < (3, 0):\n    os.system('a')\nelse:\n    os.system('b')\n", []string{"5 shell b"}},
		{"argument", "import sys, os\nif sys.argv[1] == 'init':\n    os.mkdir('d')\nelse:\n    os.mkdir('e')\n", []string{"3 effect file.write /w/d"}},
		{"exit", "import sys, os\nsys.exit(0)\nos.mkdir('d')\n", nil},
		{"except", "import os\ntry:\n    os.system('a')\nexcept OSError:\n    os.system('b')\n", []string{"3 shell a", "5 shell b !"}},
		{"optional import", "import os\ntry:\n    from . import missing\nexcept ImportError:\n    os.system('b')\n", []string{"5 shell b"}},
		{"computed import", "import importlib, os\nimportlib.import_module(os.environ['M'])\n", []string{"2 effect environment.read M", "2 unknown a module whose name is computed"}},
		{"exec", "exec(open('x.py').read())\n", []string{"1 effect file.read /w/x.py", "1 unknown code that is made while running (exec)"}},
		{"exec of a literal", "exec(\"import os\\nos.mkdir('d')\")\n", []string{"1 effect file.write /w/d"}},
		{"class", "import os\nclass A:\n    def __init__(self, p):\n        self.p = p\n    def go(self):\n        os.mkdir(self.p)\n    def idle(self):\n        os.mkdir('no')\nclass B(A):\n    def __init__(self):\n        super().__init__('/b')\nB().go()\n", []string{"6 effect file.write /b"}},
		{"loop and format", "import os\nfor d in ['a', 'b']:\n    os.mkdir('/t/%s' % d)\n    os.rmdir('/u/{}'.format(d))\n", []string{"3 effect file.write /t/a", "4 effect file.delete /u/a", "3 effect file.write /t/b", "4 effect file.delete /u/b"}},
		{"setup", "from setuptools import setup\nfrom setuptools.command.install import install\nimport os\nclass I(install):\n    def run(self):\n        os.system('curl x')\n        install.run(self)\nsetup(name='x', cmdclass={'install': I})\n", []string{"8 effect file.write /w/build", "6 shell curl x ?"}},
		{"ctypes", "import ctypes\nctypes.CDLL('libc.so.6')\n", []string{"2 unknown native code: a library is loaded (ctypes.CDLL)"}},
		{"dotenv", "from dotenv import load_dotenv\nload_dotenv()\n", []string{"2 effect environment.read /w/.env"}},
		{"pandas", "import pandas as pd\ndf = pd.read_csv('https://example.com/a.csv')\ndf.to_csv('out.csv')\n", []string{"2 effect network.fetch https://example.com/a.csv", "3 effect file.write /w/out.csv"}},
		{"unknown package", "import strangething\nstrangething.go()\n", []string{"1 unknown the module strangething is not followed"}},
		{"decorated", "import click, os\n@click.command()\n@click.option('--x')\ndef main(x):\n    os.mkdir('d')\nmain()\n", []string{"5 effect file.write /w/d"}},
		{"strings hide nothing", "s = '''\nimport os\nos.system(\"a\")\n'''\nt = r'\\\\'  # os.system('b')\n", nil},
		{"joined lines", "import os\nos.system(\n    'a '\n    'b'\n)\nx = 1 + \\\n    2\n", []string{"2 shell a b"}},
		{"thread", "import threading, os\ndef work(p):\n    os.mkdir(p)\nthreading.Thread(target=work, args=('/x',)).start()\n", []string{"3 effect file.write /x"}},
		{"import in a function", "def f():\n    import os\n    from shutil import rmtree as r\n    r('/a')\n    os.mkdir('d')\nf()\n", []string{"4 effect file.delete /a", "5 effect file.write /w/d"}},
		{"dataclass", "import os\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    name: str\n    root: str = '/r'\n    def go(self):\n        os.mkdir(self.root + '/' + self.name)\nA('x').go()\nA(name='y', root='/s').go()\n", []string{"8 effect file.write /r/x", "8 effect file.write /s/y"}},
		{"argparse", "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('action')\np.add_argument('-f', '--force', action='store_true')\np.add_argument('--out', default='/o')\na = p.parse_args()\nif a.action == 'init':\n    os.mkdir(a.out)\nif a.force:\n    os.rmdir('/a')\nb = p.parse_args(['x', '-f', '--out=/p'])\nif b.force:\n    os.mkdir(b.out)\n", []string{"8 effect file.write /o", "13 effect file.write /p"}},
		{"subcommands", "import argparse, os\ndef save(a):\n    os.mkdir('/s' + a.name)\ndef other(a):\n    os.mkdir('/o')\np = argparse.ArgumentParser()\ns = p.add_subparsers(dest='cmd')\nq = s.add_parser('init')\nq.add_argument('name', nargs='?')\nq.add_argument('--deep', default='x')\nq.set_defaults(func=save)\ns.add_parser('other').set_defaults(func=other)\na = p.parse_args()\na.func(a)\nif a.cmd == 'other':\n    os.mkdir('/no')\n", []string{"3 effect file.write /s*"}},
		{"dispatch", "import os, sys\nC = {}\ndef command(f):\n    C[f.__name__] = f\n    return f\n@command\ndef init(*a):\n    os.mkdir('/i')\n@command\ndef other(*a):\n    os.mkdir('/o')\nname = sys.argv[1]\nif name not in C:\n    os.mkdir('/no')\nC[name](*sys.argv[2:])\nC.get('other', init)()\nglobals()['init']()\n", []string{"8 effect file.write /i", "11 effect file.write /o"}},
		{"chosen function", "import os, sys\ngetattr(os, sys.argv[1] + os.environ['X'])('a')\n", []string{"2 effect environment.read X", "2 unknown a function of os that is chosen while the program runs"}},
		{"named in pieces", "import os, sys\ngetattr(os, 'sys' + 'tem')('a')\n__import__('o' + 's').system('b')\nos.__dict__['system']('c')\nvars(os)['system']('d')\nsys.modules['os'].system('e')\n", []string{"2 shell a", "3 shell b", "4 shell c", "5 shell d", "6 shell e"}},
		{"failed child", "import subprocess, os\nif os.system('a') != 0:\n    os.system('b')\nr = subprocess.run(['c'])\nif r.returncode:\n    os.system('d')\n", []string{"2 shell a", "3 shell b !", "4 exec c", "6 shell d !"}},
		{"comprehension", "import os\n[os.remove(p) for p in ('/a', '/b')]\n", []string{"2 effect file.delete /a", "2 effect file.delete /b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := scripttest.Tree{"/w/main.py": c.src, "/etc/passwd": "", "/w/x.py": "", "/home/u/.netrc": "", "/a": "", "/b": "", "/u/a/x": "", "/u/b/x": ""}
			opts := scripttest.Options("")
			list, err := Program(tree, "/w/main.py", opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := scripttest.Findings(list); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestImports(t *testing.T) {
	tree := scripttest.Tree{
		"/w/main.py":         "import helper\nfrom pkg.sub import go as g\nfrom pkg import other\nhelper.run('a')\ng()\nother.f()\n",
		"/w/helper.py":       "import os\ndef run(x):\n    os.mkdir('/' + x)\ndef idle():\n    os.mkdir('/no')\n",
		"/w/pkg/__init__.py": "",
		"/w/pkg/sub.py":      "from .other import f\ndef go():\n    f()\n",
		"/w/pkg/other.py":    "import os\ndef f():\n    os.rmdir('/w/pkg')\n",
	}
	list, err := Program(tree, "/w/main.py", scripttest.Options(""))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"3 effect file.write /a", "3 effect file.delete /w/pkg"}
	if got := scripttest.Findings(list); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var files []string
	for _, f := range list {
		files = append(files, f.Path)
	}
	wantFiles := []string{"/w/main.py", "/w/helper.py", "/w/pkg/__init__.py", "/w/pkg/sub.py", "/w/pkg/other.py"}
	if !slices.Equal(files, wantFiles) {
		t.Errorf("files %q, want %q", files, wantFiles)
	}
}

func TestProgramFollowsInput(t *testing.T) {
	head := "import json, os, sys\nTOOLS = {'save': lambda a: os.mkdir(a['name']), 'history': lambda a: os.system('git log')}\n"
	handle := "    m = json.loads(line)\n    if m['method'] == 'tools/call':\n        TOOLS[m['params']['name']](m['params']['arguments'])\n"
	for name, src := range map[string]string{
		"for":      head + "for line in sys.stdin:\n" + handle,
		"readline": head + "while True:\n    line = sys.stdin.readline()\n    if not line:\n        break\n" + handle,
		"sdk":      "import os\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP('notes')\n@mcp.tool()\ndef save(name: str):\n    os.mkdir(name)\n@mcp.tool()\ndef history():\n    os.system('git log')\nmcp.run()\n",
	} {
		opts := scripttest.Options(src)
		opts.HasInput = true
		opts.Input = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"name":"d"}}}
`
		list, err := Program(scripttest.Tree{}, "/w/server.py", opts)
		if err != nil {
			t.Fatal(err)
		}
		got := scripttest.Findings(list)
		if len(got) != 1 || !strings.HasSuffix(got[0], "effect file.write /w/d") {
			t.Errorf("%s: got %q, want the one write", name, got)
		}
	}
}

func TestProgramFollowsFolders(t *testing.T) {
	for _, body := range []string{
		"for d in os.listdir('packages'):\n    if os.path.isdir('packages/' + d):\n        os.system('build ' + d)\n",
		"for e in os.scandir('packages'):\n    if e.is_dir():\n        os.system('build ' + e.name)\n",
		"for p in Path('packages').iterdir():\n    if p.is_dir():\n        os.system('build ' + p.name)\n",
		"for p in glob.glob('packages/?'):\n    os.system('build ' + os.path.basename(p))\n",
	} {
		tree := scripttest.Tree{"/w/main.py": "import glob, os\nfrom pathlib import Path\n" + body, "/w/packages/a/x": "", "/w/packages/b/x": "", "/w/packages/note.txt": ""}
		list, err := Program(tree, "/w/main.py", scripttest.Options(""))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range scripttest.Findings(list) {
			if strings.Contains(f, "shell") {
				got = append(got, f[2:])
			}
		}
		if want := []string{"shell build a", "shell build b"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	for line := range strings.Lines(apisText) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0][0] == '#' || len(f) == 1 {
			continue
		}
		class, _, _ := strings.Cut(f[1], ".")
		switch class {
		case "file", "network", "shell", "run", "env", "variable", "url", "addon", "code", "unknown", "tree", "link":
		default:
			t.Errorf("%q: the effect %q is not one that is followed", line, f[1])
		}
		if class != "variable" && len(f) > 2 && f[2] != "-" && (len(f[2]) != 1 || f[2][0] > '9') || len(f) > 4 != (class == "link") || len(f) > 6 || len(f) > 4 && (len(f) < 6 || len(f[4]) != 1 || f[4][0] > '9') {
			t.Errorf("%q: want path, effect, the argument's position from 0 to 9, and its keyword", line)
		}
	}
}
