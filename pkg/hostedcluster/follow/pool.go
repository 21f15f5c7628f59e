package follow

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Pool waits for one NodePool: for its VMs, then for its nodes.
type Pool struct {
	Client *kube.Client
	// Namespace and Name of the NodePool.
	Namespace, Name string
	// Prefix is the prefix of the steps' IDs, such as "pool". Group is their heading in the output.
	Prefix, Group string
	// Needs are steps that must succeed first.
	Needs []step.ID
	// StillWanted reports whether the NodePool still requests what was written; otherwise the finding says why not. Nil
	// means that it always does.
	StillWanted func(*hyperv1.NodePool) (step.Finding, bool)
	// Platform of the hosted cluster.
	Platform hostedcluster.Platform
}

// Steps returns the steps that wait, first for the VMs.
func (f Pool) Steps() []step.Step {
	var steps []step.Step
	needs := f.Needs
	if f.Platform.HasVMs() {
		id := step.ID(f.Prefix + "/machines")
		steps = append(steps, step.Step{ID: id, Title: "worker VMs of " + f.Name, Group: f.Group, Needs: needs,
			Check: f.Client.Reading(f.check(f.machines))})
		needs = []step.ID{id}
	}
	return append(steps, step.Step{
		ID: step.ID(f.Prefix + "/nodes"), Title: "nodes of " + f.Name, Group: f.Group, Needs: needs,
		Check: f.Client.Reading(f.check(ofPool(func(np *hyperv1.NodePool) step.Finding {
			if !f.Platform.MakesNodes() {
				return step.OK("%s", f.Platform.NotJudged()).On("NodePool %s", kube.Name(np))
			}
			return unlessRolling(np, Nodes(np))
		}))),
	})
}

// check reads the NodePool and runs judge. A terminal condition, or a changed size, ends the step instead.
func (f Pool) check(judge poolCheck) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		np := &hyperv1.NodePool{}
		key := client.ObjectKey{Namespace: f.Namespace, Name: f.Name}
		err := r.Get(ctx, key, np)
		switch {
		case apierrors.IsNotFound(err):
			return step.Broken("deleted meanwhile").On("NodePool %s", key)
		case err != nil:
			return kube.Unknown(err).On("NodePool %s", key)
		case np.DeletionTimestamp != nil:
			return step.Broken("being deleted").On("NodePool %s", key)
		}
		if found, over := conditions.OfPool(np).Terminal(); over {
			return found
		}
		if f.StillWanted != nil {
			if found, ok := f.StillWanted(np); !ok {
				return found
			}
		}
		return judge(ctx, r, np)
	}
}

func (f Pool) machines(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) step.Finding {
	vms, err := hostedcluster.PoolMachines(ctx, r, np)
	if err != nil {
		return kube.Unknown(err).On("VirtualMachines in namespace %s",
			hostedcluster.ControlPlaneNamespace(np.Namespace, np.Spec.ClusterName))
	}
	return unlessRolling(np, Machines(np, vms))
}

// unlessRolling turns an OK finding into Pending while the operator has not processed the NodePool's change, or
// replaces its VMs.
func unlessRolling(np *hyperv1.NodePool, f step.Finding) step.Finding {
	r := conditions.OfPool(np)
	moving := rolling(r)
	switch {
	case f.State != step.StatePending && f.State != step.StateOK:
		return f
	case !r.Observed():
		return unprocessed(r)
	case moving == "":
		return f
	}
	f.State, f.Message = step.StatePending, f.Message+"; "+moving
	return f
}

// unprocessed is the finding for a NodePool whose newest change the operator has not processed.
func unprocessed(r conditions.Set) step.Finding {
	return step.Pending("the HyperShift operator has not processed the change yet").On("%s", r.Object).
		WithHint("if that lasts: is the Deployment hypershift/operator available? %s", hint.Run("check"))
}

// updateConditions are True while the operator replaces or updates a pool's VMs.
var updateConditions = []string{
	hyperv1.NodePoolUpdatingVersionConditionType, hyperv1.NodePoolUpdatingConfigConditionType,
	hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType,
}

// rolling returns the operator's message about VMs that are being replaced or updated, or "".
func rolling(r conditions.Set) string {
	for _, t := range updateConditions {
		if c := r.Get(t); c.True() {
			if c.Message == "" {
				return t
			}
			return fmt.Sprintf("%s: %s", t, c.Message)
		}
	}
	return ""
}
