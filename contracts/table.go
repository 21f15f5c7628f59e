package contracts

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Table has the fields of one kind, by release.
type Table struct {
	// Group and Kind are those of the CRD, CRD its name: PLURAL.GROUP.
	Group, Kind, CRD string
	// Repository is where the fields were read.
	Repository string
	// Releases are those that were read. Newest is the last of them.
	Releases Releases
	Newest   Release
	// StatusOnly means that the table has the status alone, though the kind has a spec.
	StatusOnly bool
	// SpecOnly means that the table has the spec alone, without what is below the fields of platforms that hcctl does not
	// create clusters on.
	SpecOnly bool
	// Fields are in the order of the table.
	Fields []Field
}

// Field is one row of a table.
type Field struct {
	// Path is the field's place: names, "[]" for the elements of a list, "{}" for the values of a map.
	Path []string
	// Version is that of the API, such as v1beta1; "" where the kind has only one.
	Version string
	// Type is a JSON type, array<TYPE>, map<TYPE>, int-or-string, or a type of Kubernetes such as core/v1 Affinity.
	Type     string
	Facets   Facets
	Releases Releases
}

// String returns the path as the table writes it.
func (f Field) String() string {
	text := strings.NewReplacer(".[]", "[]", ".{}", "{}").Replace(strings.Join(f.Path, "."))
	if f.Version != "" {
		return f.Version + ":" + text
	}
	return text
}

var heading = regexp.MustCompile(`^# (\S+); source repo (\S+); versions seen: (\S+)$`)

// Tables parses every table.
func Tables() ([]Table, error) {
	entries, err := files.ReadDir("schemas")
	if err != nil {
		return nil, err
	}
	var all []Table
	for _, e := range entries {
		group, kind, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".tsv"), "_")
		if !ok {
			return nil, fmt.Errorf("schemas/%s is not named GROUP_KIND.tsv", e.Name())
		}
		table, err := TableOf(group, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, table)
	}
	return all, nil
}

// TableOf returns the table of a kind; the error is fs.ErrNotExist if there is none.
func TableOf(group, kind string) (Table, error) {
	name := path.Join("schemas", group+"_"+kind+".tsv")
	raw, err := files.ReadFile(name)
	if err != nil {
		return Table{}, fmt.Errorf("the fields of %s in group %s: %w", kind, group, err)
	}
	table := Table{Group: group, Kind: kind}
	if err := table.read(raw); err != nil {
		return Table{}, fmt.Errorf("%s: %w", name, err)
	}
	return table, nil
}

func (t *Table) read(raw []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		var err error
		switch {
		case number == 1:
			err = t.readHeading(line)
		case line == "# only: status":
			t.StatusOnly = true
		case line == "# only: spec":
			t.SpecOnly = true
		case !strings.HasPrefix(line, "#"):
			err = t.readField(line)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return lines.Err()
}

func (t *Table) readHeading(line string) error {
	m := heading.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is not a table's first line", line)
	}
	releases, err := ParseReleases(m[3], Release{})
	if err != nil {
		return err
	}
	t.CRD, t.Repository, t.Releases = m[1], m[2], releases
	t.Newest = releases[len(releases)-1].Last
	return nil
}

func (t *Table) readField(line string) error {
	columns := strings.Split(line, "\t")
	if len(columns) != 4 {
		return fmt.Errorf("%d columns, want path, type, facets and versions", len(columns))
	}
	f := Field{Type: columns[1]}
	place := columns[0]
	if version, rest, ok := strings.Cut(place, ":"); ok {
		f.Version, place = version, rest
	}
	f.Path = strings.Split(strings.NewReplacer("[]", ".[]", "{}", ".{}").Replace(place), ".")
	// The row of a list or map is about the list, not about its elements.
	if last := len(f.Path) - 1; f.Path[last] == "[]" || f.Path[last] == "{}" {
		f.Path = f.Path[:last]
	}
	var err error
	if f.Facets, err = parseFacets(columns[2]); err != nil {
		return err
	}
	if f.Releases, err = ParseReleases(columns[3], t.Newest); err != nil {
		return err
	}
	t.Fields = append(t.Fields, f)
	return nil
}

// In returns the fields that one release has in one version of the API.
func (t Table) In(release Release, version string) []Field {
	var out []Field
	for _, f := range t.Fields {
		if f.Releases.Has(release) && (f.Version == "" || f.Version == version) {
			out = append(out, f)
		}
	}
	return out
}

// Clamp returns release, or the nearest one that the table has.
func (t Table) Clamp(release Release) Release {
	if first := t.Releases[0].First; release.Before(first) {
		return first
	}
	if t.Newest.Before(release) {
		return t.Newest
	}
	return release
}
