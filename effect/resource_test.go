package effect

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anySegment draws segments that are awkward on purpose.
var anySegment = rapid.OneOf(
	rapid.SampledFrom([]string{"a", "b", "ab", "*", "**", ".", "..", "@", "a/b", "a.b", "a:b", "%", "%2F", "%2A", "#1.2.3.4", " ", "é", "\xff", "/**", "a/**", ".*", "~"}),
	rapid.StringMatching(`[a-z.*/@%]{1,6}`),
)

var anyKind = rapid.Custom(func(t *rapid.T) Kind { return Kind(rapid.IntRange(int(FileKind), int(ObjectKind)).Draw(t, "kind")) })

// anyResource draws a resource of any kind by the way that the kind is made.
var anyResource = rapid.Custom(func(t *rapid.T) Resource {
	k := anyKind.Draw(t, "kind")
	for {
		var r Resource
		var err error
		switch k {
		case FileKind:
			r, err = FilePath("/" + strings.Join(rapid.SliceOfN(anySegment, 0, 4).Draw(t, "path"), "/"))
		case HostKind:
			r, err = Host(rapid.SampledFrom([]string{"example.com", "https://www.example.com/a", "https://example.com/a/**", "https://example.com/a%2Fb/%2A%2A", "127.0.0.1:80", "[::1]:443", "@npm", "localhost", "https://example.com/a/b"}).Draw(t, "host"))
		case MailboxKind:
			r, err = Mailbox(rapid.SampledFrom([]string{"", "a", "*", "*a", "a@b", "A+b", "%2A", "a.b"}).Draw(t, "local") + "@" + rapid.SampledFrom([]string{"example.com", "mail.example.com", "b.test"}).Draw(t, "domain"))
		case ExeKind:
			if rapid.Bool().Draw(t, "absolute") {
				r, err = Name(ExeKind, "/"+strings.Join(rapid.SliceOfN(anySegment, 0, 3).Draw(t, "path"), "/"))
			} else {
				r, err = Name(ExeKind, anySegment.Draw(t, "name"))
			}
		case EnvKind:
			r, err = New(EnvKind, anySegment.Draw(t, "name"))
		default:
			r, err = New(k, rapid.SliceOfN(anySegment, 1, 3).Draw(t, "segments")...)
		}
		if err == nil {
			return r
		}
		k = FileKind
	}
})

var anyPattern = rapid.Custom(func(t *rapid.T) Pattern {
	r := anyResource.Draw(t, "resource")
	if rapid.IntRange(0, 3).Draw(t, "shape") == 0 {
		for range rapid.IntRange(0, 3).Draw(t, "up") {
			r = r.Parent()
		}
		return Below(r)
	}
	return fit(Pattern{r, rapid.Bool().Draw(t, "tree")})
})

// fit makes trees of places that are nothing by themselves: the root of a kind but the file system's, a domain, a mail domain.
func fit(p Pattern) Pattern {
	segs := p.Segments()
	inner := len(segs) == 0 && p.Kind() != FileKind || p.Kind() == HostKind && !slices.Contains(segs, endOfHost) ||
		p.Kind() == ExeKind && len(segs) == 1 && segs[0] == "/"
	return Pattern{p.Resource, p.Tree || inner}
}

// near draws a pattern that often has to do with another one.
func near(t *rapid.T, p Pattern, label string) Pattern {
	q := anyPattern.Draw(t, label)
	if rapid.Bool().Draw(t, label+" near") {
		q = fit(Pattern{p.Resource, rapid.Bool().Draw(t, label+" tree")})
		for range rapid.IntRange(0, 2).Draw(t, label+" up") {
			q = Below(q.Parent())
		}
	}
	return q
}

// TestTextReadsBack: what String writes, Parse reads as the same pattern. Otherwise a sealed text could mean more than was agreed.
func TestTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPattern.Draw(t, "pattern")
		got, err := Parse(p.String())
		if err != nil || got != p {
			t.Fatalf("%#v is written %q and read as %#v, %v", p, p, got, err)
		}
	})
}

// TestTextsAreDistinct: two patterns with one text would be shown alike and mean two things.
func TestTextsAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPattern.Draw(t, "p")
		q := near(t, p, "q")
		if (p == q) != (p.String() == q.String()) {
			t.Fatalf("%#v is %q, %#v is %q", p, p, q, q)
		}
	})
}

func TestWithinIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyPattern.Draw(t, "a")
		b := near(t, a, "b")
		c := near(t, b, "c")
		if !a.Within(a) {
			t.Fatalf("%s is not within itself", a)
		}
		if a.Within(b) && b.Within(c) && !a.Within(c) {
			t.Fatalf("%s < %s < %s is not transitive", a, b, c)
		}
		if a.Within(b) && b.Within(a) && a != b {
			t.Fatalf("%s and %s contain each other", a, b)
		}
		if a.Overlaps(b) != b.Overlaps(a) {
			t.Fatalf("overlap of %s and %s depends on the side", a, b)
		}
		if a.Within(b) && !a.Overlaps(b) {
			t.Fatalf("%s within %s without overlap", a, b)
		}
		if b.Covers(a.Resource) != Exactly(a.Resource).Within(b) {
			t.Fatalf("Covers and Within of %s and %s differ", a, b)
		}
		if !a.Within(Any(a.Kind())) {
			t.Fatalf("%s is not within any", a)
		}
		if a.Kind() != b.Kind() && (a.Within(b) || a.Overlaps(b)) {
			t.Fatalf("%s and %s are of two kinds", a, b)
		}
		if a.Within(b) && a.Tree && !b.Tree {
			t.Fatalf("the tree %s is within the single %s", a, b)
		}
	})
}

func TestUnderIsThePrefixOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyResource.Draw(t, "a")
		b := near(t, Exactly(a), "b").Resource
		as, bs := a.Segments(), b.Segments()
		prefix := a.Kind() == b.Kind() && len(bs) <= len(as)
		for i := 0; prefix && i < len(bs); i++ {
			prefix = as[i] == bs[i]
		}
		if a.Under(b) != prefix {
			t.Fatalf("%v under %v: %v", as, bs, a.Under(b))
		}
		if !a.Under(a.Parent()) || len(as) > 0 && a.Parent() == a {
			t.Fatalf("parent of %v is %v", as, a.Parent().Segments())
		}
		if again, err := New(a.Kind(), as...); err != nil || again != a {
			t.Fatalf("%v does not make itself again: %v", as, err)
		}
	})
}

func TestZeroIsNothing(t *testing.T) {
	var zero Pattern
	any := Any(FileKind)
	if zero.Within(zero) || zero.Within(any) || any.Within(zero) || zero.Overlaps(any) || any.Covers(Resource{}) || !zero.IsZero() {
		t.Error("the zero pattern lies within something or holds something")
	}
	if _, err := Parse(zero.String()); err == nil {
		t.Error("the zero pattern reads back")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, segs := range [][]string{{""}, {"a", ""}, {"a\x00b"}, {"\x00"}} {
		if r, err := New(RepoKind, segs...); err == nil {
			t.Errorf("New(%q) is %s", segs, r)
		}
	}
	for _, k := range []Kind{0, ObjectKind + 1} {
		if _, err := New(k, "a"); err == nil {
			t.Errorf("kind %d is taken", k)
		}
	}
	for _, p := range []string{"", "a", "./a", "/a\x00b", "~/a"} {
		if r, err := FilePath(p); err == nil {
			t.Errorf("FilePath(%q) is %s", p, r)
		}
	}
	for _, a := range []string{"a", "a@", "@", "a@b..c", "a@*"} {
		if r, err := Mailbox(a); err == nil {
			t.Errorf("Mailbox(%q) is %s", a, r)
		}
	}
	for _, s := range []string{"", "file", "file:a", "nosuch:a", "host:", "env:", "repo:a//b", "table:a..b"} {
		if p, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) is %s", s, p)
		}
	}
	if r, err := Name(ExeKind, "/"); err == nil {
		t.Errorf("the root folder as a program is %s", r)
	}
}

// TestTexts fixes the form of the texts that other programs read.
func TestTexts(t *testing.T) {
	must := func(r Resource, err error) Resource {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, tt := range []struct {
		p    Pattern
		want string
	}{
		{Exactly(must(FilePath("/a/b"))), "file:/a/b"}, {Below(must(FilePath("/a/b"))), "file:/a/b/**"}, {Any(FileKind), "file:/**"}, {Exactly(must(FilePath("/"))), "file:/"}, {Exactly(must(FilePath("/a/../b/."))), "file:/b"},
		{Exactly(must(FilePath("/a/**"))), "file:/a/**/."}, {Below(must(FilePath("/a/**"))), "file:/a/**/./**"},
		{Exactly(must(Name(ExeKind, "node"))), "exe:node"}, {Exactly(must(Name(ExeKind, "/bin/sh"))), "exe:/bin/sh"}, {Any(ExeKind), "exe:*"}, {Exactly(must(Name(EnvKind, "HOME"))), "env:HOME"}, {Exactly(must(New(EnvKind, "*"))), "env:%2A"},
		{Exactly(must(Name(ToolKind, "docs/search"))), "tool:docs/search"}, {Below(must(Name(ToolKind, "docs"))), "tool:docs/**"}, {Exactly(must(New(ToolKind, "a/b", "c"))), "tool:a%2Fb/c"},
		{Exactly(must(Name(ImageKind, "registry.example:5000/a/b:1.2"))), "image:registry.example:5000/a/b:1.2"},
		{Exactly(must(Name(TableKind, "db.public.users"))), "table:db.public.users"}, {Below(must(Name(TableKind, "db"))), "table:db.*"}, {Exactly(must(New(TableKind, "a.b", "c"))), "table:a%2Eb.c"},
		{Exactly(must(Mailbox("Ann@Example.COM"))), "mailbox:ann@example.com"}, {Below(must(Mailbox("@example.com"))), "mailbox:*@example.com"}, {Below(must(Mailbox("@example.com")).Parent()), "mailbox:*@*.example.com"}, {Any(MailboxKind), "mailbox:*"}, {Exactly(must(Mailbox("*a@example.com"))), "mailbox:%2Aa@example.com"},
		{Exactly(must(Host("https://example.com/a"))), "host:example.com:443/a"}, {Below(must(Host("example.com")).Parent()), "host:*.example.com"}, {Any(HostKind), "host:*"},
	} {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("%v is written %s, want %s", tt.p.Segments(), got, tt.want)
		}
	}
}

func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			c Class
			a Access
		}
		draw := rapid.Custom(func(t *rapid.T) pair {
			return pair{Class(rapid.IntRange(1, 6).Draw(t, "class")), Access(rapid.IntRange(1, 10).Draw(t, "access"))}
		})
		in := map[pair]bool{}
		var s Set
		for _, p := range rapid.SliceOf(draw).Draw(t, "pairs") {
			s = s.With(p.c, p.a)
			in[p] = true
		}
		for c := Class(0); c < 9; c++ {
			for a := Access(0); a < 13; a++ {
				if s.Has(c, a) != in[pair{c, a}] {
					t.Fatalf("%v.%v in the set: %v", c, a, s.Has(c, a))
				}
			}
		}
		if len(s.Names()) != len(in) || !s.Within(All) || !s.Within(s) {
			t.Fatalf("%d names of %d pairs", len(s.Names()), len(in))
		}
		if more := s.With(draw.Draw(t, "more").c, Write); !s.Within(more) {
			t.Fatal("adding a pair took another away")
		}
		if s.With(0, Write) != All || s.With(File, 0) != All || s.With(9, Write) != All {
			t.Fatal("a pair that is none does not widen to all")
		}
	})
}

// TestNamesReadBack: class, access and view, by text and back.
func TestNamesReadBack(t *testing.T) {
	for _, c := range Classes() {
		if got, err := ParseClass(c.String()); err != nil || got != c {
			t.Errorf("%s: %v, %v", c, got, err)
		}
	}
	for a := Build; a <= Write; a++ {
		if got, err := ParseAccess(a.String()); err != nil || got != a {
			t.Errorf("%s: %v, %v", a, got, err)
		}
	}
	for v := Explicit; v <= Metadata; v++ {
		if got, err := ParseView(v.String()); err != nil || got != v {
			t.Errorf("%s: %v, %v", v, got, err)
		}
	}
	for _, s := range []string{"", "invalid", "File", "file "} {
		if _, err := ParseClass(s); err == nil {
			t.Errorf("class %q is taken", s)
		}
		if _, err := ParseAccess(s); err == nil {
			t.Errorf("access %q is taken", s)
		}
		if _, err := ParseView(s); err == nil {
			t.Errorf("view %q is taken", s)
		}
	}
	for _, m := range []interface{ MarshalText() ([]byte, error) }{Class(0), Class(7), Access(0), Access(11), View(0), View(4)} {
		if b, err := m.MarshalText(); err == nil {
			t.Errorf("%v is written as %q", m, b)
		}
	}
}
