package density

import (
	"fmt"
	"time"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/plural"
)

// chartPage returns the run as one HTML page.
func chartPage(r *Record) string {
	p := draw.Page{Title: "Density run " + r.Run, Lead: []string{
		fmt.Sprintf("%s, %s at a time, followed to %q, on %s (OpenShift %s). Begun %s.", plural.Count(r.Plan.Count,
			"hosted cluster"), atATime(r.Plan.Parallel), r.Plan.Wait, r.Cluster.Server, orNone(r.Cluster.OpenShift),
			r.Started.Format("2006-01-02 15:04:05 MST"))}}
	if r.Stop != nil {
		p.Body = append(p.Body, draw.Notice(fmt.Sprintf("Stopped (%s): %s", r.Stop.Name, r.Stop.Message)))
	}
	p.Body = append(p.Body,
		section("Milestones, from when the HostedCluster was written", r.Milestones),
		section("Deletion, from when it began", r.Deletion))
	if r.Comparison != nil {
		p.Body = append(p.Body, comparisonSection(r.Comparison))
	}
	p.Body = append(p.Body,
		draw.Heading("Each cluster"), clusterBars(r),
		draw.Heading("The management cluster"), loadLines(r),
		draw.Paragraph(fmt.Sprintf("At most requested: %s of %s on the nodes that host; by one cluster: %s. At most %d pods "+
			"were pending; at least %d of %d load balancer addresses were free. hcctl sent %s.", r.Peak.Requested,
			r.Peak.Allocatable, r.Peak.PerCluster, r.Peak.Pending, r.Peak.LeastAddresses.Free, r.Peak.LeastAddresses.All,
			plural.Count(int(r.Requests.Total), "request"))))
	return p.String()
}

func atATime(parallel int) string {
	if parallel == 0 {
		return "all"
	}
	return fmt.Sprint(parallel)
}

func orNone(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// section is a table of quantiles with their bars: a line from the least to the most, a bar from p50 to p99, a mark at
// p90.
func section(title string, rows []Quantiles) draw.Node {
	if len(rows) == 0 {
		return draw.Section(draw.Heading(title), draw.Paragraph("Nothing was measured."))
	}
	table := draw.Table{Head: []string{"seconds, nearest rank", "clusters", "min", "p50", "p90", "p99", "max"},
		Numbers: []bool{false, true, true, true, true, true, true}}
	chart := draw.Rows{Name: title}
	for _, q := range rows {
		chart.Most = max(chart.Most, q.Max)
	}
	for i, q := range rows {
		cells := []string{q.Name, fmt.Sprint(q.Count)}
		for _, v := range []float64{q.Min, q.P50, q.P90, q.P99, q.Max} {
			cells = append(cells, fmt.Sprintf("%.1f", v))
		}
		table.Rows = append(table.Rows, cells)
		chart.Rows = append(chart.Rows, draw.Row{Label: q.Name, Value: fmt.Sprintf("%.1f s", q.Max),
			Marks: []float64{q.P90}, Bars: []draw.Bar{
				{From: q.Min, To: q.Max, Colour: draw.Nth(i), Thin: true},
				{From: q.P50, To: q.P99, Colour: draw.Nth(i)}}})
	}
	return draw.Section(draw.Heading(title), table, chart,
		draw.Paragraph("Thin: least to most; thick: p50 to p99; mark: p90; number: most."))
}

// clusterBars has a row for each cluster. A milestone's colour ends where the cluster reached it.
func clusterBars(r *Record) draw.Node {
	chart := draw.Rows{Name: "each cluster's milestones"}
	for j, m := range milestones() {
		chart.Keys = append(chart.Keys, draw.Key{Colour: draw.Nth(j), Text: m.name})
	}
	for _, c := range r.Clusters {
		if len(c.Milestones) == 0 {
			continue
		}
		from, row := 0.0, draw.Row{Label: c.Name}
		for j, m := range milestones() {
			at, ok := c.Milestones[m.name]
			if !ok || at.Seconds < from {
				continue
			}
			row.Bars = append(row.Bars, draw.Bar{From: from, To: at.Seconds, Colour: draw.Nth(j),
				Says: fmt.Sprintf("%s: %s %.1f s", withClass(c), m.name, at.Seconds)})
			from = at.Seconds
		}
		row.Value = fmt.Sprintf("%.1f s", from)
		chart.Most = max(chart.Most, from)
		chart.Rows = append(chart.Rows, row)
	}
	if len(chart.Rows) == 0 {
		return draw.Paragraph("None reached a milestone.")
	}
	return chart
}

// loadLines draws what the pods request of the nodes over time, in percent, and the number of clusters.
func loadLines(r *Record) draw.Node {
	if len(r.Samples) == 0 {
		return draw.Paragraph("No samples were taken.")
	}
	begin, end := r.Samples[0].At, r.Samples[len(r.Samples)-1].At
	length := max(end.Sub(begin), time.Second).Seconds()
	most := 1
	for _, p := range r.Samples {
		most = max(most, p.Begun)
	}
	part := func(of, all int64) float64 { return min(float64(of)/float64(max(all, 1)), 1) }
	lines := []draw.Line{{Name: "CPU requested, % of allocatable", Colour: draw.Blue},
		{Name: "memory requested", Colour: draw.Orange}, {Name: "pods", Colour: draw.Green},
		{Name: fmt.Sprintf("clusters begun, %% of %d", most), Colour: draw.Violet}}
	for _, p := range r.Samples {
		for i, y := range []float64{part(p.Requested.MilliCPU, p.Allocatable.MilliCPU),
			part(p.Requested.Memory, p.Allocatable.Memory), part(p.Requested.Pods, p.Allocatable.Pods),
			float64(p.Begun) / float64(most)} {
			lines[i].Points = append(lines[i].Points, draw.Point{X: p.At.Sub(begin).Seconds(), Y: y})
		}
	}
	return draw.Lines{Name: "requests of pods over time", MostX: length, MostY: 1, Begin: "0 s",
		End:   fmt.Sprintf("%.0f s", length),
		Lines: lines, Levels: []draw.Tick{{At: 0.5, Text: "50 %"}, {At: 1, Text: "100 %"}}}
}
