package nodepool

import (
	"context"
	"fmt"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Creation is a prepared change that creates one more pool for a hosted cluster.
type Creation struct {
	*creation.NewPool
	// Cluster is the hosted cluster as it was read.
	Cluster *hyperv1.HostedCluster
	// Wait is WaitNone or WaitNodes.
	Wait Wait
	// Notes are messages for the user.
	Notes  []string
	client *kube.Client
}

// PrepareCreate prepares a new pool and only reads. The options must have a name. It returns a
// *hostedcluster.NotFoundError, *hostedcluster.PausedError, *options.Error or *PlacementError, or the error of a read.
func PrepareCreate(ctx context.Context, c *kube.Client, namespace, cluster string, o options.ValidatedPool,
	wait Wait) (*Creation, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, cluster)
	switch {
	case err != nil:
		return nil, err
	case hc.DeletionTimestamp != nil:
		return nil, fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	case !hostedcluster.PlatformOf(hc).KubeVirt():
		return nil, fmt.Errorf("HostedCluster %s is on platform %s: hcctl makes pools of KubeVirt VMs only", kube.Name(hc),
			hc.Spec.Platform.Type)
	}
	if err := hostedcluster.CheckNotPaused(hc, nil, c.Now()); err != nil {
		return nil, err
	}
	if err := checkArch(ctx, c, o.Arch); err != nil {
		return nil, err
	}
	version, image := controlPlaneRelease(hc)
	if o.ReleaseImage != "" {
		if err := checkSkew(o.ReleaseImage, version); err != nil {
			return nil, err
		}
	}
	made, err := creation.PrepareNodePool(c, hc, o, image)
	if err != nil {
		return nil, err
	}
	notes, err := checkPlacement(ctx, c, hc, made.Patched(), hostedcluster.SizeOf(made.Pool))
	if err != nil {
		return nil, err
	}
	named, err := checkNamed(ctx, c, hc, made.Patched())
	if err != nil {
		return nil, err
	}
	notes = append(notes, named...)
	quota, err := made.OverQuota(ctx, c)
	if err == nil && quota.Impossible != "" {
		err = &PlacementError{Namespace: namespace, Pool: o.Name, Detail: quota.Impossible, Next: quota.Next}
	}
	if err != nil {
		return nil, err
	}
	return &Creation{NewPool: made, Cluster: hc, Wait: wait, Notes: notes, client: c}, nil
}

// checkArch refuses s390x workers if the operator is known to be too old for them, as create cluster does.
func checkArch(ctx context.Context, c *kube.Client, arch string) error {
	if arch != hyperv1.ArchitectureS390X {
		return nil
	}
	supported, err := release.SupportedVersions(ctx, c)
	if err != nil || len(supported) == 0 || !creation.TooOldForS390X(arch, supported) {
		return nil //nolint:nilerr // if the supported versions cannot be read, the operator decides
	}
	return options.Errorf("arch", arch, "workers of s390x need a HyperShift operator of 4.21 or later; this one supports "+
		"%s", strings.Join(supported, ", "))
}

// controlPlaneRelease returns the release that the control plane completed last, or else the requested one with an
// empty version.
func controlPlaneRelease(hc *hyperv1.HostedCluster) (version, image string) {
	if v := hc.Status.Version; v != nil {
		for _, h := range v.History {
			if h.State == configv1.CompletedUpdate {
				return h.Version, h.Image
			}
		}
	}
	return "", hc.Spec.Release.Image
}

// checkSkew compares the version in an image's tag, if it has one, with the version of the control plane.
func checkSkew(image, controlPlane string) error {
	pool, known := release.ImageVersion(image)
	plane, ok := hostedcluster.ParseVersion(controlPlane)
	if !known || !ok {
		return nil
	}
	if against := creation.PoolSkew(pool, plane); against != "" {
		return options.Errorf("releaseImage", image, "%s", against)
	}
	return nil
}

// Steps returns the steps that write the missing objects, and wait for the pool as far as Wait requires.
func (c *Creation) Steps() []step.Step {
	steps := c.NewPool.Steps(poolPrefix, poolGroup)
	if c.Wait == WaitNone {
		return steps
	}
	return append(steps, follow.Pool{
		Client: c.client, Namespace: c.Pool.Namespace, Name: c.Pool.Name, Prefix: poolPrefix, Group: poolGroup,
		Needs: []step.ID{steps[len(steps)-1].ID}, Platform: hostedcluster.PlatformOf(c.Cluster),
	}.Steps()...)
}
