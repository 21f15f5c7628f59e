package get

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/status"
)

// fleetDocument is the document of status without a name.
type fleetDocument struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Health     status.Health    `json:"health"`
	Clusters   []*status.Report `json:"clusters"`
}

func fleetStatus(ctx context.Context, a *cmdutil.Factory, f *statusFlags, selector labels.Selector) error {
	t, err := a.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a)
	if f.all {
		namespace = ""
	}
	looking, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	fleet, err := status.Fleet(looking, t.Client, namespace, selector)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.Clarify(looking, err)
	}
	health := status.OK
	if len(fleet) > 0 {
		// The worst one is the first.
		health = fleet[0].Health
	}
	switch f.output {
	case "json":
		err = cmdutil.WriteJSON(a.Streams.Out, fleetDocument{documentVersion, "FleetStatus", health, fleet})
	case "yaml":
		err = cmdutil.WriteYAML(a.Streams.Out, fleetDocument{documentVersion, "FleetStatus", health, fleet})
	default:
		if len(fleet) == 0 {
			err = cmdutil.Say(a.Streams.Err, "%s\n", none(status.Query{Resource: status.HostedClusters(), Namespace: namespace,
				Selector: selector}))
			break
		}
		cmdutil.Tell(a.Streams.Out, "Hosted clusters at %s\n\n", t)
		err = printFleet(a, fleet, f.all, report.ScreenOf(a.Streams.Out, a.Getenv))
	}
	if err != nil {
		return err
	}
	return verdictOn(health)
}

// printFleet prints a line for each cluster, the worst first.
func printFleet(a *cmdutil.Factory, fleet []*status.Report, withNamespace bool, screen report.Screen) error {
	headings := []string{"NAME", "HEALTH", "PHASE", "VERSION", "NODES", "MESSAGE"}
	if withNamespace {
		headings = append([]string{"NAMESPACE"}, headings...)
	}
	var rows []report.Row
	for _, r := range fleet {
		nodes := "0"
		if r.NodePools.Health == status.Unknown {
			nodes = "?"
		}
		if r.NodePools.Ready != nil {
			nodes = fmt.Sprintf("%d/%d", *r.NodePools.Ready, *r.NodePools.Total)
		}
		row := []string{r.Name, string(r.Health), string(r.Phase), versions(r), nodes, shortened(r.Message)}
		if withNamespace {
			row = append([]string{r.Namespace}, row...)
		}
		rows = append(rows, report.Row{Mark: mark(r.Health), Cells: row})
	}
	if err := report.Rows(a.Streams.Out, screen, headings, rows); err != nil {
		return err
	}
	next := "hcctl get clusters --watch" + cmdutil.NamespaceFlag(a)
	if withNamespace {
		next = "hcctl get clusters --watch -A"
	}
	if worst := fleet[0]; worst.Health != status.OK {
		next = "hcctl status " + hostedcluster.Argument(worst.Namespace, worst.Name)
	}
	return cmdutil.Say(a.Streams.Out, "\n%s\nNext: %s\n", tally(fleet), a.WithConnection(next))
}

// tally counts the clusters by health, such as "3 hosted clusters: 1 failing, 2 ok".
func tally(fleet []*status.Report) string {
	var parts []string
	for i := 0; i < len(fleet); {
		n := i
		for n < len(fleet) && fleet[n].Health == fleet[i].Health {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %s", n-i, fleet[i].Health))
		i = n
	}
	return plural.Count(len(fleet), "hosted cluster") + ": " + strings.Join(parts, ", ")
}
