package main

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/draw/drawtest"
)

// drawn is the page of a group with one figure and one series.
func drawn(f figure, s series) string {
	f.Group, s.Group = "get", "get"
	return string(page(&results{Commit: "<abc>", Figures: []figure{f}, Series: []series{s},
		Errors: []string{"watch: <no> sandbox"}}))
}

func TestDrawings(t *testing.T) {
	missed := false
	bad := figure{What: `a < b & "c"`, Unit: "ms", Runs: []float64{1, 2, 3}, Median: 2, Min: 1, Max: 3,
		Target: least(under, 1), Met: &missed}
	for name, tc := range map[string]struct {
		f    figure
		s    series
		want []string
	}{
		"runs and a target": {bad, series{}, []string{
			`<i class="c3" style="left:0%;width:63.49%">`, `<i class="dot" style="left:95.24%">`,
			`<i class="mark" style="left:31.75%">`, "missed: a &lt; b &amp; &#34;c&#34;"}},
		"nothing at all": {figure{Runs: []float64{0}, Target: always(atMost, 0)},
			series{Kind: "bars", Points: []point{{Label: "a"}}}, []string{
				`<i class="c6" style="left:0%;width:0%">`, `<i class="mark" style="left:0%">`}},
		"bars": {bad, series{Kind: "bars", Unit: "ms", Points: []point{{Label: "k8s.io/a&b", Y: 4},
			{Label: strings.Repeat("long/", 30), Y: 1}}}, []string{
			`>k8s.io/a&amp;b</b>`, `<i class="c0" style="left:0%;width:100%">`, `4 ms</span>`, `>…long/long`,
			`width:25%">`}},
		"columns from left to right": {bad, series{Kind: "columns", Across: "<n>", Unit: "ms",
			Points: []point{{X: 1000, Y: 80}, {X: 1, Y: 20}}}, []string{
			`points="1,750 1000,0"`, "1000 &lt;n&gt;", ">80 ms<"}},
	} {
		text := drawn(tc.f, tc.s)
		drawtest.Keep(t, "bench "+name, text)
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: something cannot be drawn:\n%s", name, text)
		}
		wellFormed(t, name, text)
	}
}

// wellFormed reads the page's body as XML.
func wellFormed(t *testing.T, name, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`(?s)<body>.*</body>`).FindString(text))); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	text := drawn(judge(measureOf("get.1.time"), []float64{61, 65, 63}), series{})
	for _, want := range []string{"63 ms", "under 60 ms", "0 of 1 targets met", "3: 61 to 65", "&lt;abc&gt;", "&lt;no&gt;",
		"missed: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, none := range []string{"<script", "http:", "https:", "@import", "url("} {
		if strings.Contains(text, none) {
			t.Errorf("the page has %q", none)
		}
	}
}
