package status

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// fleetDocument is the document of status without a name.
type fleetDocument struct {
	step.TypeMeta
	Health   status.Health    `json:"health"`
	Clusters []*status.Report `json:"clusters"`
	// Gone are clusters that no longer exist, as NAMESPACE/NAME, with --watch.
	Gone []string `json:"gone,omitempty"`
}

func fleetStatus(ctx context.Context, a *cmdutil.Factory, f *statusFlags, selector labels.Selector) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	if f.all {
		namespace = ""
	}
	read := func(ctx context.Context) ([]*status.Report, error) {
		fleet, err := status.Fleet(ctx, t.Client, namespace, selector)
		if err == nil && f.expiry {
			err = status.AddFleetExpiry(ctx, t.Client, namespace, selector, fleet)
		}
		return fleet, err
	}
	if f.watch {
		w := &statusWatch{a: a, t: t, f: f, read: read}
		w.render = func(w io.Writer, fleet []*status.Report, screen report.Screen) error {
			cmdutil.Tell(w, "Hosted clusters at %s\n\n", t)
			return printFleet(a, w, f, fleet, screen)
		}
		w.document = func(all, changed []*status.Report, gone []string) any {
			return fleetDocument{step.NewTypeMeta("FleetStatus"), healthOf(all), append([]*status.Report{}, changed...), gone}
		}
		return w.run(ctx, namespace, "", selector)
	}
	readCtx := a.Limit.Within(ctx, f.timeout)
	fleet, err := read(readCtx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.Clarify(readCtx, err)
	}
	shown := fleet
	if f.problems {
		shown = problemsOf(fleet)
	}
	switch f.output {
	case "json":
		err = cmdutil.WriteJSON(a.Streams.Out, fleetDocument{step.NewTypeMeta("FleetStatus"), healthOf(fleet), shown, nil})
	case "yaml":
		err = cmdutil.WriteYAML(a.Streams.Out, fleetDocument{step.NewTypeMeta("FleetStatus"), healthOf(fleet), shown, nil})
	case cmdutil.FormatJUnit:
		a.Runner.Take(resultsOf(a, f, shown))
	default:
		if len(fleet) == 0 {
			err = cmdutil.Say(a.Streams.Err, "%s\n", cmdutil.NoneFound(status.Query{Resource: status.HostedClusters(),
				Namespace: namespace, Selector: selector}))
			break
		}
		cmdutil.Tell(a.Streams.Out, "Hosted clusters at %s\n\n", t)
		err = printFleet(a, a.Streams.Out, f, fleet, a.Streams.ScreenOut())
	}
	if err != nil {
		return err
	}
	return verdictOn(healthOf(fleet))
}

// healthOf returns the worst health of a fleet, which is that of the first cluster.
func healthOf(fleet []*status.Report) status.Health {
	if len(fleet) == 0 {
		return status.OK
	}
	return fleet[0].Health
}

// problemsOf returns the clusters that are not ok.
func problemsOf(fleet []*status.Report) []*status.Report {
	n := slices.IndexFunc(fleet, func(r *status.Report) bool { return r.Health == status.OK })
	if n < 0 {
		return fleet
	}
	return fleet[:n]
}

// nodesOf returns the ready and total number of nodes, such as 2/3.
func nodesOf(r *status.Report) string {
	switch {
	case r.NodePools.NotJudged:
		return "-"
	case r.NodePools.Ready != nil:
		return fmt.Sprintf("%d/%d", *r.NodePools.Ready, *r.NodePools.Total)
	case r.NodePools.Health == status.Unknown:
		return "?"
	}
	return "0"
}

// printFleet prints a line for each cluster, the least healthy first; with --problems only for those that are
// not ok.
func printFleet(a *cmdutil.Factory, w io.Writer, f *statusFlags, fleet []*status.Report, screen report.Screen) error {
	headings := []string{"NAME", "HEALTH", "PHASE", "VERSION", "NODES"}
	if f.all {
		headings = append([]string{"NAMESPACE"}, headings...)
	}
	if f.wide() {
		headings = append(headings, "POOLS", "CP VERSION", "API")
		screen.Width = 0
	}
	if f.expiry {
		headings = append(headings, "EXPIRES")
	}
	headings = append(headings, "MESSAGE")
	shown := fleet
	if f.problems {
		shown = problemsOf(fleet)
	}
	var rows []report.Row
	for _, r := range shown {
		row := []string{r.Name, r.Health.String(), string(r.Phase), versions(r), nodesOf(r)}
		if f.all {
			row = append([]string{r.Namespace}, row...)
		}
		if f.wide() {
			row = append(row, strconv.Itoa(len(r.NodePools.Parts)), cmdutil.ShownVersion(r.ControlPlaneVersion), r.API)
		}
		if f.expiry {
			row = append(row, r.Expires)
		}
		rows = append(rows, report.Row{Mark: cmdutil.HealthMark(r.Health), Cells: append(row, f.message(r.Message))})
	}
	if len(rows) > 0 {
		if err := report.Rows(w, screen, headings, rows); err != nil {
			return err
		}
		cmdutil.Tell(w, "\n")
	}
	if len(fleet) == 0 {
		return cmdutil.Say(w, "No hosted clusters.\n")
	}
	withNamespace := f.all
	next := hint.Run("get clusters").Flag("watch").With(cmdutil.NamespaceFlag(a.Call)...).Text()
	if withNamespace {
		next = hint.Run("get clusters").Flag("watch").Flag("A").Text()
	}
	if worst := fleet[0]; worst.Health != status.OK {
		next = hint.Run("status", hostedcluster.Argument(worst.Namespace, worst.Name)).Text()
	}
	return cmdutil.Say(w, "%s: %s\nNext: %s\n", plural.Count(len(fleet), "hosted cluster"),
		plural.Tally(fleet, func(r *status.Report) status.Health { return r.Health }), a.Call.Render(next))
}
