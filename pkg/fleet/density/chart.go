package density

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hcctl/hcctl/internal/draw"
	"github.com/hcctl/hcctl/internal/plural"
)

// chartPage returns the run as one HTML page.
func chartPage(r *Record) string {
	p := draw.Page{Title: "Density run " + r.Run, Lead: []string{
		fmt.Sprintf("%s, %s at a time, followed to %q, on %s (OpenShift %s). Begun %s.", plural.Count(r.Plan.Count,
			"hosted cluster"), atATime(r.Plan.Parallel), r.Plan.Wait, r.Cluster.Server, cmp.Or(r.Cluster.OpenShift, "unknown"),
			r.Started.Format("2006-01-02 15:04:05 MST"))}}
	if r.Stop != nil {
		p.Body = append(p.Body, draw.Notice(fmt.Sprintf("Stopped (%s): %s", r.Stop.Name, r.Stop.Message)))
	}
	p.Body = append(p.Body, draw.Heading("Milestones, from the write of the HostedCluster; deletion, from its start"),
		times(r))
	if compared := r.Compare(); len(compared) > 0 {
		p.Body = append(p.Body, ratios(r, compared))
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

// times returns a table of quantiles with a bar for each: a thin line from minimum to maximum, a thick bar from
// P50 to P99, and a mark at P95.
func times(r *Record) draw.Node {
	if len(r.Quantiles) == 0 {
		return draw.Paragraph("Nothing was measured.")
	}
	table := draw.Table{Head: []string{"milliseconds, nearest rank", "clusters", "min", "P50", "P95", "P99", "max"},
		Numbers: []bool{false, true, true, true, true, true, true}}
	chart := draw.Rows{Name: "quantiles"}
	for i, q := range r.Quantiles {
		cells := []string{label(q.QuantileName, q.EtcdClass)}
		for _, v := range []int64{int64(q.Count), q.Min, q.P50, q.P95, q.P99, q.Max} {
			cells = append(cells, fmt.Sprint(v))
		}
		table.Rows = append(table.Rows, cells)
		chart.Most = max(chart.Most, inSeconds(q.Max))
		chart.Rows = append(chart.Rows, draw.Row{Label: cells[0],
			Value: fmt.Sprintf("%.1f s", inSeconds(q.Max)), Marks: []float64{inSeconds(q.P95)}, Bars: []draw.Bar{
				{From: inSeconds(q.Min), To: inSeconds(q.Max), Colour: draw.Nth(i), Thin: true},
				{From: inSeconds(q.P50), To: inSeconds(q.P99), Colour: draw.Nth(i)}}})
	}
	return draw.Section(table, chart, draw.Paragraph("Thin: least to most; thick: P50 to P99; mark: P95; number: most."))
}

func inSeconds(milliseconds int64) float64 { return float64(milliseconds) / millisecondsInOne }

// ratios returns a table of the second class's quantiles divided by the first's.
func ratios(r *Record, compared []Compared) draw.Node {
	classes := r.Plan.EtcdClasses
	table := draw.Table{Head: []string{"second / first", "P50", "P95", "P99", "max"},
		Numbers: []bool{false, true, true, true, true}}
	for _, c := range compared {
		if ratio := c.Ratio(); ratio != nil {
			cells := []string{c.Name}
			for _, v := range ratio {
				cells = append(cells, fmt.Sprintf("%.2f", v))
			}
			table.Rows = append(table.Rows, cells)
		}
	}
	all, complete := map[string]int{}, map[string]int{}
	for _, c := range r.Clusters {
		all[c.EtcdClass]++
		if c.State == Complete {
			complete[c.EtcdClass]++
		}
	}
	a, b := classes[0], classes[1]
	return draw.Section(draw.Heading(fmt.Sprintf("etcd on %s and on %s", a, b)), table, draw.Paragraph(fmt.Sprintf(
		"%s: %d of %s complete; %s: %d of %d. A ratio above 1 means that the second is slower.", a, complete[a],
		plural.Count(all[a], "cluster"), b, complete[b], all[b])))
}

// label returns a name, with the StorageClass of etcd if there is one.
func label(name, class string) string {
	if class == "" {
		return name
	}
	return name + " (" + class + ")"
}

// clusterBars returns a row for each cluster. A milestone's colour ends where the cluster reached it.
func clusterBars(r *Record) draw.Node {
	chart := draw.Rows{Name: "each cluster's milestones"}
	marks := slices.DeleteFunc(measures(), func(m measure) bool { return m.deletion })
	for j, m := range marks {
		chart.Keys = append(chart.Keys, draw.Key{Colour: draw.Nth(j), Text: m.burner})
	}
	for _, c := range r.Clusters {
		if len(c.Milestones) == 0 {
			continue
		}
		from, row := 0.0, draw.Row{Label: c.Name}
		for j, m := range marks {
			at, ok := c.Milestones[m.name]
			if !ok || at.Seconds < from {
				continue
			}
			row.Bars = append(row.Bars, draw.Bar{From: from, To: at.Seconds, Colour: draw.Nth(j),
				Says: fmt.Sprintf("%s: %s %.1f s", label(c.Name, c.EtcdClass), m.burner, at.Seconds)})
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
	maxBegun := 1
	for _, p := range r.Samples {
		maxBegun = max(maxBegun, p.Begun)
	}
	part := func(of, all int64) float64 { return min(float64(of)/float64(max(all, 1)), 1) }
	lines := []draw.Line{{Name: "CPU requested, % of allocatable", Colour: draw.Blue},
		{Name: "memory requested", Colour: draw.Orange}, {Name: "pods", Colour: draw.Green},
		{Name: fmt.Sprintf("clusters begun, %% of %d", maxBegun), Colour: draw.Violet}}
	for _, p := range r.Samples {
		for i, y := range []float64{part(p.Requested.MilliCPU, p.Allocatable.MilliCPU),
			part(p.Requested.Memory, p.Allocatable.Memory), part(p.Requested.Pods, p.Allocatable.Pods),
			float64(p.Begun) / float64(maxBegun)} {
			lines[i].Points = append(lines[i].Points, draw.Point{X: p.At.Sub(begin).Seconds(), Y: y})
		}
	}
	return draw.Lines{Name: "requests of pods over time", MostX: length, MostY: 1, Begin: "0 s",
		End:   fmt.Sprintf("%.0f s", length),
		Lines: lines, Levels: []draw.Tick{{At: 0.5, Text: "50 %"}, {At: 1, Text: "100 %"}}}
}
