package cargo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/source"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// registry is how a lock file writes cargo's own registry.
const registry = "registry+https://github.com/rust-lang/" + "crates" + ".io-index"

// write puts the files of a text (`-- name --` lines divide it; what is before the first is Cargo.toml) below a new folder.
func write(t testing.TB, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "REGISTRY", registry)
	if !strings.HasPrefix(text, "-- ") {
		text = "-- Cargo.toml --\n" + text
	}
	for _, part := range strings.Split("\n"+text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(part, " --")
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(strings.TrimPrefix(body, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// show writes a result as lines, without what every build does.
func show(dir string, r source.Result) []string {
	short := func(s string) string {
		s = strings.ReplaceAll(s, dir+"/target/debug/", "DEBUG/")
		return strings.ReplaceAll(strings.ReplaceAll(s, dir+"/", ""), dir, "DIR")
	}
	var out []string
	for _, c := range r.Claims {
		target := short(c.Target)
		if c.From.File == "" && c.Access != effect.Delete && (target == "rustc" || target == "cc" || target == "target" || target == "Cargo.lock") {
			continue
		}
		if c.Tree {
			target += "/**"
		}
		line := ""
		if c.From.File != "" {
			line = fmt.Sprintf(" @%s:%d", short(c.From.File), c.From.Line)
		}
		out = append(out, fmt.Sprintf("%s %s %s%s", c.Class, c.Access, target, line))
	}
	for _, j := range r.Jobs {
		text := "sh: " + j.Shell
		if j.Argv != nil {
			text = strings.Join(j.Argv, "|")
		}
		env := ""
		for _, k := range sortedKeys(j.Env) {
			env += k + "=" + short(j.Env[k]) + " "
		}
		out = append(out, fmt.Sprintf("%s[%s] %s in %s @%s:%d", env, j.Label, short(text), short(j.Dir), short(j.From.File), j.From.Line))
	}
	for _, u := range r.Unknowns {
		out = append(out, fmt.Sprintf("? %s @%s:%d", short(u.Why), short(u.From.File), u.From.Line))
	}
	return out
}

const pkgA = "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"

func TestPlan(t *testing.T) {
	for _, c := range []struct{ name, argv, text, want string }{
		{"nothing but a library", "build", pkgA + "-- src/lib.rs --\n", ""},
		{"a build script", "build", pkgA + `-- build.rs --
use std::{env, fs, process::Command};
fn main() {
    let out = env::var("OUT_DIR").unwrap();
    fs::write(format!("{}/x.rs", out), "x").unwrap();
    fs::write("src/gen.rs", "x").unwrap();
    Command::new("git").args(["rev-parse", "HEAD"]).current_dir("sub").env("K", "v").output().unwrap();
    let mut c = Command::new("sh");
    c.arg("-c");
    c.arg("echo \"x\"; curl y");
    println!("cargo:rerun-if-changed=build.rs {}", env::var("MY_TOKEN").unwrap());
}
`, "process exec DEBUG/build/a/build-script-build @build.rs:1; file write DEBUG/build/a/out/x.rs @build.rs:4; file write src/gen.rs @build.rs:5; environment read MY_TOKEN @build.rs:10; " +
			"K=v [build script of a] git|rev-parse|HEAD in sub @build.rs:6; [build script of a] sh|-c|echo \"x\", curl y in DIR @build.rs:7"},
		{"named elsewhere", "check", strings.Replace(pkgA, "version", "build = \"b/x.rs\"\nversion", 1) + "-- b/x.rs --\nmod helper;\n-- b/helper.rs --\nfn f() { std::fs::remove_dir_all(\"z\"); }\n-- build.rs --\nfn main() { std::fs::write(\"no\", 1); }\n",
			"process exec DEBUG/build/a/build-script-build @b/x.rs:1; file delete z/** @b/helper.rs:1"},
		{"turned off", "build", strings.Replace(pkgA, "version", "build = false\nversion", 1) + "-- build.rs --\nfn main() { std::fs::write(\"no\", 1); }\n", ""},
		{"comments, strings and raw strings are no code", "build", pkgA + "-- build.rs --\n// std::fs::write(\"a\", 1)\n/* /* */ std::fs::write(\"b\", 1) */\nconst S: &str = \"std::fs::write(\\\"c\\\", 1)\";\nconst R: &str = r#\"\" std::fs::write(\"d\") \"#;\nfn f<'a>(c: char) -> bool { c == '\"' || c == '\\'' } fn main() { std::fs::write(\"e\", S); }\n",
			"process exec DEBUG/build/a/build-script-build @build.rs:1; file write e @build.rs:5"},
		{"conditions", "build", pkgA + `-- build.rs --
fn main() {
    #[cfg(windows)]
    std::fs::write("windows", 1);
    #[cfg(not(windows))]
    std::fs::write("unix", 1);
    #[cfg(feature = "x")]
    std::fs::write("feature", 1);
}
#[cfg(test)]
mod tests { fn t() { std::fs::write("test", 1); } }
#[test]
fn t() { std::fs::write("test2", 1); }
`, "process exec DEBUG/build/a/build-script-build @build.rs:1; file write unix @build.rs:5; file write feature @build.rs:7"},
		{"crates of build scripts", "build", pkgA + "[build-dependencies]\ncc = \"1\"\npkg-config = \"1\"\nodd-helper = \"1\"\n-- Cargo.lock --\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n" +
			"-- build.rs --\nfn main() {\n cc::Build::new().file(\"x.c\").compile(\"x\");\n pkg_config::probe_library(\"z\").unwrap();\n odd_helper::go();\n}\n",
			"network fetch @crates @Cargo.toml:5; process exec DEBUG/build/a/build-script-build @build.rs:1; process exec cc @build.rs:2; process exec pkg-config @build.rs:3; " +
				"? no lock file says which crates are used for cc, so their build scripts and macros are not known @Cargo.toml:5; ? the build script of a calls the crate odd_helper, which is not analysed @build.rs:4"},
		{"crates that are not here", "build", pkgA + `[dependencies]
one = "1"
[target.'cfg(windows)'.dependencies]
win = "1"
[dev-dependencies]
dev = "1"
-- Cargo.lock --
version = 4

[[package]]
name = "a"
version = "0.1.0"
dependencies = [
 "one",
]

[[package]]
name = "one"
version = "1.0.0"
source = "REGISTRY"
dependencies = [
 "two 2.0.0",
]

[[package]]
name = "two"
version = "2.0.0"
source = "git+https://git.example/two?rev=1#abc"

[[package]]
name = "win"
version = "1.0.0"
source = "REGISTRY"

[[package]]
name = "dev"
version = "1.0.0"
source = "REGISTRY"
`, "network fetch @crates @Cargo.lock:10; network fetch https://git.example/two @Cargo.lock:18; ? 2 crates, one 1.0.0 first, are not on this machine, so their build scripts and macros are not known @Cargo.lock:10"},
		{"crates that are here", "build --offline", pkgA + `[dependencies]
one = "1"
-- Cargo.lock --
[[package]]
name = "one"
version = "1.0.0"
source = "REGISTRY"
-- home/.cargo/registry/src/x/one-1.0.0/Cargo.toml --
[package]
name = "one"
version = "1.0.0"
[lib]
proc-macro = true
-- home/.cargo/registry/src/x/one-1.0.0/build.rs --
fn main() { std::process::Command::new("make").status(); }
-- home/.cargo/registry/src/x/one-1.0.0/src/lib.rs --
fn f() { std::net::TcpStream::connect("h.example:1"); }
`, "process exec DEBUG/build/one/build-script-build @home/.cargo/registry/src/x/one-1.0.0/build.rs:1; network send h.example:1 @home/.cargo/registry/src/x/one-1.0.0/src/lib.rs:1; " +
			"[build script of one] make in home/.cargo/registry/src/x/one-1.0.0 @home/.cargo/registry/src/x/one-1.0.0/build.rs:1"},
		{"a workspace and its path dependencies", "build -p b", `[workspace]
members = ["crates/*"]
[workspace.dependencies]
m = { path = "m" }
-- crates/b/Cargo.toml --
[package]
name = "b"
[dependencies]
m.workspace = true
-- crates/b/src/lib.rs --
-- crates/c/Cargo.toml --
[package]
name = "c"
-- crates/c/build.rs --
fn main() { std::fs::write("c", 1); }
-- m/Cargo.toml --
[package]
name = "m"
[lib]
proc-macro = true
-- m/src/lib.rs --
use std::fs::File;
fn x() { File::create("macro"); }
`, "file write macro @m/src/lib.rs:2"},
		{"all of a workspace", "build", "[workspace]\nmembers = [\"b\", \"c\"]\nexclude = [\"c\"]\n-- b/Cargo.toml --\n[package]\nname = \"b\"\n-- b/build.rs --\nfn main() {}\n-- c/Cargo.toml --\n[package]\nname = \"c\"\n-- c/build.rs --\nfn main() {}\n",
			"process exec DEBUG/build/b/build-script-build @b/build.rs:1; process exec DEBUG/build/c/build-script-build @c/build.rs:1"},
		{"wrapper, linker and runner", "run", pkgA + "-- .cargo/config.toml --\n[build]\nrustc-wrapper = \"./w.sh\"\n\n[target.'cfg(unix)']\nlinker = \"clang\"\nrunner = [\"./r\", \"-x\"]\n[env]\nE = { value = \"d\", relative = true }\n-- src/main.rs --\nfn main() {}\n",
			"environment write E @.cargo/config.toml:8; process exec DEBUG/a; " +
				"E=d [rustc-wrapper] w.sh|rustc in DIR @.cargo/config.toml:2; E=d [linker] clang in DIR @.cargo/config.toml:5; E=d [runner] r|-x|DEBUG/a in DIR @.cargo/config.toml:6"},
		{"a linker in the flags", "build", pkgA + "-- .cargo/config --\n[build]\nrustflags = [\"-C\", \"linker=./ld\"]\n-- src/lib.rs --\n", "[linker] ld in DIR @.cargo/config:2"},
		{"an alias", "xtask deploy --now", "[workspace]\nmembers = [\"xtask\"]\n-- .cargo/config.toml --\n[alias]\nxtask = \"run --quiet -p xtask --\"\n-- xtask/Cargo.toml --\n[package]\nname = \"xtask\"\n-- xtask/src/main.rs --\nfn main() { std::fs::copy(\"a\", \"b\"); }\n",
			"process exec DEBUG/xtask; file write b @xtask/src/main.rs:1"},
		{"an external command", "audit --json", pkgA + "-- src/lib.rs --\n", "[cargo audit] cargo-audit|audit|--json in DIR @:0"},
		{"run", "run -- x", pkgA + `-- src/main.rs --
mod net;
use reqwest::blocking::Client;
use tokio::net::TcpListener;
fn main() {
    let c = Client::new();
    c.post("https://api.example/v1").send();
    TcpListener::bind("127.0.0.1:80");
    std::fs::OpenOptions::new().append(true).open("log.txt");
    let home = std::env::var("DATABASE_URL");
    std::process::Command::new(home).spawn();
}
-- src/net.rs --
pub fn f() { ureq::get(&format!("https://{}/x", host)).call(); }
`, "process exec DEBUG/a; network fetch https://${AMBIT_UNKNOWN}/x @src/net.rs:1; network send https://api.example/v1 @src/main.rs:6; network listen 127.0.0.1:80 @src/main.rs:7; file write log.txt @src/main.rs:8; environment read DATABASE_URL @src/main.rs:9; " +
			"[program a] ${AMBIT_UNKNOWN} in DIR @src/main.rs:10"},
		{"a client without an address", "run", pkgA + "-- src/main.rs --\nfn main() { let c = reqwest::Client::new();\n c.get(url).send(); }\n", "process exec DEBUG/a; network fetch ${AMBIT_UNKNOWN} @src/main.rs:1"},
		{"build does not run it", "build", pkgA + "-- src/main.rs --\nfn main() { std::fs::write(\"x\", 1); }\n", ""},
		{"which program", "run --bin two", pkgA + "-- src/bin/one.rs --\nfn main() { std::fs::write(\"1\", 1); }\n-- src/bin/two/main.rs --\nfn main() { std::fs::write(\"2\", 1); }\n", "process exec DEBUG/two; file write 2 @src/bin/two/main.rs:1"},
		{"an example", "run --example e", pkgA + "-- examples/e.rs --\nfn main() { std::fs::write(\"1\", 1); }\n-- src/lib.rs --\n", "process exec DEBUG/examples/e; file write 1 @examples/e.rs:1"},
		{"tests", "test", pkgA + "-- src/lib.rs --\n#[cfg(test)]\nmod tests { #[test] fn t() { std::fs::write(\"unit\", 1); } }\n-- tests/it.rs --\n#[test]\nfn t() { std::process::Command::new(env!(\"CARGO_BIN_EXE_a\")).arg(\"x\"); }\n",
			"process exec rustdoc; process exec DEBUG/deps/it; process exec DEBUG/deps/a; file write unit @src/lib.rs:2; [tests it] DEBUG/a|x in DIR @tests/it.rs:2"},
		{"tests that are only built", "test --no-run", pkgA + "-- tests/it.rs --\n#[test]\nfn t() { std::fs::write(\"1\", 1); }\n", "process exec rustdoc"},
		{"macros and names", "run", pkgA + `-- src/main.rs --
use std::process::Command as C;
use std::fs::*;
const PROG: &str = "tool";
fn main() {
    C::new(PROG).args(vec!["a", concat!("b", "c")]).arg(x);
    write(std::env::temp_dir().join("f"), "");
    cmd!(sh, "no").run();
    let p = option_env!("BUILD_KEY");
    include!("more.rs");
    include!(concat!(env!("OUT_DIR"), "/gen.rs"));
}
-- src/more.rs --
std::env::set_var("SET", "1");
`, "process exec DEBUG/a; file write /tmp/f @src/main.rs:6; environment read BUILD_KEY @src/main.rs:8; environment write SET @src/more.rs:1; [program a] tool|a|bc|${AMBIT_UNKNOWN} in DIR @src/main.rs:5; ? code that is generated when it is built is compiled in @src/main.rs:10"},
		{"xshell and duct", "run", pkgA + "-- src/main.rs --\nuse xshell::{cmd, Shell};\nfn main() { cmd!(sh, \"git commit -m {m}\").run(); duct::cmd!(\"ls\", \"-l\").run(); }\n", "process exec DEBUG/a; [program a] git|commit|-m|${AMBIT_UNKNOWN} in DIR @src/main.rs:2; [program a] ls|-l in DIR @src/main.rs:2"},
		{"own names are not the library's", "run", pkgA + "-- src/main.rs --\nmod fs { pub fn write(a: i32) {} }\nstruct Command;\nfn main() { fs::write(1); Command::new(); x.get(\"https://no.example\"); }\n", "process exec DEBUG/a; network fetch https://no.example @src/main.rs:3"},
		{"install from the registry", "install ripgrep", pkgA, "network fetch @crates; file write home/.cargo/bin/**; ? the build scripts and macros of ripgrep are not on this machine @:0"},
		{"install from here", "install --path .", pkgA + "-- src/main.rs --\nfn main() {}\n", "file write home/.cargo/bin/**"},
		{"publish", "publish", pkgA + "-- build.rs --\nfn main() {}\n", "process exec DEBUG/build/a/build-script-build @build.rs:1; network send @crates"},
		{"credentials", "publish", pkgA + "-- .cargo/config.toml --\n[registry]\nglobal-credential-providers = [\"cargo:token\", \"./give --token\"]\n-- src/lib.rs --\n", "network send @crates; [credential provider] give|--token in DIR @.cargo/config.toml:2"},
		{"update", "update", pkgA, "network fetch @crates"},
		{"another registry", "update", pkgA + "-- .cargo/config.toml --\n[source.crates-io]\nreplace-with = \"mine\"\n[source.mine]\nregistry = \"sparse+https://crates.example/index/\"\n", "network fetch https://crates.example/index/ @.cargo/config.toml:4"},
		{"offline", "update --offline", pkgA, ""},
		{"clean", "clean", pkgA, "file delete target/**"},
		{"another target folder", "clean --target-dir t", pkgA, "file delete t/**"},
		{"no manifest", "build", "-- x --\n", ""},
		{"no such package", "build -p z", pkgA + "-- build.rs --\nfn main() {}\n", ""},
		{"not TOML", "build", "[package\n", "? the manifest cannot be read: line 1: ERR @Cargo.toml:0"},
		{"a toolchain of the project", "build", pkgA + "-- rust-toolchain.toml --\n[toolchain]\npath = \"./tc\"\n-- src/lib.rs --\n", "? the compiler is the one in ./tc, which is not analysed @rust-toolchain.toml:1"},
		{"a toolchain that is not there", "build", pkgA + "-- rust-toolchain --\nnightly-2020-01-01\n-- home/.rustup/toolchains/stable-x/y --\n", "network fetch @rustup @rust-toolchain:1; file write home/.rustup/toolchains/** @rust-toolchain:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.text)
			env := func(name string) (string, bool) { return dir + "/home", name == "HOME" }
			got := show(dir, Plan(workspace.New("", workspace.Limits{}), dir, ParseArgs(strings.Fields(c.argv), env)))
			for i, s := range got {
				if j := strings.Index(s, "be read: line 1: "); j >= 0 {
					got[i] = s[:j] + "be read: line 1: ERR" + s[strings.LastIndex(s, " @"):]
				}
				got[i] = strings.ReplaceAll(got[i], "; ", ", ")
			}
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "; ")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestHostile(t *testing.T) {
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"brackets":         repeat("(", 2_000_000),
		"closed brackets":  repeat("(", 500_000) + repeat(")", 500_000),
		"nested lets":      repeat("let a = { ", 100_000),
		"nested calls":     repeat("std::fs::write(", 30_000) + repeat(")", 30_000),
		"attributes":       repeat("#[cfg(all(", 50_000),
		"nested cfg":       "#[cfg(" + repeat("not(", 50_000) + repeat(")", 50_000) + ")] fn x() {}",
		"use trees":        "use " + repeat("a::{", 50_000) + ";",
		"comment":          repeat("/*", 1_000_000),
		"raw string":       "r" + repeat("#", 1_000_000),
		"paths":            repeat("a::", 300_000),
		"generics":         repeat("a::<", 200_000),
		"format":           repeat("let a = format!(\"{a}{a}{a}{a}\");\n", 5000) + "std::fs::write(a, 1);",
		"itself":           repeat("include!(\"build.rs\"); mod build;", 1000),
		"many files":       repeat("include!(\"x.rs\");", 1000),
		"chain":            "std::process::Command::new(\"x\")" + repeat(".arg(\"y\")", 100_000),
		"invalid UTF-8":    "\xff\xfe\x00'\xff'\"\xff",
		"one quote":        "'",
		"an open string":   "\"" + repeat("\\", 100_001),
		"lifetimes":        repeat("'a ", 300_000),
		"many commands":    repeat("std::process::Command::new(\"x\").arg(\"y\");\n", 20_000),
		"method addresses": repeat("x.get(\"https://a.example\");", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, pkgA)
			if err := os.WriteFile(filepath.Join(dir, "build.rs"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			r := Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "build"})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			if len(r.Claims) == 0 {
				t.Error("the build itself is not claimed")
			}
		})
	}
	for name, text := range map[string]string{
		"deep":       "a = " + repeat("[", 100_000),
		"deep keys":  repeat("a.", 50_000) + "b = 1\n",
		"too large":  "# " + repeat("x", 300_000),
		"duplicates": repeat("[package]\nname = \"x\"\n", 3000),
		"array":      "[[package]]\n",
	} {
		t.Run("manifest "+name, func(t *testing.T) {
			dir := write(t, text)
			start := time.Now()
			r := Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "build"})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			if len(r.Unknowns) == 0 && name != "deep keys" {
				t.Error("no unknown")
			}
		})
	}
	t.Run("special files", func(t *testing.T) {
		dir := write(t, pkgA+"[dependencies]\nx = \"1\"\n")
		for _, n := range []string{"build.rs", "Cargo.lock"} {
			if err := syscall.Mkfifo(filepath.Join(dir, n), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, ".cargo"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("config.toml", filepath.Join(dir, ".cargo/config.toml")); err != nil {
			t.Fatal(err)
		}
		if r := Plan(workspace.New("", workspace.Limits{}), dir, Args{Command: "build"}); len(r.Unknowns) < 2 {
			t.Errorf("unknowns = %+v", r.Unknowns)
		}
	})
}

// FuzzPlan tests on any Rust text and manifest that reading ends and that everything said has a meaning.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("use std::{fs, process::Command as C};\nfn main() { let mut c = C::new(\"x\"); c.arg(format!(\"{}\", 1)); fs::write(env!(\"OUT_DIR\"), r#\"x\"#); }"), []byte(pkgA), "build")
	f.Add([]byte("#[cfg(all(unix, not(test)))] mod x; include!(concat!(\"a\", \"b\")); reqwest::get(\"https://x\"); 'a' 'b: loop {}"), []byte("[workspace]\nmembers = [\"*\"]\n[package]\nname = \"a\"\nbuild = \"build.rs\"\n[dependencies]\nb = {path = \".\"}\n"), "test --all")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, rust, toml []byte, argv string) {
		for name, data := range map[string][]byte{"build.rs": rust, "Cargo.toml": toml, "config.toml": toml, "Cargo.lock": toml} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		a := ParseArgs(strings.Fields(argv), nil)
		a.Config = []string{"config.toml"}
		r := Plan(workspace.New(dir, workspace.Limits{}), "/", a)
		for _, j := range r.Jobs {
			if (j.Shell == "") == (len(j.Argv) == 0) || j.Label == "" || !strings.HasPrefix(j.Dir, "/") {
				t.Errorf("job %+v", j)
			}
		}
		for _, c := range r.Claims {
			if c.Target == "" || c.From.Rule == "" {
				t.Errorf("claim %+v", c)
			}
		}
		for _, u := range r.Unknowns {
			if u.Why == "" || len(u.Could) == 0 {
				t.Errorf("unknown %+v", u)
			}
		}
	})
}
