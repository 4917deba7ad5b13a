package script

import (
	"math"
	"strconv"
	"strings"
)

// ParseNumber reads a number literal of JavaScript or Python.
func ParseNumber(lit string) (float64, bool) {
	s := strings.ReplaceAll(lit, "_", "")
	s = strings.TrimSuffix(s, "n")
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X', 'o', 'O', 'b', 'B':
			v, err := strconv.ParseUint(s, 0, 64)
			return float64(v), err == nil
		case '0', '1', '2', '3', '4', '5', '6', '7':
			if v, err := strconv.ParseUint(s, 8, 64); err == nil {
				return float64(v), true
			}
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// FormatNumber writes a number as JavaScript does for the common cases.
func FormatNumber(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
