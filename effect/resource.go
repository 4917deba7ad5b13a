package effect

import (
	"fmt"
	"path"
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
			r.kind = ExeKind
			if err == nil {
				r.key = sep + "/" + r.key // apart from bare names
			}
			return r, err
		}
		return New(ExeKind, text)
	case EnvKind:
		return New(EnvKind, text)
	case TableKind:
		return New(k, strings.Split(text, ".")...)
	}
	return New(k, strings.Split(text, "/")...)
}

// Mailbox makes a mailbox resource from an address "local@domain" (domain reversed, then local part) or "@domain".
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
	segs := reversedLabels(name)
	if local := strings.ToLower(addr[:at]); local != "" {
		segs = append(segs, "@", local)
	}
	return New(MailboxKind, segs...)
}

// String writes kind:path, the form of every format. Parse reads it back.
func (r Resource) String() string { return r.kind.String() + ":" + r.text() }

func (r Resource) text() string {
	segs := r.Segments()
	if r.kind != HostKind {
		for i, s := range segs {
			segs[i] = escapeSegment(s)
		}
	}
	switch r.kind {
	case FileKind:
		return "/" + strings.Join(segs, "/")
	case HostKind:
		return hostText(segs)
	case ExeKind:
		if len(segs) > 0 && segs[0] == "/" {
			return "/" + strings.Join(segs[1:], "/")
		}
	case MailboxKind:
		for i, s := range segs {
			if s == "@" && i+1 < len(segs) {
				return segs[i+1] + "@" + joinReversed(segs[:i])
			}
		}
		return "@" + joinReversed(segs)
	case TableKind:
		return strings.Join(segs, ".")
	}
	if len(segs) == 0 {
		return "*"
	}
	return strings.Join(segs, "/")
}

// escapeSegment keeps a segment that is spelled like a mark of patterns apart from the mark: a file may be called "**".
func escapeSegment(s string) string {
	if s[0] == '*' || s[0] == '\\' {
		return `\` + s
	}
	return s
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
	return k + strings.TrimSuffix(p.text(), "/") + "/**"
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
	case TableKind:
		text, tree = strings.CutSuffix(text, ".*")
	default:
		text, tree = strings.CutSuffix(text, "/**")
		if text == "" && k == FileKind {
			return Any(k), nil
		}
	}
	r, err := Name(k, text)
	if err == nil && strings.Contains(r.key, sep+`\`) {
		r.key = strings.ReplaceAll(r.key, sep+`\`, sep) // undo escapeSegment
	}
	return Pattern{r, tree}, err
}
