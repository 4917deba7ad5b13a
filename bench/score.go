package bench

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Views is a prediction: the classes of each view, and whether any part stayed unknown. Could are the classes that the unknown
// parts could have.
type Views struct {
	Explicit, Command, Metadata, Could []string
	Unknown                            bool
}

// Predict makes the prediction of a case whose workspace is dir. It must neither run nor write anything there.
type Predict func(dir string, c Case) (Views, error)

// Predictions predicts every labelled case in its prepared workspace, where the cache keeps it: a copy takes longer than all else.
// A prediction that fails is an error: leaving its case out would flatter the scores.
func Predictions(cases []Case, predict Predict) (map[string]Views, error) {
	out := map[string]Views{}
	for _, c := range cases {
		if c.Truth == nil {
			continue
		}
		dir, err := Prepared(c)
		if err != nil {
			return nil, err
		}
		v, err := predict(dir, c)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		out[c.ID] = v
	}
	return out, nil
}

// Interval is a 95 % interval of a bootstrap over sources.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Measure is a value and how sure it is.
type Measure struct {
	Value float64 `json:"value"`
	Interval
}

// ClassScore counts one class over all cases. Precision is 0 when nothing was predicted although the class occurred.
type ClassScore struct {
	Class     string  `json:"class"`
	Right     int     `json:"right"`  // predicted and realised
	Extra     int     `json:"extra"`  // predicted only
	Missed    int     `json:"missed"` // realised only
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Row is how one view, or one baseline, did.
type Row struct {
	Name     string       `json:"name"`
	PerClass []ClassScore `json:"per_class"` // classes that neither occurred nor were predicted are left out

	Precision          Measure `json:"macro_precision"`
	Recall             Measure `json:"macro_recall"`
	PrecisionNoProcess float64 `json:"macro_precision_without_process"`
	RecallNoProcess    float64 `json:"macro_recall_without_process"`

	Exact             Measure `json:"exact"`              // share of cases whose set is the label
	ResidualRecords   Measure `json:"residual_records"`   // share of cases in which a realised class is missing
	ResidualInstances int     `json:"residual_instances"` // missing classes over all cases
	Size              float64 `json:"size"`               // mean number of classes predicted
	Unknown           float64 `json:"unknown"`            // share of cases with an unknown
	ExactNoEnv        float64 `json:"exact_without_environment"`
	ResidualNoEnv     float64 `json:"residual_records_without_environment"`
}

// Miss is a case in which the metadata view lacks or exceeds the label. Silent are the missed classes that no unknown part of the
// prediction could have either: nobody was told of them.
type Miss struct {
	ID     string   `json:"id"`
	Missed []string `json:"missed,omitempty"`
	Silent []string `json:"silent,omitempty"`
	Extra  []string `json:"extra,omitempty"`
}

// Report is the whole comparison.
type Report struct {
	Cases    int    `json:"cases"`
	Sources  int    `json:"sources"`
	Unstable int    `json:"unstable"` // cases with a class that not every repetition had; it counts as realised
	Rows     []Row  `json:"rows"`
	Misses   []Miss `json:"misses,omitempty"` // of the metadata view
}

// item is one case reduced to what the scores need.
type item struct {
	id, source string
	label      set
	predicted  set
	could      set // of the unknown parts
	unknown    bool
}

// Score compares predictions with the labels: three views, what may happen at most (the metadata view and all that
// its unknown parts could have), and two baselines. Cases without a label or without a
// prediction are not counted.
func Score(cases []Case, predictions map[string]Views) Report {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		_, ok := predictions[c.ID]
		return c.Truth == nil || !ok
	})
	sources := map[string]bool{}
	r := Report{Cases: len(cases)}
	for _, c := range cases {
		sources[c.Source] = true
		if len(c.Truth.Unstable) > 0 {
			r.Unstable++
		}
	}
	r.Sources = len(sources)
	everything := toSet(Classes())
	rows := []struct {
		name    string
		predict func(Case, Views) set
	}{
		{"explicit", func(_ Case, v Views) set { return toSet(v.Explicit) }},
		{"command", func(_ Case, v Views) set { return toSet(v.Command) }},
		{"metadata", func(_ Case, v Views) set { return toSet(v.Metadata) }},
		{"metadata or unknown", func(_ Case, v Views) set { return toSet(v.Metadata) | toSet(v.Could) }},
		{"everything", func(Case, Views) set { return everything }},
		{"hook implies file and network", func(c Case, v Views) set {
			if c.Hook == nil {
				return toSet(v.Explicit)
			}
			return toSet(v.Explicit) | toSet([]string{"file", "network"})
		}},
	}
	for _, row := range rows {
		items := make([]item, len(cases))
		for i, c := range cases {
			v := predictions[c.ID]
			items[i] = item{c.ID, c.Source, toSet(c.Label()), row.predict(c, v), toSet(v.Could), v.Unknown}
		}
		if row.name == "metadata" {
			r.Misses = misses(items)
		}
		r.Rows = append(r.Rows, scoreRow(row.name, items))
	}
	return r
}

func misses(items []item) []Miss {
	var out []Miss
	for _, it := range items {
		if it.label != it.predicted {
			missed := it.label &^ it.predicted
			out = append(out, Miss{it.id, missed.names(), (missed &^ it.could).names(), (it.predicted &^ it.label).names()})
		}
	}
	return out
}

func scoreRow(name string, items []item) Row {
	row := Row{Name: name}
	counts := count(items)
	for i, class := range Classes() {
		k := counts[i]
		if k.right+k.extra+k.missed > 0 {
			row.PerClass = append(row.PerClass, ClassScore{class, k.right, k.extra, k.missed, k.precision(), k.recall()})
		}
	}
	env := toSet([]string{"environment"})
	for _, it := range items {
		row.ResidualInstances += (it.label &^ it.predicted).size()
		row.Size += float64(it.predicted.size())
		if it.unknown {
			row.Unknown++
		}
	}
	n := float64(max(len(items), 1))
	row.Size /= n
	row.Unknown /= n
	row.PrecisionNoProcess, row.RecallNoProcess = macro(counts, toSet([]string{"process"}))
	row.ExactNoEnv = share(items, func(it item) bool { return it.label|env == it.predicted|env })
	row.ResidualNoEnv = share(items, func(it item) bool { return it.label&^it.predicted&^env != 0 })
	row.measure(items)
	return row
}

// measure fills the measures that carry an interval: the same statistic over 1000 resamples of the sources, 2.5th to
// 97.5th percentile. The generator is seeded, so that a report can be reproduced.
func (r *Row) measure(items []item) {
	stats := func(items []item) [4]float64 {
		p, q := macro(count(items), 0)
		return [4]float64{p, q, share(items, func(it item) bool { return it.label == it.predicted }),
			share(items, func(it item) bool { return it.label&^it.predicted != 0 })}
	}
	bySource := map[string][]item{}
	for _, it := range items {
		bySource[it.source] = append(bySource[it.source], it)
	}
	sources := slices.Sorted(maps.Keys(bySource))
	rng := rand.New(rand.NewPCG(1, 2))
	const rounds = 1000
	var draws [4][]float64
	for range rounds {
		var sample []item
		for range sources {
			sample = append(sample, bySource[sources[rng.IntN(len(sources))]]...)
		}
		for i, v := range stats(sample) {
			draws[i] = append(draws[i], v)
		}
	}
	point := stats(items)
	for i, m := range []*Measure{&r.Precision, &r.Recall, &r.Exact, &r.ResidualRecords} {
		slices.SortFunc(draws[i], cmp.Compare[float64])
		m.Value, m.Low, m.High = point[i], draws[i][rounds*25/1000], draws[i][rounds*975/1000-1]
	}
}

type tally struct{ right, extra, missed int }

func (t tally) precision() float64 { return ratio(t.right, t.right+t.extra) }
func (t tally) recall() float64    { return ratio(t.right, t.right+t.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func count(items []item) (out [6]tally) {
	for _, it := range items {
		for i := range out {
			bit := set(1) << i
			switch in, said := it.label&bit != 0, it.predicted&bit != 0; {
			case in && said:
				out[i].right++
			case said:
				out[i].extra++
			case in:
				out[i].missed++
			}
		}
	}
	return out
}

// macro averages precision over the classes that occurred or were predicted, and recall over those that occurred.
func macro(counts [6]tally, without set) (precision, recall float64) {
	var np, nr float64
	for i, k := range counts {
		if without&(1<<i) != 0 {
			continue
		}
		if k.right+k.extra+k.missed > 0 {
			precision += k.precision()
			np++
		}
		if k.right+k.missed > 0 {
			recall += k.recall()
			nr++
		}
	}
	return precision / max(np, 1), recall / max(nr, 1)
}

func share(items []item, is func(item) bool) float64 {
	n := 0
	for _, it := range items {
		if is(it) {
			n++
		}
	}
	return ratio(n, len(items))
}

// set holds classes as bits, in the order of Classes.
type set uint8

func toSet(classes []string) (s set) {
	for i, c := range Classes() {
		if slices.Contains(classes, c) {
			s |= 1 << i
		}
	}
	return s
}

func (s set) size() int { return len(s.names()) }

func (s set) names() []string {
	var out []string
	for i, c := range Classes() {
		if s&(1<<i) != 0 {
			out = append(out, c)
		}
	}
	return out
}
