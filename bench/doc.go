// Package bench holds the effect benchmark: cases whose labels come from traced runs, and the scores of predictions
// against them. It never runs a case in order to predict it, and refuses labels that no trace supports.
package bench
