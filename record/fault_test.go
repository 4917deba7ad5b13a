package record

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// ack is an entry that a caller was told of.
type ack struct {
	Sealed
	i int
}

// bodyOf is the body of the i-th entry of these tests. Some have a detached value.
func bodyOf(i int) map[string]any {
	b := map[string]any{"i": i}
	if i < 1000 {
		b["pad"] = strings.Repeat("p", 700) // more than the appends that come after the failures: nothing of it may remain
	}
	if i%256 < 8 && i%4 == 3 {
		b["large"] = strings.Repeat(fmt.Sprint(i%10), detachOver+i)
	}
	return b
}

// standing is a log of some entries, everything of it durable. Of 0 entries, it is yet to be made.
func standing(t testing.TB, entries int) (m *memory, base *image, acks []ack) {
	m = newMemory()
	if entries == 0 {
		return m, m.settle(), nil
	}
	l := m.mustLog(t)
	for i := range entries {
		s, err := l.Append("intent", bodyOf(i))
		if err != nil {
			t.Fatal(err)
		}
		acks = append(acks, ack{s, i})
	}
	return m, m.settle(), acks
}

// stands checks all that must hold after whatever happened: the log verifies, has what was acknowledged, and takes another entry.
func stands(m *memory, acks []ack) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, m.names())
		}
	}()
	m = m.fork()
	check := func(when string, acks []ack) error {
		rep, err := m.verify(VerifyOptions{Workers: 1})
		if err != nil {
			return fmt.Errorf("%s: %w", when, err)
		}
		if !rep.OK() {
			return fmt.Errorf("%s it does not verify: %+v", when, rep.Problems)
		}
		if len(rep.Notes) > 0 && when != "afterwards" {
			return fmt.Errorf("%s something is left: %v", when, rep.Notes)
		}
		d, _ := m.open("/state")
		r, err := newReader(tiles{d, "log/"})
		if err != nil {
			return err
		}
		var list [][]byte
		for n := int64(0); n<<height < r.Size(); n++ {
			b, err := r.bundle(n)
			if err != nil {
				return err
			}
			list = append(list, b...)
			t := tile{bundles, n, len(b)}
			if _, length := split([]byte(m.file("state/log/"+t.name())), len(b)); when != "afterwards" && length != len(m.file("state/log/"+t.name())) {
				return fmt.Errorf("%s %s has more than its entries", when, t.name())
			}
		}
		for i, a := range acks {
			if a.Seq >= int64(len(list)) || hexHash(tlog.RecordHash(list[a.Seq])) != a.Leaf {
				return fmt.Errorf("%s the acknowledged entry %d is not there", when, a.Seq)
			}
			if len(acks)-i > 5 {
				continue // its leaf hash is enough
			}
			if e, err := r.Entry(a.Seq); err != nil || !strings.Contains(string(e.Body), fmt.Sprintf(`"i":%d`, a.i)) {
				return fmt.Errorf("%s entry %d cannot be read: %v", when, a.Seq, err)
			}
		}
		return nil
	}
	// A log that was being made may not be there yet.
	if _, ok := m.state.files["state/log/checkpoint"]; ok || len(acks) > 0 {
		if _, ok := m.state.files["config/log.pub"]; ok || len(acks) > 0 {
			if err := check("afterwards", acks); err != nil {
				return err
			}
		}
	}
	l, err := m.log()
	if err != nil {
		return fmt.Errorf("it does not open again: %w", err)
	}
	for i := range 2 {
		s, err := l.Append("outcome", bodyOf(1000+i))
		if err != nil {
			return fmt.Errorf("the next append: %w", err)
		}
		acks = append(acks, ack{s, 1000 + i})
	}
	return check("after the next appends", acks)
}

// scenarios: how many entries there are, and how many more are appended with faults.
// The last goes over the edge of a tile; the fourth entry has a detached value.
var scenarios = []struct{ entries, more int }{{0, 2}, {1, 1}, {3, 1}, {255, 2}}

// run opens the log and appends, and stops at the first failure or crash. It returns what was acknowledged in addition.
func run(m *memory, from, more int) (acks []ack, err error, crashed bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case crash:
			crashed = true
		default:
			panic(r)
		}
	}()
	l, err := m.log()
	if err != nil {
		return nil, err, false
	}
	for i := range more {
		s, err := l.Append("intent", bodyOf(from+i))
		if err != nil {
			return acks, err, false
		}
		acks = append(acks, ack{s, from + i})
	}
	return acks, nil, false
}

// nth arranges for a fault at the n-th call that applies, and reports whether there was one.
func nth(m *memory, n int, applies func(what string) bool, f fault) *bool {
	hit := new(bool)
	m.call = func(what, name string) fault {
		if !applies(what) {
			return fault{}
		}
		if n--; n == -1 {
			*hit = true
			return f
		}
		return fault{}
	}
	return hit
}

func any_(string) bool             { return true }
func writes(what string) bool      { return what == "write" }
func reads(what string) bool       { return what == "read" }
func readsWrites(what string) bool { return reads(what) || writes(what) }

// TestSafetyEveryCallFails lets each call of an append fail in turn. The append is refused with an *Error, or did not need the call; nothing
// that was acknowledged is lost; and the next append works.
func TestSafetyEveryCallFails(t *testing.T) {
	t.Parallel()
	faults := []struct {
		name    string
		applies func(string) bool
		f       fault
		goesOn  bool // the append must get over it
		code    Code
	}{
		{"no space", any_, fault{err: syscall.ENOSPC}, false, CodeFull},
		{"nothing is written", writes, fault{idle: true}, false, CodeState},
		{"no space after the half", writes, fault{err: syscall.ENOSPC, partial: true}, false, CodeFull},
		{"quota", any_, fault{err: syscall.EDQUOT}, false, CodeFull},
		{"input/output error", any_, fault{err: syscall.EIO}, false, CodeState},
		{"read-only", any_, fault{err: syscall.EROFS}, false, CodeState},
		{"interrupted", any_, fault{err: syscall.EINTR}, true, ""},
		{"interrupted after the half", readsWrites, fault{err: syscall.EINTR, partial: true}, true, ""},
		{"short", readsWrites, fault{partial: true}, true, ""},
		{"short write", writes, fault{err: io.ErrShortWrite, partial: true}, true, ""},
	}
	for _, sc := range scenarios {
		start, _, before := standing(t, sc.entries)
		for _, ft := range faults {
			if sc.entries > 3 && (ft.f.err == syscall.EDQUOT || ft.f.err == syscall.EROFS || ft.f.err == io.ErrShortWrite) {
				continue // as the others, and slow
			}
			refused := 0
			for n := 0; ; n++ {
				m := start.fork()
				hit := nth(m, n, ft.applies, ft.f)
				acks, err, _ := run(m, sc.entries, sc.more)
				if !*hit {
					break
				}
				at := fmt.Sprintf("%d+%d entries, %s at call %d", sc.entries, sc.more, ft.name, n)
				m.call = newMemory().call
				if err != nil {
					refused++
					var e *Error
					switch {
					case !errors.As(err, &e) || e.Next == "" || e.Message == "":
						t.Errorf("%s: %T %v", at, err, err)
					case ft.goesOn:
						t.Errorf("%s: refused: %v", at, err)
					case e.Code != ft.code && e.Code != CodeKey && e.Code != CodeDamaged:
						t.Errorf("%s: code %s: %v", at, e.Code, err)
					}
				}
				if err := stands(m, append(before[:len(before):len(before)], acks...)); err != nil {
					t.Fatalf("%s: %v", at, err)
				}
			}
			if !ft.goesOn && refused < 2 {
				t.Errorf("%d+%d entries, %s: refused %d times only: is anything injected?", sc.entries, sc.more, ft.name, refused)
			}
		}
	}
}

// TestSafetyEveryCrash stops the process before and after each call, and in the middle of each write.
func TestSafetyEveryCrash(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios {
		start, _, before := standing(t, sc.entries)
		for _, torn := range []bool{false, true} {
			var was [2]int
			for n := 0; ; n++ {
				m := start.fork()
				hit := nth(m, n, pickFunc(torn, writes, any_), fault{after: true, partial: torn})
				acks, err, crashed := run(m, sc.entries, sc.more)
				if !*hit {
					break
				}
				if now := m.changes(); now == was {
					continue // a call that changed nothing
				} else {
					was = now
				}
				if !crashed {
					t.Fatalf("call %d did not crash: %v", n, err)
				}
				m.call = newMemory().call
				if err := stands(m, append(before[:len(before):len(before)], acks...)); err != nil {
					t.Fatalf("%d+%d entries, crash at call %d (torn: %v): %v", sc.entries, sc.more, n, torn, err)
				}
			}
		}
	}
}

func pickFunc(c bool, a, b func(string) bool) func(string) bool {
	if c {
		return a
	}
	return b
}

// TestSafetyLossOfPower stops everything after each call, and in the middle of each write, and loses of what was not flushed: all, each single
// change, all but each single change, and all after some moment.
func TestSafetyLossOfPower(t *testing.T) {
	t.Parallel()
	// The last widens a tile of the second level.
	for _, sc := range append(scenarios[:len(scenarios):len(scenarios)], struct{ entries, more int }{511, 1}) {
		start, base, before := standing(t, sc.entries)
		checked := 0
		for _, torn := range []bool{false, true} {
			was := [2]int{-1}
			for n := 0; ; n++ {
				m := start.fork()
				hit := nth(m, n, pickFunc(torn, writes, any_), fault{after: true, partial: torn})
				acks, _, _ := run(m, sc.entries, sc.more)
				if now := m.changes(); now == was && *hit {
					continue // a call that changed nothing
				} else {
					was = now
				}
				m.call = newMemory().call
				all := append(before[:len(before):len(before)], acks...)
				check := func(what string, lost func(i int, o *op) bool) {
					checked++
					if err := stands(m.lostPower(base, lost), all); err != nil {
						t.Fatalf("%d+%d entries, call %d (torn: %v), lost %s: %v", sc.entries, sc.more, n, torn, what, err)
					}
				}
				check("all", func(int, *op) bool { return true })
				check("nothing", func(int, *op) bool { return false })
				var loose []int
				for i, o := range m.journal {
					if !o.flushed {
						loose = append(loose, i)
					}
				}
				if torn {
					loose = nil // only the write that is torn is new
				}
				for _, x := range loose {
					what := fmt.Sprintf("%+v", *m.journal[x])
					if len(what) > 200 {
						what = what[:200]
					}
					check("only "+what, func(i int, _ *op) bool { return i == x })
					check("all but "+what, func(i int, _ *op) bool { return i != x })
					check("from "+what, func(i int, _ *op) bool { return i >= x })
				}
				if !*hit {
					break
				}
			}
		}
		t.Logf("%d+%d entries: %d losses", sc.entries, sc.more, checked)
		if checked < 100 {
			t.Errorf("%d+%d entries: only %d losses", sc.entries, sc.more, checked)
		}
	}
}

// TestSafetyTwoCrashes stops one append, then the next, then the power, after each of their changes.
func TestSafetyTwoCrashes(t *testing.T) {
	t.Parallel()
	for _, entries := range []int{0, 1} {
		start, base, before := standing(t, entries)
		checked := 0
		was := [2]int{-1}
		for a := 0; ; a++ {
			first := start.fork()
			hit := nth(first, a, any_, fault{after: true})
			acks, _, _ := run(first, entries, 1)
			if !*hit {
				break
			}
			if first.changes() == was {
				continue
			}
			was = first.changes()
			second := [2]int{-1}
			for b := 0; ; b++ {
				m := first.fork()
				for _, o := range first.journal {
					c := *o // it may be flushed yet
					m.journal = append(m.journal, &c)
				}
				hit := nth(m, b, any_, fault{after: true})
				more, _, _ := run(m, entries+1, 1)
				if m.changes() == second && *hit {
					continue
				}
				second = m.changes()
				all := append(append(before[:len(before):len(before)], acks...), more...)
				for what, lost := range map[string]func(i int, o *op) bool{
					"everything": func(int, *op) bool { return true },
					"names":      func(_ int, o *op) bool { return o.name != "" },
					"the second": func(i int, _ *op) bool { return i >= len(first.journal) },
				} {
					checked++
					if err := stands(m.lostPower(base, lost), all); err != nil {
						t.Fatalf("%d entries, calls %d and %d, lost %s: %v", entries, a, b, what, err)
					}
				}
				if !*hit {
					break
				}
			}
		}
		t.Logf("%d entries: %d losses", entries, checked)
		if checked < 500 {
			t.Errorf("%d entries: only %d losses", entries, checked)
		}
	}
}

// TestSafetyAnyHistory lets failures, crashes and losses of power follow each other as they like.
func TestSafetyAnyHistory(t *testing.T) {
	t.Parallel()
	start, _, before := standing(t, 252)
	rapid.Check(t, func(t *rapid.T) {
		m, acks, entries := newMemory(), []ack(nil), 0
		if rapid.Bool().Draw(t, "at the edge of a tile") {
			m, acks, entries = start.fork(), before[:len(before):len(before)], len(before)
		}
		base := m.settle()
		step := func(t *rapid.T, more int, f fault) {
			n := rapid.IntRange(0, 60*more).Draw(t, "call")
			applies := any_
			if f.partial {
				applies, n = writes, n/12
			}
			nth(m, n, applies, f)
			got, _, _ := run(m, 1000+entries, more)
			entries += more
			acks = append(acks, got...)
			m.call = newMemory().call
		}
		more := func(t *rapid.T) int { return rapid.IntRange(1, 3).Draw(t, "entries") }
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) { step(t, more(t), fault{}) },
			"fail": func(t *rapid.T) {
				err := rapid.SampledFrom([]error{syscall.ENOSPC, syscall.EIO, syscall.EINTR}).Draw(t, "error")
				step(t, more(t), fault{err: err, partial: rapid.Bool().Draw(t, "after the half")})
			},
			"crash": func(t *rapid.T) {
				step(t, more(t), fault{after: true, partial: rapid.Bool().Draw(t, "torn")})
			},
			"power": func(t *rapid.T) {
				step(t, more(t), fault{after: true, partial: rapid.Bool().Draw(t, "torn")})
				mask := rapid.SliceOfN(rapid.Bool(), len(m.journal), len(m.journal)).Draw(t, "lost")
				m = m.lostPower(base, func(i int, _ *op) bool { return mask[i] })
				base = m.settle()
			},
			"": func(t *rapid.T) {
				if len(acks) == 0 {
					return // there may be no log yet
				}
				if rep, err := m.fork().verify(VerifyOptions{Workers: 1}); err != nil || !rep.OK() {
					t.Fatalf("%v %+v\n%s", err, rep, m.names())
				}
			},
		})
		if err := stands(m, acks); err != nil {
			t.Fatal(err)
		}
	})
}
