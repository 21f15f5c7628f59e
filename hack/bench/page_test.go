package main

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

// drawn is the page of a group with one figure and one series.
func drawn(t *testing.T, f figure, s series) string {
	t.Helper()
	f.Group, s.Group = "get", "get"
	content, err := page(&results{Commit: "<abc>", Figures: []figure{f}, Series: []series{s},
		Errors: []string{"watch: <no> sandbox"}})
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
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
			`class="bar missed" style="width: 63.5%"`, `class="run" style="left: 95.2%"`, `class="target" style="left: 31.7%"`,
			"a &lt; b &amp; &#34;c&#34;"}},
		"nothing at all": {figure{Runs: []float64{0}, Target: always(atMost, 0)},
			series{Kind: "bars", Points: []point{{Label: "a"}}}, []string{
				`class="bar none" style="width: 0%"`, `class="target" style="left: 0%"`}},
		"bars": {bad, series{Kind: "bars", Unit: "ms", Points: []point{{Label: "k8s.io/a&b", Y: 4},
			{Label: strings.Repeat("long/", 30), Y: 1}}}, []string{
			`<span>k8s.io/a&amp;b</span><div class="bar" style="width: 100%"></div><b>4 ms</b>`, `<span>…long/long`,
			`style="width: 25%"`}},
		"columns from left to right": {bad, series{Kind: "columns", Across: "<n>", Unit: "ms",
			Points: []point{{X: 1000, Y: 80}, {X: 1, Y: 20}}}, []string{
			`<i style="height: 25%" title="1: 20 ms"></i><i style="height: 100%" title="1000: 80 ms"></i>`,
			"From 0 to 1000 &lt;n&gt;", "80 ms."}},
	} {
		text := drawn(t, tc.f, tc.s)
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", name, want, text)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "ZgotmplZ") {
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
	text := drawn(t, judge(measureOf("get.1.time"), []float64{61, 65, 63}), series{})
	for _, want := range []string{"63 ms", "under 60 ms", "0 of 1 targets met", "3: 61 to 65", "&lt;abc&gt;", "&lt;no&gt;",
		`class="n missed"`} {
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
