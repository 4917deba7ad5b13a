package script

import (
	"encoding/json"
	"sort"
)

// ParseJSON turns JSON text into a value; what is not JSON is unknown.
func (ev *Eval) ParseJSON(text string) Val {
	ev.Charge(4 * len(text))
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return NewUnk()
	}
	return ev.fromJSON(v, 0)
}

func (ev *Eval) fromJSON(v any, depth int) Val {
	if depth > 64 {
		return NewUnk()
	}
	switch v := v.(type) {
	case nil:
		return Null{}
	case bool, float64, string:
		return v
	case []any:
		a := ev.NewArr()
		for _, x := range v {
			a.Add(ev.fromJSON(x, depth+1))
		}
		return a
	case map[string]any:
		o := ev.NewObj()
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			o.Put(k, ev.fromJSON(v[k], depth+1))
		}
		return o
	}
	return NewUnk()
}
