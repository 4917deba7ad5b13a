package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteJSON writes the report as one JSON object.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes the report as tables for people. Shares are in per cent; brackets hold 95 % intervals.
func (r Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%d cases from %d sources", r.Cases, r.Sources)
	if r.Unstable > 0 {
		fmt.Fprintf(t, ", %d with a class that not every repetition had", r.Unstable)
	}
	fmt.Fprint(t, "\n\nview\tmacro precision\tmacro recall\twithout process\texact\twithout environment\tresidual records\twithout environment\tresiduals\tsize\tunknown\n")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s / %s\t%s\t%s\t%s\t%s\t%d\t%.2f\t%s\n", row.Name, row.Precision, row.Recall,
			percent(row.PrecisionNoProcess), percent(row.RecallNoProcess), row.Exact, percent(row.ExactNoEnv),
			row.ResidualRecords, percent(row.ResidualNoEnv), row.ResidualInstances, row.Size, percent(row.Unknown))
	}
	fmt.Fprint(t, "\nprecision / recall")
	for _, class := range Classes() {
		fmt.Fprintf(t, "\t%s", class)
	}
	fmt.Fprintln(t)
	for _, row := range r.Rows {
		fmt.Fprint(t, row.Name)
		for _, class := range Classes() {
			fmt.Fprintf(t, "\t%s", row.class(class))
		}
		fmt.Fprintln(t)
	}
	if len(r.Misses) > 0 {
		fmt.Fprintf(t, "\nmetadata differs from the label in %d cases\n", len(r.Misses))
	}
	for _, m := range r.Misses {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.ID, list("missed", m.Missed), list("silent", m.Silent), list("extra", m.Extra))
	}
	return t.Flush()
}

func (r Row) class(name string) string {
	for _, c := range r.PerClass {
		if c.Class == name {
			return percent(c.Precision) + " / " + percent(c.Recall)
		}
	}
	return "-"
}

func (m Measure) String() string {
	return fmt.Sprintf("%s [%s, %s]", percent(m.Value), percent(m.Low), percent(m.High))
}

func percent(v float64) string { return fmt.Sprintf("%.1f", 100*v) }

func list(what string, classes []string) string {
	if len(classes) == 0 {
		return ""
	}
	return what + " " + strings.Join(classes, ", ")
}
