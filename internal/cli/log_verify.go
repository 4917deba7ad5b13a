package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/ambit-dev/ambit/record"
)

// logKey says which public key a record is checked with.
type logKey struct {
	Key string `placeholder:"FILE" help:"The public key that the record must be signed with, a file or the key itself; log.pub in ambit's configuration folder if not given."`
}

// key is the text of the public key and where it comes from.
func (k logKey) key(a *app) (text, from string, err error) {
	if strings.HasPrefix(k.Key, "ambit-log-v") && strings.Count(k.Key, "+") >= 2 {
		return strings.TrimSpace(k.Key), "the command line", nil
	}
	from = k.Key
	if from == "" {
		place, err := a.place()
		if err != nil {
			return "", "", err
		}
		from = place.PublicKeyFile()
	}
	b, err := readUpTo(from, 4096)
	if err != nil {
		return "", "", faultf(codeNotSigned, "give the key with --key; without one nothing can be checked", "cannot read the public key: %v", err)
	}
	return strings.TrimSpace(string(b)), from, nil
}

func readUpTo(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return b, err
}

type logVerifyCommand struct {
	logPlace
	logKey
	Since string `placeholder:"FILE" help:"An earlier checkpoint of the log: it must still begin with what it had then."`
	JSON  bool   `name:"json" help:"Print the report as one JSON object (docs/formats.md)."`
}

// Help is shown by kong below the command's own line.
func (logVerifyCommand) Help() string {
	return `It needs the folder of the log and the public key alone. A copy of log.pub, and of the file checkpoint for --since, that you keep on
another machine show also what somebody did who had this one.`
}

// verified is what is printed: docs/formats.md, "A verification".
type verified struct {
	OK         bool              `json:"ok"`
	Log        string            `json:"log"`
	Key        string            `json:"key"`
	KeyFrom    string            `json:"key_from"`
	Checkpoint verifiedState     `json:"checkpoint"`
	Entries    int64             `json:"entries"`
	Detached   int64             `json:"detached"`
	Problems   []verifiedProblem `json:"problems"`
	Notes      []string          `json:"notes"`
}

type verifiedState struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   string `json:"root"`
}

type verifiedProblem struct {
	Code record.Code `json:"code"`
	Seq  *int64      `json:"seq"`
	Text string      `json:"text"`
}

func (c logVerifyCommand) Run(a *app) error {
	v, err := c.verify(a)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := writeLine(a.out, v); err != nil {
			return err
		}
		if !v.OK {
			return exitWith(exitNotSigned)
		}
		return nil
	}
	l := layout{out: a.out, screen: a.screen}
	for _, p := range v.Problems {
		l.row(row{mark: l.paint(red, pad(string(p.Code), 12)) + "  ", rest: "              ", text: p.Text})
	}
	for _, n := range v.Notes {
		l.row(row{mark: "note: ", rest: "      ", text: n, style: dim})
	}
	with := "the key " + strings.Join(strings.SplitN(v.Key, "+", 3)[:1], "") + ", from " + v.KeyFrom
	if !v.OK {
		return faultf(codeNotSigned, "put the folder back from a copy, and find out who changed it; ambit log lists what can still be read",
			"the record in %s is not what was signed: %s (checked with %s)", v.Log, count(len(v.Problems), "problem", "problems"), with)
	}
	l.row(row{mark: l.paint(green, "The record is what was signed: "), rest: "  ",
		text: fmt.Sprintf("%s and %s.", count(int(v.Entries), "entry", "entries"), count(int(v.Detached), "detached value", "detached values"))})
	l.row(row{text: "Checked with " + with + ".", rest: "  ", style: dim})
	if c.Key == "" {
		l.row(row{text: "That key is this machine's own: a copy of it kept elsewhere (--key) proves more.", rest: "  ", style: dim})
	}
	return nil
}

func (c logVerifyCommand) verify(a *app) (*verified, error) {
	dir, err := c.dir(a)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); err != nil {
		return nil, c.noLog(a, dir)
	}
	key, from, err := c.key(a)
	if err != nil {
		return nil, err
	}
	v := &verified{Log: dir, Key: key, KeyFrom: from, Problems: []verifiedProblem{}, Notes: []string{}}
	options := record.VerifyOptions{Progress: a.progress()}
	if c.Since != "" {
		if options.Since, err = readUpTo(c.Since, 4096); err != nil {
			return nil, faultf(codeBadInput, "give a copy of the log's file checkpoint", "cannot read the earlier checkpoint: %v", err)
		}
	}
	seen := c.seen(a, v) // before the log is read, which may grow meanwhile
	own := options.Since == nil && seen != nil
	if own {
		options.Since = seen
	}
	rep, err := record.Verify(dir, key, options)
	if own && err != nil {
		// What this machine signed last is by another key, or no checkpoint: the log itself may say more.
		if again, without := record.Verify(dir, key, record.VerifyOptions{}); without == nil {
			v.problem(record.CodeKey, -1, "what this machine signed last (the file seen in the state folder) is not signed by this key: the log or its key was exchanged")
			rep, err = again, nil
		}
	}
	if err != nil {
		return nil, c.fault(a, err)
	}
	if own {
		rep.Problems = withoutRewritten(rep.Problems)
	}
	v.report(rep)
	if seen != nil && !own {
		c.compare(dir, key, seen, v)
	}
	v.OK = rep.OK() && len(v.Problems) == 0
	return v, nil
}

// noLog says that there is no folder: with the fault of all commands, which knows whether there must be one.
func (c logVerifyCommand) noLog(a *app, dir string) error {
	_, err := c.open(a)
	if err == nil {
		err = faultf(codeNoLog, "try again", "the folder %s came and went", dir)
	}
	return err
}

func (v *verified) problem(code record.Code, seq int64, text string) {
	p := verifiedProblem{Code: code, Text: text}
	if seq >= 0 {
		p.Seq = &seq
	}
	v.Problems = append(v.Problems, p)
}

func (v *verified) report(rep *record.Report) {
	v.Checkpoint = verifiedState{rep.Checkpoint.Origin, rep.Checkpoint.Size, rep.Checkpoint.Root}
	v.Entries, v.Detached = rep.Entries, rep.Blobs
	// That all of it is not what it was follows from what is wrong with an entry, and is said after that.
	list := slices.Clone(rep.Problems)
	slices.SortStableFunc(list, func(a, b record.Problem) int { return rank(a) - rank(b) })
	for _, p := range list {
		v.problem(p.Code, p.Seq, p.Text)
	}
	v.Notes = append(v.Notes, rep.Notes...)
}

func rank(p record.Problem) int {
	if rewritten(p) {
		return 1
	}
	return 0
}

func rewritten(p record.Problem) bool { return p.Code == record.CodeRewritten && p.Seq < 0 }

// withoutRewritten leaves out that the log is not what this machine signed last, where the entry that is not is named.
func withoutRewritten(list []record.Problem) []record.Problem {
	if !slices.ContainsFunc(list, func(p record.Problem) bool { return p.Seq >= 0 }) {
		return list
	}
	return slices.DeleteFunc(list, rewritten)
}

// seen is the checkpoint that this machine signed last, where the log is its own.
func (c logVerifyCommand) seen(a *app, v *verified) []byte {
	place, err := a.place()
	if err != nil || !sameFolder(v.Log, place.LogDir()) {
		return nil
	}
	note, err := record.Seen(place)
	switch {
	case err != nil:
		v.Notes = append(v.Notes, "that the whole folder was not put back to an earlier state is not checked: "+err.Error())
	case note == nil:
		v.Notes = append(v.Notes, "that the whole folder was not put back to an earlier state is not checked: the file seen is not there")
	}
	return note
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// compare holds the log against a second earlier checkpoint, where one was given besides.
func (c logVerifyCommand) compare(dir, key string, seen []byte, v *verified) {
	rep, err := record.Verify(dir, key, record.VerifyOptions{Since: seen})
	if err != nil {
		v.problem(record.CodeKey, -1, "what this machine signed last (the file seen in the state folder) is not signed by this key: the log or its key was exchanged")
		return
	}
	for _, p := range rep.Problems {
		if p.Code == record.CodeRolledBack || p.Code == record.CodeRewritten {
			v.problem(p.Code, p.Seq, p.Text)
		}
	}
}

// progress is told on a terminal, after a second, once a second.
func (a *app) progress() func(done, total int64) {
	f, ok := a.grammar.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	last := time.Now()
	return func(done, total int64) {
		if time.Since(last) >= time.Second {
			last = time.Now()
			fmt.Fprintf(f, "%d of %d entries\n", done, total)
		}
	}
}
