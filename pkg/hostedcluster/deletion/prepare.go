package deletion

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Options say how a hosted cluster is removed. Defaults are what a user need not say.
type Options struct {
	// InfraID of a cluster whose HostedCluster is gone, by which what is left of it is found. Empty means that what is
	// left tells it.
	InfraID string
	// DestroyCloudResources has the operator remove what the hosted cluster itself made outside: volumes, load balancers.
	DestroyCloudResources bool
	// GracePeriod is how long that may take, counted from when the operator began with the control plane. After it the
	// operator is told to go on without. Zero means as long as it takes; the operator (v0.1.80) gives up by itself after
	// 10 minutes without news.
	GracePeriod time.Duration
	// KeepNamespace leaves the HostedClusters' namespace even if hcctl made it and nothing is in it any more.
	KeepNamespace bool
	// KeepSecrets leaves the Secrets and ConfigMaps that were made for the cluster: pull secret, SSH key, etcd's
	// encryption key, CA bundle.
	KeepSecrets bool
	// KeepManagedCluster does not look at ManagedClusters at all.
	KeepManagedCluster bool
	// NoWait ends as soon as the deletion is under way; what the operator leaves behind stays for another run.
	NoWait bool
	// Made is what hcctl made, where that has been looked up already for several deletions; nil means it has not.
	Made *Made
}

// Defaults are those of the vendor's CLI: what the cluster made outside goes with it, and may take 10 minutes.
func Defaults() Options {
	const grace = 10 * time.Minute
	return Options{DestroyCloudResources: true, GracePeriod: grace}
}

// Plan is the removal of one hosted cluster and of everything that was made for it.
type Plan struct {
	// Namespace and Name of the HostedCluster.
	Namespace, Name string
	// InfraID by which what was made for it is found; empty if nothing tells it any more.
	InfraID string
	// Found names what there is of it now, as "HostedCluster clusters/kv-00".
	Found []string
	// Lost says what goes with it that cannot be brought back, for a person who is asked: "2 worker VMs".
	Lost []string
	// Outside names what of Found is in none of the cluster's own two namespaces, one by one.
	Outside []string
	// Left says what looks as if it were the cluster's, but is left as it is, and why.
	Left []string

	options Options
	client  *kube.Client
	// self is the HostedCluster, of which present tells whether it exists; clusters are all there are. Where this user may
	// not list all, unlisted says why.
	self     hostedcluster.Identity
	present  bool
	clusters []hostedcluster.Identity
	unlisted string
	// pools are the names of its NodePools.
	pools []string
	// controlPlaneUID is that of the control plane's namespace. A namespace of that name is not touched if the
	// HostedCluster asks to keep it, or it is not proven to be this cluster's.
	controlPlaneUID                 types.UID
	keepsNamespace, notItsNamespace bool
	// places are where the objects are that hcctl made for the cluster beside those every cluster has, as kinds and
	// places.
	places []place
	// serving is set where an IPAddressPool serves the cluster by create's doing.
	serving bool
	// blindToVolumes is set where the user may not list PersistentVolumes.
	blindToVolumes bool
	// secretsByName is set where the user may not list Secrets.
	secretsByName atomic.Bool
	// refused is set once the operator could not be told to go on without cleaning up.
	refused bool
}

const deleteGroup = "delete"

// The IDs of the steps that delete.
const (
	cleanupStep          step.ID = "delete/cleanup"
	detachStep           step.ID = "delete/managed-cluster"
	goneStep             step.ID = "delete/hosted-cluster"
	nodePoolsGoneStep    step.ID = "delete/node-pools"
	controlPlaneGoneStep step.ID = "delete/control-plane"
	volumesGoneStep      step.ID = "delete/volumes"
	secretsGoneStep      step.ID = "delete/secrets"
	poolsClosedStep      step.ID = "delete/address-pool"
	madeGoneStep         step.ID = "delete/objects"
	notImportedStep      step.ID = "delete/not-imported-again"
	emptyNamespaceStep   step.ID = "delete/namespace"
)

// Prepare finds what there is of a hosted cluster, reading only. A cluster whose HostedCluster is gone but of which
// something is left can be deleted as well. It fails with *NotFoundError if there is nothing at all, with
// *NotInstalledError if HyperShift is not installed, with *Error if the InfraID is another's, with *SharedIDError if
// two HostedClusters have it, with *NotItsNamespaceError if another's namespace would be removed, or with the error of
// a read.
func Prepare(ctx context.Context, c *kube.Client, namespace, name string, opt Options) (*Plan, error) {
	d := &Plan{Namespace: namespace, Name: name, InfraID: opt.InfraID, options: opt, client: c}
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	var missing *hostedcluster.NotFoundError
	var uninstalled *hostedcluster.NotInstalledError
	if err != nil && !errors.As(err, &missing) && !errors.As(err, &uninstalled) {
		return nil, err
	}
	if hc != nil {
		if opt.InfraID != "" && opt.InfraID != hc.Spec.InfraID {
			return nil, options.Errorf("infraID", opt.InfraID, "HostedCluster %s has spec.infraID %s", kube.Name(hc),
				hc.Spec.InfraID)
		}
		d.found("HostedCluster %s", kube.Name(hc))
	}
	if identErr := d.identify(ctx, hc); identErr != nil {
		return nil, identErr
	}
	if leftErr := d.findRest(ctx); leftErr != nil {
		return nil, leftErr
	}
	if len(d.Found) == 0 {
		d.findEmptyNamespace(ctx)
	}
	if len(d.Found) == 0 {
		return nil, err
	}
	d.findLosses(ctx)
	return d, nil
}

// Steps remove the cluster in the order its operators need, and hold once it is gone.
func (d *Plan) Steps() []step.Step {
	steps := []step.Step{{
		ID: cleanupStep, Title: "volumes and load balancers go with the cluster", Group: deleteGroup,
		Check: d.cleanupAsked, Apply: d.askCleanup,
	}}
	before := []step.ID{cleanupStep}
	if !d.options.KeepManagedCluster {
		steps = append(steps, step.Step{
			ID:    detachStep,
			Title: "ManagedCluster detached",
			Group: deleteGroup,
			Needs: before,
			Check: d.detachedFirst,
			Apply: d.detach,
		})
		before = []step.ID{detachStep}
	}
	steps = append(steps, step.Step{
		ID:    goneStep,
		Title: "HostedCluster gone",
		Group: deleteGroup,
		Needs: before,
		Check: d.hostedClusterGone,
		Apply: d.deleteHostedCluster,
	})
	if d.options.NoWait {
		steps[len(steps)-1].Title = "HostedCluster being deleted"
		return steps
	}
	return append(steps, d.rest()...)
}

// rest are the steps after the HostedCluster is gone.
func (d *Plan) rest() []step.Step {
	volumes := step.Step{
		ID:    volumesGoneStep,
		Title: "its volumes gone",
		Group: deleteGroup,
		Needs: []step.ID{controlPlaneGoneStep},
		Check: d.volumesGone,
	}
	if d.blindToVolumes {
		volumes.Severity = step.Advisory
	}
	steps := []step.Step{
		{
			ID: nodePoolsGoneStep, Title: "NodePools gone", Group: deleteGroup, Needs: []step.ID{goneStep},
			Check: d.nodePoolsGone, Apply: d.deleteNodePools,
		},
		{
			ID: controlPlaneGoneStep, Title: "control plane gone", Group: deleteGroup, Needs: []step.ID{nodePoolsGoneStep},
			Check: d.controlPlaneGone, Apply: d.deleteControlPlane,
		},
		volumes,
		{
			ID: madeGoneStep, Title: "what hcctl made for it gone", Group: deleteGroup, Needs: []step.ID{controlPlaneGoneStep},
			Check: d.madeGone, Apply: d.deleteMade,
		},
	}
	last := []step.ID{controlPlaneGoneStep, madeGoneStep}
	before := []step.ID{controlPlaneGoneStep, madeGoneStep}
	if d.serving {
		steps = append(steps, step.Step{
			ID:    poolsClosedStep,
			Title: "address pool serves it no more",
			Group: deleteGroup,
			Needs: []step.ID{controlPlaneGoneStep},
			Check: d.poolsClosed,
			Apply: d.closePools,
		})
		before = append(before, poolsClosedStep)
	}
	// The Secrets tell the InfraID where nothing else is left that does: a run that is killed must find the rest by it, so
	// they go last.
	if !d.options.KeepSecrets {
		steps = append(steps, step.Step{
			ID: secretsGoneStep, Title: "its Secrets and CA bundle gone", Group: deleteGroup, Needs: before,
			Check: d.secretsGone, Apply: d.deleteSecrets,
		})
		last = append(last, secretsGoneStep)
	}
	if !d.options.KeepManagedCluster {
		// The addon looks once a minute: an import that was under way when the cluster was detached may have come after.
		steps = append(steps, step.Step{
			ID:    notImportedStep,
			Title: "not imported again",
			Group: deleteGroup,
			Needs: []step.ID{goneStep},
			Check: d.detached,
			Apply: d.detach,
		})
		last = append(last, notImportedStep)
	}
	if !d.options.KeepNamespace && !d.options.KeepSecrets {
		steps = append(steps, step.Step{
			ID:    emptyNamespaceStep,
			Title: "its namespace, if empty",
			Group: deleteGroup,
			Needs: last,
			Check: d.namespaceSettled,
			Apply: d.deleteNamespace,
		})
	}
	for i := range steps {
		d.unlessReplaced(&steps[i])
	}
	return steps
}

func (d *Plan) key() client.ObjectKey {
	return client.ObjectKey{Namespace: d.Namespace, Name: d.Name}
}

// hostedCluster returns nil if there is none, or only one that was created after the deletion was prepared.
func (d *Plan) hostedCluster(ctx context.Context) (*hyperv1.HostedCluster, error) {
	hc := &hyperv1.HostedCluster{}
	err := d.client.Get(ctx, d.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err == nil && d.self.Name != "" && hc.UID != d.self.UID:
		return nil, nil // it is gone, and another one has its name
	}
	return hc, err
}

// nodePools are those of this cluster.
func (d *Plan) nodePools(ctx context.Context) ([]hyperv1.NodePool, error) {
	var l hyperv1.NodePoolList
	err := d.client.List(ctx, &l, client.InNamespace(d.Namespace), hostedcluster.PoolsOf(d.Name))
	if kube.IsKindMissing(err) {
		return nil, nil
	}
	return l.Items, err
}
