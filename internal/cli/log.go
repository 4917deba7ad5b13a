package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/ambit-dev/ambit/record"
)

type logCommand struct {
	List   logListCommand   `cmd:"" default:"withargs" help:"List the calls, the newest last. This is what ambit log does alone."`
	Show   logShowCommand   `cmd:"" help:"Show one entry: what was asked, decided, shown and done."`
	Verify logVerifyCommand `cmd:"" help:"Check that the record is what was signed, and name the first entry that is not."`
	Export logExportCommand `cmd:"" help:"Write the entries for other programs."`
}

// logPlace says which log is read; all commands that read one have it.
type logPlace struct {
	Log string `placeholder:"DIR" help:"The folder of a log, which has the file checkpoint; your own if not given."`
}

// dir is the log's folder.
func (p logPlace) dir(a *app) (string, error) {
	if p.Log != "" {
		return p.Log, nil
	}
	place, err := a.place()
	return place.LogDir(), err
}

func (p logPlace) open(a *app) (*record.Reader, error) {
	dir, err := p.dir(a)
	if err != nil {
		return nil, err
	}
	r, err := record.Read(dir)
	if err != nil {
		return nil, p.fault(a, err)
	}
	return r, nil
}

// fault says what an error of the record means to the user. That there is no log at all, where the public key says that there must be one,
// is another thing than that nothing was sealed yet.
func (p logPlace) fault(a *app, err error) error {
	f := recordFault(err)
	if f.code != codeNoLog || p.Log != "" {
		return f
	}
	place, placeErr := a.place()
	if placeErr != nil {
		return f
	}
	if _, err := os.Lstat(place.PublicKeyFile()); !errors.Is(err, fs.ErrNotExist) {
		return faultf(codeNotSigned, "put the folder back from a copy; or, to begin anew, move "+place.State+" and "+place.PublicKeyFile()+" away",
			"the record is gone: %s says that there is one, and %s has none", place.PublicKeyFile(), place.LogDir())
	}
	return faultf(codeNoLog, "ambit setup claude-code makes Claude Code ask ambit; the first call makes the record", "nothing was sealed yet: there is no log in %s", place.LogDir())
}

// recordFault makes a fault of an error of package record.
func recordFault(err error) *fault {
	e := (*record.Error)(nil)
	if !errors.As(err, &e) {
		return asFault(err)
	}
	code := codeLogState
	switch e.Code {
	case record.CodeMissing:
		code = codeNoLog
	case record.CodeNewer:
		code = codeNewer
	case record.CodeDamaged, record.CodeKey, record.CodeRolledBack:
		code = codeNotSigned
	}
	return &fault{code: code, message: e.Error(), next: e.Next}
}

type logListCommand struct {
	logPlace
	Number   int    `name:"number" short:"n" default:"30" placeholder:"N" help:"How many calls, 30 if not given."`
	All      bool   `help:"All calls."`
	Session  string `placeholder:"ID" help:"Only calls of this session."`
	Agent    string `placeholder:"NAME" help:"Only calls of this agent."`
	Decision string `enum:"allow,ask,deny," default:"" placeholder:"KIND" help:"Only calls that were decided so: allow, ask or deny."`
	Since    string `placeholder:"TIME" help:"Only calls from then on: 2h, 2026-12-01, or 2026-12-01T15:04:05Z."`
	JSON     bool   `name:"json" help:"Print one JSON object per call, each on a line (docs/formats.md)."`
}

// Help is shown by kong below the command's own line.
func (logListCommand) Help() string {
	return `Each line is one call: its number, when, the decision, who asked, for what, and what became of it.
"not run" after "prompt" means that the call was denied there, or that nobody answered.`
}

func (c logListCommand) Run(a *app) error {
	since, err := parseSince(c.Since, time.Now())
	if err != nil {
		return err
	}
	if c.Number < 1 {
		return faultf(codeUsage, "ambit log -n 100, or ambit log --all", "-n must be at least 1")
	}
	r, err := c.open(a)
	if err != nil {
		return err
	}
	defer r.Close()
	calls, left := c.calls(r, since)
	bad := 0
	for _, row := range calls {
		if row.Error != nil {
			bad++
		}
	}
	if c.JSON {
		for _, row := range calls {
			if err := writeLine(a.out, row); err != nil {
				return err
			}
		}
		if bad > 0 {
			return exitWith(exitNotSigned)
		}
		return nil
	}
	a.printCalls(calls)
	l := a.recordLayout()
	if len(calls) == 0 {
		l.row(row{text: "No call in the record is one that was asked for.", style: dim})
	}
	if left > 0 {
		l.row(row{text: fmt.Sprintf("%s not shown: ambit log --all, or -n N.", count(int(left), "earlier entry is", "earlier entries are")), style: dim})
	}
	if bad > 0 {
		return faultf(codeNotSigned, "ambit log verify", "%s of the record cannot be read as sealed", count(bad, "part", "parts"))
	}
	return nil
}

// parseSince reads a point in time: a duration back from now, a day in local time, or RFC 3339.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, faultf(codeUsage, "ambit log --since 2h, --since 2026-12-01 or --since 2026-12-01T15:04:05Z", "%q is no time", s)
	}
	return t, nil
}

// calls reads the log from its end, so that what became of a call is known when its intent is met. It returns the calls that are asked for,
// the oldest first, and how many entries before them were not looked at. What it keeps of an entry is a line's worth.
func (c logListCommand) calls(r *record.Reader, since time.Time) (rows []*call, left int64) {
	follows := map[reference]*follow{}
	failed := ""
	for e, err := range r.All(record.Newest) {
		row, after := readCall(e, err)
		if after != nil {
			follows[*after.Intent] = after.before(follows[*after.Intent])
			continue
		}
		key := reference{e.Seq, e.Leaf}
		row.join(follows[key])
		delete(follows, key)
		if row.Error != nil && row.Error.Message == failed || row.Error == nil && !c.wants(row, since) {
			continue // a bundle that cannot be read is named once
		}
		failed = ""
		if row.Error != nil {
			failed = row.Error.Message
		}
		if len(rows) == c.Number && !c.All {
			left = e.Seq + 1
			break
		}
		rows = append(rows, row)
	}
	// What names an intent that is not there stands for itself.
	for at, f := range follows {
		if row := f.alone(); at.Seq >= left && c.wants(row, since) {
			rows = append(rows, row)
		}
	}
	sortCalls(rows)
	return rows, left
}

func (c logListCommand) wants(row *call, since time.Time) bool {
	return (c.Session == "" || row.Session == c.Session) && (c.Agent == "" || row.Agent == c.Agent) &&
		(c.Decision == "" || row.Decision == c.Decision) && !row.Time.Before(since)
}

// printCalls writes one line per call, with a line for each day.
func (a *app) printCalls(calls []*call) {
	l := a.recordLayout()
	seq, agent, answer := 1, 0, 0
	for _, c := range calls {
		text, _ := c.answer()
		seq, agent, answer = max(seq, len(fmt.Sprint(c.Seq))), max(agent, columnsOf(visible(c.Agent))), max(answer, columnsOf(visible(text)))
	}
	agent, answer = min(agent, 16), min(answer, 34)
	day := ""
	for _, c := range calls {
		at := c.Time.Local()
		if d := at.Format("Monday, 2006-01-02"); d != day && !c.Time.IsZero() {
			day = d
			l.line(l.paint(dim, d))
		}
		if c.Error != nil {
			l.row(row{first: fmt.Sprintf("%*d  ", seq, c.Seq), rest: strings.Repeat(" ", seq+2), mark: l.paint(red, "damaged") + "  ", text: concealed(c.Error.Message)})
			continue
		}
		text, style := c.answer()
		lead := fmt.Sprintf("%*d  %s  ", seq, c.Seq, at.Format(time.TimeOnly))
		room := max(a.screen.columns-columnsOf(lead)-7-agent-2-answer-2, 12)
		l.line(l.paint(dim, lead) + l.paint(decisionStyle(c.Decision), pad(visible(c.Decision), 5)) + "  " + pad(fit(c.Agent, agent), agent) + "  " +
			pad(fit(c.title(a.getenv("HOME")), room), room) + "  " + l.paint(style, fit(text, answer)))
	}
}

func decisionStyle(decision string) style {
	switch decision {
	case "allow":
		return green
	case "ask":
		return yellow
	}
	return red
}

// fit is a text from outside on one line, made visible and shortened to a width; it says how many characters are missing.
func fit(s string, columns int) string {
	first, rest, more := strings.Cut(s, "\n")
	text := visible(first)
	if columnsOf(text) <= columns && !more {
		return text
	}
	missing := len([]rune(rest))
	if more {
		missing++
	}
	letters := []rune(text)
	width := columnsOf(text)
	for n := len(letters); ; n-- {
		end := fmt.Sprintf("…(+%d)", missing+len(letters)-n)
		if width+columnsOf(end) <= columns || n == 0 {
			return string(letters[:n]) + end
		}
		width -= columnsOf(string(letters[n-1]))
	}
}

// recordLayout is for texts of the record, which are taken through secret.Hide once, where they are read: what it made must not be taken
// for a secret again.
func (a *app) recordLayout() layout {
	return layout{out: a.out, screen: a.screen, recorded: true}
}
