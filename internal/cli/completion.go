package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help is shown by kong below the command's own line.
func (completionCommand) Help() string {
	return `For this shell only, or in its start-up file:

    bash:  source <(ambit completion bash)
    zsh:   source <(ambit completion zsh)
    fish:  ambit completion fish | source`
}

func (c completionCommand) Run(a *app) error {
	write := map[string]func(*kong.Application) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := a.out.WriteString(write(a.grammar.Model))
	return err
}

// options are the words that may stand for a flag, "--view" and "-c".
func options(n *kong.Node) (words []string) {
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		words = append(words, "--"+f.Name)
		if f.Short != 0 {
			words = append(words, "-"+string(f.Short))
		}
	}
	return words
}

// enumOf are the values of a flag or argument that has a fixed set, without the empty one.
func enumOf(v *kong.Value) []string {
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

// choices are the words that may stand for a command's positional argument.
func choices(n *kong.Node) (words []string) {
	for _, p := range n.Positional {
		words = append(words, enumOf(p)...)
	}
	return words
}

func names(nodes []*kong.Node) (words []string) {
	for _, n := range nodes {
		words = append(words, n.Name)
	}
	return words
}

// below are all commands under a node with the words that lead to each, "bench speed"; a command stands before its own commands.
func below(nodes []*kong.Node, lead string) (paths []string, found []*kong.Node) {
	for _, n := range nodes {
		if n.Hidden {
			continue
		}
		p := strings.TrimPrefix(lead+" "+n.Name, " ")
		more, children := below(n.Children, p)
		paths, found = append(append(paths, p), more...), append(append(found, n), children...)
	}
	return paths, found
}

func bashCompletion(model *kong.Application) string {
	var b strings.Builder
	paths, nodes := below(model.Children, "")
	fmt.Fprintf(&b, `# bash completion for ambit: source <(ambit completion bash)
_ambit() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i path= words=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      declare -F _command_offset >/dev/null && _command_offset $((i + 1))
      return
    fi
    case "$path ${COMP_WORDS[i]}" in
    %s) path="$path ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path:$prev" in
  :*) words=%q ;;
`, `" `+strings.Join(paths, `" | " `)+`"`, strings.Join(append(names(model.Children), "--help"), " "))
	for i, n := range nodes {
		for _, f := range n.Flags {
			if values := enumOf(f.Value); len(values) > 0 {
				fmt.Fprintf(&b, "  \" %s:--%s\") words=%q ;;\n", paths[i], f.Name, strings.Join(values, " "))
			}
			if action := map[string]string{"DIR": "-d", "FILE": "-f"}[f.PlaceHolder]; action != "" {
				fmt.Fprintf(&b, "  \" %s:--%s\") COMPREPLY=($(compgen %s -- \"$cur\")); return ;;\n", paths[i], f.Name, action)
			}
		}
		fmt.Fprintf(&b, "  \" %s:\"*) words=%q ;;\n", paths[i], strings.Join(append(append(names(n.Children), choices(n)...), append(options(n), "--help")...), " "))
	}
	b.WriteString(`  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _ambit ambit
`)
	return b.String()
}

func zshCompletion(model *kong.Application) string {
	var b strings.Builder
	b.WriteString("#compdef ambit\n# zsh completion for ambit: source <(ambit completion zsh)\n_ambit() {\n")
	zshCommands(&b, model.Children, "  ")
	b.WriteString("}\ncompdef _ambit ambit\n")
	return b.String()
}

// zshCommands completes the name of one of the commands, or, when it is there, what may follow it.
func zshCommands(b *strings.Builder, nodes []*kong.Node, indent string) {
	fmt.Fprintf(b, "%slocal -a commands=(", indent)
	for _, n := range nodes {
		fmt.Fprintf(b, " %s", zshWord(n.Name+":"+n.Help))
	}
	fmt.Fprintf(b, " )\n%[1]sif (( CURRENT == 2 )); then\n%[1]s  _describe command commands\n%[1]s  return\n%[1]sfi\n%[1]scase $words[2] in\n", indent)
	for _, n := range nodes {
		fmt.Fprintf(b, "%[1]s%[2]s)\n%[1]s  shift words; (( CURRENT-- ))\n", indent, n.Name)
		if len(n.Children) > 0 {
			zshCommands(b, n.Children, indent+"  ")
		} else {
			fmt.Fprintf(b, "%s  _arguments%s\n", indent, zshArguments(n))
		}
		fmt.Fprintf(b, "%s  ;;\n", indent)
	}
	fmt.Fprintf(b, "%sesac\n", indent)
}

func zshArguments(n *kong.Node) string {
	var b strings.Builder
	for _, f := range n.Flags {
		spec := "[" + strings.NewReplacer("[", "(", "]", ")", ":", "").Replace(f.Help) + "]"
		switch values := enumOf(f.Value); {
		case f.IsBool():
		case len(values) > 0:
			spec += ":" + f.Name + ":(" + strings.Join(values, " ") + ")"
		case f.PlaceHolder == "DIR":
			spec += ":" + f.Name + ":_files -/"
		case f.PlaceHolder == "FILE":
			spec += ":" + f.Name + ":_files"
		default:
			spec += ":" + f.Name + ":"
		}
		fmt.Fprintf(&b, " %s", zshWord("--"+f.Name+spec))
		if f.Short != 0 {
			fmt.Fprintf(&b, " %s", zshWord("-"+string(f.Short)+spec))
		}
	}
	for _, p := range n.Positional {
		switch values := enumOf(p); {
		case len(values) > 0:
			fmt.Fprintf(&b, " %s", zshWord("1:"+p.Name+":("+strings.Join(values, " ")+")"))
		case p.IsCumulative():
			b.WriteString(" '*::command:_normal'")
		default:
			fmt.Fprintf(&b, " %s", zshWord("1:"+p.Name+":_files"))
		}
	}
	return b.String()
}

func zshWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishCompletion(model *kong.Application) string {
	var b strings.Builder
	b.WriteString("# fish completion for ambit: ambit completion fish | source\ncomplete -c ambit -f\n")
	paths, nodes := below(model.Children, "")
	for i, n := range nodes {
		when := "__fish_use_subcommand"
		if lead, _, nested := cutLast(paths[i]); nested {
			when = "__fish_seen_subcommand_from " + lead + "; and not __fish_seen_subcommand_from " + strings.Join(names(n.Parent.Children), " ")
		}
		fmt.Fprintf(&b, "complete -c ambit -n %s -a %s -d %s\n", fishWord(when), n.Name, fishWord(n.Help))
	}
	for i, n := range nodes {
		when := fishWord("__fish_seen_subcommand_from " + strings.ReplaceAll(paths[i], " ", "; and __fish_seen_subcommand_from "))
		for _, f := range n.Flags {
			fmt.Fprintf(&b, "complete -c ambit -n %s -l %s", when, f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %s", string(f.Short))
			}
			if f.PlaceHolder == "FILE" {
				b.WriteString(" -r -F")
			} else if !f.IsBool() {
				b.WriteString(" -x")
			}
			if values := enumOf(f.Value); len(values) > 0 {
				fmt.Fprintf(&b, " -a %s", fishWord(strings.Join(values, " ")))
			} else if f.PlaceHolder == "DIR" {
				b.WriteString(" -a '(__fish_complete_directories)'")
			}
			fmt.Fprintf(&b, " -d %s\n", fishWord(f.Help))
		}
		for _, p := range n.Positional {
			if values := enumOf(p); len(values) > 0 {
				fmt.Fprintf(&b, "complete -c ambit -n %s -a %s\n", when, fishWord(strings.Join(values, " ")))
			} else if p.IsCumulative() {
				fmt.Fprintf(&b, "complete -c ambit -n %s -a '(__fish_complete_subcommand --fcs-skip=2)'\n", when)
			} else {
				fmt.Fprintf(&b, "complete -c ambit -n %s -F\n", when)
			}
		}
	}
	return b.String()
}

// cutLast parts the last word from those before it.
func cutLast(s string) (before, last string, found bool) {
	i := strings.LastIndex(s, " ")
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

func fishWord(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
