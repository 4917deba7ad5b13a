package claudetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Terminal is an agent that runs in a terminal, with somebody who looks at the screen and types.
type Terminal struct {
	cmd     *exec.Cmd
	file    *os.File
	screen  vt10x.Terminal
	changed chan struct{} // one value when the screen has changed since it was taken; closed when the agent is gone
}

// The size of the terminal.
const (
	Columns = 100
	Rows    = 50
)

// Start starts the agent in a terminal with a task. Close ends it.
func (a Agent) Start(m *Model, task string) (*Terminal, error) {
	cmd := exec.Command(a.Binary, append(append([]string{}, a.Args...), task)...)
	cmd.Dir, cmd.Env = a.Dir, append(a.environ(m), "TERM=xterm-256color")
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: Rows, Cols: Columns})
	if err != nil {
		return nil, err
	}
	t := &Terminal{cmd: cmd, file: file, changed: make(chan struct{}, 1)}
	t.screen = vt10x.New(vt10x.WithSize(Columns, Rows), vt10x.WithWriter(file)) // it answers the questions that a program asks its terminal
	go t.read()
	return t, nil
}

func (t *Terminal) read() {
	defer close(t.changed)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.file.Read(buf)
		if err != nil {
			return
		}
		t.screen.Write(buf[:n])
		select {
		case t.changed <- struct{}{}:
		default:
		}
	}
}

// Screen is what the terminal shows, without the blanks at the end of lines.
func (t *Terminal) Screen() string {
	lines := strings.Split(t.screen.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Wait waits until the screen shows all of the texts, and returns it.
func (t *Terminal) Wait(ctx context.Context, texts ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		screen, missing := t.Screen(), ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return screen, nil
		}
		select {
		case <-ctx.Done():
			return screen, fmt.Errorf("the terminal does not show %q: %w; it shows\n%s", missing, ctx.Err(), screen)
		case _, open := <-t.changed:
			if !open {
				return screen, fmt.Errorf("the agent ended before its terminal showed %q; it showed\n%s", missing, screen)
			}
		}
	}
}

// Type sends keys.
func (t *Terminal) Type(keys string) error {
	_, err := t.file.WriteString(keys)
	return err
}

// Close ends the agent and what it started in its session.
func (t *Terminal) Close() {
	syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL) // it leads a session, so the process group is its own
	t.cmd.Wait()
	t.file.Close()
	for range t.changed { // until the reader has ended
	}
}
