package timeline

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/internal/draw/drawtest"
)

func TestText(t *testing.T) {
	got := read(t, story()).Text(60)
	want := `hcctl bootstrap: 20 s, done
On OpenShift 4.20.3 at https://api.example.com:6443.

  STEP     0 s                                 20 s     TIME
  b/three  ·······                                     3.0 s
* a/one    ··▒▒██████████████··                        9.5 s
* a/two                       █████████████████████     10 s
  1 step left out: none took more than 0 s.
  · hcctl checks  ▒ hcctl writes  █ waits for the cluster  * critical path

The critical path, which the end of the run waited for:
  a/one  0 s to 9.5 s, 9.5 s
    4.0 s  coming (Thing x)
    3.0 s  nearly (Thing x)
  a/two  9.5 s to 20 s, 10 s
     10 s  slow (Thing x)
Note at 6.0 s: the API server does not answer
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoLineIsWiderThanTheScreen(t *testing.T) {
	long := strings.ReplaceAll(story(), "slow", strings.Repeat("a message of many words ", 20))
	for _, width := range []int{60, 80, 132} {
		for line := range strings.SplitSeq(read(t, long).Text(width), "\n") {
			if n := utf8.RuneCountInString(line); n > max(width, 75) {
				t.Errorf("at %d columns a line has %d: %s", width, n, line)
			}
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 0.04: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 119.4: "119 s",
		119.6: "2m 00s", 3599.6: "60m 00s", 6000: "1h 40m", 90000: "25h 00m"} {
		if got := Seconds(s); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", s, got, want)
		}
	}
}

func TestPageSaysWhatTheChartShows(t *testing.T) {
	page := read(t, story()).Page().String()
	drawtest.Keep(t, "timeline", page)
	for _, want := range []string{`<i class="c0" title="2.0 s to 5.0 s: coming (Thing x)" style="left:10%;width:15%">`,
		`<div class="row strong"><b title="one">a/one</b>`, "slow (Thing x)",
		"At 6.0 s: the API server does not answer"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
