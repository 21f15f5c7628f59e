package creation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// NewPool is an additional NodePool of an existing hosted cluster.
type NewPool struct {
	// Pool is the NodePool without its patch. Configs are the ConfigMaps that its spec.config refers to.
	Pool    *hyperv1.NodePool
	Configs []*corev1.ConfigMap
	// patched is the pool with the patch of its options.
	patched client.Object
	plan    *Plan
}

// PrepareNodePool returns a pool with these options for an existing hosted cluster. release is its image if the options
// have none. It reads and writes nothing, and fails as options.ForExisting does.
func PrepareNodePool(c *kube.Client, hc *hyperv1.HostedCluster, pool options.ValidatedPool,
	release string) (*NewPool, error) {
	o, err := options.ForExisting(hc.Name, hc.Namespace, payloadArch(hc), hc.Annotations, pool)
	if err != nil {
		return nil, err
	}
	p := &Plan{Options: o, Inputs: objects.Inputs{InfraID: hc.Spec.InfraID, UID: hc.UID, ReleaseImage: release}, client: c}
	if err := objects.CheckPatches(o, p.Inputs); err != nil {
		return nil, err
	}
	n := &NewPool{Pool: objects.TypedNodePool(o, pool, p.Inputs), Configs: objects.PoolConfigs(o, pool, p.Inputs), plan: p}
	n.patched = n.Pool
	if !pool.Patches.IsZero() {
		n.patched = objects.NodePool(o, pool, p.Inputs)
	}
	return n, nil
}

// payloadArch returns the default architecture of pools: the hosted cluster's, if its release is for a single
// architecture, otherwise amd64.
func payloadArch(hc *hyperv1.HostedCluster) string {
	if arch := strings.ToLower(string(hc.Status.PayloadArch)); slices.Contains(options.Arches(), arch) {
		return arch
	}
	return hyperv1.ArchitectureAMD64
}

// ValidatePoolName checks the name of a pool. It fails with *options.Error.
func ValidatePoolName(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return options.Errorf("name", name,
			"must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at most "+
				"%d characters", validation.DNS1123LabelMaxLength)
	}
	return nil
}

// Patched returns the pool with the patch of its options. Fields that the Go type lacks are lost.
func (n *NewPool) Patched() *hyperv1.NodePool {
	return objects.PatchedNodePool(n.plan.Options, n.plan.Options.NodePools[0], n.plan.Inputs)
}

// Objects returns the objects to write, in order.
func (n *NewPool) Objects() []client.Object {
	var objects []client.Object
	for _, c := range n.Configs {
		objects = append(objects, c)
	}
	return append(objects, n.patched)
}

// OverQuota returns the quota that has too little left for the objects; the zero value means none. It fails with the
// error of a read.
func (n *NewPool) OverQuota(ctx context.Context, r kube.Reader) (placement.Count, error) {
	c := charge{namespace: n.Pool.Namespace, objects: n.Objects(), subject: "node pool " + n.Pool.Name + " needs"}
	return c.exceededQuota(ctx, r)
}

// Steps returns the steps that create missing objects; their IDs begin with prefix. An existing NodePool with different
// immutable fields, or of another cluster, is an error. Other differences are reported.
func (n *NewPool) Steps(prefix, group string) []step.Step {
	var steps []step.Step
	var before []step.ID
	for _, c := range n.Configs {
		s := n.plan.companionStep(func() client.Object { return c.DeepCopy() })
		s.ID, s.Group, s.Needs = step.ID(prefix+"/configmap-"+c.Name), group, nil
		steps, before = append(steps, s), append(before, s.ID)
	}
	return append(steps, step.Step{
		ID:    step.ID(prefix + "/written"),
		Title: fmt.Sprintf("NodePool %s", n.Pool.Name),
		Group: group,
		Needs: before,
		Check: n.plan.client.Reading(n.plan.checkNodePool(n.Pool)),
		Apply: n.plan.createStrictly(func() client.Object { return n.patched.DeepCopyObject().(client.Object) }),
	})
}

// MaxSkew is the maximum number of minor versions that a NodePool may be behind its control plane (HyperShift, August
// 2026).
const MaxSkew = 3

// PoolSkew returns why nodes of one version are not allowed with a control plane of another; empty if they are.
func PoolSkew(pool, controlPlane hostedcluster.Version) string {
	switch {
	case controlPlane.Before(pool):
		return fmt.Sprintf("its control plane runs %s, and a pool is never newer than that", controlPlane)
	case controlPlane.MinorNumber()-pool.MinorNumber() > MaxSkew:
		return fmt.Sprintf("its control plane runs %s, and a pool may be %d minor versions behind at most", controlPlane,
			MaxSkew)
	}
	return ""
}
