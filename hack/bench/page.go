package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

// page is one HTML document without scripts, fonts or links.
func page(r *results) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"number": number, "percent": percent, "verdict": verdict,
		"shorten": func(text string) string { return shorten(text, 52) },
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("page.html: %w", err)
	}
	var sections []section
	for _, g := range groups() {
		s := section{Name: g, Title: titles[g]}
		for _, f := range r.Figures {
			if f.Group == g {
				s.Figures = append(s.Figures, f)
			}
		}
		for _, c := range r.Series {
			if c.Group == g {
				s.Series = append(s.Series, c)
			}
		}
		if len(s.Figures) > 0 {
			sections = append(sections, s)
		}
	}
	met, targets := 0, 0
	for _, f := range r.Figures {
		if f.Met != nil {
			targets++
			if *f.Met {
				met++
			}
		}
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Results": r, "Sections": sections, "Met": met, "Targets": targets})
	return out.Bytes(), err
}

// section is a group on the page.
type section struct {
	Name, Title string
	Figures     []figure
	Series      []series
}

var titles = map[string]string{
	"create":    "Create a cluster",
	"get":       "List clusters",
	"check":     "Check the management cluster",
	"reaction":  "Reaction: from the last condition to the exit",
	"waiting":   "Requests while it waits",
	"bootstrap": "Bootstrap: hcctl's own share",
	"fleet":     "A fleet of 100 clusters",
	"watch":     "1,000 clusters, 10,000 changes",
}

func verdict(f figure) string {
	switch {
	case f.Met == nil:
		return "none"
	case *f.Met:
		return "met"
	}
	return "missed"
}

// percent returns a value's position between 0 and the maximum.
func percent(v, most float64) float64 {
	if most <= 0 {
		return 0
	}
	return math.Round(min(max(v/most, 0), 1)*1000) / 10
}

// Most is the value at the right end of a figure's drawing.
func (f figure) Most() float64 {
	if f.Target != nil {
		return max(f.Max, f.Target.Value) * 1.05
	}
	return f.Max * 1.05
}

// Most is the highest value of a series.
func (s series) Most() float64 {
	most := 0.0
	for _, p := range s.Points {
		most = max(most, p.Y)
	}
	return most
}

// LastX is the end of the x axis of columns.
func (s series) LastX() float64 {
	last := 0.0
	for _, p := range s.Points {
		last = max(last, p.X)
	}
	return last
}

// Sorted are the points from left to right.
func (s series) Sorted() []point {
	return slices.SortedStableFunc(slices.Values(s.Points), func(a, b point) int { return cmp.Compare(a.X, b.X) })
}

// shorten keeps the end of a long label, which says more for a package.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "…" + strings.TrimLeft(text[len(text)-n+1:], "/")
}
