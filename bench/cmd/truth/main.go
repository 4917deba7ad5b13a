// Command truth traces benchmark cases again and compares the result with the committed labels.
//
//	go run ./bench/cmd/truth -case ID[,ID...] | -all [-corpus NAME] [-missing] [-write] [-v] [-jobs N]
//
// Run it from the top of the repository. It exits with status 1 when a label differs, 2 when a trace could not be taken.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/ambit-dev/ambit/bench"
)

func main() {
	ids := flag.String("case", "", "comma-separated identities; a trailing * matches any ending")
	corpus := flag.String("corpus", "effects", "which corpus: "+strings.Join(bench.Corpora(), " or "))
	all := flag.Bool("all", false, "every case")
	missing := flag.Bool("missing", false, "only cases that have no label yet")
	write := flag.Bool("write", false, "write the labels back")
	verbose := flag.Bool("v", false, "tell about each run")
	jobs := flag.Int("jobs", 2, "cases at a time")
	flag.Parse()
	os.Exit(run(*corpus, *ids, *all, *missing, *write, *verbose, *jobs))
}

func run(corpus, ids string, all, missing, write, verbose bool, jobs int) int {
	cases, err := bench.LoadCorpus(corpus)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	cases = slices.DeleteFunc(cases, func(c bench.Case) bool {
		return !all && !chosen(c.ID, ids) || missing && c.Truth != nil
	})
	if len(cases) == 0 {
		fmt.Fprintln(os.Stderr, "no case chosen: use -all, or -case with identities from bench/testdata")
		return 2
	}
	var mu sync.Mutex
	status := 0
	report := func(s int, format string, a ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", a...)
		status = max(status, s)
	}
	var logf func(string, ...any)
	if verbose {
		logf = func(format string, a ...any) { report(0, format, a...) }
	}
	work := make(chan bench.Case)
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for c := range work {
				t, err := bench.Trace(context.Background(), c, bench.AllRuns(), logf)
				if err != nil {
					report(2, "%s: %v", c.ID, err)
					continue
				}
				if d := bench.Difference(c.Truth, t); d != "" {
					report(1, "%s: %s", c.ID, d)
				} else {
					report(0, "%s: as labelled", c.ID)
				}
				if write {
					mu.Lock()
					if err := bench.Save("bench", c, t); err != nil {
						fmt.Println(err)
						status = 2
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, c := range cases {
		work <- c
	}
	close(work)
	wg.Wait()
	return status
}

func chosen(id, ids string) bool {
	for _, want := range strings.Split(ids, ",") {
		if head, ok := strings.CutSuffix(want, "*"); ok && want != "*" && strings.HasPrefix(id, head) || id == want {
			return true
		}
	}
	return false
}
