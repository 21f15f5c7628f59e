package density

import (
	"fmt"
	"html"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
)

// chartPage returns one HTML page without scripts, fonts or links.
func chartPage(r *Record) string {
	var b strings.Builder
	title := "Density run " + r.Run
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:14px/1.4 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0}
td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}
td:first-child,th:first-child{text-align:left}
svg{width:100%%;height:auto;font:11px system-ui,sans-serif}
.stop{background:#fdecea;padding:.5rem .8rem}</style></head><body>
<h1>%s</h1>
`, html.EscapeString(title), html.EscapeString(title))
	fmt.Fprintf(&b, "<p>%s, %s at a time, followed to %q, on %s (OpenShift %s). Begun %s.</p>\n",
		plural.Count(r.Plan.Count, "hosted cluster"), atATime(r.Plan.Parallel),
		html.EscapeString(r.Plan.Wait), html.EscapeString(r.Cluster.Server), html.EscapeString(orNone(r.Cluster.OpenShift)),
		r.Started.Format("2006-01-02 15:04:05 MST"))
	if r.Stop != nil {
		fmt.Fprintf(&b, "<p class=\"stop\"><b>Stopped (%s)</b>: %s</p>\n", html.EscapeString(r.Stop.Name),
			html.EscapeString(r.Stop.Message))
	}
	section(&b, "Milestones, from when the HostedCluster was written", r.Milestones)
	section(&b, "Deletion, from when it began", r.Deletion)
	b.WriteString("<h2>Each cluster</h2>\n" + clusterBars(r))
	b.WriteString("<h2>The management cluster</h2>\n" + loadLines(r))
	fmt.Fprintf(&b, "<p>At most requested: %s of %s on the nodes that host; by one cluster: %s. At most %d pods were "+
		"pending; at least %d of %d load balancer addresses were free. hcctl sent %s.</p>\n",
		r.Peak.Requested, r.Peak.Allocatable, r.Peak.PerCluster, r.Peak.Pending, r.Peak.LeastAddresses.Free,
		r.Peak.LeastAddresses.All, plural.Count(int(r.Requests.Total), "request"))
	b.WriteString("</body></html>\n")
	return b.String()
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

// section writes a table of quantiles and their bars.
func section(b *strings.Builder, title string, rows []Quantiles) {
	fmt.Fprintf(b, "<h2>%s</h2>\n", html.EscapeString(title))
	if len(rows) == 0 {
		b.WriteString("<p>Nothing was measured.</p>\n")
		return
	}
	b.WriteString("<table><tr><th>seconds, nearest " +
		"rank</th><th>clusters</th><th>min</th><th>p50</th><th>p90</th><th>p99</th><th>max</th></tr>\n")
	for _, q := range rows {
		fmt.Fprintf(b, "<tr><td>%s</td><td>%d</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td></tr>\n",
			html.EscapeString(q.Name), q.Count, q.Min, q.P50, q.P90, q.P99, q.Max)
	}
	b.WriteString("</table>\n" + quantileBars(rows))
}
