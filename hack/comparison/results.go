package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	jsonName     = "comparison.json"
	markdownName = "comparison.md"
	// Markers of a document around the figures.
	docsBegin = "<!-- comparison:begin -->"
	docsEnd   = "<!-- comparison:end -->"
	// busy is the load before the start from which times count as noise.
	busy = 2.5
)

// results is the content of bin/bench/comparison.json.
type results struct {
	Machine measuring.Machine `json:"machine"`
	Commit  string            `json:"commit"`
	Date    string            `json:"date"`
	Speed   string            `json:"speed"`
	Figures []figure          `json:"figures"`
	Facts   []fact            `json:"facts"`
	// Errors say why groups were not measured.
	Errors []string `json:"errors,omitempty"`
}

func readResults(dir string) (*results, error) {
	return measuring.ReadResults[results](filepath.Join(dir, jsonName))
}

// keep adds the groups that were not measured now from the directory's results of the same machine, commit and speed.
func (r *results) keep(dir string, measured []string) error {
	old, err := readResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if old.Commit != r.Commit || old.Speed != r.Speed || !old.Machine.Same(r.Machine) {
		return nil
	}
	r.Figures = measuring.Keep(r.Figures, old.Figures, measured, func(f figure) string { return f.Group })
	r.Facts = measuring.Keep(r.Facts, old.Facts, measured, func(f fact) string { return f.Group })
	order := groups()
	slices.SortStableFunc(r.Figures, func(a, b figure) int {
		return slices.Index(order, a.Group) - slices.Index(order, b.Group)
	})
	slices.SortStableFunc(r.Facts, func(a, b fact) int {
		return slices.Index(order, a.Group) - slices.Index(order, b.Group)
	})
	return nil
}

func (r *results) write(dir string) error {
	return errors.Join(measuring.WriteResults(filepath.Join(dir, jsonName), r),
		os.WriteFile(filepath.Join(dir, markdownName), []byte(r.markdown()), 0o600))
}

// head describes when, where and at which speed it was measured.
func (r *results) head() string {
	text := fmt.Sprintf("Measured %s, commit %s, on %s. "+
		"The sandboxes' operators worked at `--speed %s`, the same for both.\n", r.Date,
		r.Commit, r.Machine, r.Speed)
	if r.Machine.Load > busy {
		text += "\nThe machine was busy with other work: times are noise, and only " +
			"their ratios, of runs in turn, mean something. " +
			"Requests, sizes and memory do not depend on it.\n"
	}
	for _, e := range r.Errors {
		text += "\n**Not measured:** " + oneLine(e) + "\n"
	}
	return text
}

// markdown returns all results.
func (r *results) markdown() string {
	var b strings.Builder
	b.WriteString(r.head())
	b.WriteString("\n| group | what | unit | beside | hcctl: median (min to max) | " +
		"the other: median (min to max) | runs | hcctl over the other |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d | %s |\n", f.Group, f.What, f.Unit, f.Other, spread(f.Ours),
			spread(f.Theirs),
			len(f.Ours), measuring.Number(f.ratio()))
	}
	b.WriteString(r.factsTable())
	return b.String()
}

// factsTable returns the comparisons without a number.
func (r *results) factsTable() string {
	var b strings.Builder
	b.WriteString("\n| group | what | beside | hcctl | the other |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", f.Group, oneLine(f.What), f.Other, oneLine(f.Ours),
			oneLine(f.Theirs))
	}
	return b.String()
}

// ratios returns what the document quotes: one number for each claim, with the command that measures it.
func (r *results) ratios() string {
	var b strings.Builder
	b.WriteString(r.head())
	b.WriteString("\n| what | beside | hcctl over the other | medians | by |\n| --- | --- | --- | --- | --- |\n")
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "| %s | %s | **%s** | %s and %s %s | `-only '%s'` |\n", f.What, f.Other,
			measuring.Number(f.ratio()),
			measuring.Number(measuring.Median(f.Ours)), measuring.Number(measuring.Median(f.Theirs)), f.Unit, f.Group)
	}
	b.WriteString(r.factsTable())
	return b.String()
}

// rewriteDocument replaces the part between the marks by the directory's results.
func rewriteDocument(document, dir string) error {
	r, err := readResults(dir)
	if err != nil {
		return fmt.Errorf("measure first (make bench-comparison): %w", err)
	}
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text, err := measuring.Rewritten(string(content), docsBegin, docsEnd, r.ratios())
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(text), 0o644) //nolint:gosec // a document is for everybody
}

func spread(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s to %s)", measuring.Number(measuring.Median(values)), measuring.Number(slices.Min(values)),
		measuring.Number(slices.Max(values)))
}

// oneLine makes a text fit into a cell of a table.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
