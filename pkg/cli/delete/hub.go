package delete

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// deleteThroughHub deletes hosted clusters of a hub: those with the names or labels, or those in the files.
func deleteThroughHub(ctx context.Context, a *cmdutil.Factory, names []string, f deleteFlags) error {
	return hubrun.Change{Choice: hubrun.Choice{Names: names, Of: f.several.Of, Selector: f.several.Selector,
		All: f.several.All, OlderThan: time.Duration(f.several.OlderThan), Marks: f.several.Guard(a)},
		Expect: &f.several.Expect, Absent: f.ignoreAbsent, Command: "delete clusters", Kind: "DeletePlan",
		Ask: "Delete %s, with all their data", Heading: "Deleting %s", Destroys: true, Run: f.FleetFlags,
		Warn: func(one *hub.Cluster) string {
			if !one.Refused {
				return ""
			}
			return one.Subject() + ": site " + one.Site + " could not apply all of it (" + one.Message + "): some of it may " +
				"be left there, so look with hcctl get clusters at the site afterwards"
		},
		Steps: func(c *kube.Client, one *hub.Cluster) ([]step.Step, error) {
			return hub.Delete(c, one.Site, one.ClusterName()), nil
		}}.Carry(ctx, a)
}
