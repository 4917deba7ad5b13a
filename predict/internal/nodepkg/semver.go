package nodepkg

import (
	"cmp"
	"strconv"
	"strings"
)

// version is a semantic version (semver.org 2.0.0); build metadata is dropped.
type version struct {
	n   [3]uint64
	pre []string
}

// parseVersion reads a full version; a leading "v" or "=" is allowed, as node's semver allows.
func parseVersion(s string) (version, bool) {
	s = strings.TrimLeft(strings.TrimSpace(s), "=v \t")
	s, _, _ = strings.Cut(s, "+")
	v := version{}
	core, pre, hasPre := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return v, false
	}
	for i, part := range parts {
		n, ok := number(part)
		if !ok {
			return v, false
		}
		v.n[i] = n
	}
	if hasPre {
		v.pre = strings.Split(pre, ".")
		for _, id := range v.pre {
			if id == "" || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" {
				return v, false
			}
		}
	}
	return v, true
}

func number(s string) (uint64, bool) {
	if s == "" || len(s) > 16 || strings.Trim(s, "0123456789") != "" || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

func (v version) compare(o version) int {
	for i := range v.n {
		if c := cmp.Compare(v.n[i], o.n[i]); c != 0 {
			return c
		}
	}
	switch {
	case v.pre == nil && o.pre == nil:
		return 0
	case v.pre == nil:
		return 1
	case o.pre == nil:
		return -1
	}
	for i := 0; i < len(v.pre) && i < len(o.pre); i++ {
		a, aNum := number(v.pre[i])
		b, bNum := number(o.pre[i])
		c := 0
		switch {
		case aNum && bNum:
			c = cmp.Compare(a, b)
		case aNum:
			c = -1
		case bNum:
			c = 1
		default:
			c = strings.Compare(v.pre[i], o.pre[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(o.pre))
}

// bound is one comparator of a range.
type bound struct {
	op string // "<", "<=", ">", ">=", "="
	v  version
}

// satisfies tells whether a version is in a range (node-semver's README, "Ranges"). ok is false when the range is none: a tag, a
// URL, or something that is not understood.
func satisfies(v version, rng string) (in, ok bool) {
	for alt := range strings.SplitSeq(rng, "||") {
		bounds, ok := comparators(alt)
		if !ok {
			return false, false
		}
		in = in || v.within(bounds)
	}
	return in, true
}

// within tells whether all bounds hold; a pre-release only counts beside a bound that is a pre-release of the same version.
func (v version) within(bounds []bound) bool {
	pre := v.pre == nil
	for _, b := range bounds {
		c := v.compare(b.v)
		switch b.op {
		case "<":
			if c >= 0 {
				return false
			}
		case "<=":
			if c > 0 {
				return false
			}
		case ">":
			if c <= 0 {
				return false
			}
		case ">=":
			if c < 0 {
				return false
			}
		case "=":
			if c != 0 {
				return false
			}
		}
		pre = pre || b.v.pre != nil && b.v.n == v.n
	}
	return pre
}

// comparators reads one alternative of a range.
func comparators(s string) ([]bound, bool) {
	if lo, hi, ok := strings.Cut(s, " - "); ok {
		a, n, ok1 := partial(lo)
		b, m, ok2 := partial(hi)
		if !ok1 || !ok2 || n == 0 || m == 0 {
			return nil, false
		}
		list := []bound{{">=", a}}
		if m == 3 {
			return append(list, bound{"<=", b}), true
		}
		return append(list, bound{"<", after(b, m-1)}), true
	}
	var list []bound
	op := ""
	for word := range strings.FieldsSeq(s) {
		if rest := strings.TrimLeft(word, "<>=~^"); rest == "" {
			op = word // "> 1.2": the operator stands apart
			continue
		} else if op == "" {
			op, word = word[:len(word)-len(rest)], rest
		} else if rest != word {
			return nil, false
		}
		more, ok := comparator(op, word)
		if !ok {
			return nil, false
		}
		list, op = append(list, more...), ""
	}
	return list, op == ""
}

func comparator(op, word string) ([]bound, bool) {
	v, n, ok := partial(word)
	if !ok {
		return nil, false
	}
	switch op {
	case "", "=":
		if n == 3 {
			return []bound{{"=", v}}, true
		}
		if n == 0 {
			return nil, true
		}
		return []bound{{">=", v}, {"<", after(v, n-1)}}, true
	case "^":
		if n == 0 {
			return nil, true
		}
		i := 0
		for i < n-1 && v.n[i] == 0 {
			i++
		}
		return []bound{{">=", v}, {"<", after(v, i)}}, true
	case "~", "~>":
		if n == 0 {
			return nil, true
		}
		return []bound{{">=", v}, {"<", after(v, min(n-1, 1))}}, true
	case ">=":
		return []bound{{">=", v}}, true
	case "<":
		return []bound{{"<", lowest(v, n)}}, true
	case ">":
		if n == 0 {
			return []bound{{"<", version{pre: []string{"0"}}}}, true // nothing
		}
		if n < 3 {
			return []bound{{">=", after(v, n-1)}}, true
		}
		return []bound{{">", v}}, true
	case "<=":
		if n == 0 {
			return nil, true
		}
		if n < 3 {
			return []bound{{"<", after(v, n-1)}}, true
		}
		return []bound{{"<=", v}}, true
	}
	return nil, false
}

// lowest is the first pre-release of a version that is given in part, so that "<2" leaves out 2.0.0-alpha.
func lowest(v version, n int) version {
	if n < 3 {
		v.pre = []string{"0"}
	}
	return v
}

// after is the first pre-release of the next version when the i-th number is raised.
func after(v version, i int) version {
	o := version{pre: []string{"0"}}
	copy(o.n[:], v.n[:i+1])
	o.n[i]++
	return o
}

// partial reads a version of which n numbers are given; the rest is absent, "x" or "*".
func partial(s string) (v version, n int, ok bool) {
	s = strings.TrimLeft(strings.TrimSpace(s), "=v")
	if full, ok := parseVersion(s); ok {
		return full, 3, true
	}
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		return v, 0, false
	}
	s, _, _ = strings.Cut(s, "+")
	s, _, _ = strings.Cut(s, "-") // a pre-release of a partial version means nothing
	parts := strings.Split(s, ".")
	if len(parts) > 3 {
		return v, 0, false
	}
	for i, part := range parts {
		if part == "" && len(parts) == 1 || part == "x" || part == "X" || part == "*" {
			return v, i, true
		}
		num, ok := number(part)
		if !ok {
			return v, 0, false
		}
		v.n[i] = num
	}
	return v, len(parts), true
}
