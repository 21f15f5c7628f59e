package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// results is what bin/bench/results.json holds.
type results struct {
	Machine machine  `json:"machine"`
	Commit  string   `json:"commit"`
	Date    string   `json:"date"`
	Figures []figure `json:"figures"`
	Series  []series `json:"series,omitempty"`
	// Errors are what kept groups from being measured.
	Errors []string `json:"errors,omitempty"`
}

// series is what a chart of its own is drawn of, next to the figures.
type series struct {
	ID    string `json:"id"`
	Group string `json:"group"`
	Title string `json:"title"`
	// Kind is "bars" or "columns".
	Kind string `json:"kind"`
	// Across is what the x axis of columns counts.
	Across string  `json:"across,omitempty"`
	Unit   string  `json:"unit"`
	Points []point `json:"points"`
}

// point has a label where it is a bar, and an X where it is a column.
type point struct {
	Label string  `json:"label,omitempty"`
	X     float64 `json:"x,omitempty"`
	Y     float64 `json:"y"`
}

const resultsName = "results.json"

// readResults returns none where the folder has none.
func readResults(dir string) (*results, error) {
	content, err := os.ReadFile(filepath.Join(dir, resultsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing was measured yet
	}
	if err != nil {
		return nil, err
	}
	r := &results{}
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, resultsName), err)
	}
	return r, nil
}

// keep takes over from an earlier run what this one has not measured, if it is of the same commit on the same machine:
// so a long measurement can be put together of its groups.
func (r *results) keep(earlier *results, measured []string) {
	if earlier == nil || earlier.Commit != r.Commit || !earlier.Machine.same(r.Machine) {
		return
	}
	for _, f := range earlier.Figures {
		if !slices.Contains(measured, f.Group) {
			r.Figures = append(r.Figures, f)
		}
	}
	for _, s := range earlier.Series {
		if !slices.Contains(measured, s.Group) {
			r.Series = append(r.Series, s)
		}
	}
	r.inOrder()
}

// inOrder sorts the figures as the tables of measures have them.
func (r *results) inOrder() {
	order := map[string]int{}
	for i, m := range measures() {
		order[m.ID] = i
	}
	slices.SortStableFunc(r.Figures, func(a, b figure) int { return order[a.ID] - order[b.ID] })
}

// figure looks one up by its ID.
func (r *results) figure(id string) (figure, bool) {
	for _, f := range r.Figures {
		if f.ID == id {
			return f, true
		}
	}
	return figure{}, false
}

// missed are the figures that do not meet their targets.
func (r *results) missed() []figure {
	var out []figure
	for _, f := range r.Figures {
		if f.Met != nil && !*f.Met {
			out = append(out, f)
		}
	}
	return out
}

// write puts the results and their page into the folder.
func (r *results) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are for everybody
		return err
	}
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, resultsName), append(content, '\n'),
		0o644); err != nil { //nolint:gosec // so
		return err
	}
	html, err := page(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), html, 0o644) //nolint:gosec // so
}
