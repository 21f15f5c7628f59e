package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// Markers of a document around the results: the table, and the Go benchmarks of cmd/hcctl.
const (
	tableBegin = "<!-- bench:begin -->"
	tableEnd   = "<!-- bench:end -->"
	startBegin = "<!-- start:begin -->"
	startEnd   = "<!-- start:end -->"
	startName  = "start.txt"
	// busy is the load before the start from which times count as noise.
	busy = 1
)

// rewriteDocument replaces the part between the marks by the directory's results.
func rewriteDocument(document, dir string) error {
	r, err := readResults(dir)
	if err != nil {
		return err
	}
	if r == nil {
		return fmt.Errorf("there is no %s in %s yet: measure first (make bench)", resultsName, dir)
	}
	content, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text, err := measuring.Rewritten(string(content), tableBegin, tableEnd, table(r))
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	start, err := os.ReadFile(filepath.Join(dir, startName))
	if err != nil {
		return fmt.Errorf("measure the start first (make bench-start): %w", err)
	}
	if text, err = measuring.Rewritten(text, startBegin, startEnd, "```\n"+string(start)+"```\n"); err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(text), 0o644) //nolint:gosec // a document is for everybody
}

// table returns the results in Markdown. Every measure has a line, measured or not.
func table(r *results) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s, commit %s, on %s.\n\n", r.Date, r.Commit, r.Machine)
	if r.Machine.Load > busy {
		b.WriteString("**The machine was busy with other work: times are noise, and so are targets that are times. " +
			"Requests, sizes and memory are not.**\n\n")
	}
	b.WriteString("| group | what | target | measured | runs | command |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, m := range measures() {
		wanted, got, runs := "", "not measured", ""
		if m.Target != nil {
			wanted = m.Target.In(m.Unit)
		}
		if f, ok := r.figure(m.ID); ok {
			got = strings.TrimSpace(measuring.Number(f.Judged()) + " " + m.Unit)
			if f.Met != nil && !*f.Met {
				got = "**" + got + ", missed**"
			}
			if runs = "1"; len(f.Runs) > 1 {
				runs = fmt.Sprintf("%d: %s to %s", len(f.Runs), measuring.Number(f.Min), measuring.Number(f.Max))
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` |\n", m.Group, m.What, wanted, got, runs, m.Command)
	}
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "\nNot measured: %s\n", strings.ReplaceAll(e, "\n", " "))
	}
	return b.String()
}
