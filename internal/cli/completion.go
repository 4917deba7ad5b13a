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

func bashCompletion(model *kong.Application) string {
	var b strings.Builder
	b.WriteString(`# bash completion for ambit: source <(ambit completion bash)
_ambit() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i words=
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      declare -F _command_offset >/dev/null && _command_offset $((i + 1))
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
`)
	fmt.Fprintf(&b, "    words=%q\n  else\n    case ${COMP_WORDS[1]}:$prev in\n", strings.Join(append(names(model.Children), "--help"), " "))
	for _, n := range model.Children {
		for _, f := range n.Flags {
			if values := enumOf(f.Value); len(values) > 0 {
				fmt.Fprintf(&b, "    %s:--%s) words=%q ;;\n", n.Name, f.Name, strings.Join(values, " "))
			}
			if f.Name == "dir" {
				fmt.Fprintf(&b, "    %s:--%s) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", n.Name, f.Name)
			}
		}
		fmt.Fprintf(&b, "    %s:*) words=%q ;;\n", n.Name, strings.Join(append(choices(n), append(options(n), "--help")...), " "))
	}
	b.WriteString(`    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _ambit ambit
`)
	return b.String()
}

func zshCompletion(model *kong.Application) string {
	var b strings.Builder
	b.WriteString("#compdef ambit\n# zsh completion for ambit: source <(ambit completion zsh)\n_ambit() {\n  local -a commands\n  commands=(\n")
	for _, n := range model.Children {
		fmt.Fprintf(&b, "    %s\n", zshWord(n.Name+":"+n.Help))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n")
	for _, n := range model.Children {
		fmt.Fprintf(&b, "  %s)\n    shift words; (( CURRENT-- ))\n    _arguments", n.Name)
		for _, f := range n.Flags {
			spec := "[" + strings.NewReplacer("[", "(", "]", ")", ":", "").Replace(f.Help) + "]"
			switch values := enumOf(f.Value); {
			case f.IsBool():
			case len(values) > 0:
				spec += ":" + f.Name + ":(" + strings.Join(values, " ") + ")"
			case f.Name == "dir":
				spec += ":" + f.Name + ":_files -/"
			default:
				spec += ":" + f.Name + ":"
			}
			fmt.Fprintf(&b, " \\\n      %s", zshWord("--"+f.Name+spec))
			if f.Short != 0 {
				fmt.Fprintf(&b, " \\\n      %s", zshWord("-"+string(f.Short)+spec))
			}
		}
		for _, p := range n.Positional {
			if values := enumOf(p); len(values) > 0 {
				fmt.Fprintf(&b, " \\\n      %s", zshWord("1:"+p.Name+":("+strings.Join(values, " ")+")"))
			} else {
				fmt.Fprintf(&b, " \\\n      '*::command:_normal'")
			}
		}
		b.WriteString("\n    ;;\n")
	}
	b.WriteString("  esac\n}\ncompdef _ambit ambit\n")
	return b.String()
}

func zshWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishCompletion(model *kong.Application) string {
	var b strings.Builder
	b.WriteString("# fish completion for ambit: ambit completion fish | source\ncomplete -c ambit -f\n")
	for _, n := range model.Children {
		fmt.Fprintf(&b, "complete -c ambit -n __fish_use_subcommand -a %s -d %s\n", n.Name, fishWord(n.Help))
	}
	for _, n := range model.Children {
		when := fishWord("__fish_seen_subcommand_from " + n.Name)
		for _, f := range n.Flags {
			fmt.Fprintf(&b, "complete -c ambit -n %s -l %s", when, f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %s", string(f.Short))
			}
			if !f.IsBool() {
				b.WriteString(" -x")
			}
			if values := enumOf(f.Value); len(values) > 0 {
				fmt.Fprintf(&b, " -a %s", fishWord(strings.Join(values, " ")))
			} else if f.Name == "dir" {
				b.WriteString(" -a '(__fish_complete_directories)'")
			}
			fmt.Fprintf(&b, " -d %s\n", fishWord(f.Help))
		}
		for _, p := range n.Positional {
			if values := enumOf(p); len(values) > 0 {
				fmt.Fprintf(&b, "complete -c ambit -n %s -a %s\n", when, fishWord(strings.Join(values, " ")))
			} else {
				fmt.Fprintf(&b, "complete -c ambit -n %s -a '(__fish_complete_subcommand --fcs-skip=2)'\n", when)
			}
		}
	}
	return b.String()
}

func fishWord(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
