package upgrade

import (
	"context"
	"errors"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// PoolPlan is a prepared upgrade of one NodePool.
type PoolPlan struct {
	Pool *hyperv1.NodePool
	// From is the version of its nodes; empty if it is unknown. Target is the release to upgrade to.
	From   string
	Target Offer
	Notes  []string

	client  *kube.Client
	cluster *hyperv1.HostedCluster
	wait    Wait
}

// PreparePool prepares the upgrade of one pool and only reads. The target is the version or image (at most one), or
// else the release of its control plane. It returns a *hostedcluster.PoolNotFoundError, *hostedcluster.PausedError,
// *RefusedError or *options.Error, or the error of a read.
func PreparePool(ctx context.Context, c *kube.Client, namespace, name, version, image string,
	wait Wait) (*PoolPlan, error) {
	np, err := hostedcluster.FindPool(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	if np.DeletionTimestamp != nil {
		return nil, fmt.Errorf("NodePool %s is being deleted since %s", kube.Name(np),
			np.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	w, err := readState(ctx, c, namespace, np.Spec.ClusterName)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.checkWritable(c.Now()), hostedcluster.CheckNotPaused(nil, np, c.Now())); err != nil {
		return nil, err
	}
	plan := &PoolPlan{Pool: np, client: c, cluster: w.hc, wait: wait}
	if v, ok := poolVersion(np, w); ok {
		plan.From = v.String()
	}
	runs, runsImage := completed(w.hc)
	if version == "" && image == "" {
		image = runsImage
	}
	controlPlane, ok := hostedcluster.ParseVersion(runs)
	if !ok || image == "" && version == "" {
		return nil, &RefusedError{
			Object: "NodePool " + kube.Name(np), To: version + image,
			Message: "its control plane has not completed any version yet",
			Next:    hint.Run("wait cluster", hostedcluster.Argument(w.hc.Namespace, w.hc.Name)).Text(),
		}
	}
	if plan.Target, err = w.find(version, image); err != nil {
		return nil, err
	}
	if plan.Target.Image == np.Spec.Release.Image {
		return plan, nil
	}
	if refused := w.checkPool(np, plan.Target, controlPlane); refused != nil {
		return nil, refused
	}
	note, err := checkSurge(ctx, c, w.hc, np, plan.Target)
	if err != nil {
		return nil, err
	}
	if note != "" {
		plan.Notes = append(plan.Notes, note)
	}
	if !plan.Target.known {
		plan.Notes = append(plan.Notes, fmt.Sprintf("the version of %s is not known here, so that the rules about versions "+
			"could not be checked: the HyperShift operator judges it", plan.Target.Image))
	}
	if onDelete(np) {
		plan.Notes = append(plan.Notes, "the pool replaces a VM only after it is deleted "+
			"(spec.management.replace.strategy OnDelete): it is not waited for")
	}
	return plan, nil
}

// PoolVersions returns the known versions that a pool can change to, the newest first, and only reads. There are none
// before its control plane has completed one. It returns a *hostedcluster.PoolNotFoundError or the error of a read.
func PoolVersions(ctx context.Context, r kube.Reader, namespace, name string) ([]string, error) {
	np, err := hostedcluster.FindPool(ctx, r, namespace, name)
	if err != nil {
		return nil, err
	}
	w, err := readState(ctx, r, namespace, np.Spec.ClusterName)
	if err != nil {
		return nil, err
	}
	runs, _ := completed(w.hc)
	controlPlane, ok := hostedcluster.ParseVersion(runs)
	if !ok {
		return nil, nil
	}
	var versions []string
	for _, o := range w.offers {
		if o.Image != np.Spec.Release.Image && w.checkPool(np, o, controlPlane) == nil {
			versions = append(versions, o.Version)
		}
	}
	return versions, nil
}

// ValidatePool validates the flags of upgrade nodepool. It returns an *options.Error.
func ValidatePool(version, image string, wait Wait) error {
	r := Request{Version: version, ReleaseImage: image, Wait: wait, NodePools: []string{"all"}}
	return r.Validate()
}

// Steps returns the steps that write the pool's release and wait for its end.
func (p *PoolPlan) Steps() []step.Step {
	steps := poolSteps(p.client, p.Pool, p.Target, hostedcluster.PlatformOf(p.cluster), "pool")
	if p.wait == WaitNone {
		return steps[:1]
	}
	return steps
}

// poolSteps returns the steps that write one pool's release, then wait for its VMs, nodes and version.
func poolSteps(c *kube.Client, np *hyperv1.NodePool, to Offer, platform hostedcluster.Platform, prefix string,
	needs ...step.ID) []step.Step {
	u := poolUpgrade{c, np, to}
	release := step.ID(prefix + "/release")
	steps := []step.Step{{
		ID: release, Title: fmt.Sprintf("NodePool %s set to %s", np.Name,
			to.Name()), Group: poolGroup, Needs: needs, Check: u.client.Reading(u.released), Apply: u.release,
	}}
	if onDelete(np) {
		return steps
	}
	steps = append(steps, follow.Pool{
		Client: c, Namespace: np.Namespace, Name: np.Name, Prefix: prefix, Group: poolGroup, Needs: []step.ID{release},
		StillWanted: u.unchanged, Platform: platform,
	}.Steps()...)
	if to.Version == "" {
		return steps
	}
	last := steps[len(steps)-1].ID
	return append(steps, step.Step{
		ID: step.ID(prefix + "/version"), Title: fmt.Sprintf("NodePool %s at %s", np.Name, to.Version), Group: poolGroup,
		Needs: []step.ID{last}, Check: u.client.Reading(u.versionReached),
	})
}

// poolUpgrade is one pool and its target release.
type poolUpgrade struct {
	client *kube.Client
	pool   *hyperv1.NodePool
	to     Offer
}

func (u poolUpgrade) released(ctx context.Context, r kube.Reader) step.Finding {
	np, f := hostedcluster.Reread(ctx, r, u.pool)
	switch {
	case np == nil:
		return f
	case np.Spec.Release.Image != u.to.Image:
		return step.Missing("spec.release.image is %s, must become %s", np.Spec.Release.Image, u.to.Image).
			On("NodePool %s", kube.Name(np))
	}
	return step.OK("spec.release.image is %s", u.to.Image).On("NodePool %s", kube.Name(np))
}

func (u poolUpgrade) release(ctx context.Context) (step.Change, error) {
	np := &hyperv1.NodePool{}
	if err := u.client.Get(ctx, client.ObjectKeyFromObject(u.pool), np); err != nil {
		return "", fmt.Errorf("NodePool %s: %w", kube.Name(u.pool), err)
	}
	if is := np.Spec.Release.Image; is != u.pool.Spec.Release.Image && is != u.to.Image {
		return "", &hostedcluster.ChangedError{Object: "NodePool " + kube.Name(np), Field: "spec.release.image",
			Was: u.pool.Spec.Release.Image, Is: is}
	}
	return hostedcluster.Edit(ctx, u.client, np,
		map[string]any{"spec": map[string]any{"release": map[string]any{"image": u.to.Image}}})
}

// unchanged reports whether the pool still has the release that was written.
func (u poolUpgrade) unchanged(np *hyperv1.NodePool) (step.Finding, bool) {
	if np.Spec.Release.Image == u.to.Image {
		return step.Finding{}, true
	}
	return step.Broken("another client changed its release to %s meanwhile", np.Spec.Release.Image).
		On("NodePool %s", kube.Name(np)).
		WithHint("%s sets it again", hint.Run("upgrade nodepool",
			hostedcluster.Argument(np.Namespace, np.Name)).Flag("release-image", u.to.Image)), false
}

// versionReached is OK once the operator reports the target version.
func (u poolUpgrade) versionReached(ctx context.Context, r kube.Reader) step.Finding {
	np, f := hostedcluster.Reread(ctx, r, u.pool)
	switch {
	case np == nil:
		return f
	case np.Status.Version != u.to.Version:
		return step.Pending("its nodes are at %s", orNotSet(np.Status.Version)).On("NodePool %s", kube.Name(np))
	}
	return step.OK("all nodes at %s", u.to.Version).On("NodePool %s", kube.Name(np))
}
