package printer

import (
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Columns are the columns of custom-columns.
type Columns struct {
	Headings []string
	paths    []*jsonpath.JSONPath
}

// maxColumns limits the columns that a file can define.
const maxColumns = 100

// Cells returns the values of an object, and <none> for missing ones. Several values of a column are joined by
// commas.
func (c *Columns) Cells(object map[string]any) ([]string, error) {
	cells := make([]string, 0, len(c.paths))
	for i, path := range c.paths {
		results, err := path.FindResults(object)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Headings[i], err)
		}
		var values []string
		for _, part := range results {
			for _, v := range part {
				values = append(values, fmt.Sprint(v.Interface()))
			}
		}
		if len(values) == 0 {
			values = []string{"<none>"}
		}
		cells = append(cells, strings.Join(values, ","))
	}
	return cells, nil
}

// columnsOf parses NAME:.metadata.name,RELEASE:.spec.release.image.
func columnsOf(text string) (*Columns, error) {
	c := &Columns{}
	for _, part := range strings.Split(text, ",") {
		heading, path, both := strings.Cut(part, ":")
		if !both || heading == "" || path == "" {
			return nil, fmt.Errorf("the column %q: write it as HEADING:.path.to.field", part)
		}
		if err := c.add(heading, path); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// columnsOfFile parses a line of headings and a line of paths.
func columnsOfFile(text string) (*Columns, error) {
	headings, rest, _ := strings.Cut(text, "\n")
	paths, _, _ := strings.Cut(rest, "\n")
	names, fields := strings.Fields(headings), strings.Fields(paths)
	switch {
	case len(names) == 0:
		return nil, errNoColumns
	case len(names) != len(fields):
		return nil, fmt.Errorf("its first line has %d headings, its second line %d paths", len(names), len(fields))
	}
	c := &Columns{}
	for i, name := range names {
		if err := c.add(name, fields[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Columns) add(heading, field string) error {
	path, err := relaxedPath(field)
	if err != nil {
		return fmt.Errorf("column %s: %w", heading, err)
	}
	if len(c.paths) == maxColumns {
		return fmt.Errorf("there are more than %d columns", maxColumns)
	}
	c.Headings, c.paths = append(c.Headings, heading), append(c.paths, path)
	return nil
}

// relaxedForm matches x.y, .x.y, {x.y} and {.x.y}, as kubectl takes them.
var relaxedForm = lazyregexp.New(`^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$`)

func relaxedPath(field string) (*jsonpath.JSONPath, error) {
	parts := relaxedForm.FindStringSubmatch(field)
	if parts == nil {
		return nil, fmt.Errorf("the JSONPath %s: write it like .metadata.name", field)
	}
	return parsePath("{." + parts[1] + parts[2] + "}")
}
