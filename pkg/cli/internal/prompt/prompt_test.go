package prompt

import "testing"

// Where a word is wanted, nothing else means yes.
func TestTheWordIsTyped(t *testing.T) {
	q := Question{Word: "kv-00"}
	if q.Answers() != "Type kv-00 to go on: " {
		t.Errorf("the question ends with %q", q.Answers())
	}
	for line, want := range map[string]bool{"kv-00\n": true, " kv-00 ": true, "y": false, "yes": false, "": false,
		"KV-00": false, "kv-01": false, "kv-00 kv-01": false} {
		if q.agrees(line) != want {
			t.Errorf("%q: got %t", line, !want)
		}
	}
}
