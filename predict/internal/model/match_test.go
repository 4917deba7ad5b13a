package model_test

import (
	"strings"
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/model"
)

// show writes steps as "verb=value" or "verb(argument)=value".
func show(steps []model.Step) string {
	var out []string
	for _, s := range steps {
		t := s.Verb
		if s.Arg != "" {
			t += "(" + s.Arg + ")"
		}
		out = append(out, t+"="+s.Value)
	}
	return strings.Join(out, " ")
}

func TestOptionForms(t *testing.T) {
	l := library(`
two:
  options: {"--pair -p==": read}
  operands: write...
last:
  options: {"-c=!": code sh}
  values: -x|--extra
  operands: text...
pre:
  options: {"+*": code vim, "-D*": set-env, "-D -S=": text, "@*": read}
  operands: write...
media:
  style: single
  options: {"-i=": read, "-y": , "-c:*=": text, "-*=": skip}
  operands: write...
set:
  options: {"-o=": text}
  settings: {"-o": {ProxyCommand: shell, IdentityFile: read}}
addr:
  settings: {operands: {EXEC: shell, TCP-LISTEN: "listen *:{}"}}
  operands: text...
base:
  options: {"-o --output=": write, "-v": nothing}
  operands: read...
derived:
  like: base
  options: {"-o=": delete}
  flags: -v
runs:
  style: first
  options: {"-u=": }
  operands: set-env... command...
post:
  options: {"-a=": data, "-f=": data form, "-u=": data urlencode}
host:
  style: second
  values: -u
  operands: send text...
all:
  flags: -a -b -c
  operands: read...
  if:
    - {has: "-a -b & -c", operands: write...}
dd:
  style: assign
  options: {"if=": read, "of=": write, "--help": nothing}
`)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, want string }{
		{"two --pair a b c", "read=b write=c"},
		{"two -p a b c", "read=b write=c"},
		{"two c -p a", "read=a write=c"},
		{"last -c x -c y", "code(sh)=x text=-c text=y"},
		{"last -cx -x y", "code(sh)=x text=-x text=y"},
		{"last --extra 1 -c x", "code(sh)=x"},
		{"last --extra 1 a", "text=a"},
		{"pre +10 f", "code(vim)=10 write=f"},
		{"pre +g/a=b/d f", "code(vim)=g/a=b/d write=f"},
		{"pre + f", "write=+ write=f"},
		{"pre -DA=1 f", "set-env=A=1 write=f"},
		{"pre -D A=1 f", "text=A=1 write=f"},
		{"pre @list f", "read=list write=f"},
		{"pre -- @list +x", "write=@list write=+x"},
		{"media -y -i a -vf b -c:v d e", "read=a skip=b text=d write=e"},
		{"set -o ProxyCommand=x", "text=x shell=x"},
		{"set -oproxycommand=x=y", "text=x=y shell=x=y"},
		{"set -o IdentityFile=k", "text=k read=k"},
		{"set -o Other=k", "text=Other=k"},
		{"addr exec:cmd,pty TCP-LISTEN:80,fork -", "text=exec:cmd,pty text=TCP-LISTEN:80,fork text=- shell=cmd listen(*:{})=80"},
		{"derived -o x --output y z", "delete=x write=y read=z"},
		{"derived -v z", "read=z"},
		{"runs -u a B=1 C= prog D=2 -u", "set-env=B=1 set-env=C= command=prog"},
		{"runs prog D=2", "command=prog"},
		{"runs ./a=b", "command=./a=b"},
		{"post -a @f -a x@f -a @-", "read=f text=x@f stdin=@-"},
		{"post -f a=@f;type=x -f a=<g -f a=@- -f @h -f a=b", "read=f read=g stdin=a=@- text=@h text=a=b"},
		{"post -u a@f -u @g -u a=@f", "read=f read=g text=a=@f"},
		{"dd if=a of=b bs=1", "read=a write=b"},
		{"dd --help", "nothing="},
		{"dd if=a --help", "read=a nothing="},
		{"derived --version", "nothing="},
		{"derived --version a", "read=a"},
		{"host -u me srv -u you cmd -u x", "send=srv text=cmd text=-u text=x"},
		{"host srv -u x -- cmd", "send=srv text=cmd"},
		{"all -a f", "read=f"},
		{"all -a -c f", "write=f"},
		{"all -b -c f", "write=f"},
		{"all -c f", "read=f"},
	} {
		words := strings.Fields(c.in)
		cmd, err := l.Find(words[0])
		if err != nil || cmd == nil {
			t.Fatal(words[0], err)
		}
		if got := show(cmd.Match(words[0], words[1:]).Plan().Do); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestStatedTwice(t *testing.T) {
	for _, text := range []string{
		"a:\n  values: -x|--long\n  flags: -y -x\n",
		"a:\n  values: -x|--long\n  options: {\"--long\": read}\n",
		"a:\n  options: {\"-x --long\": read, \"-l --long=\": write}\n",
		"a:\n  sub:\n    b: {values: -x -x}\n",
	} {
		if err := library(text).Check(); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	l := library("a:\n  env: {PAGER: shell, FILE: [read, write]}\n  sub:\n    b: {env: {FILE: delete}}\n")
	c, err := l.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"PAGER": "||-p", "FILE": "f", "OTHER": "o"}
	get := func(n string) (string, bool) { v, ok := vars[n]; return v, ok }
	if got, want := show(c.Match("a", nil).Env(get)), "read=f write=f shell=p"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := show(c.Match("a", []string{"b"}).Env(get)), "delete=f shell=p"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	delete(vars, "PAGER")
	if got, want := show(c.Match("a", nil).Env(get)), "read=f write=f"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestExpandAbsolute(t *testing.T) {
	m := (&model.Command{Values: "-C"}).Match("tar", strings.Fields("-C base a /b c"))
	if got, want := strings.Join(m.Expand("{-C}/{*}", ""), "|"), "base/a|/b|base/c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestExpandRepository(t *testing.T) {
	for url, want := range map[string]string{
		"https://h.example/o/r.git": "r", "git@h.example:o/r.git": "r", "h.example:r": "r", "../up/r/": "r", "https://h.example/o/r.git/": "r",
	} {
		m := (&model.Command{}).Match("git", []string{url})
		if got := strings.Join(m.Expand("{1.repo}", ""), "|"); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}

func TestExpand(t *testing.T) {
	c, err := library("a:\n  values: -o|--out -d\n").Find("a")
	if err != nil {
		t.Fatal(err)
	}
	m := c.Match("a", strings.Fields("--out x dir/p.tar.gz q"))
	for _, k := range []struct{ arg, want string }{
		{"$HOME/.netrc", "$HOME/.netrc"},
		{"{}", "V"},
		{"{}.gz", "V.gz"},
		{"{-o}/{1.base}", "x/p.tar.gz"},
		{"{--out}", "x"},
		{"{-d}", ""},
		{"{-d:-.}/{1.stem}", "./dir/p.tar"},
		{"{*}.bak", "dir/p.tar.gz.bak|q.bak"},
		{"{3}", ""},
		{"{2", "{2"},
		{"{$}", "q"},
		{"{*.base}.x", "p.tar.gz.x|q.x"},
		{"{*.stem}", "dir/p.tar|q"},
		{"{1.repo}", "p.tar.gz"},
		{"{-d:-/tmp}/{-o:-y}{$}", "/tmp/xq"},
	} {
		if got := strings.Join(m.Expand(k.arg, "V"), "|"); got != k.want {
			t.Errorf("%s: got %s, want %s", k.arg, got, k.want)
		}
	}
}
