package density

import (
	"strconv"
	"strings"

	"github.com/hcctl/hcctl/pkg/fleet/density"
)

// classesFlag is --etcd-storage-class of density: one StorageClass, which is that of the template, or two to compare.
// No name of a StorageClass has a comma. Repeating the flag adds classes.
type classesFlag struct {
	classes  *[]string
	template *string
}

func (v *classesFlag) String() string {
	if v.classes == nil {
		return ""
	}
	return strings.Join(*v.classes, ",")
}

// Type is that of flags with several values: help and completion show it in the same way.
func (*classesFlag) Type() string { return "stringSlice" }

func (v *classesFlag) Set(text string) error {
	*v.classes = append(*v.classes, strings.Split(text, ",")...)
	*v.template = (*v.classes)[0]
	return nil
}

// comparisonRows is the table of a run that compares two classes: for each milestone the figures of both, and below
// them their ratio.
func comparisonRows(c *density.Comparison) [][]string {
	rows := [][]string{{"MILESTONE", "ETCD ON", "CLUSTERS", "P50", "P90", "P99", "MAX"}}
	add := func(prefix string, all []density.ComparedQuantiles) {
		for _, row := range all {
			name := prefix + row.Name
			for i, q := range []*density.Quantiles{row.First, row.Second} {
				if q == nil {
					rows = append(rows, []string{name, c.Classes[i].Name, "0", "-", "-", "-", "-"})
					continue
				}
				cells := quantileRow(name, *q)
				rows = append(rows, append([]string{name, c.Classes[i].Name}, cells[1:]...))
			}
			if t := row.Ratio; t != nil {
				times := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + "x" }
				rows = append(rows, []string{name, "second/first", "", times(t.P50), times(t.P90), times(t.P99), times(t.Max)})
			}
		}
	}
	add("", c.Milestones)
	add("deletion/", c.Deletion)
	return rows
}
