package creation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Plan is one create with everything resolved.
type Plan struct {
	Options options.Validated
	Inputs  objects.Inputs
	// exists tells that the HostedCluster is there already, and fresh that Prepare has seen that it is not.
	exists, fresh bool
	// found is the existing HostedCluster, labels are its labels.
	found  *hyperv1.HostedCluster
	labels map[string]string
	// unchecked leaves out what PrepareUnchecked says; lacksNamespace tells that the dry runs found no namespace,
	// hasNamespace that they found one.
	unchecked, lacksNamespace, hasNamespace bool
	// adopted is what the control plane's namespace is, where the cluster takes over one that is there.
	adopted *hostedcluster.Adopted
	// keepsPatches is set by KeepPatches.
	keepsPatches bool
	// continued tells that the InfraID is that of an unfinished create, and planning that the client changes nothing.
	continued, planning bool
	// Continues names the objects of an earlier, unfinished create of this cluster that this one takes over, each with the
	// time it was made.
	Continues []string
	// known is what the steps know of the objects beside the HostedCluster.
	known *known
	// wirings are what the services will write into the HostedCluster.
	wirings []services.Wiring
	// Adjust says which pools that are there already are adjusted, by their place in Options.NodePools. Others are left as
	// they are.
	Adjust map[int]Adjust
	// MaxClusters is how many hosted clusters the owner may have, this one among them; 0 means any number.
	MaxClusters int
	client      *kube.Client
	// follow is what Steps follows the cluster with.
	follow *follow.Cluster
	// infraCluster runs the worker VMs, see infra.
	infraCluster *infrastructure.Cluster
	infraErr     error
}

// Prepare resolves what the options leave open. It only reads, in the way it is given; what it sends are dry runs. What
// an earlier, unfinished create has decided stays: the InfraID and the release image of an existing HostedCluster or of
// the Secrets made for one.
//
// It fails with *Error, *NotInstalledError, *NoReleaseError, *UnknownFieldsError, or the error of a
// read.
func Prepare(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return tried(ctx)(Resolve(ctx, c, reads, o))
}

// Resolve is Prepare without the dry runs: those of TryOut have to follow before a step runs, and may run beside other
// checks.
func Resolve(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return resolve(ctx, c, reads, o, false)
}

// PrepareUnchecked is Prepare for those who know better: of a cluster that is new, it leaves out whether the name is
// free, the dry runs (but for options whose field this HyperShift may not know), and what an earlier, unfinished create
// has left, which the create comes upon by itself.
func PrepareUnchecked(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return tried(ctx)(ResolveUnchecked(ctx, c, reads, o))
}

// ResolveUnchecked is to PrepareUnchecked what Resolve is to Prepare.
func ResolveUnchecked(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return resolve(ctx, c, reads, o, true)
}

// tried adds the dry runs to a resolved plan.
func tried(ctx context.Context) func(*Plan, error) (*Plan, error) {
	return func(p *Plan, err error) (*Plan, error) {
		if err != nil {
			return nil, err
		}
		return p, p.TryOut(ctx)
	}
}

// TryOut sends the dry runs of Prepare, with its errors.
func (p *Plan) TryOut(ctx context.Context) error {
	if p.exists || p.unchecked && len(objects.NewerFields(p.Options)) == 0 {
		return p.tryWirings(ctx, p.found)
	}
	return errors.Join(p.tryOut(ctx), p.tryPool(ctx))
}

func resolve(
	ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated, unchecked bool) (*Plan, error) {
	r := c.Reader(reads)
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, hc)
	switch {
	case kube.IsKindMissing(err):
		return nil, &hostedcluster.NotInstalledError{}
	case apierrors.IsNotFound(err):
		hc = nil
	case err != nil:
		return nil, fmt.Errorf("HostedCluster %s/%s: %w", o.Namespace, o.Name, err)
	case hc.DeletionTimestamp != nil:
		return nil, fmt.Errorf(
			"HostedCluster %s/%s is being deleted since %s: wait until it is gone (hcctl delete cluster %s says what it "+
				"waits for), then create it", o.Namespace, o.Name, hc.DeletionTimestamp.UTC().Format(time.RFC3339),
			hostedcluster.Argument(o.Namespace, o.Name))
	}
	p := &Plan{
		Options:   o,
		client:    c,
		exists:    hc != nil,
		fresh:     hc == nil,
		unchecked: unchecked && hc == nil,
		known:     &known{},
	}
	p.openInfra()
	if hc != nil {
		p.found, p.Inputs.UID, p.labels = hc, hc.UID, hc.Labels
	}
	p.Inputs.EncryptionKey = newEncryptionKey()
	if o.GenerateSSH {
		if p.Inputs.SSHKey, err = newSSHKey(); err != nil {
			return nil, err
		}
	}
	// Each settles inputs of its own, so that none waits for another.
	questions := []func(context.Context) error{
		func(ctx context.Context) error { return p.identify(ctx, r, hc) },
		func(ctx context.Context) error { return p.locate(ctx, r, hc) },
		func(ctx context.Context) error { return p.settleRelease(ctx, r, hc) },
		func(ctx context.Context) error { return p.readPullSecret(ctx, r) },
		func(ctx context.Context) error { return p.findMetalLB(ctx, r) },
		func(ctx context.Context) error { return p.adoptNamespace(ctx, r) },
	}
	if p.fresh && !p.unchecked {
		// The preflight compares with all of them, and another check counts them: they are read once.
		questions = append(questions, func(ctx context.Context) error {
			r.Prefetch(ctx, kube.HostedCluster)
			return nil
		})
	}
	failed := make([]error, len(questions))
	var wg sync.WaitGroup
	for i, ask := range questions {
		wg.Go(func() { failed[i] = ask(ctx) })
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(p.refuseName(ctx, r), p.refuseExisting(ctx, r), p.infraIDFree(ctx, r)); err != nil {
		return nil, err
	}
	if !p.unchecked && len(services.Asked(o)) > 0 {
		like, err := p.settleWirings(hc)
		if err = errors.Join(err, services.Refuse(ctx, c, r, o, like)); err != nil {
			return nil, err
		}
	}
	if err := objects.CheckPatches(o, p.Inputs); err != nil {
		return nil, err
	}
	return p, nil
}
