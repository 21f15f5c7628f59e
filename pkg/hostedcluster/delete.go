package hostedcluster

import (
	"context"
	"errors"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Deletion is the removal of one hosted cluster and of everything that was made for it.
type Deletion struct {
	// Namespace and Name of the HostedCluster.
	Namespace, Name string
	// InfraID by which its Secrets are found; empty if nothing tells it any more.
	InfraID string
	// Found names what there is of it now, for a person who is asked whether it may go.
	Found  []string
	client *kube.Client
}

const deleteGroup = "delete"

// The IDs of the steps that delete.
const (
	cleanupStep          step.ID = "delete/cleanup"
	detachStep           step.ID = "delete/managed-cluster"
	goneStep             step.ID = "delete/hosted-cluster"
	nodePoolsGoneStep    step.ID = "delete/node-pools"
	controlPlaneGoneStep step.ID = "delete/control-plane"
	secretsGoneStep      step.ID = "delete/secrets"
	notImportedStep      step.ID = "delete/not-imported-again"
	emptyNamespaceStep   step.ID = "delete/namespace"
)

// controlPlaneLabel marks the namespaces HyperShift makes for control planes.
const controlPlaneLabel = "hypershift.openshift.io/hosted-control-plane"

// PrepareDelete finds what there is of a hosted cluster, reading only. A cluster whose HostedCluster is gone but of which
// something is left can be deleted as well. It fails with *NotFoundError if there is nothing at all, with *NotInstalledError
// if HyperShift is not installed, or with the error of a read.
func PrepareDelete(ctx context.Context, c *kube.Client, namespace, name string) (*Deletion, error) {
	d := &Deletion{Namespace: namespace, Name: name, client: c}
	hc, err := Find(ctx, c, namespace, name)
	var missing *NotFoundError
	var uninstalled *NotInstalledError
	if err != nil && !errors.As(err, &missing) && !errors.As(err, &uninstalled) {
		return nil, err
	}
	if hc != nil {
		d.InfraID = hc.Spec.InfraID
		d.Found = append(d.Found, "HostedCluster "+kube.Name(hc))
	}
	if leftErr := d.findRest(ctx); leftErr != nil {
		return nil, leftErr
	}
	if len(d.Found) == 0 {
		return nil, err
	}
	return d, nil
}

// findRest looks for everything but the HostedCluster.
func (d *Deletion) findRest(ctx context.Context) error {
	pools, err := d.nodePools(ctx)
	if err != nil {
		return fmt.Errorf("list NodePools in namespace %s: %w", d.Namespace, err)
	}
	for i := range pools {
		d.Found = append(d.Found, "NodePool "+kube.Name(&pools[i]))
	}
	ns, err := d.controlPlane(ctx)
	if err != nil {
		return fmt.Errorf("read Namespace %s: %w", ControlPlaneNamespace(d.Namespace, d.Name), err)
	}
	if ns != nil {
		d.Found = append(d.Found, "Namespace "+ns.Name)
	}
	if d.InfraID == "" {
		if err = d.findInfraID(ctx); err != nil {
			return err
		}
	}
	mc, err := d.managedCluster(ctx)
	if err != nil {
		return fmt.Errorf("ManagedCluster %s: %w", d.Name, err)
	}
	if mc != nil {
		d.Found = append(d.Found, "ManagedCluster "+mc.Name)
	}
	secrets, err := d.secrets(ctx)
	if err != nil {
		return fmt.Errorf("list Secrets in namespace %s: %w", d.Namespace, err)
	}
	for i := range secrets {
		d.Found = append(d.Found, "Secret "+kube.Name(&secrets[i]))
	}
	return nil
}

// Steps remove the cluster in the order its operators need, and hold once it is gone.
func (d *Deletion) Steps() []step.Step {
	return []step.Step{
		{ID: cleanupStep, Title: "cloud resources go with the cluster", Group: deleteGroup, Check: d.cleanupAsked, Apply: d.askCleanup},
		{
			ID: detachStep, Title: "ManagedCluster detached", Group: deleteGroup, Needs: []step.ID{cleanupStep},
			Check: d.detached, Apply: d.detach,
		},
		{
			ID: goneStep, Title: "HostedCluster gone", Group: deleteGroup, Needs: []step.ID{detachStep},
			Check: d.hostedClusterGone, Apply: d.deleteHostedCluster,
		},
		{
			ID: nodePoolsGoneStep, Title: "NodePools gone", Group: deleteGroup, Needs: []step.ID{goneStep},
			Check: d.nodePoolsGone, Apply: d.deleteNodePools,
		},
		{
			ID: controlPlaneGoneStep, Title: "control plane gone", Group: deleteGroup, Needs: []step.ID{nodePoolsGoneStep},
			Check: d.controlPlaneGone, Apply: d.deleteControlPlane,
		},
		{
			ID: secretsGoneStep, Title: "its Secrets gone", Group: deleteGroup, Needs: []step.ID{controlPlaneGoneStep},
			Check: d.secretsGone, Apply: d.deleteSecrets,
		},
		{
			// The addon looks once a minute: an import that was under way when the cluster was detached may have come after.
			ID: notImportedStep, Title: "not imported again", Group: deleteGroup, Needs: []step.ID{goneStep},
			Check: d.detached, Apply: d.detach,
		},
		{
			ID: emptyNamespaceStep, Title: "its namespace, if empty", Group: deleteGroup, Needs: []step.ID{secretsGoneStep, notImportedStep},
			Check: d.namespaceSettled, Apply: d.deleteNamespace,
		},
	}
}

func (d *Deletion) key() client.ObjectKey {
	return client.ObjectKey{Namespace: d.Namespace, Name: d.Name}
}

// hostedCluster returns nil if there is none.
func (d *Deletion) hostedCluster(ctx context.Context) (*hyperv1.HostedCluster, error) {
	hc := &hyperv1.HostedCluster{}
	err := d.client.Get(ctx, d.key(), hc)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return hc, err
}

// nodePools are those of this cluster.
func (d *Deletion) nodePools(ctx context.Context) ([]hyperv1.NodePool, error) {
	var l hyperv1.NodePoolList
	err := d.client.List(ctx, &l, client.InNamespace(d.Namespace))
	if kube.IsKindMissing(err) {
		return nil, nil
	}
	var own []hyperv1.NodePool
	for i := range l.Items {
		if l.Items[i].Spec.ClusterName == d.Name {
			own = append(own, l.Items[i])
		}
	}
	return own, err
}

// controlPlane returns the control plane's namespace, or nil if there is none. A namespace of that name that HyperShift did not
// make is none.
func (d *Deletion) controlPlane(ctx context.Context) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := d.client.Get(ctx, client.ObjectKey{Name: ControlPlaneNamespace(d.Namespace, d.Name)}, ns)
	if apierrors.IsNotFound(err) || err == nil && ns.Labels[controlPlaneLabel] != "true" {
		return nil, nil
	}
	return ns, err
}
