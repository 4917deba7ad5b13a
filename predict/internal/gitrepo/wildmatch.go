package gitrepo

import "strings"

// wildLimit bounds pattern and text of wildMatch; more never stands in a real path or pattern.
const wildLimit = 4096

// wildMatch matches as git's wildmatch does with WM_PATHNAME: "*", "?" and classes stop at "/", "**" beside slashes crosses
// them. A place that failed once is not tried again, so that a hostile pattern costs at most its length times the text's.
func wildMatch(pattern, text string, fold bool) bool {
	if len(pattern) > wildLimit || len(text) > wildLimit {
		return false
	}
	if fold {
		pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	}
	w := wild{p: pattern, t: text, failed: map[[2]int]bool{}}
	return w.match(0, 0)
}

type wild struct {
	p, t   string
	failed map[[2]int]bool
}

func (w *wild) match(i, j int) bool {
	at := [2]int{i, j}
	if w.failed[at] {
		return false
	}
	ok := w.step(i, j)
	if !ok {
		w.failed[at] = true
	}
	return ok
}

func (w *wild) step(i, j int) bool {
	for i < len(w.p) {
		c := w.p[i]
		if c == '*' {
			return w.star(i, j)
		}
		if j == len(w.t) {
			return false
		}
		switch c {
		case '?':
			if w.t[j] == '/' {
				return false
			}
			i++
		case '[':
			n, in := wildClass(w.p[i:], w.t[j])
			if n == 0 || !in {
				return false
			}
			i += n
		default:
			if c == '\\' && i+1 < len(w.p) {
				i++
				c = w.p[i]
			}
			if c != w.t[j] {
				return false
			}
			i++
		}
		j++
	}
	return j == len(w.t)
}

// star handles a run of stars at i: two between slashes or at an end cross folders, "**/" also stands for nothing.
func (w *wild) star(i, j int) bool {
	end := i
	for end < len(w.p) && w.p[end] == '*' {
		end++
	}
	cross := end-i >= 2 && (i == 0 || w.p[i-1] == '/') && (end == len(w.p) || w.p[end] == '/')
	if cross && end < len(w.p) && w.match(end+1, j) {
		return true
	}
	for ; ; j++ {
		if w.match(end, j) {
			return true
		}
		if j == len(w.t) || !cross && w.t[j] == '/' {
			return false
		}
	}
}

// wildClass matches one byte against the bracket expression at the start of p and gives its length; 0 if it never ends.
func wildClass(p string, b byte) (n int, in bool) {
	i := 1
	negate := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negate {
		i++
	}
	for first := true; i < len(p); first = false {
		c := p[i]
		if c == ']' && !first {
			return i + 1, in != negate && b != '/'
		}
		if c == '[' && i+1 < len(p) && p[i+1] == ':' {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				in = in || posixClass(p[i+2:i+end], b)
				i += end + 2
				continue
			}
		}
		if c == '\\' && i+1 < len(p) {
			i++
			c = p[i]
		}
		i++
		hi := c
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi = p[i+1]
			i += 2
			if hi == '\\' && i < len(p) {
				hi = p[i]
				i++
			}
		}
		in = in || c <= b && b <= hi
	}
	return 0, false
}

func posixClass(name string, b byte) bool {
	upper, lower, digit := b >= 'A' && b <= 'Z', b >= 'a' && b <= 'z', b >= '0' && b <= '9'
	graph := b > ' ' && b < 127
	switch name {
	case "alpha":
		return upper || lower
	case "digit":
		return digit
	case "alnum":
		return upper || lower || digit
	case "upper":
		return upper
	case "lower":
		return lower
	case "space":
		return b == ' ' || b >= '\t' && b <= '\r'
	case "blank":
		return b == ' ' || b == '\t'
	case "punct":
		return graph && !upper && !lower && !digit
	case "xdigit":
		return digit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
	case "print":
		return graph || b == ' '
	case "graph":
		return graph
	case "cntrl":
		return b < ' ' || b == 127
	}
	return false
}
