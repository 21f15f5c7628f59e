package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed page.html
var pageText string

// page is the results as one HTML document that needs nothing else: no script, no font, no net.
func page(r *results) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"number": number,
		"strip":  func(f figure) template.HTML { return template.HTML(strip(f)) }, //nolint:gosec // made here, of escaped text
		"chart":  func(s series) template.HTML { return template.HTML(chart(s)) }, //nolint:gosec // so
		"verdict": func(f figure) string {
			switch {
			case f.Met == nil:
				return "none"
			case *f.Met:
				return "met"
			}
			return "missed"
		},
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
	"start":     "Start, without a cluster",
	"binary":    "The binary",
	"render":    "Manifests, without a cluster",
	"create":    "Create a cluster",
	"get":       "List clusters",
	"check":     "Check the management cluster",
	"reaction":  "Reaction: from the last condition to the exit",
	"waiting":   "Requests while it waits",
	"bootstrap": "Bootstrap: hcctl's own share",
	"fleet":     "A fleet of 100 clusters",
	"watch":     "1,000 clusters, 10,000 changes",
}

func escape(text string) string { return template.HTMLEscapeString(text) }

// shorten keeps the end of a long label: of a package, the end tells more.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "…" + strings.TrimLeft(text[len(text)-n+1:], "/")
}
