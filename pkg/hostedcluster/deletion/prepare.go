package deletion

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// Options configure a deletion. Defaults returns the defaults.
type Options struct {
	// InfraID identifies the remains of a cluster whose HostedCluster is gone. If it is empty, it is read from the
	// remains.
	InfraID string
	// DestroyCloudResources makes the operator remove the hosted cluster's own volumes and load balancers.
	DestroyCloudResources bool
	// GracePeriod limits that cleanup, from the time when the operator starts to delete the control plane; then the
	// operator continues without it. Zero means no limit, but the operator (v0.1.80) gives up after 10 minutes without
	// progress.
	GracePeriod time.Duration
	// KeepNamespace keeps the HostedClusters' namespace even if hcctl created it and it is empty.
	KeepNamespace bool
	// KeepSecrets keeps the cluster's Secrets and ConfigMaps: pull secret, SSH key, etcd encryption key, CA bundle.
	KeepSecrets bool
	// KeepManagedCluster ignores ManagedClusters.
	KeepManagedCluster bool
	// NoWait returns when the deletion has started. Another run removes what the operator leaves.
	NoWait bool
	// Created has the objects that hcctl created, if they were already listed for several deletions.
	Created *CreatedObjects
	// Reads is the way in which Prepare reads, such as a cache for several deletions. Nil means a new cache.
	Reads step.Reads
}

// Defaults returns the defaults of the hypershift command line: volumes and load balancers are cleaned up within 10
// minutes.
func Defaults() Options {
	const grace = 10 * time.Minute
	return Options{DestroyCloudResources: true, GracePeriod: grace}
}

// Plan is the deletion of one hosted cluster and of everything that was created for it.
type Plan struct {
	// Namespace and Name identify the HostedCluster.
	Namespace, Name string
	// InfraID identifies the cluster's objects; empty if it is not known.
	InfraID string
	// Creating reports whether the cluster may still be in creation.
	Creating bool
	// Found lists the existing objects, such as "HostedCluster clusters/kv-00".
	Found []string
	// Lost lists what is lost permanently, such as "2 worker VMs".
	Lost []string
	// Outside lists the objects of Found that are outside of the cluster's two namespaces.
	Outside []string
	// Left lists objects that may belong to the cluster but stay, with the reasons.
	Left []string

	options Options
	client  *kube.Client
	// self is the HostedCluster, present reports whether it exists, and clusters are all HostedClusters. listError is the
	// reason if the user may not list them all.
	self      hostedcluster.Identity
	present   bool
	clusters  []hostedcluster.Identity
	listError string
	// pools are the names of its NodePools.
	pools []string
	// controlPlaneUID is the UID of the control plane namespace. The namespace stays if the HostedCluster requests to keep
	// it (keepControlPlane) or if it is not proven to be this cluster's (foreignNamespace).
	controlPlaneUID                    types.UID
	keepControlPlane, foreignNamespace bool
	// adopted means that create adopted the namespace, which stays with its original objects.
	adopted bool
	// createdAt are the locations of the objects that hcctl created for the cluster.
	createdAt []location
	// hasAddressPool means that create added the cluster to an IPAddressPool.
	hasAddressPool bool
	// hasServices means that the cluster has services outside of it.
	hasServices bool
	// secretsByName means that the user may not list Secrets, so they are read by name.
	secretsByName atomic.Bool
	// cancelRefused means that the user may not withdraw the request to clean up.
	cancelRefused bool
	// infra is nil if the worker VMs run on this cluster.
	infra *infraVMs
}

const deleteGroup = "delete"

// The IDs of the deletion steps.
const (
	cleanupStep           step.ID = "delete/cleanup"
	detachStep            step.ID = "delete/managed-cluster"
	secretsKeptStep       step.ID = "delete/secrets-kept"
	hostedClusterGoneStep step.ID = "delete/hosted-cluster"
	nodePoolsGoneStep     step.ID = "delete/node-pools"
	controlPlaneGoneStep  step.ID = "delete/control-plane"
	volumesGoneStep       step.ID = "delete/volumes"
	infraGoneStep         step.ID = "delete/infrastructure"
	secretsGoneStep       step.ID = "delete/secrets"
	poolsReleasedStep     step.ID = "delete/address-pool"
	createdGoneStep       step.ID = "delete/objects"
	servicesGoneStep      step.ID = "delete/services"
	notImportedStep       step.ID = "delete/not-imported-again"
	emptyNamespaceStep    step.ID = "delete/namespace"
	adoptedStep           step.ID = "delete/adopted-namespace"
)

// Prepare finds the existing objects of a hosted cluster, even if its HostedCluster is gone. It only reads.
//
// It fails with *hostedcluster.NotFoundError (nothing exists), *hostedcluster.NotInstalledError (no HyperShift),
// *options.Error (the InfraID is another cluster's, or two HostedClusters have it), if it would remove another
// cluster's namespace, or with the error of a read.
func Prepare(ctx context.Context, c *kube.Client, namespace, name string, opt Options) (*Plan, error) {
	if opt.Reads == nil {
		opt.Reads = informer.NewCache(ctx)
	}
	r := c.Reader(opt.Reads)
	d := &Plan{Namespace: namespace, Name: name, InfraID: opt.InfraID, options: opt, client: c}
	listErr := d.readAhead(ctx, r, !c.IsPlanning())
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
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
		d.addFound("HostedCluster %s", kube.Name(hc))
	}
	if listErr != nil {
		return nil, listErr
	}
	if identErr := d.identify(hc); identErr != nil {
		return nil, identErr
	}
	if leftErr := d.findRest(ctx, r, hc); leftErr != nil {
		return nil, leftErr
	}
	if len(d.Found) == 0 {
		d.findEmptyNamespace(ctx, r)
	}
	if len(d.Found) == 0 {
		return nil, err
	}
	d.findLosses(ctx, r)
	d.findInfra(ctx, r, hc)
	return d, nil
}

// readAhead lists all HostedClusters. If the Reader caches, it also reads concurrently what Prepare reads one after the
// other; later reads return the errors.
func (d *Plan) readAhead(ctx context.Context, r kube.Reader, cached bool) error {
	object := func(key client.ObjectKey, into client.Object) func() error {
		return func() error { _ = r.Get(ctx, key, into); return nil }
	}
	list := func(namespace string, into client.ObjectList) func() error {
		return func() error { _ = r.List(ctx, into, client.InNamespace(namespace)); return nil }
	}
	var reads []func() error
	if cached {
		reads = []func() error{
			object(d.key(), &hyperv1.HostedCluster{}),
			object(client.ObjectKey{Name: d.controlPlaneName()}, &corev1.Namespace{}),
			object(client.ObjectKey{Name: d.servicesName()}, &corev1.Namespace{}),
			list(d.Namespace, &corev1.SecretList{}), list(d.Namespace, &corev1.ConfigMapList{}),
			list(d.controlPlaneName(), &kubevirtv1.VirtualMachineList{}),
			list(d.controlPlaneName(), &corev1.PersistentVolumeClaimList{}),
			func() error { _, _ = d.nodePools(ctx, r); return nil },
			func() error { _, _ = d.usedByOthers(ctx, r); return nil },
			func() error { _, _ = d.servingPools(ctx, r); return nil },
		}
		if !d.options.KeepManagedCluster {
			reads = append(reads, object(client.ObjectKey{Name: d.Name}, &clusterv1.ManagedCluster{}))
		}
	}
	return kube.Together(append(reads, func() (err error) {
		if made := d.options.Created; made != nil {
			d.clusters, d.listError = made.clusters, made.listError
			return nil
		}
		d.clusters, d.listError, err = hostedcluster.ListIdentities(ctx, r, d.Namespace)
		return err
	})...)
}

func (d *Plan) key() client.ObjectKey {
	return client.ObjectKey{Namespace: d.Namespace, Name: d.Name}
}

// hostedCluster reads the HostedCluster. It returns nil if that does not exist, or was created after Prepare.
func (d *Plan) hostedCluster(ctx context.Context, r kube.Reader) (*hyperv1.HostedCluster, error) {
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, d.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err == nil && d.self.Name != "" && hc.UID != d.self.UID:
		return nil, nil // another HostedCluster has its name now
	}
	return hc, err
}

// nodePools lists the NodePools of this cluster.
func (d *Plan) nodePools(ctx context.Context, r kube.Reader) ([]hyperv1.NodePool, error) {
	var l hyperv1.NodePoolList
	err := r.List(ctx, &l, client.InNamespace(d.Namespace), hostedcluster.PoolsOf(d.Name))
	if kube.IsKindMissing(err) {
		return nil, nil
	}
	return l.Items, err
}
