package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Page is the document that holds the table of packages.
const Page = "docs/architecture.md"

// The table stands between these lines of Page.
const (
	tableBegin = "<!-- packages:begin (make packages writes this table) -->\n"
	tableEnd   = "<!-- packages:end -->\n"
)

// Row is one line of the table.
type Row struct {
	Package, MayImport string
	Files, Lines       int
}

// Rows returns the table's rows for a tree that has the linter's two configurations.
func Rows(tree fs.FS) ([]Row, error) {
	packages, err := Packages(tree)
	if err != nil {
		return nil, err
	}
	own, err := rulesIn(tree, ".golangci.yml")
	if err != nil {
		return nil, err
	}
	sandbox, err := rulesIn(tree, ".golangci.sandbox.yml")
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, p := range packages {
		if len(p.Files) == 0 {
			continue
		}
		rules := own
		if strings.HasPrefix(p.Folder+"/", "sandbox/") {
			rules = sandbox
		}
		hasSubpackages := slices.ContainsFunc(packages, func(other Package) bool {
			return strings.HasPrefix(other.Folder, p.Folder+"/")
		})
		out = append(out, Row{p.Folder, mayImport(rules, p.Folder, hasSubpackages), len(p.Files), p.Lines})
	}
	return out, nil
}

func rulesIn(tree fs.FS, name string) (ImportRules, error) {
	config, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	rules, err := ReadImportRules(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rules, nil
}

func mayImport(rules ImportRules, folder string, hasSubpackages bool) string {
	folders, limited := rules.MayImport(folder)
	folders = slices.DeleteFunc(folders, func(other string) bool { return other == folder && !hasSubpackages })
	switch {
	case !limited:
		return "anything"
	case len(folders) == 0:
		return "nothing of ours"
	}
	return strings.Join(folders, ", ")
}

// Table writes rows as Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| package | files | lines | what it may import |\n| --- | ---: | ---: | --- |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", r.Package, r.Files, r.Lines, r.MayImport)
	}
	return b.String()
}

// TableIn returns the table of a document.
func TableIn(document string) (string, error) {
	_, rest, begun := strings.Cut(document, tableBegin)
	table, _, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		return "", errors.New("the lines packages:begin and packages:end are missing")
	}
	return table, nil
}

// Replace returns the document with another table.
func Replace(document, table string) (string, error) {
	old, err := TableIn(document)
	if err != nil {
		return "", err
	}
	return strings.Replace(document, tableBegin+old+tableEnd, tableBegin+table+tableEnd, 1), nil
}

// ParseTable reads what Table wrote.
func ParseTable(table string) ([]Row, error) {
	var out []Row
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.Contains(line, "---") || strings.HasPrefix(line, "| package |") {
			continue
		}
		r := Row{Package: strings.TrimSpace(cells[0]), MayImport: strings.TrimSpace(cells[3])}
		if _, err := fmt.Sscan(cells[1]+cells[2], &r.Files, &r.Lines); err != nil {
			return nil, fmt.Errorf("row %q: %w", strings.TrimSpace(line), err)
		}
		out = append(out, r)
	}
	return out, nil
}

// Stale returns how a table differs from the tree. A change of lines by a tenth, or by 50, does not count.
func Stale(table, tree []Row) []string {
	var out []string
	rows := map[string]Row{}
	for _, r := range table {
		rows[r.Package] = r
	}
	for _, now := range tree {
		was, ok := rows[now.Package]
		delete(rows, now.Package)
		switch {
		case !ok:
			out = append(out, now.Package+" is missing")
		case was.MayImport != now.MayImport:
			out = append(out, fmt.Sprintf("%s may import %s, not %s", now.Package, now.MayImport, was.MayImport))
		case was.Files != now.Files:
			out = append(out, fmt.Sprintf("%s has %d files, not %d", now.Package, now.Files, was.Files))
		case max(now.Lines-was.Lines, was.Lines-now.Lines) > max(50, was.Lines/10):
			out = append(out, fmt.Sprintf("%s has %d lines, not %d", now.Package, now.Lines, was.Lines))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, folder+" is gone")
	}
	return out
}
