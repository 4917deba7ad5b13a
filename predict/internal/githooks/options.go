package githooks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/gitrepo"
)

// beforeOperands are the arguments before "--", the only place where options stand.
func beforeOperands(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}

// has tells whether one of some options is given, alone or with a joined value.
func has(c gitrepo.Call, names ...string) bool {
	for _, a := range beforeOperands(c.Args) {
		n, _, _ := strings.Cut(a, "=")
		if slices.Contains(names, n) {
			return true
		}
	}
	return false
}

// optionValue is the value of the last of some long options, joined or in the next argument.
func optionValue(args []string, names ...string) (value string, ok bool) {
	args = beforeOperands(args)
	for i, a := range args {
		n, v, joined := strings.Cut(a, "=")
		if !slices.Contains(names, n) {
			continue
		}
		if joined {
			value, ok = v, true
		} else if i+1 < len(args) {
			value, ok = args[i+1], true
		}
	}
	return value, ok
}

// optionValues are the values of all of some options.
func optionValues(args []string, names ...string) []string {
	var values []string
	args = beforeOperands(args)
	for i, a := range args {
		n, v, joined := strings.Cut(a, "=")
		if !slices.Contains(names, n) {
			continue
		}
		if joined {
			values = append(values, v)
		} else if i+1 < len(args) {
			values = append(values, args[i+1])
		}
	}
	return values
}

// sub is the subcommand of a verb that has some; empty when an option or nothing stands there.
func sub(c gitrepo.Call) string {
	for _, a := range c.Args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// number reads a whole number setting with git's suffixes k, m and g.
func number(c gitrepo.Config, key string, otherwise int) int {
	text := strings.ToLower(c.Text(key))
	unit := 1
	switch {
	case strings.HasSuffix(text, "k"):
		unit = 1 << 10
	case strings.HasSuffix(text, "m"):
		unit = 1 << 20
	case strings.HasSuffix(text, "g"):
		unit = 1 << 30
	}
	n, err := strconv.Atoi(strings.TrimRight(text, "kmg"))
	if err != nil {
		return otherwise
	}
	return n * unit
}
