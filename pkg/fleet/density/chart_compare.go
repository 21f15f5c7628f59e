package density

import (
	"fmt"
	"slices"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/plural"
)

// comparisonSection is a table of both classes' quantiles with their ratio, and the bars of both, one below the other.
func comparisonSection(c *Comparison) draw.Node {
	a, b := c.Classes[0], c.Classes[1]
	title := fmt.Sprintf("etcd on %s and on %s", a.Name, b.Name)
	rows := slices.Clone(c.Milestones)
	for _, q := range c.Deletion {
		q.Name = "deletion/" + q.Name
		rows = append(rows, q)
	}
	if len(rows) == 0 {
		return draw.Section(draw.Heading(title), draw.Paragraph("Nothing was measured."))
	}
	table := draw.Table{
		Head:    []string{"seconds, nearest rank", "StorageClass of etcd", "clusters", "p50", "p90", "p99", "max"},
		Numbers: []bool{false, false, true, true, true, true, true},
	}
	chart := draw.Rows{Name: title,
		Keys: []draw.Key{{Colour: draw.Nth(0), Text: a.Name}, {Colour: draw.Nth(1), Text: b.Name}}}
	for _, row := range rows {
		for i, q := range []*Quantiles{row.First, row.Second} {
			if q == nil {
				continue
			}
			chart.Most = max(chart.Most, q.Max)
			table.Rows = append(table.Rows, append([]string{row.Name, c.Classes[i].Name, fmt.Sprint(q.Count)},
				decimals("%.1f", q.P50, q.P90, q.P99, q.Max)...))
			chart.Rows = append(chart.Rows, draw.Row{Label: row.Name, Value: fmt.Sprintf("%.1f s", q.Max),
				Marks: []float64{q.P90}, Bars: []draw.Bar{
					{From: q.Min, To: q.Max, Colour: draw.Nth(i), Thin: true},
					{From: q.P50, To: q.P99, Colour: draw.Nth(i)}}})
		}
		if t := row.Ratio; t != nil {
			table.Rows = append(table.Rows, append([]string{row.Name, "second / first", ""},
				decimals("%.2f", t.P50, t.P90, t.P99, t.Max)...))
		}
	}
	return draw.Section(draw.Heading(title), table, chart, draw.Paragraph(fmt.Sprintf("%s: %d of %s complete; "+
		"%s: %d of %d. A ratio above 1 means that the second is slower.", a.Name, a.Complete,
		plural.Count(a.Clusters, "cluster"), b.Name, b.Complete, b.Clusters)))
}

func decimals(format string, values ...float64) []string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf(format, v))
	}
	return out
}

// withClass is a cluster's name, with the StorageClass of its etcd if the run compares two.
func withClass(c *ClusterTimes) string {
	if c.EtcdClass == "" {
		return c.Name
	}
	return c.Name + " (" + c.EtcdClass + ")"
}
