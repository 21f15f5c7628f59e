package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// results is the content of bin/bench/results.json.
type results struct {
	Machine measuring.Machine `json:"machine"`
	Commit  string            `json:"commit"`
	Date    string            `json:"date"`
	Figures []figure          `json:"figures"`
	Series  []series          `json:"series,omitempty"`
	// Errors say why groups were not measured.
	Errors []string `json:"errors,omitempty"`
}

// series is a chart next to the figures.
type series struct {
	ID    string `json:"id"`
	Group string `json:"group"`
	Title string `json:"title"`
	// Kind is "bars" or "columns".
	Kind string `json:"kind"`
	// Across names the x axis of columns.
	Across string  `json:"across,omitempty"`
	Unit   string  `json:"unit"`
	Points []point `json:"points"`
}

// point has a label in bars, and an X in columns.
type point struct {
	Label string  `json:"label,omitempty"`
	X     float64 `json:"x,omitempty"`
	Y     float64 `json:"y"`
}

const resultsName = "results.json"

// readResults returns empty results if the directory has none.
func readResults(dir string) (*results, error) {
	r, err := measuring.ReadResults[results](filepath.Join(dir, resultsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was measured yet
	}
	return r, err
}

// keep adds missing measures from an earlier run of the same commit on the same machine, so that a long measurement can
// be done group by group.
func (r *results) keep(earlier *results, measured []string) {
	if earlier == nil || earlier.Commit != r.Commit || !earlier.Machine.Same(r.Machine) {
		return
	}
	r.Figures = measuring.Keep(r.Figures, earlier.Figures, measured, func(f figure) string { return f.Group })
	r.Series = measuring.Keep(r.Series, earlier.Series, measured, func(s series) string { return s.Group })
	r.inOrder()
}

// inOrder sorts the figures as in the tables of measures.
func (r *results) inOrder() {
	order := map[string]int{}
	for i, m := range measures() {
		order[m.ID] = i
	}
	slices.SortStableFunc(r.Figures, func(a, b figure) int { return order[a.ID] - order[b.ID] })
}

// figure finds a figure by its ID.
func (r *results) figure(id string) (figure, bool) {
	for _, f := range r.Figures {
		if f.ID == id {
			return f, true
		}
	}
	return figure{}, false
}

// missed returns the figures that miss their targets.
func (r *results) missed() []figure {
	var out []figure
	for _, f := range r.Figures {
		if f.Met != nil && !*f.Met {
			out = append(out, f)
		}
	}
	return out
}

// write writes the results and their page into the directory.
func (r *results) write(dir string) error {
	if err := measuring.WriteResults(filepath.Join(dir, resultsName), r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), page(r), 0o644) //nolint:gosec // so
}
