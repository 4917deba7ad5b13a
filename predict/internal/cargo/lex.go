package cargo

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// token is a piece of Rust text that matters to the scanner.
type token struct {
	kind byte // one of the kinds below
	text string
	line int
}

const (
	ident  = 'i' // identifiers and keywords
	str    = 's' // a string; text is its value
	punct  = 'p' // one character, or "::"
	number = 'n'
	other  = 'o' // characters and lifetimes
)

// maxTokens bounds one file; generated code of this size is not scanned to its end.
const maxTokens = 200_000

// lex splits Rust text into tokens, without comments (The Rust Reference, "Lexical structure"). complete is false where
// the text has more tokens than are read.
func lex(data []byte) (toks []token, complete bool) {
	s := string(data)
	line := 1
	toks = make([]token, 0, min(len(s)/5+16, maxTokens))
	for i := 0; i < len(s); {
		if len(toks) == maxTokens {
			return toks, false
		}
		c := s[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(s[i:], "//"):
			j := strings.IndexByte(s[i:], '\n')
			if j < 0 {
				return toks, true
			}
			i += j
		case strings.HasPrefix(s[i:], "/*"):
			n := blockComment(s[i:])
			line += strings.Count(s[i:i+n], "\n")
			i += n
		case c == '"':
			text, n := quotedString(s[i:])
			toks = append(toks, token{str, text, line})
			line += strings.Count(s[i:i+n], "\n")
			i += n
		case c == '\'':
			n := charOrLifetime(s[i:])
			toks = append(toks, token{other, s[i : i+n], line})
			i += n
		case isIdent(c):
			n := 1
			for i+n < len(s) && (isIdent(s[i+n]) || s[i+n] >= '0' && s[i+n] <= '9') {
				n++
			}
			word := s[i : i+n]
			if text, m, ok := prefixedString(word, s[i+n:]); ok {
				toks = append(toks, token{str, text, line})
				line += strings.Count(s[i:i+n+m], "\n")
				i += n + m
				break
			}
			if word == "r" && strings.HasPrefix(s[i+n:], "#") && i+n+1 < len(s) && isIdent(s[i+n+1]) {
				i += n + 1 // a raw identifier
				break
			}
			toks = append(toks, token{ident, word, line})
			i += n
		case c >= '0' && c <= '9':
			n := 1
			for i+n < len(s) && (isIdent(s[i+n]) || s[i+n] >= '0' && s[i+n] <= '9') {
				n++
			}
			toks = append(toks, token{number, s[i : i+n], line})
			i += n
		case strings.HasPrefix(s[i:], "::"):
			toks = append(toks, token{punct, "::", line})
			i += 2
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			toks = append(toks, token{punct, s[i : i+n], line})
			i += n
		}
	}
	return toks, true
}

func isIdent(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// blockComment is the length of a comment; comments nest.
func blockComment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); {
		switch s[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

// quotedString reads "..." with its escapes and gives the length.
func quotedString(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i + 1
		case '\\':
			if i++; i == len(s) {
				return b.String(), len(s)
			}
			i += escape(&b, s[i:])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), len(s)
}

// escape writes the escape behind a backslash and gives how many characters it takes beyond the first.
func escape(b *strings.Builder, s string) int {
	switch s[0] {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '0':
	case '\n': // the line break and the blanks of the next line are skipped
		return len(s[1:]) - len(strings.TrimLeft(s[1:], " \t\n\r"))
	case 'x':
		if len(s) >= 3 {
			if v, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				return 2
			}
		}
	case 'u':
		if end := strings.IndexByte(s, '}'); end > 2 && end < 12 && s[1] == '{' {
			if v, err := strconv.ParseUint(strings.ReplaceAll(s[2:end], "_", ""), 16, 32); err == nil {
				b.WriteRune(rune(v))
			}
			return end
		}
	default:
		b.WriteByte(s[0])
	}
	return 0
}

// prefixedString reads what follows b, c, r, br or cr where it is a string.
func prefixedString(word, rest string) (text string, n int, ok bool) {
	switch word {
	case "b", "c":
		if strings.HasPrefix(rest, `"`) {
			text, n = quotedString(rest)
			return text, n, true
		}
	case "r", "br", "cr":
		hashes := len(rest) - len(strings.TrimLeft(rest, "#"))
		if hashes < 256 && strings.HasPrefix(rest[hashes:], `"`) {
			end := `"` + rest[:hashes]
			body := rest[hashes+1:]
			if j := strings.Index(body, end); j >= 0 {
				return body[:j], hashes + 1 + j + len(end), true
			}
			return body, len(rest), true
		}
	}
	return "", 0, false
}

// charOrLifetime is the length of 'x', '\n', '\u{1}' or 'name.
func charOrLifetime(s string) int {
	if len(s) > 2 && s[1] == '\\' {
		for i := 3; i < len(s) && i < 14; i++ {
			if s[i] == '\'' {
				return i + 1
			}
		}
		return 2
	}
	if _, n := utf8.DecodeRuneInString(s[1:]); len(s) > 1+n && s[1+n] == '\'' && n > 0 {
		return n + 2
	}
	n := 1
	for n < len(s) && (isIdent(s[n]) || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}
