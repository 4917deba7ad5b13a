package trace

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// call is one system call of one thread, as strace printed it. Args are the raw argument texts.
type call struct {
	pid   int
	name  string
	args  []string
	ret   string // "0", "3</path>", "-1"
	errno string // "ENOENT", or empty when the call succeeded
	seq   int    // line on which the call began
}

func (c call) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

// parseStrace reads the output of strace -f -o and returns the calls in the order in which they began. Lines that are
// no system call (signals, exits) are left out. A call whose end is missing (the process was killed) has ret "?".
func parseStrace(r io.Reader) ([]call, error) {
	type partial struct {
		text string
		seq  int
	}
	open := map[int]partial{}
	var calls []call
	add := func(pid, seq int, text string) {
		if c, ok := parseCall(text); ok {
			c.pid, c.seq = pid, seq
			calls = append(calls, c)
		}
	}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<20), 64<<20)
	for seq := 0; sc.Scan(); seq++ {
		pidText, text, ok := strings.Cut(sc.Text(), " ")
		pid, err := strconv.Atoi(pidText)
		if !ok || err != nil {
			continue
		}
		text = strings.TrimLeft(text, " ")
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
		case strings.HasPrefix(text, "<... "):
			// "<... openat resumed>, args) = 3": the tail of a call that another thread interrupted.
			_, tail, ok := strings.Cut(text, " resumed>")
			if p, began := open[pid]; ok && began {
				delete(open, pid)
				add(pid, p.seq, p.text+tail)
			}
		case strings.HasSuffix(text, "<unfinished ...>"):
			open[pid] = partial{strings.TrimRight(strings.TrimSuffix(text, "<unfinished ...>"), " "), seq}
		case strings.Contains(text, "<pid changed to "):
			// A thread that is not the leader executes: the call goes on under the leader's number.
			head, tail, _ := strings.Cut(text, "<pid changed to ")
			to, _, _ := strings.Cut(tail, " ")
			if n, err := strconv.Atoi(to); err == nil {
				open[n] = partial{strings.TrimRight(head, " "), seq}
			}
		default:
			add(pid, seq, text)
		}
	}
	for pid, p := range open {
		add(pid, p.seq, p.text+") = ?")
	}
	sortCalls(calls)
	return calls, sc.Err()
}

func parseCall(text string) (call, bool) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok || name == "" || strings.ContainsAny(name, " <") {
		return call{}, false
	}
	args, rest, ok := splitArgs(rest)
	if !ok {
		return call{}, false
	}
	rest = strings.TrimLeft(rest, " ")
	rest, ok = strings.CutPrefix(rest, "= ")
	if !ok {
		return call{}, false
	}
	c := call{name: name, args: args, ret: rest}
	if tail, bad := strings.CutPrefix(rest, "-1 "); bad {
		c.ret = "-1"
		c.errno, _, _ = strings.Cut(tail, " ")
	}
	return c, true
}

// splitArgs splits the text after the opening bracket at top-level commas and returns what follows the closing one.
// Quotes, nested brackets and -y's <path> after a descriptor are skipped as units.
func splitArgs(s string) (args []string, rest string, ok bool) {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = endOfString(s, i)
		case '<':
			if i > 0 && (isDigit(s[i-1]) || s[i-1] == 'D') {
				i = endOfFD(s, i)
			}
		case '/':
			if strings.HasPrefix(s[i:], "/* ") { // "/* 12 vars */" comments
				if end := strings.Index(s[i:], "*/"); end > 0 {
					i += end + 1
				}
			}
		case '[', '{', '(':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth == 0 {
				if last := strings.TrimSpace(s[start:i]); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return args, s[i+1:], true
			}
			depth--
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return nil, "", false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// endOfString returns the index of the closing quote of the string that opens at i.
func endOfString(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			return j
		}
	}
	return len(s) - 1
}

// endOfFD returns the index of the '>' that ends a -y annotation: the first that is followed by what can follow a
// descriptor. A path may hold '>' itself.
func endOfFD(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		if s[j] == '>' && (j+1 == len(s) || strings.IndexByte(",)]} (", s[j+1]) >= 0) {
			return j
		}
	}
	return len(s) - 1
}

// unquote turns a printed C string into its bytes; ok is false when text does not begin with a quote. A string that
// strace cut short ("..."...) gives what was printed.
func unquote(text string) (string, bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", false
	}
	end := endOfString(text, 0)
	body := text[1:max(end, 1)]
	if !strings.Contains(body, `\`) {
		return body, true
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b.WriteByte(body[i])
			continue
		}
		i++
		switch c := body[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'v':
			b.WriteByte('\v')
		case 'f':
			b.WriteByte('\f')
		case 'x':
			j := min(i+3, len(body))
			if n, err := strconv.ParseUint(body[i+1:j], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i = j - 1
			}
		default:
			if c < '0' || c > '7' {
				b.WriteByte(c)
				continue
			}
			j := i
			for j < len(body) && j < i+3 && body[j] >= '0' && body[j] <= '7' {
				j++
			}
			n, _ := strconv.ParseUint(body[i:j], 8, 16)
			b.WriteByte(byte(n))
			i = j - 1
		}
	}
	return b.String(), true
}

// stringsIn returns every string printed inside text, such as argv and envp lists or message vectors.
func stringsIn(text string) []string {
	var out []string
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := endOfString(text, i)
		s, _ := unquote(text[i : end+1])
		out = append(out, s)
		i = end
	}
	return out
}

// fdPath returns the -y annotation of a descriptor: "3</a/b>" gives "/a/b". A deleted file's "(deleted)" mark is cut.
func fdPath(text string) string {
	i := strings.IndexByte(text, '<')
	if i < 0 {
		return ""
	}
	s := text[i+1 : endOfFD(text, i)]
	if strings.ContainsRune(s, '\\') {
		s, _ = unquote(`"` + s + `"`)
	}
	return s
}
