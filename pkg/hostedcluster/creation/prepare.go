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

// Plan is a create with all inputs resolved.
type Plan struct {
	Options options.Validated
	Inputs  objects.Inputs
	// exists means that the HostedCluster exists. fresh means that Prepare found that it does not.
	exists, fresh bool
	// found is the existing HostedCluster, labels are its labels.
	found  *hyperv1.HostedCluster
	labels map[string]string
	// unchecked is set by PrepareUnchecked. lacksNamespace and hasNamespace are set if the dry runs found the namespace
	// missing or existing.
	unchecked, lacksNamespace, hasNamespace bool
	// adopted is the state of an existing control plane namespace that the cluster adopts.
	adopted *hostedcluster.Adopted
	// keepsPatches is set by KeepPatches.
	keepsPatches bool
	// continued means that the InfraID is that of an unfinished create. planning means that the client changes nothing.
	continued, planning bool
	// Continues lists the objects of an earlier, unfinished create of this cluster that this one continues with, each with
	// its creation time.
	Continues []string
	// cache caches the metadata of the objects beside the HostedCluster.
	cache *metadataCache
	// wirings lists the changes that the services will make in the HostedCluster.
	wirings []services.Wiring
	// Adjust selects the existing pools to adjust, by their index in Options.NodePools. Others are not changed.
	Adjust map[int]Adjust
	// MaxClusters is the maximum number of the owner's hosted clusters, including this one; 0 means no limit.
	MaxClusters int
	client      *kube.Client
	// follow waits for the cluster in Steps.
	follow *follow.Cluster
	// infraCluster is the cluster that runs the worker VMs, see infra.
	infraCluster *infrastructure.Cluster
	infraErr     error
}

// Prepare resolves the inputs that the options leave open. It only reads, by the given reads, and sends dry runs. It
// keeps the InfraID and the release image of an existing HostedCluster, and the InfraID in the Secrets of an earlier,
// unfinished create.
//
// It fails with *options.Error, *hostedcluster.NotInstalledError, *release.NoReleaseError, *UnknownFieldsError, or the
// error of a read.
func Prepare(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return withDryRuns(ctx)(Resolve(ctx, c, reads, o))
}

// Resolve is Prepare without the dry runs. TryOut has to send them before a step runs; it may run concurrently with
// other checks.
func Resolve(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return resolve(ctx, c, reads, o, false)
}

// PrepareUnchecked is Prepare with fewer checks for a new cluster. It does not check whether the name is free, sends
// dry runs only for options whose field this HyperShift may not know, and does not look for remains of an unfinished
// create.
func PrepareUnchecked(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return withDryRuns(ctx)(ResolveUnchecked(ctx, c, reads, o))
}

// ResolveUnchecked is PrepareUnchecked without the dry runs, as Resolve is for Prepare.
func ResolveUnchecked(ctx context.Context, c *kube.Client, reads step.Reads, o options.Validated) (*Plan, error) {
	return resolve(ctx, c, reads, o, true)
}

// withDryRuns adds the dry runs to a resolved plan.
func withDryRuns(ctx context.Context) func(*Plan, error) (*Plan, error) {
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
		return p.dryRunWirings(ctx, p.found)
	}
	return errors.Join(p.dryRun(ctx), p.dryRunPool(ctx))
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
		cache:     &metadataCache{},
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
	// Each sets different inputs, so they run concurrently.
	resolvers := []func(context.Context) error{
		func(ctx context.Context) error { return p.resolveInfraID(ctx, r, hc) },
		func(ctx context.Context) error { return p.resolveNodeAddress(ctx, r, hc) },
		func(ctx context.Context) error { return p.resolveRelease(ctx, r, hc) },
		func(ctx context.Context) error { return p.readPullSecret(ctx, r) },
		func(ctx context.Context) error { return p.findMetalLB(ctx, r) },
		func(ctx context.Context) error { return p.adoptNamespace(ctx, r) },
	}
	if p.fresh && !p.unchecked {
		// The preflight compares with all HostedClusters and another check counts them, so they are read once.
		resolvers = append(resolvers, func(ctx context.Context) error {
			r.Prefetch(ctx, kube.HostedCluster)
			return nil
		})
	}
	failed := make([]error, len(resolvers))
	var wg sync.WaitGroup
	for i, resolveInput := range resolvers {
		wg.Go(func() { failed[i] = resolveInput(ctx) })
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(p.refuseName(ctx, r), p.refuseExisting(ctx, r), p.checkInfraID(ctx, r)); err != nil {
		return nil, err
	}
	if !p.unchecked && len(services.Asked(o)) > 0 {
		wired, err := p.resolveWirings(hc)
		if err = errors.Join(err, services.Refuse(ctx, c, r, o, wired)); err != nil {
			return nil, err
		}
	}
	if err := objects.CheckPatches(o, p.Inputs); err != nil {
		return nil, err
	}
	return p, nil
}
