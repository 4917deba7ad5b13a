package nodepkg

import (
	"bytes"
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// platform is what "os", "cpu" and "libc" of a package are compared with, in node's words.
type platform struct{ os, cpu, libc string }

// thisMachine takes node's names for what Go calls this machine.
func thisMachine() platform {
	pl := platform{os: runtime.GOOS, cpu: runtime.GOARCH}
	switch pl.os {
	case "windows":
		pl.os = "win32"
	case "solaris", "illumos":
		pl.os = "sunos"
	}
	switch pl.cpu {
	case "amd64":
		pl.cpu = "x64"
	case "386":
		pl.cpu = "ia32"
	case "ppc64le":
		pl.cpu = "ppc64"
	case "mipsle":
		pl.cpu = "mipsel"
	}
	return pl
}

// fits tells whether a package may be installed here (npm-install-checks, lib/index.js checkPlatform). The C library is looked
// up only when a package asks; one that cannot be told counts as fitting, so that nothing is left out by mistake.
func (pl *platform) fits(fs *workspace.FS, os, cpu, libc []string) bool {
	if !listed(pl.os, os) || !listed(pl.cpu, cpu) {
		return false
	}
	if len(libc) == 0 || pl.os != "linux" {
		return true
	}
	if pl.libc == "" {
		pl.libc = "?"
		if f, err := fs.Read("/usr/bin/ldd"); err == nil {
			switch {
			case bytes.Contains(f.Data, []byte("musl")):
				pl.libc = "musl"
			case bytes.Contains(f.Data, []byte("GNU C Library")), bytes.Contains(f.Data, []byte("GLIBC")):
				pl.libc = "glibc"
			}
		}
	}
	return pl.libc == "?" || listed(pl.libc, libc)
}

// listed is npm's checkList: one "any" allows all; a "!value" forbids; a plain value must be among the plain ones, if any.
func listed(value string, list []string) bool {
	if len(list) == 0 || len(list) == 1 && list[0] == "any" {
		return true
	}
	negated, match := 0, false
	for _, entry := range list {
		if not, ok := strings.CutPrefix(entry, "!"); ok {
			negated++
			if not == value {
				return false
			}
			continue
		}
		match = match || entry == value
	}
	return match || negated == len(list)
}

// platform is this machine, or what npm's configuration says in its place.
func (p *plan) platform() *platform {
	pl := thisMachine()
	if p.cfg != nil {
		pl.os, pl.cpu, pl.libc = cmp.Or(p.cfg.Text("os"), pl.os), cmp.Or(p.cfg.Text("cpu"), pl.cpu), p.cfg.Text("libc")
	}
	return &pl
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
