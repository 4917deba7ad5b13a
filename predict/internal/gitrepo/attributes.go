package gitrepo

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"github.com/ambit-dev/ambit/effect"
	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

// RuleAttributes names the rule of what gitattributes(5) files say.
const RuleAttributes = "git/attributes"

// Drivers names every value that some attributes file gives to an attribute ("filter", "diff", "merge"), with the line that
// first does. Which paths the lines match is left open: a driver that any line names may run.
func (r *Repo) Drivers(attribute string) map[string]effect.Source {
	drivers := map[string]effect.Source{}
	for _, name := range r.attributeFiles() {
		f, ok := r.read(name, RuleAttributes)
		if !ok {
			continue
		}
		for i, line := range strings.Split(string(f.Data), "\n") {
			for _, a := range attributesOf(line) {
				value, ok := strings.CutPrefix(a, attribute+"=")
				if _, seen := drivers[value]; ok && !seen && value != "" {
					drivers[value] = effect.Source{File: f.Path, Line: i + 1, SHA256: f.SHA256, Rule: RuleAttributes}
				}
			}
		}
	}
	return drivers
}

// attributesOf gives the words after the pattern of one line.
func attributesOf(line string) []string {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	if line[0] == '"' { // a quoted pattern may hold blanks
		for i := 1; i < len(line); i++ {
			if line[i] == '\\' {
				i++
			} else if line[i] == '"' {
				return strings.Fields(line[i+1:])
			}
		}
	}
	return strings.Fields(line)[1:]
}

func (r *Repo) attributeFiles() []string {
	files := []string{"/etc/gitattributes"}
	if e, ok := r.Config.Get("core.attributesfile"); ok {
		if p, ok := r.Path(e.Value); ok && p != "" {
			files = append(files, workspace.Join(r.Top(), p))
		}
	} else if x := r.Call.Env["XDG_CONFIG_HOME"]; x != "" {
		files = append(files, x+"/git/attributes")
	} else if r.Call.Home != "" {
		files = append(files, r.Call.Home+"/.config/git/attributes")
	}
	if r.WorkTree != "" {
		dirs := r.trackedAttributeDirs()
		for d := r.Call.Dir; workspace.Within(d, r.WorkTree) && d != "/"; d = path.Dir(d) {
			dirs = append(dirs, d)
		}
		dirs = append(dirs, r.WorkTree)
		slices.Sort(dirs)
		for _, d := range slices.Compact(dirs) {
			files = append(files, d+"/.gitattributes")
		}
	}
	if r.CommonDir != "" {
		files = append(files, r.CommonDir+"/info/attributes")
	}
	return files
}

// trackedAttributeDirs names the folders that have a .gitattributes file in the index (gitformat-index(5)). An index that
// cannot be read gives none: git then reads what lies in the work tree at the places that it visits.
func (r *Repo) trackedAttributeDirs() []string {
	f, err := r.FS.Read(r.GitDir + "/index")
	if err != nil || len(f.Data) < 12 || string(f.Data[:4]) != "DIRC" {
		return nil
	}
	hash := 20
	if strings.EqualFold(r.Config.Text("extensions.objectformat"), "sha256") {
		hash = 32
	}
	version, count := binary.BigEndian.Uint32(f.Data[4:]), binary.BigEndian.Uint32(f.Data[8:])
	var dirs []string
	name, at := "", 12
	for ; count > 0; count-- {
		next, n, ok := indexEntry(f.Data[at:], name, version, hash)
		if !ok {
			return dirs
		}
		name, at = next, at+n
		if path.Base(name) == ".gitattributes" {
			dirs = append(dirs, workspace.Join(r.WorkTree, path.Dir(name)))
		}
	}
	return dirs
}

// indexEntry reads one entry's path and the length of the entry. Version 4 gives the path relative to the one before.
func indexEntry(b []byte, before string, version uint32, hash int) (name string, n int, ok bool) {
	at := 40 + hash
	if len(b) < at+4 {
		return "", 0, false
	}
	extended := b[at]&0x40 != 0
	at += 2
	if extended {
		at += 2
	}
	if version >= 4 {
		drop, used := indexVarint(b[at:])
		if used == 0 || drop > len(before) {
			return "", 0, false
		}
		before, at = before[:len(before)-drop], at+used
	} else {
		before = ""
	}
	end := slices.Index(b[at:], 0)
	if end < 0 {
		return "", 0, false
	}
	name = before + string(b[at:at+end])
	n = at + end + 1
	if version < 4 {
		n = (at+end)/8*8 + 8
	}
	return name, n, n <= len(b)
}

// indexVarint is the offset encoding of git's varint.c.
func indexVarint(b []byte) (v, used int) {
	for i, c := range b {
		if i > 4 {
			break
		}
		if i > 0 {
			v++
		}
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}
