package density

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	applycmd "github.com/hcctl/hcctl/pkg/cli/apply"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/density"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
)

// densityPrepare checks whether the clusters can be created, warns if not all of them fit, and asks for
// confirmation.
func densityPrepare(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, run *density.Run,
	f densityFlags) (*fleet.Apply, error) {
	apply, err := run.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	if err := sharedError(apply); err != nil {
		return nil, err
	}
	p := run.Preview()
	if !p.Enough {
		a.Notices.Warn("not all of the clusters fit: "+strings.Join(p.Short, "; "),
			hint.New("the run stops before the first that does not"))
	}
	// The run itself finds out which clusters do not fit.
	skip := f.SkipPreflight
	if !slices.Contains(skip, cmdutil.AllPreflight) {
		skip = append(slices.Clone(skip), string(cluster.Capacity))
	}
	if err := applycmd.FleetPreflight(ctx, a, t, apply, skip); err != nil {
		return nil, err
	}
	after := "and delete them again"
	if f.Keep {
		after = "and leave them"
	}
	question := cmdutil.Textf("Create %s (%s to %s in namespace %s), %s at a time, on %s, measure them %s?",
		plural.Count(p.Count, "hosted cluster"), p.First, p.Last, p.Namespace, atOnce(f.Parallel), t.Named(), after)
	if err := a.Prompter.Confirm(ctx, question); err != nil {
		return nil, err
	}
	return apply, nil
}

func atOnce(parallel int) string {
	if parallel == 0 {
		return "all"
	}
	return strconv.Itoa(parallel)
}

// sharedError returns the error of the first cluster if no cluster can be prepared, because they are alike.
func sharedError(apply *fleet.Apply) error {
	for _, m := range apply.Members {
		if m.Err == nil {
			return nil
		}
	}
	return apply.Members[0].Err
}

// densityPreview prints the result of --dry-run.
func densityPreview(ctx context.Context, a *cmdutil.Factory, run *density.Run, f densityFlags) error {
	if _, err := run.Prepare(ctx); err != nil {
		return err
	}
	p := run.Preview()
	if f.output == "json" {
		if err := cmdutil.WriteJSON(a.Streams.Out, p); err != nil {
			return err
		}
	} else if err := (&cmdutil.Table{W: a.Streams.Out}).Write(previewRows(p)...); err != nil {
		return err
	}
	cmdutil.Tell(a.Streams.Err, "%s, %s to %s in namespace %s, %d of which exist; by their requests %d more fit. "+
		"Nothing was changed.\n",
		plural.Count(p.Count, "hosted cluster"), p.First, p.Last, p.Namespace, p.Existing, p.Fits)
	for _, line := range p.Short {
		cmdutil.Tell(a.Streams.Err, "Short: %s\n", line)
	}
	if !p.Enough {
		return cmdutil.Ended(cmdutil.ExitMissing)
	}
	return nil
}

func previewRows(p density.Preview) [][]string {
	cpu := func(milli int64) string { return strconv.FormatFloat(float64(milli)/1000, 'f', 1, 64) }
	memory := func(bytes int64) string {
		const gib = 1 << 30
		return strconv.FormatFloat(float64(bytes)/gib, 'f', 1, 64) + "Gi"
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	row := func(what string, text func(int64) string, of func(capacity.Resources) int64) []string {
		return []string{what, text(of(p.Each)), text(of(p.All)), text(of(p.Free)), text(of(p.Has))}
	}
	each := uint64(0)
	if p.NeedsAddresses > 0 {
		each = 1
	}
	return [][]string{
		{"WHAT", "EACH", "ALL", "FREE", "THERE"},
		row("CPU requested", cpu, func(r capacity.Resources) int64 { return r.MilliCPU }),
		row("memory requested", memory, func(r capacity.Resources) int64 { return r.Memory }),
		row("pods", number, func(r capacity.Resources) int64 { return r.Pods }),
		{"load balancer addresses", strconv.FormatUint(each, 10), strconv.FormatUint(p.NeedsAddresses, 10),
			strconv.FormatUint(p.Addresses.Free, 10), strconv.FormatUint(p.Addresses.All, 10)},
		{"hosted clusters", "1", strconv.Itoa(p.Count), number(max(0, p.MaxClusters-p.HostedClusters)),
			number(p.MaxClusters)},
	}
}

// densityResult prints the results to Out and the paths of the files to Err.
func densityResult(a *cmdutil.Factory, run *density.Run, f densityFlags) error {
	r := run.Record()
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, r)
	}
	rows := quantileRows(r)
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
		return err
	}
	complete := 0
	for _, c := range r.Clusters {
		if c.State == density.Complete {
			complete++
		}
	}
	cmdutil.Tell(a.Streams.Err, "\n%d of %s reached the state that was waited for (%s). Percentiles are by "+
		"nearest rank, in seconds.\n", complete, plural.Count(r.Plan.Count, "hosted cluster"), r.Plan.Wait)
	cmdutil.Tell(a.Streams.Err, "At most requested: %s of %s; by one cluster %s. %d of %d addresses were left. hcctl "+
		"sent %s.\n",
		r.Peak.Requested, r.Peak.Allocatable, r.Peak.PerCluster, r.Peak.LeastAddresses.Free, r.Peak.LeastAddresses.All,
		plural.Count(int(r.Requests.Total), "request"))
	cmdutil.Tell(a.Streams.Err, "Results: %s, %s\n", filepath.Join(f.Out, density.RecordFile),
		filepath.Join(f.Out, density.ChartFile))
	return nil
}

// quantileRows returns the table of the run. In a comparison of two StorageClasses, each name has a row for
// each, and a row with their ratio.
func quantileRows(r *density.Record) [][]string {
	row := func(q *density.Quantiles) []string {
		cells := []string{strconv.Itoa(q.Count)}
		for _, v := range []int64{q.P50, q.P95, q.P99, q.Max} {
			cells = append(cells, strconv.FormatFloat(float64(v)/1000, 'f', 1, 64)+"s")
		}
		return cells
	}
	rows := [][]string{{"QUANTILE", "CLUSTERS", "P50", "P95", "P99", "MAX"}}
	if len(r.Plan.EtcdClasses) == 0 {
		for i := range r.Quantiles {
			rows = append(rows, append([]string{r.Quantiles[i].QuantileName}, row(&r.Quantiles[i])...))
		}
		return rows
	}
	rows[0] = slices.Insert(rows[0], 1, "ETCD ON")
	for _, c := range r.Compare() {
		for i, q := range c.Rows {
			cells := []string{"0", "-", "-", "-", "-"}
			if q != nil {
				cells = row(q)
			}
			rows = append(rows, append([]string{c.Name, r.Plan.EtcdClasses[i]}, cells...))
		}
		if ratio := c.Ratio(); ratio != nil {
			cells := []string{c.Name, "second/first", ""}
			for _, v := range ratio {
				cells = append(cells, strconv.FormatFloat(v, 'f', 2, 64)+"x")
			}
			rows = append(rows, cells)
		}
	}
	return rows
}
