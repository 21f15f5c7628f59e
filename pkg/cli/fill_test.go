package cli

import "testing"

// TestFillKeepsColumns: the text of a row begins in one column, whether the row is broken or not; commands stay whole.
func TestFillKeepsColumns(t *testing.T) {
	for name, tc := range map[string]struct{ given, want string }{
		"fits":           {"  ONE    first\n  TWO    second", "  ONE    first\n  TWO    second"},
		"broken":         {"  ONE    first\n  TWO    the second of them", "  ONE    first\n  TWO    the second of\n         them"},
		"several words":  {"  A, BC    the first and second", "  A, BC    the first and\n           second"},
		"goes on":        {"  ONE    first and\n         second of them", "  ONE    first and\n         second of them"},
		"goes on, wider": {"  ONE    the very first thing\n         of them", "  ONE    the very first\n         thing of them"},
		"long name":      {"  one.two.three.four  first of five", "  one.two.three.four\n        first of five"},
		"command":        {"  hcctl create cluster --name kv-00", "  hcctl create cluster --name kv-00"},
		"paragraph":      {"one two three four five six\n\nseven", "one two three four five\nsix\n\nseven"},
	} {
		if got := fill(tc.given, 24); got != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tc.want)
		}
	}
}
