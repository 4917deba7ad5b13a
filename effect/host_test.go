package effect

import (
	"strings"
	"testing"
)

// spellings lists, for each host, ways to write it that must name the same resource. The first is the canonical text.
var spellings = [][]string{
	{"example.com", "EXAMPLE.com", "example.com.", "Example.COM.", "ex%61mple.com", "example%2Ecom", "ｅｘａｍｐｌｅ.com", "example。com", "example．com", "exa\u00admple.com", "example.com:", "example.com:*"},
	{"example.com:443", "https://example.com", "HTTPS://EXAMPLE.com/", "https://example.com:443", "https://example.com:0443/", "https://example.com:", "https://user:pw@example.com", "https://a@b@example.com/",
		"https://example.com?q=/x", "https://example.com#@evil.example", "https://example.com?@evil.example", "wss://example.com", "example.com:00443"},
	{"example.com:80", "http://example.com", "ws://example.com/", "http://example.com:80"},
	{"example.com:22", "ssh://git@example.com", "sftp://example.com", "example.com:22"},
	{"example.com:9418", "git://example.com/"},
	{"example.com:5432", "postgres://u:p@example.com", "postgresql://example.com"},
	{"example.com:443/a/b", "https://example.com/a/b", "https://example.com/a/./b", "https://example.com/x/../a/b/", "https://example.com//a//b", "https://example.com/%61/b", "https://example.com/a/%2e%2E/a/b", "https://example.com/a/b?c#d", "https://example.com/../a/b", "example.com:443/a/b"},
	{"example.com:443/a%2Fb", "https://example.com/a%2fb", "https://example.com/a%2Fb"},
	{"example.com:443/a%252Fb", "https://example.com/a%252Fb"},
	{"example.com:443/a%20b", "https://example.com/a b", "https://example.com/a%20b"},
	{"xn--bcher-kva.example", "bücher.example", "BÜCHER.example", "bu\u0308cher.example", "XN--BCHER-KVA.example", "b%C3%BCcher.example"},
	{"xn--fa-hia.example", "faß.example"}, // IDNA 2008, not transitional: "ss" is another name
	{"localhost", "LOCALHOST", "localhost."},
	{"localhost:3000", "http://localhost:3000", "localhost:3000/"},
	{"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "0177.0.0.1", "0177.1", "0x7f.0x0.0x0.0x1", "017700000001", "127.0.0.1.", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "[0:0:0:0:0:ffff:7f00:0001]", "１２７.０.０.１", "%31%32%37.0.0.1", "127。0。0。1", "0000000177.0.0.01"},
	{"127.0.0.1:8080", "http://127.1:8080", "http://2130706433:8080/", "http://0x7f.1:8080", "http://[::ffff:127.0.0.1]:8080", "http://u@127.0.0.1:8080"},
	{"0.0.0.0", "0", "0x0", "00", "0.0", "0.0.0"},
	{"8.8.8.8", "010.8.8.8", "010.010.010.010", "134744072", "0x08080808", "8.8.2056", "8.526344"},
	{"169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518", "[::ffff:a9fe:a9fe]"},
	{"[::1]", "::1", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::1%lo]", "[::1%25lo]", "[::0.0.0.1]"},
	{"[::1]:443", "https://[::1]", "https://[0:0::1]:443/"},
	{"[2001:db8::1]", "2001:DB8::1", "[2001:0db8:0:0:0:0:0:1]", "2001:db8:0::1"},
	{"[fe80::1]", "fe80::1%eth0", "[fe80::1%25eth0]", "[FE80::1]"},
	{"*", "*"},
	{"@npm", "@NPM", "@npm"},
	{"_dmarc.example.com", "_DMARC.example.com"},
	{"my-host", "MY-HOST", "my-host."},
}

func TestHostSpellings(t *testing.T) {
	all := 0
	for _, group := range spellings {
		for _, s := range group {
			all++
			r, err := Host(s)
			if err != nil {
				t.Errorf("Host(%q): %v", s, err)
				continue
			}
			if got, want := r.String(), "host:"+group[0]; got != want {
				t.Errorf("Host(%q) is %s, want %s", s, got, want)
			}
		}
	}
	if all < 60 {
		t.Errorf("only %d spellings", all)
	}
	seen := map[Resource]string{}
	for _, group := range spellings {
		r, err := Host(group[0])
		if err != nil {
			continue
		}
		if other, ok := seen[r]; ok {
			t.Errorf("%s and %s are one resource", group[0], other)
		}
		seen[r] = group[0]
	}
}

// TestHostsThatDiffer: pairs that look alike and are not the same place.
func TestHostsThatDiffer(t *testing.T) {
	for _, p := range [][2]string{
		{"example.com", "example.org"}, {"example.com", "www.example.com"}, {"example.com", "example.com.evil.example"}, {"example.com", "xexample.com"},
		{"apple.com", "аpple.com"},                         // Cyrillic
		{"faß.example", "fass.example"},                    // IDNA 2003 read them as one
		{"http://example.com", "https://example.com"},      // another port
		{"https://example.com/a", "https://example.com/A"}, // paths keep their case
		{"https://example.com/a%2Fb", "https://example.com/a/b"},
		{"https://example.com/a%2Fb", "https://example.com/a%252Fb"},
		{"127.0.0.1", "127.0.0.2"}, {"127.0.0.1", "localhost"}, {"127.0.0.1", "::1"}, {"127.0.0.1", "::7f00:1"}, // compatible, not mapped
		{"10.0.0.1", "8.0.0.1"}, {"010.0.0.1", "10.0.0.1"}, // octal
		{"https://example.com@evil.example", "https://example.com"}, {"example.com:80", "example.com:8080"}, {"@npm", "npm"},
	} {
		a, err1 := Host(p[0])
		b, err2 := Host(p[1])
		if err1 != nil || err2 != nil {
			t.Errorf("%q, %q: %v, %v", p[0], p[1], err1, err2)
			continue
		}
		if a == b {
			t.Errorf("%q and %q are both %s", p[0], p[1], a)
		}
	}
}

// TestHostsRefused: texts that have no meaning, or that two readers take for two hosts.
func TestHostsRefused(t *testing.T) {
	for _, s := range []string{
		"", ".", "..", "a..b", ".example.com", "example.com..", "https://", "https:///path", "http://:80", "exa mple.com", "exam\tple.com", "example.com\n", "example.com\x00", "example.com%00.evil.example",
		"example.com:65536", "example.com:-1", "example.com:80x", "example.com:+80", "example.com:80:90", "[::1", "[::1]x", "[::1]:x", "[example.com]", "127.0.0.1]", "[127.0.0.1",
		"*.example.com", "a@b.example", "example.com%2Fevil", "example.com%40evil.example", "example.com%23",
		"256.256.256.256", "1.2.3.4.5", "08.8.8.8", "4294967296", "1.2.3.0x", "127.0.0.256", "127.0.0.1.2", "example.5", // the last label is a number, the whole is no address
		`https://example.com\@evil.example`, `https://example.com\evil`, `http:\\example.com`, // a browser and curl disagree
		"@", "@.", "@a b", "!x.example", "caf\xe9.example", "xn--\u0080.example",
	} {
		if r, err := Host(s); err == nil {
			t.Errorf("Host(%q) is %s, want an error", s, r)
		}
	}
}

func TestRealms(t *testing.T) {
	const loopback, private, public = "loopback", "private", "public"
	for host, want := range map[string]string{
		"localhost": loopback, "a.localhost": loopback, "127.255.0.1": loopback, "[::1]": loopback, "0.0.0.0": loopback, "[::]": loopback, "[::ffff:127.0.0.1]": loopback, "localhost.localdomain": loopback,
		"10.0.0.1": private, "172.16.0.1": private, "172.31.255.255": private, "192.168.1.1": private, "169.254.169.254": private, "100.64.0.1": private, "[fe80::1]": private, "[fd00::1]": private, "[::ffff:10.0.0.1]": private,
		"printer.local": private, "db.internal": private, "metadata.google.internal": private, "x.home.arpa": private,
		"example.com": public, "11.0.0.1": public, "172.32.0.1": public, "172.15.0.1": public, "192.169.0.1": public, "100.128.0.1": public, "[2001:db8::1]": public, "localhost.example": public, "local": private, "mylocalhost": public, "internal.example": public,
	} {
		r, err := Host(host)
		if err != nil {
			t.Errorf("Host(%q): %v", host, err)
			continue
		}
		got := public
		switch {
		case r.Loopback():
			got = loopback
		case r.PrivateHost():
			got = private
		}
		if got != want {
			t.Errorf("%s is %s, want %s", host, got, want)
		}
	}
}

// TestHostContainment: what a grant for one place covers.
func TestHostContainment(t *testing.T) {
	for _, tt := range []struct {
		narrow, wide string
		want         bool
	}{
		{"host:example.com:443/a/b", "host:example.com:443/a/**", true}, {"host:example.com:443/a", "host:example.com:443/a/**", true}, {"host:example.com:443/ab", "host:example.com:443/a/**", false},
		{"host:example.com:443/a", "host:example.com:443/**", true}, {"host:example.com:443/a", "host:example.com:*", true}, {"host:example.com:443", "host:example.com:80/**", false},
		{"host:www.example.com:443", "host:*.example.com", true}, {"host:example.com:443", "host:*.example.com", true}, {"host:badexample.com:443", "host:*.example.com", false}, {"host:example.com.evil.test", "host:*.example.com", false},
		{"host:www.example.com", "host:example.com:*", false}, {"host:*.www.example.com", "host:*.example.com", true}, {"host:*.example.com", "host:*.www.example.com", false},
		{"host:example.com", "host:*public*", true}, {"host:127.0.0.1:80", "host:*public*", false}, {"host:10.0.0.1", "host:*public*", false}, {"host:@npm", "host:*public*", false},
		{"host:example.com:443", "host:*", true}, {"host:*", "host:*public*", false}, {"host:[::1]:80", "host:*loopback*", true}, {"host:example.com:443", "host:example.com", false},
	} {
		n, err1 := Parse(tt.narrow)
		w, err2 := Parse(tt.wide)
		if err1 != nil || err2 != nil {
			t.Errorf("%s, %s: %v, %v", tt.narrow, tt.wide, err1, err2)
			continue
		}
		if got := n.Within(w); got != tt.want {
			t.Errorf("%s within %s: %v", tt.narrow, tt.wide, got)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, g := range spellings {
		f.Add(g[len(g)-1])
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Host(s)
		if err != nil {
			return
		}
		p, err := Parse(r.String())
		if err != nil || p != Exactly(r) && r != Root(HostKind) {
			t.Errorf("Host(%q) = %q, which reads as %v, %v", s, r, p, err)
		}
		if strings.ContainsAny(r.String(), "\x00\n\r\t") {
			t.Errorf("Host(%q) = %q holds control characters", s, r)
		}
	})
}
