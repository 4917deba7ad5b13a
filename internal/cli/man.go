package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type manCommand struct{}

// Help is shown by kong below the command's own line.
func (manCommand) Help() string {
	return `To read it now, or to install it:

    ambit man | man -l -
    ambit man > ~/.local/share/man/man1/ambit.1`
}

func (manCommand) Run(a *app) error {
	_, err := a.out.WriteString(manual(a.grammar.Model))
	return err
}

// manual is the page in the man(7) macros, made from the same grammar that parses the command line.
func manual(model *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH AMBIT 1 \"\" \"ambit %s\" \"User Commands\"\n", roff(version()))
	fmt.Fprintf(&b, ".SH NAME\nambit \\- say what a command will set in motion, before it runs\n.SH SYNOPSIS\n")
	paths, nodes := below(model.Children, "")
	for i, n := range nodes {
		if n.Leaf() {
			fmt.Fprintf(&b, ".B %s\n.br\n", roff(synopsis(n, paths[i])))
		}
	}
	b.WriteString(".SH COMMANDS\n")
	for i, n := range nodes {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff("ambit "+paths[i]), roff(n.Help))
		if n.Detail != "" {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(n.Detail))
		}
		for _, f := range n.Flags {
			if f.Hidden {
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(flagForm(f)), roff(f.Help))
		}
		for _, p := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.ToUpper(p.Name)), roff(p.Help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitCodes() {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.code, roff(e.meaning))
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, no colours, even on a terminal.\n" +
		".TP\n.B COLUMNS\nThe width that text is laid out for.\n")
	return b.String()
}

func flagForm(f *kong.Flag) string {
	form := "--" + f.Name
	if f.Short != 0 {
		form = "-" + string(f.Short) + ", " + form
	}
	if !f.IsBool() {
		form += " " + f.FormatPlaceHolder()
	}
	return form
}

func synopsis(n *kong.Node, path string) string {
	parts := []string{"ambit", path}
	for _, f := range n.Flags {
		if !f.Hidden {
			parts = append(parts, "["+flagForm(f)+"]")
		}
	}
	for _, p := range n.Positional {
		name := strings.ToUpper(p.Name)
		if p.IsCumulative() {
			name = "-- " + name + "..."
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

// roff escapes text for troff: a backslash, a hyphen that must stay one, and a line that would be a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
