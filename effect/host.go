package effect

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// The first segment of a host resource is its realm: public names and addresses, loopback, private ranges and package
// registries are separate subtrees, so that "any public host" never means this machine or its network.
const (
	realmPublic   = "public"
	realmLoopback = "loopback"
	realmPrivate  = "private"
	realmRegistry = "registry"
	endOfHost     = "." // after the labels: a name, and not what lies below its domain
)

// Host makes a host resource from "host", "host:port", "host:port/path", a URL, or "@manager" for a package manager's
// built-in registry. Names are normalised: IDNA (UTS 46), case, trailing dot, percent-encoding; addresses: every spelling that
// inet_aton and RFC 4291 know, IPv4-mapped IPv6 to IPv4. A URL's user information, query and fragment are dropped; its
// scheme gives the default port. "*" is any host. It refuses what two clients take for two hosts: a backslash in front of the
// path (a browser ends the host there, curl does not), and names that end in a number but are no address.
func Host(s string) (Resource, error) {
	if s == "*" || s == "" {
		if s == "" {
			return Resource{}, fmt.Errorf("host is empty")
		}
		return Root(HostKind), nil
	}
	port := ""
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		port = defaultPort(strings.ToLower(scheme))
		s = rest
		if i := strings.IndexAny(s, "?#"); i >= 0 {
			s = s[:i]
		}
		auth, rest, has := strings.Cut(s, "/")
		if strings.Contains(auth, `\`) {
			return Resource{}, fmt.Errorf("host %q: a backslash stands before the path", s)
		}
		if i := strings.LastIndexByte(auth, '@'); i >= 0 {
			auth = auth[i+1:]
		}
		s = auth
		if has {
			s += "/" + rest
		}
	}
	auth, urlPath, _ := strings.Cut(s, "/")
	host, p, err := splitPort(auth)
	if err != nil {
		return Resource{}, fmt.Errorf("host %q: %w", s, err)
	}
	if p != "" {
		port = p
	}
	segs, err := hostSegments(host)
	if err != nil {
		return Resource{}, fmt.Errorf("host %q: %w", s, err)
	}
	segs = append(segs, endOfHost)
	if port != "" {
		segs = append(segs, port)
		segs = append(segs, urlSegments(urlPath)...)
	}
	return New(HostKind, segs...)
}

// urlSegments splits a URL path, decoding what needs no encoding and removing dot segments (RFC 3986 section 6.2.2).
func urlSegments(p string) (segs []string) {
	for _, s := range strings.Split(p, "/") {
		if u, err := url.PathUnescape(s); err == nil && !strings.Contains(u, "\x00") {
			s = u
		}
		switch s {
		case "", ".":
		case "..":
			if len(segs) > 0 {
				segs = segs[:len(segs)-1]
			}
		default:
			segs = append(segs, s)
		}
	}
	return segs
}

func splitPort(auth string) (host, port string, err error) {
	if strings.HasPrefix(auth, "[") {
		end := strings.IndexByte(auth, ']')
		if end < 0 {
			return "", "", fmt.Errorf("bracket is not closed")
		}
		host, port = auth[:end+1], strings.TrimPrefix(auth[end+1:], ":")
	} else if strings.Count(auth, ":") > 1 { // a bare IPv6 address
		host = auth
	} else {
		host, port, _ = strings.Cut(auth, ":")
	}
	if port == "*" || port == "" {
		return host, "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", "", fmt.Errorf("port %q is not a number up to 65535", port)
	}
	return host, strconv.FormatUint(n, 10), nil
}

func hostSegments(host string) ([]string, error) {
	if name, ok := strings.CutPrefix(host, "@"); ok && name != "" {
		if !plainName(name) || strings.Trim(name, ".-_") != name {
			return nil, fmt.Errorf("registry name holds a character that none has")
		}
		return []string{realmRegistry, strings.ToLower(name)}, nil
	}
	if ip, ok := parseAddr(host); ok {
		return []string{realm(ip), "#" + ip.String()}, nil
	}
	if h, err := url.PathUnescape(host); err == nil {
		host = h
		if ip, ok := parseAddr(host); ok {
			return []string{realm(ip), "#" + ip.String()}, nil
		}
	}
	name, err := normalName(host)
	if err != nil {
		return nil, err
	}
	if ip, ok := parseAddr(name); ok { // full-width digits become an address only after IDNA
		return []string{realm(ip), "#" + ip.String()}, nil
	}
	if endsInNumber(name) {
		return nil, fmt.Errorf("name ends in a number and is no address")
	}
	return append([]string{nameRealm(name)}, reversedLabels(name)...), nil
}

func normalName(host string) (string, error) {
	if !utf8.ValidString(host) {
		return "", fmt.Errorf("name is not UTF-8")
	}
	if !plainName(host) {
		ascii, err := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false)).ToASCII(host)
		if err != nil {
			return "", fmt.Errorf("name is not valid: %w", err)
		}
		if host = ascii; !plainName(host) {
			return "", fmt.Errorf("name holds a character that no name has")
		}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" || slices.Contains(strings.Split(host, "."), "") {
		return "", fmt.Errorf("name is empty or has an empty label")
	}
	return host, nil
}

// plainName tells whether a name has only the characters of host names, and the underscore of service names (RFC 8552).
func plainName(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
	}) < 0
}

// endsInNumber tells whether the last label is one that an address ends in (WHATWG URL, 3.6): some clients would make one of
// it all the same, each in its own way.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// nameRealm follows RFC 6761 (localhost), RFC 6762 (local) and RFC 8375 / draft usage for internal names.
func nameRealm(name string) string {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost" || name == "localhost.localdomain" || name == "ip6-localhost" || name == "ip6-loopback":
		return realmLoopback
	case last == "local" || last == "internal" || strings.HasSuffix(name, ".home.arpa") || last == "localdomain":
		return realmPrivate
	}
	return realmPublic
}

func realm(ip netip.Addr) string {
	shared := netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10) // RFC 6598
	switch {
	case ip.IsLoopback() || ip.IsUnspecified(): // connecting to 0.0.0.0 or :: reaches this machine
		return realmLoopback
	case ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsLinkLocalMulticast() || ip.IsInterfaceLocalMulticast() || shared.Contains(ip):
		return realmPrivate
	}
	return realmPublic
}

// parseAddr reads an IP address in any spelling that common clients accept: RFC 4291 with or without brackets and zone,
// and inet_aton(3) with one to four parts in decimal, octal or hexadecimal.
func parseAddr(s string) (netip.Addr, bool) {
	t := s
	if inner, ok := strings.CutPrefix(s, "["); ok {
		t = strings.TrimSuffix(inner, "]")
	}
	if strings.Contains(t, ":") {
		t = strings.Replace(t, "%25", "%", 1)
		ip, err := netip.ParseAddr(t)
		return ip.WithZone("").Unmap(), err == nil
	}
	parts := strings.Split(strings.TrimSuffix(t, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var v uint64
	for i, p := range parts {
		n, err := parseAtonPart(p)
		if err != nil {
			return netip.Addr{}, false
		}
		if i == len(parts)-1 {
			width := uint(8 * (5 - len(parts)))
			if n >= 1<<width {
				return netip.Addr{}, false
			}
			v = v<<width | n
		} else {
			if n > 255 {
				return netip.Addr{}, false
			}
			v = v<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true
}

func parseAtonPart(p string) (uint64, error) {
	l := strings.ToLower(p)
	switch {
	case strings.HasPrefix(l, "0x"):
		return strconv.ParseUint(l[2:], 16, 32)
	case len(l) > 1 && l[0] == '0':
		return strconv.ParseUint(l, 8, 32)
	}
	return strconv.ParseUint(l, 10, 32)
}

func reversedLabels(name string) []string {
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return labels
}

func joinReversed(labels []string) string {
	l := slices.Clone(labels)
	slices.Reverse(l)
	return strings.Join(l, ".")
}

// Loopback tells whether a host resource is this machine itself.
func (r Resource) Loopback() bool {
	return r.kind == HostKind && r.Under(Resource{HostKind, sep + realmLoopback})
}

// PrivateHost tells whether a host resource lies in a private range or a name reserved for local networks.
func (r Resource) PrivateHost() bool {
	return r.kind == HostKind && r.Under(Resource{HostKind, sep + realmPrivate})
}

func hostText(segs []string) string {
	if len(segs) == 0 {
		return "*"
	}
	end := slices.Index(segs, endOfHost)
	if end < 0 {
		return hostTreeText(segs)
	}
	var b strings.Builder
	b.WriteString(nameText(segs[:end]))
	if rest := segs[end+1:]; len(rest) > 0 {
		b.WriteString(":" + rest[0])
		for _, s := range rest[1:] {
			b.WriteString("/" + url.PathEscape(s))
		}
	}
	return b.String()
}

func nameText(segs []string) string {
	if segs[0] == realmRegistry {
		return "@" + strings.Join(segs[1:], ".")
	}
	if len(segs) == 2 && strings.HasPrefix(segs[1], "#") {
		if a := segs[1][1:]; strings.Contains(a, ":") {
			return "[" + a + "]"
		}
		return segs[1][1:]
	}
	return joinReversed(segs[1:])
}

func hostTreeText(segs []string) string {
	end := slices.Index(segs, endOfHost)
	switch {
	case len(segs) == 1:
		return "*" + segs[0] + "*"
	case end < 0:
		return "*." + nameText(segs)
	case end == len(segs)-1:
		return nameText(segs[:end]) + ":*"
	}
	return hostText(segs) + "/**"
}

func parseHostPattern(text string) (Pattern, error) {
	if name, ok := strings.CutPrefix(text, "*."); ok {
		segs, err := hostSegments(name)
		if err != nil {
			return Pattern{}, err
		}
		r, err := New(HostKind, segs...)
		return Below(r), err
	}
	for _, name := range []string{realmPublic, realmLoopback, realmPrivate, realmRegistry} {
		if text == "*"+name+"*" {
			return Below(Resource{HostKind, sep + name}), nil
		}
	}
	tree := false
	if t, ok := strings.CutSuffix(text, "/**"); ok {
		text, tree = t, true
	} else if t, ok := strings.CutSuffix(text, ":*"); ok {
		text, tree = t, true
	}
	r, err := Host(text)
	return Pattern{r, tree}, err
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http", "ws":
		return "80"
	case "https", "wss":
		return "443"
	case "ssh", "sftp", "git+ssh", "scp":
		return "22"
	case "git":
		return "9418"
	case "ftp":
		return "21"
	case "ftps":
		return "990"
	case "rsync":
		return "873"
	case "postgres", "postgresql":
		return "5432"
	case "mysql":
		return "3306"
	case "redis":
		return "6379"
	case "mongodb":
		return "27017"
	case "smtp":
		return "25"
	case "ldap":
		return "389"
	}
	return ""
}
