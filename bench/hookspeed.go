package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/record"
)

// HookReport is what a decision costs where an agent waits for it, and what it costs to verify the log that it leaves. Times of
// processes are taken in turn with the baselines.
type HookReport struct {
	Runs      int      `json:"runs"`
	Processes []Timing `json:"processes"`
	Entries   int      `json:"entries"`   // of the long log
	LogBytes  int64    `json:"log_bytes"` // of the long log, on disk
	Verify    []Timing `json:"verify"`    // of the long log, in process
	BareSync  Timing   `json:"bare_sync"` // a write and flush of an entry's size, the least that anything durable costs here
}

// hookEvents are the calls that are timed: the quiet yes, the refreshed index, an edit, a question with sources, a denial.
var hookEvents = []struct{ name, tool, input string }{
	{"ls -la", "Bash", `{"command":"ls -la"}`},
	{"git status", "Bash", `{"command":"git status"}`},
	{"edit inside", "Edit", `{"file_path":"DIR/a.txt","old_string":"a","new_string":"b"}`},
	{"npm install", "Bash", `{"command":"npm install"}`},
	{"edit of settings", "Edit", `{"file_path":"DIR/.claude/settings.json","old_string":"a","new_string":"b"}`},
}

// HookSpeed times `ambit hook claude-code` of the program at an absolute path, over a log that is almost empty and one with entries
// entries, and the verification of that log. Progress may be nil.
func HookSpeed(program string, runs, entries int, progress func(string)) (*HookReport, error) {
	if progress == nil {
		progress = func(string) {}
	}
	top, err := os.MkdirTemp("", "ambit-hook-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(top)
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, err
	}
	dir := filepath.Join(top, "shop")
	for name, text := range map[string]string{
		"a.txt": "a\n", "package.json": `{"name":"shop","version":"1.0.0","scripts":{"postinstall":"node setup.js"}}`,
		"setup.js": "require('fs').writeFileSync('config.json', '{}')\nfetch('https://telemetry.example.com/installed')\n", ".git/HEAD": "ref: refs/heads/main\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	ps, err := baselines(top, program)
	if err != nil {
		return nil, err
	}
	ps = append(ps, hookProcesses(program, top, dir, "new log", filepath.Join(top, "new"))...)
	long := filepath.Join(top, "long")
	if entries > 0 {
		if err := fillLog(program, dir, long, entries, progress); err != nil {
			return nil, err
		}
		ps = append(ps, hookProcesses(program, top, dir, fmt.Sprintf("log of %d", entries), long)...)
	}
	progress("timing")
	r := &HookReport{Runs: runs, Entries: entries}
	if r.Processes, err = timeFresh(ps, runs); err != nil {
		return nil, err
	}
	if r.BareSync, err = bareSync(filepath.Join(top, "bare"), runs); err != nil {
		return nil, err
	}
	if entries > 0 {
		err = r.verify(placeIn(long), min(runs, 20))
	}
	return r, err
}

func placeIn(home string) record.Place {
	return record.Place{State: filepath.Join(home, "state", "ambit"), Config: filepath.Join(home, "config", "ambit")}
}

func hookEnv(home string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config")}
}

func hookProcesses(program, top, dir, label, home string) (ps []process) {
	for i, e := range hookEvents {
		ps = append(ps, process{
			name: e.name + ", " + label, argv: []string{program, "hook", "claude-code"}, env: hookEnv(home), denies: e.name == "edit of settings",
			in: []byte(fmt.Sprintf(`{"session_id":"s","cwd":%q,"permission_mode":"default","hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"toolu_%d"}`,
				dir, e.tool, strings.ReplaceAll(e.input, "DIR", dir), i)),
		})
	}
	return ps
}

// fillLog makes a long log of the entry that a real call leaves. It is filled where flushing is cheap, and then copied: what is
// measured is a long log, not the making of one.
func fillLog(program, dir, home string, entries int, progress func(string)) error {
	fast, err := os.MkdirTemp("/dev/shm", "ambit-hook-")
	if err != nil {
		if fast, err = os.MkdirTemp("", "ambit-hook-fill-"); err != nil {
			return err
		}
	}
	defer os.RemoveAll(fast)
	if _, err := timeFresh(hookProcesses(program, fast, dir, "", fast)[:1], 1); err != nil {
		return err
	}
	log, err := record.Open(placeIn(fast), record.Options{})
	if err != nil {
		return err
	}
	defer log.Close()
	first, err := log.Entry(0)
	if err != nil {
		return err
	}
	var body map[string]any
	if err := json.Unmarshal(first.Body, &body); err != nil {
		return err
	}
	for i := 1; i < entries; i++ {
		body["number"] = i
		if _, err := log.Append("intent", body); err != nil {
			return err
		}
		if i%5000 == 0 {
			progress(fmt.Sprintf("filling a log: %d of %d", i, entries))
		}
	}
	return copyPrivate(home, fast)
}

// copyPrivate copies a folder so that nobody else may read the copy: ambit refuses keys that others can read.
func copyPrivate(to, from string) error {
	return filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(name, from))
		if d.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(at, data, 0o600)
	})
}

func bareSync(name string, runs int) (Timing, error) {
	f, err := os.Create(name)
	if err != nil {
		return Timing{}, err
	}
	defer f.Close()
	block := bytes.Repeat([]byte{'x'}, 3000)
	times := make([]time.Duration, 0, runs)
	for range runs {
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			return Timing{}, err
		}
		if err := f.Sync(); err != nil {
			return Timing{}, err
		}
		times = append(times, time.Since(start))
	}
	return timing("write and flush of 3,000 bytes", times), nil
}

func (r *HookReport) verify(p record.Place, runs int) error {
	key, err := os.ReadFile(p.PublicKeyFile())
	if err != nil {
		return err
	}
	times := make([]time.Duration, 0, runs)
	for range runs {
		start := time.Now()
		report, err := record.Verify(p.LogDir(), string(key), record.VerifyOptions{})
		if err != nil {
			return err
		}
		if !report.OK() {
			return fmt.Errorf("the log does not verify: %v", report.Problems)
		}
		times = append(times, time.Since(start))
		r.Entries = int(report.Entries)
	}
	r.Verify = []Timing{timing("log verify, in process", times)}
	return filepath.WalkDir(p.LogDir(), func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			r.LogBytes += info.Size()
		}
		return err
	})
}

// WriteText writes the report as the tables of docs/performance.md, in milliseconds.
func (r *HookReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
	fmt.Fprintf(&b, "Milliseconds over %d runs.\n\n| fresh process, its record included | median | P95 | processor |\n| --- | ---: | ---: | ---: |\n", r.Runs)
	for _, t := range r.Processes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.Name, ms(t.Median), ms(t.P95), ms(t.CPU))
	}
	fmt.Fprintf(&b, "| %s | %s | %s | |\n", r.BareSync.Name, ms(r.BareSync.Median), ms(r.BareSync.P95))
	for _, t := range r.Verify {
		fmt.Fprintf(&b, "\n%s, %d entries, %.0f MB: median %s, P95 %s.\n", t.Name, r.Entries, float64(r.LogBytes)/1e6, ms(t.Median), ms(t.P95))
	}
	_, err := w.Write(b.Bytes())
	return err
}
