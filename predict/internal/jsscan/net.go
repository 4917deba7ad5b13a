package jsscan

import (
	"strings"

	"github.com/ambit-dev/ambit/predict/internal/script"
)

// callNet calls a function of the network modules.
func (l *lang) callNet(ev *eval, n *native, a args, isNew bool) val {
	rule := "js/" + strings.ReplaceAll(n.Path, "()", "")
	emit := func(access string, target script.Value) {
		ev.Emit(script.Finding{Kind: script.Effect, Rule: rule, Class: "network", Access: access, Target: target})
	}
	if isEvent(n.Path) {
		return l.listen(ev, n, a)
	}
	switch n.Path {
	case "http.request", "http.get", "https.request", "https.get", "http2.connect", "fetch", "WebSocket", "EventSource":
		scheme := "https://"
		if strings.HasPrefix(n.Path, "http.") {
			scheme = "http://"
		}
		for _, t := range l.urls(ev, a, scheme) {
			emit("fetch", t)
		}
		ev.Callbacks(a)
		return &native{Path: n.Path + "()"}
	case "net.connect", "net.createConnection", "tls.connect", "net.Socket().connect":
		if !l.connect(ev, emit, a) {
			return script.NewUnk()
		}
		ev.Callbacks(a)
		return &native{Path: "net.Socket()"}
	case "dgram.createSocket().send":
		emit("send", hostPort(script.OneValue(a.At(2)), a.At(1)))
		return script.NewUnk()
	case "dgram.createSocket().bind":
		emit("listen", hostPort(hostOr(a.At(1), "*"), a.At(0)))
		return script.NewUnk()
	}
	switch {
	case strings.HasPrefix(n.Path, "dns."):
		name := n.Path[4:]
		if strings.HasPrefix(name, "lookup") || strings.HasPrefix(name, "resolve") || strings.HasPrefix(name, "reverse") || strings.Contains(name, "promises") {
			emit("fetch", script.OneValue(a.At(0)))
		}
		ev.Callbacks(a)
		return script.NewUnk()
	case strings.HasSuffix(n.Path, ".listen"):
		l.listenOn(ev, emit, a)
		ev.Callbacks(a)
		return n
	}
	ev.Callbacks(a)
	if isNew || strings.Contains(n.Path, ".create") {
		return &native{Path: n.Path + "()"}
	}
	return script.NewUnk()
}

// listenOn reports a server's listen(port, host), listen({port, host}) or listen(path).
func (l *lang) listenOn(ev *eval, emit func(string, script.Value), a args) {
	switch x := a.At(0).(type) {
	case *script.Obj:
		if _, undef := ev.Get(x, "path").(script.Undef); !undef && !x.Open {
			return
		}
		emit("listen", hostPort(hostOr(ev.Get(x, "host"), "*"), ev.Get(x, "port")))
	case string:
		if strings.HasPrefix(x, "/") {
			l.Place.Effect(ev, "js/net.listen", "write", x) // a socket file
			return
		}
		emit("listen", hostPort(hostOr(a.At(1), "*"), x))
	default:
		emit("listen", hostPort(hostOr(a.At(1), "*"), x))
	}
}

func hostOr(v val, otherwise string) script.Value {
	switch v.(type) {
	case script.Undef, script.Null, *script.Fn, float64:
		return script.Known(otherwise)
	}
	return script.OneValue(v)
}

func hostPort(host script.Value, port val) script.Value {
	switch port.(type) {
	case script.Undef, script.Null, *script.Fn:
		return host
	}
	h := host.Text
	if strings.Contains(h, ":") && !strings.HasPrefix(h, "[") {
		h = "[" + h + "]"
	}
	return script.Pattern(h + ":" + script.OneValue(port).Text)
}

// connect reports a connection; false for a socket file, which is not the network.
func (l *lang) connect(ev *eval, emit func(string, script.Value), a args) bool {
	switch x := a.At(0).(type) {
	case *script.Obj:
		if s, ok := ev.Get(x, "path").(string); ok && s != "" {
			ev.Emit(script.Finding{Kind: script.Effect, Rule: "js/net.connect", Class: "file", Access: "read", Target: script.Known(s)})
			return false
		}
		emit("send", hostPort(hostOr(ev.Get(x, "host"), "localhost"), ev.Get(x, "port")))
	case string:
		if strings.HasPrefix(x, "/") {
			ev.Emit(script.Finding{Kind: script.Effect, Rule: "js/net.connect", Class: "file", Access: "read", Target: script.Known(x)})
			return false
		}
		emit("send", hostPort(hostOr(a.At(1), "localhost"), x))
	default:
		emit("send", hostPort(hostOr(a.At(1), "localhost"), x))
	}
	return true
}

// urls are the addresses that a request's arguments name.
func (l *lang) urls(ev *eval, a args, scheme string) []script.Value {
	first := a.At(0)
	var list []script.Value
	for _, x := range script.Alts(first) {
		switch x := x.(type) {
		case *script.Obj:
			list = append(list, l.urlOf(ev, x, scheme))
		case script.Undef, script.Null, bool:
		default:
			list = append(list, script.Values(x)...)
		}
	}
	if len(list) == 0 {
		list = append(list, script.Pattern(script.Hole))
	}
	return list
}

// urlOf is the address in an options object.
func (l *lang) urlOf(ev *eval, o *script.Obj, scheme string) script.Value {
	get := func(names ...string) string {
		for _, n := range names {
			switch v := ev.Get(o, n); v.(type) {
			case script.Undef, script.Null:
			default:
				return script.OneValue(v).Text
			}
		}
		return ""
	}
	if u := get("url", "uri", "href"); u != "" {
		if base := get("baseURL", "baseUrl", "prefixUrl"); base != "" && !strings.Contains(u, "://") {
			return script.Pattern(strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(u, "/"))
		}
		return script.Pattern(u)
	}
	host := get("hostname", "host")
	if host == "" {
		host = script.Hole
		if get("port") != "" && !o.Open {
			host = "localhost"
		}
	}
	if p := get("protocol"); p != "" {
		scheme = p + "//"
	}
	if port := get("port"); port != "" && !strings.Contains(host, ":") {
		host += ":" + port
	}
	return script.Pattern(scheme + host + get("path", "pathname"))
}

// callURL makes and reads URLs.
func (l *lang) callURL(ev *eval, n *native, a args, isNew bool) val {
	switch n.Path {
	case "url.fileURLToPath":
		var r val
		for _, t := range script.Values(a.At(0)) {
			r = script.Join(r, script.FromPattern(fileURL(t.Text)))
		}
		return r
	case "url.pathToFileURL":
		return &native{Path: "URL()", Recv: script.Concat("file://", a.At(0))}
	case "URL", "url.URL", "url.parse", "url.resolve":
		v, base := a.At(0), a.At(1)
		if n.Path == "url.resolve" {
			v, base = base, v
		}
		u := joinURL(script.OneValue(v).Text, base)
		if n.Path == "url.resolve" {
			return script.FromPattern(u)
		}
		return &native{Path: "URL()", Recv: script.FromPattern(u)}
	case "url.format":
		if o, ok := a.At(0).(*script.Obj); ok {
			return script.FromPattern(l.urlOf(ev, o, "http://").Text)
		}
		return script.FromPattern(script.OneValue(a.At(0)).Text)
	case "URL().toString", "URL().toJSON":
		return script.FromPattern(script.Text(n))
	}
	if strings.HasPrefix(n.Path, "URL().") {
		ev.Callbacks(a)
	}
	return script.NewUnk()
}

// joinURL resolves a reference against a base URL.
func joinURL(ref string, base val) string {
	b := ""
	switch base.(type) {
	case script.Undef, script.Null:
		return ref
	default:
		b = script.OneValue(base).Text
	}
	scheme := strings.Index(b, "://")
	switch {
	case strings.Contains(ref, "://") || scheme < 0:
		return ref
	case strings.HasPrefix(b, "file://"):
		if strings.HasPrefix(ref, "/") {
			return "file://" + ref
		}
		return "file://" + script.CleanPath(dirname(fileURL(b))+"/"+ref)
	case strings.HasPrefix(ref, "//"):
		return b[:scheme+1] + ref
	}
	root := b
	if i := strings.IndexByte(b[scheme+3:], '/'); i >= 0 {
		root = b[:scheme+3+i]
		if !strings.HasPrefix(ref, "/") {
			dir := b[scheme+3+i:]
			return root + dir[:strings.LastIndexByte(dir, '/')+1] + ref
		}
	}
	return root + "/" + strings.TrimPrefix(ref, "/")
}

// urlPart is a property of a URL object.
func urlPart(n *native, name string) val {
	text := script.Text(n)
	scheme, rest, ok := strings.Cut(text, "://")
	switch name {
	case "href":
		return script.FromPattern(text)
	case "toString", "toJSON":
		return &native{Path: "URL()." + name, Recv: n.Recv}
	}
	if !ok || strings.Contains(scheme, script.Hole) {
		return script.NewUnk()
	}
	host, p, _ := strings.Cut(rest, "/")
	switch name {
	case "protocol":
		return scheme + ":"
	case "host", "hostname":
		if name == "hostname" {
			host, _, _ = strings.Cut(host, ":")
		}
		return script.FromPattern(host)
	case "pathname", "path":
		p, _, _ = strings.Cut(p, "?")
		return script.FromPattern("/" + p)
	case "origin":
		return script.FromPattern(scheme + "://" + host)
	case "search", "hash", "port":
		if !strings.ContainsAny(rest, "?#") && !strings.Contains(rest, script.Hole) && name != "port" {
			return ""
		}
	}
	return script.NewUnk()
}
