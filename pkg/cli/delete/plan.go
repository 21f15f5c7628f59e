package delete

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/report"
)

// deletePlan is the document of delete cluster --dry-run.
type deletePlan struct {
	report.PlanDocument
	// Outside lists what is deleted outside of the cluster's own namespaces.
	Outside []string `json:"outside"`
	// Lost lists what is lost for good, Left what stays and why.
	Lost []string `json:"lost"`
	Left []string `json:"left"`
}

// printDelete prints the plan of a deletion.
func printDelete(a *cmdutil.Factory, t *cmdutil.Target, p *cmdutil.Planned, one fleet.ClusterName, d each.Removal,
	output string) error {
	title := fmt.Sprintf("What hcctl would remove of hosted cluster %s/%s from %s", one.Namespace, one.Name, t)
	switch output {
	case "":
		if err := a.Plans.Print(p, "", "", title); err != nil {
			return err
		}
		for _, notice := range notices(d) {
			cmdutil.Tell(a.Streams.Out, "%s\n", notice)
		}
		butFor := ""
		if len(d.Left) > 0 {
			butFor = ", but for what stays"
		}
		cmdutil.Tell(a.Streams.Err, "Nothing was changed. Everything in the control plane's namespace is deleted with "+
			"it%s.\n",
			butFor)
		return nil
	case cmdutil.FormatHTML:
		return a.Plans.PrintPage(p, title, notices(d)...)
	}
	write := cmdutil.WriteJSON
	if output == "yaml" {
		write = cmdutil.WriteYAML
	}
	return write(a.Streams.Out, deletePlan{
		report.NewPlanDocument("DeletePlan", p.Steps(a.Call.Render)), append([]string{}, d.Outside...),
		append([]string{}, d.Lost...), append([]string{}, d.Left...),
	})
}

// notices returns lines about what is deleted outside the cluster's own namespaces, what is lost and what stays.
func notices(d each.Removal) []string {
	var out []string
	for _, list := range []struct {
		words  string
		things []string
	}{{"Outside its namespaces", d.Outside}, {"Lost for good", d.Lost}, {"Left as it is", d.Left}} {
		if len(list.things) > 0 {
			out = append(out, list.words+": "+strings.Join(list.things, ", "))
		}
	}
	return out
}
