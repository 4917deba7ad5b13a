package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ambit-dev/ambit/effect"
)

// fold makes names that differ in case alone one: on macOS, on some folders of Linux (casefold of ext4, vfat, a mounted Windows
// disk) they are one file. Elsewhere a file that differs from a protected place in case alone is protected too, which costs nobody.
func fold(r effect.Resource) effect.Resource {
	segs := r.Segments()
	changed := false
	for i, s := range segs {
		if f := foldName(s); f != s {
			segs[i], changed = f, true
		}
	}
	if !changed {
		return r
	}
	folded, err := effect.New(r.Kind(), segs...)
	if err != nil {
		return r
	}
	return folded
}

// foldName folds as Unicode's simple case folding does: the long s is an s, and the Kelvin sign a k.
func foldName(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z')
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, s)
}
