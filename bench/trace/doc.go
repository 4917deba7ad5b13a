// Package trace holds the ground truth instruments: it runs one command under strace between two hash snapshots, and
// tells which classes of effect the run had. It refuses to look at any prediction, and judges only what was observed.
package trace
