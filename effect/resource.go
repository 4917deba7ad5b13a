package effect

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Kind is the kind of tree that a resource lies in. The zero value is no kind.
type Kind uint8

// The kinds of resource.
const (
	FileKind    Kind = iota + 1 // absolute path, symlinks resolved
	HostKind                    // labels reversed, then port, then URL path
	EnvKind                     // variable name
	ExeKind                     // absolute path of a program, or its bare name where it cannot be resolved
	ImageKind                   // registry/repository, then tag or digest
	ToolKind                    // MCP server, then tool
	MailboxKind                 // domain reversed, then local part
	ChannelKind                 // natural hierarchy, separated by /
	RepoKind                    // natural hierarchy, separated by /
	TableKind                   // database, schema, table, separated by .
	ObjectKind                  // anything else with a hierarchy, separated by /
)

var kindNames = [...]string{"invalid", "file", "host", "env", "exe", "image", "tool", "mailbox", "channel", "repo", "table", "object"}

// String gives the prefix used in every format.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[0]
}

// sep separates the segments inside key. It sorts below every character that a segment can hold after normalisation,
// so that a prefix test on keys is a prefix test on segments.
const sep = "\x00"

// Resource is a place in a tree: a kind and a path of segments, comparable with ==. The zero value is no resource,
// and lies within nothing.
type Resource struct {
	kind Kind
	key  string // each segment preceded by sep
}

// Kind tells which tree the resource lies in; zero for no resource.
func (r Resource) Kind() Kind { return r.kind }

// IsZero tells whether there is no resource.
func (r Resource) IsZero() bool { return r.kind == 0 }

// Segments lists the path from the root of the kind's tree; none for the root itself.
func (r Resource) Segments() []string {
	if r.key == "" {
		return nil
	}
	return strings.Split(r.key[1:], sep)
}

// Parent is the next wider place; the root is its own parent.
func (r Resource) Parent() Resource {
	if i := strings.LastIndex(r.key, sep); i >= 0 {
		r.key = r.key[:i]
	}
	return r
}

// Under tells whether r is o or lies below it in the same tree. This is the one prefix order of all kinds.
func (r Resource) Under(o Resource) bool {
	return r.kind != 0 && r.kind == o.kind && strings.HasPrefix(r.key, o.key) &&
		(len(r.key) == len(o.key) || r.key[len(o.key)] == sep[0])
}

// New makes a resource from segments, from the widest to the narrowest. Segments that are empty or hold a NUL are an
// error: they could pass for a wider place.
func New(k Kind, segments ...string) (Resource, error) {
	if k < FileKind || k > ObjectKind {
		return Resource{}, fmt.Errorf("resource kind %d is invalid", k)
	}
	var b strings.Builder
	for _, s := range segments {
		if s == "" || strings.Contains(s, sep) {
			return Resource{}, fmt.Errorf("%s resource: segment %q is empty or holds a NUL", k, s)
		}
		b.WriteString(sep)
		b.WriteString(s)
	}
	return Resource{k, b.String()}, nil
}

// Root is the top of a kind's tree: everything of that kind lies under it.
func Root(k Kind) Resource { return Resource{kind: k} }

// FilePath makes a file resource from an absolute path. It cleans the path but does not resolve symlinks: see Resolve.
func FilePath(p string) (Resource, error) {
	if !path.IsAbs(p) || strings.Contains(p, sep) {
		return Resource{}, fmt.Errorf("file resource %q: not an absolute path without NUL; resolve it first", p)
	}
	p = path.Clean(p)
	if p == "/" {
		return Root(FileKind), nil
	}
	return Resource{FileKind, strings.ReplaceAll(p, "/", sep)}, nil
}

// Name makes a resource of a kind whose text is its segments joined by one separator (every kind but file, host and
// mailbox). A program's absolute path has the segments of the path; a bare name is one segment.
func Name(k Kind, text string) (Resource, error) {
	switch k {
	case FileKind:
		return FilePath(text)
	case HostKind:
		return Host(text)
	case MailboxKind:
		return Mailbox(text)
	case ExeKind:
		if path.IsAbs(text) {
			r, err := FilePath(text)
			if err != nil || r.key == "" {
				return Resource{}, fmt.Errorf("program %q: not the path of a file", text)
			}
			return Resource{ExeKind, sep + "/" + r.key}, nil // apart from bare names
		}
		return New(ExeKind, text)
	case EnvKind:
		return New(EnvKind, text)
	case TableKind:
		return New(k, strings.Split(text, ".")...)
	}
	return New(k, strings.Split(text, "/")...)
}

// Mailbox makes a mailbox resource from an address "local@domain" (domain reversed, then "@", then the local part) or
// "@domain", the place of all addresses at exactly this domain; its parent holds those of subdomains too.
// Domains compare without case; local parts too, since every large provider treats them so and a wider match only asks less
// often for the same mailbox.
func Mailbox(addr string) (Resource, error) {
	at := strings.LastIndexByte(addr, '@')
	if at < 0 {
		return Resource{}, fmt.Errorf("mailbox %q: no @; give local@domain", addr)
	}
	name, err := normalName(addr[at+1:])
	if err != nil {
		return Resource{}, fmt.Errorf("mailbox %q: %w", addr, err)
	}
	segs := append(reversedLabels(name), "@")
	if local := strings.ToLower(addr[:at]); local != "" {
		segs = append(segs, local)
	}
	return New(MailboxKind, segs...)
}

// String writes kind:path, the form of every format. Parse reads it back.
func (r Resource) String() string { return r.kind.String() + ":" + r.text() }

func (r Resource) text() string {
	segs := r.Segments()
	switch r.kind {
	case FileKind:
		return pathText(segs)
	case HostKind:
		return hostText(segs)
	case ExeKind:
		if len(segs) > 0 && segs[0] == "/" {
			return pathText(segs[1:])
		}
	case MailboxKind:
		return mailboxText(segs)
	}
	if len(segs) == 0 {
		return "*"
	}
	join := separator(r.kind)
	special := "*" + join
	if r.kind == EnvKind {
		special = "*/"
	}
	for i, s := range segs {
		segs[i] = escape(s, special)
	}
	return strings.Join(segs, join)
}

func mailboxText(segs []string) string {
	at := slices.Index(segs, "@")
	switch {
	case at < 0:
		return "@*." + joinReversed(segs)
	case at == len(segs)-1:
		return "@" + joinReversed(segs[:at])
	}
	return escape(segs[at+1], "*") + "@" + joinReversed(segs[:at])
}

// separator is what stands between segments in the text of a kind that is neither a path, a host nor a mailbox.
func separator(k Kind) string {
	switch k {
	case TableKind:
		return "."
	case EnvKind, ExeKind:
		return "" // one segment
	}
	return "/"
}

// pathText writes a path. A file that is really called "**" gets "/." after it, which cleaning takes away again: the bare text
// means everything below the folder.
func pathText(segs []string) string {
	p := "/" + strings.Join(segs, "/")
	if strings.HasSuffix(p, "/**") {
		p += "/."
	}
	return p
}

// escape writes some characters of a segment, and the percent sign, as %XX: a star in a name is not the star of a pattern.
func escape(s, chars string) string {
	if !strings.ContainsAny(s, chars+"%") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(chars+"%", s[i]) >= 0 {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Pattern is a resource, or with Tree the whole subtree at and below it.
type Pattern struct {
	Resource
	Tree bool
}

// Exactly is the pattern of one resource.
func Exactly(r Resource) Pattern { return Pattern{r, false} }

// Below is the pattern of a resource and everything below it.
func Below(r Resource) Pattern { return Pattern{r, true} }

// Any is everything of a kind.
func Any(k Kind) Pattern { return Pattern{Root(k), true} }

// Within tells whether every resource of p is one of q.
func (p Pattern) Within(q Pattern) bool {
	if q.Tree {
		return p.Under(q.Resource)
	}
	return !p.Tree && !p.IsZero() && p.Resource == q.Resource
}

// Covers tells whether q is one of p's resources.
func (p Pattern) Covers(q Resource) bool { return Exactly(q).Within(p) }

// Overlaps tells whether some resource is in both.
func (p Pattern) Overlaps(q Pattern) bool { return p.Within(q) || q.Within(p) }

// String writes kind:path, with /** (files and the like) or *. (hosts) for a subtree.
func (p Pattern) String() string {
	if !p.Tree {
		return p.Resource.String()
	}
	k := p.kind.String() + ":"
	if p.key == "" && p.kind != FileKind {
		return k + "*"
	}
	switch p.kind {
	case HostKind:
		return k + hostTreeText(p.Segments())
	case MailboxKind:
		return k + "*" + p.text()
	case TableKind:
		return k + p.text() + ".*"
	}
	if p.text() == "/" {
		return k + "/**"
	}
	return k + p.text() + "/**"
}

// Parse reads what String writes.
func Parse(s string) (Pattern, error) {
	name, text, ok := strings.Cut(s, ":")
	if !ok {
		return Pattern{}, fmt.Errorf("resource %q: want kind:path", s)
	}
	for k := FileKind; k <= ObjectKind; k++ {
		if k.String() == name {
			return parseText(k, text)
		}
	}
	return Pattern{}, fmt.Errorf("resource %q: kind is none of %s", s, strings.Join(kindNames[1:], ", "))
}

func parseText(k Kind, text string) (Pattern, error) {
	if text == "*" {
		return Any(k), nil
	}
	tree := false
	switch k {
	case HostKind:
		return parseHostPattern(text)
	case MailboxKind:
		text, tree = strings.CutPrefix(text, "*")
		r, err := parseMailbox(text)
		return Pattern{r, tree}, err
	case TableKind:
		text, tree = strings.CutSuffix(text, ".*")
	default:
		text, tree = strings.CutSuffix(text, "/**")
		switch {
		case text == "" && k == FileKind:
			return Any(k), nil
		case text == "" && k == ExeKind: // every program by its path
			return Below(Resource{k, sep + "/"}), nil
		}
	}
	r, err := parseSegments(k, text)
	return Pattern{r, tree}, err
}

// parseMailbox reads what mailboxText writes.
func parseMailbox(text string) (Resource, error) {
	if domain, ok := strings.CutPrefix(text, "@*."); ok {
		r, err := Mailbox("@" + domain)
		return r.Parent(), err
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return Mailbox(text)
	}
	local, err := url.PathUnescape(text[:at])
	if err != nil {
		return Resource{}, fmt.Errorf("mailbox %q: %w", text, err)
	}
	return Mailbox(local + text[at:])
}

// parseSegments reads what text writes for one resource.
func parseSegments(k Kind, text string) (Resource, error) {
	if k == FileKind || k == ExeKind && path.IsAbs(text) {
		return Name(k, text)
	}
	segs := []string{text}
	if join := separator(k); join != "" {
		segs = strings.Split(text, join)
	}
	for i, s := range segs {
		u, err := url.PathUnescape(s)
		if err != nil {
			return Resource{}, fmt.Errorf("%s %q: %w", k, text, err)
		}
		segs[i] = u
	}
	return New(k, segs...)
}
