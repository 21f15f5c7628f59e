package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func wellFormed(t *testing.T, what, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, text)
		}
	}
}

func TestChartsAreWellFormed(t *testing.T) {
	missed := false
	for name, text := range map[string]string{
		"strip":             strip(figure{What: `a < b & "c"`, Unit: "ms", Runs: []float64{1, 2, 3}, Median: 2, Min: 1, Max: 3, Target: least(under, 1), Met: &missed}),
		"nothing at all":    strip(figure{Runs: []float64{0}, Target: always(atMost, 0)}),
		"bars":              chart(series{Kind: "bars", Title: "<x>", Unit: "ms", Points: []point{{Label: "k8s.io/a&b", Y: 3}, {Label: strings.Repeat("long/", 30), Y: 0}}}),
		"line":              chart(series{Kind: "line", Across: "<n>", Unit: "ms", Points: []point{{X: 1000, Y: 80}, {X: 1, Y: 3}}}),
		"a line of one":     chart(series{Kind: "line", Points: []point{{X: 0, Y: 0}}}),
		"bars of no length": chart(series{Kind: "bars", Points: []point{{Label: "a"}}}),
	} {
		if !strings.HasPrefix(text, "<svg") {
			t.Errorf("%s: %q", name, text)
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: no number: %s", name, text)
		}
		wellFormed(t, name, text)
	}
}

// A line is drawn from left to right, whatever the order of its points, and higher is more.
func TestLine(t *testing.T) {
	text := chart(series{Kind: "line", Points: []point{{X: 10, Y: 10}, {X: 0, Y: 0}}})
	if want := `points="56.0,206.0 696.0,12.0"`; !strings.Contains(text, want) {
		t.Errorf("no %s in %s", want, text)
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	m := measureOf("start.version.time")
	r := &results{Commit: "<abc>", Figures: []figure{judge(m, []float64{31, 35, 33})}, Errors: []string{"watch: <no> sandbox"},
		Series: []series{{Group: "start", Kind: "bars", Title: "t", Points: []point{{Label: "a", Y: 1}}}}}
	content, err := page(r)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for _, want := range []string{"33 ms", "under 30 ms", "0 of 1 targets met", "3: 31 to 35", "&lt;abc&gt;", "&lt;no&gt;", `class="n missed"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, none := range []string{"<script", "http:", "https:", "@import", "url("} {
		if strings.Contains(text, none) {
			t.Errorf("the page has %q", none)
		}
	}
	if n := strings.Count(text, "<svg"); n != 2 {
		t.Errorf("%d charts, not 2", n)
	}
}

func TestTick(t *testing.T) {
	for most, want := range map[float64]float64{1: 0.2, 80: 20, 100: 20, 0.3: 0.05, 10000: 2000, 0: 1} {
		if got := tick(most); got < want*0.999 || got > want*1.001 {
			t.Errorf("tick(%g) = %g, want %g", most, got, want)
		}
	}
}
