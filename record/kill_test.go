package record

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// childPlace in the environment makes the test binary one of the processes that append.
const childPlace = "AMBIT_RECORD_TEST_APPEND"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childPlace); dir != "" {
		appendUntilKilled(dir)
	}
	m.Run()
}

func placeIn(dir string) Place {
	return Place{State: filepath.Join(dir, "state", "ambit"), Config: filepath.Join(dir, "config", "ambit")}
}

// appendUntilKilled appends, and says so of each entry once Append has returned, until its input ends.
func appendUntilKilled(dir string) {
	done := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	l, err := Open(placeIn(dir), Options{})
	for i := 0; err == nil; i++ {
		body := map[string]any{"pid": os.Getpid(), "i": i}
		if i%50 == 49 {
			body["large"] = strings.Repeat("x", 10_000+i)
		}
		var s Sealed
		if s, err = l.Append("intent", body); err == nil {
			fmt.Printf("%d %s %d %d\n", s.Seq, s.Leaf, os.Getpid(), i)
		}
		select {
		case <-done:
			os.Exit(0)
		default:
		}
	}
	fmt.Println("failed:", err)
	os.Exit(1)
}

// child is one appending process.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer
}

func startChild(dir string, id int, lines chan<- string, gone chan<- int) (*child, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPlace+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			lines <- strings.TrimSuffix(line, "\n")
		}
		cmd.Wait() // what ended it is the test's doing
		gone <- id
	}()
	return &child{cmd, in}, nil
}

// spin passes a random time without asking the clock or the scheduler.
func spin() (sum int) {
	for range rand.IntN(200_000) {
		sum += rand.Int()
	}
	return sum
}

// TestSafetyKilled kills processes that append, at random moments, and lets others take their place. All that was acknowledged is there in
// the end, once each, and the log verifies.
func TestSafetyKilled(t *testing.T) {
	const processes, entries = 8, 5000
	dir := t.TempDir()
	lines, gone := make(chan string, 1000), make(chan int)
	children := make([]*child, processes)
	start := func(id int) {
		c, err := startChild(dir, id, lines, gone)
		if err != nil {
			t.Fatal(err)
		}
		children[id] = c
	}
	for id := range children {
		start(id)
	}
	acks := map[int64]string{}
	var failed []string
	kills, until := 0, 30
	take := func(line string) {
		var seq int64
		var leaf string
		var pid, i int
		if _, err := fmt.Sscanf(line, "%d %s %d %d", &seq, &leaf, &pid, &i); err != nil {
			failed = append(failed, line)
			return
		}
		if was, ok := acks[seq]; ok {
			t.Errorf("entry %d was acknowledged twice, as %s and %s", seq, was, leaf)
		}
		acks[seq] = leaf
	}
	alive := processes
	for alive > 0 {
		select {
		case line := <-lines:
			take(line)
			if len(acks) == entries {
				for _, c := range children {
					c.stdin.Close()
				}
			}
			if len(acks) >= until && len(acks) < entries {
				until = len(acks) + 5 + rand.IntN(100)
				spin()
				children[rand.IntN(processes)].cmd.Process.Kill()
				kills++
			}
		case id := <-gone:
			if len(acks) < entries && len(failed) == 0 {
				start(id)
			} else {
				alive--
			}
		}
	}
	for len(lines) > 0 {
		take(<-lines)
	}
	if len(failed) > 0 {
		t.Fatal(strings.Join(failed, "\n"))
	}
	if len(acks) < entries || kills < 40 {
		t.Errorf("%d acknowledged, %d killed", len(acks), kills)
	}
	p := placeIn(dir)
	rep := mustVerify(t, p, VerifyOptions{})
	if !rep.OK() {
		t.Fatalf("%+v", rep.Problems)
	}
	r, err := Read(p.LogDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for e, err := range r.All(Oldest) {
		if err != nil {
			t.Fatal(err)
		}
		if leaf, ok := acks[e.Seq]; ok && leaf != e.Leaf {
			t.Errorf("entry %d is not what was acknowledged", e.Seq)
		}
		delete(acks, e.Seq)
	}
	if len(acks) > 0 {
		t.Errorf("%d acknowledged entries are not there", len(acks))
	}
	t.Logf("%d entries, %d processes killed", rep.Entries, kills)
}
