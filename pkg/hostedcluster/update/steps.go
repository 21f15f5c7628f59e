package update

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const group = "hosted cluster"

// Steps returns the steps that write the fields and, with Wait, wait until the HyperShift operator has accepted them.
func (u *Update) Steps() []step.Step {
	const written step.ID = "cluster/fields"
	steps := []step.Step{{
		ID: written, Title: "HostedCluster " + u.Cluster.Name + " has the new settings", Group: group,
		Check: u.client.Reading(u.updated), Apply: u.update,
	}}
	if u.Wait {
		steps = append(steps, step.Step{ID: "cluster/accepted", Title: "the HyperShift operator accepts them", Group: group,
			Needs: []step.ID{written}, Check: u.client.Reading(u.accepted)})
	}
	return steps
}

func (u *Update) read(ctx context.Context, r client.Reader) (*hyperv1.HostedCluster, map[string]any, error) {
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(u.Cluster), hc); err != nil {
		return nil, nil, err
	}
	now, err := content(hc)
	return hc, now, err
}

func (u *Update) updated(ctx context.Context, r kube.Reader) step.Finding {
	hc, now, err := u.read(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("HostedCluster %s", kube.Name(u.Cluster))
	}
	return fields.Made(u.Changes, now).On("HostedCluster %s", kube.Name(hc))
}

func (u *Update) update(ctx context.Context) (step.Change, error) {
	hc, now, err := u.read(ctx, u.client)
	if err != nil {
		return "", fmt.Errorf("HostedCluster %s: %w", kube.Name(u.Cluster), err)
	}
	patch, err := fields.Patch("HostedCluster "+kube.Name(hc), now, u.Changes)
	if err != nil {
		return "", err
	}
	change, err := hostedcluster.Edit(ctx, u.client, hc, patch)
	if err != nil {
		return change, err
	}
	now, err = content(hc)
	for i, c := range u.Changes {
		u.Changes[i] = c.Settled(now)
	}
	return change, err
}

// accepted is OK once ValidConfiguration is True for the generation with the change.
func (u *Update) accepted(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(u.Cluster), hc); err != nil {
		return kube.Unknown(err).On("HostedCluster %s", kube.Name(u.Cluster))
	}
	c := conditions.OfCluster(hc).Get(string(hyperv1.ValidHostedClusterConfiguration))
	switch {
	case !c.True() && !c.False():
		return step.Pending("the operator has not processed it yet").On("HostedCluster %s", kube.Name(hc)).
			WithHint("if that lasts: is the Deployment hypershift/operator available? %s", hint.Run("check"))
	case c.False():
		return step.Broken("the operator refuses it: %s", c.Describe()).On("HostedCluster %s", kube.Name(hc)).
			WithHint("the cluster runs on as it was; set the field to its old value, or correct what the message names")
	}
	return step.OK("the operator says: %s", c.Describe()).On("HostedCluster %s", kube.Name(hc))
}
