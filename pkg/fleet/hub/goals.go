package hub

import (
	"context"
	"fmt"

	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// WaitFor returns the steps that wait until all goals are reached. It returns an error for a goal that no
// feedback rule covers.
func WaitFor(c *kube.Client, one *Cluster, goals []follow.Goal) ([]step.Step, error) {
	reach := map[string]int{string(options.WaitAPI): 1, string(options.WaitNodes): 2, string(options.WaitComplete): 3}
	wait, own := options.WaitNone, []step.Step{}
	for _, goal := range goals {
		var judge func(Feedback) step.Finding
		switch name := reported(goal.Condition); {
		case goal.Name == "deleted":
			return Gone(c, one.Site, one.ClusterName()), nil
		case reach[goal.Name] > 0:
			if reach[goal.Name] > reach[string(wait)] {
				wait = options.Wait(goal.Name)
			}
			continue
		case goal.Name == "version":
			judge = func(f Feedback) step.Finding { return checkVersion(f, goal.Version) }
		case goal.Name == "condition" && name != "":
			judge = func(f Feedback) step.Finding { return checkCondition(f.values[name], goal) }
		default:
			return nil, fmt.Errorf("%s %s: with %s it takes api, nodes, complete, deleted, version=VERSION, and the "+
				"conditions "+
				"Available, Degraded and ValidConfiguration", hint.Flag("for"), goal, hint.Flag("hub"))
		}
		own = append(own, step.Step{ID: step.ID("hub/for-" + goal.String()), Title: goal.String(), Check: c.Reading(
			func(ctx context.Context, r kube.Reader) step.Finding {
				return checkDelivered(ctx, r, one.Site, one.ClusterName(), func(w *workv1.ManifestWork) step.Finding {
					return judge(ReadFeedback(one.ClusterName(), w.Status.ResourceStatus.Manifests))
				})
			})})
	}
	return chained(append(followed(c, one.Site, one.ClusterName(), wait), own...)...), nil
}

// reported returns the name under which a site reports the status of a HostedCluster's condition, or "" if it
// does not report it.
func reported(condition string) string {
	return map[string]string{"Available": "available", "Degraded": "degraded", "ValidConfiguration": "valid"}[condition]
}

func checkVersion(f Feedback, want string) step.Finding {
	switch version, complete := f.Version(); {
	case version == want && complete:
		return step.OK("%s", version)
	case version == "":
		return step.Pending("the site has reported no version yet")
	case version == want:
		return step.Pending("the control plane goes to %s", version)
	default:
		return step.Pending("it runs %s", version)
	}
}

func checkCondition(status string, goal follow.Goal) step.Finding {
	switch status {
	case goal.Status:
		return step.OK("%s", status)
	case "":
		return step.Pending("the site has not reported it yet")
	}
	return step.Pending("%s is %s", goal.Condition, status)
}
