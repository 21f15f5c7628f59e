package deletion

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

func (d *Plan) addFound(format string, args ...any) {
	d.Found = append(d.Found, fmt.Sprintf(format, args...))
}

// findRest finds everything but the HostedCluster. hc may be nil.
func (d *Plan) findRest(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) error {
	pools, err := d.nodePools(ctx, r)
	if err != nil {
		return fmt.Errorf("list NodePools in namespace %s: %w", d.Namespace, err)
	}
	for i := range pools {
		d.addFound("NodePool %s", kube.Name(&pools[i]))
		d.pools = append(d.pools, pools[i].Name)
	}
	d.Creating = hc != nil && hostedcluster.MayBeCreating(hc, pools, r.Now())
	ns, err := d.findControlPlane(ctx, r)
	if err != nil {
		return err
	}
	if err := d.findServices(ctx, r); err != nil {
		return err
	}
	if d.InfraID == "" {
		if err := d.findInfraID(ctx, r, pools, ns); err != nil {
			return err
		}
		if err := d.refuseShared(); err != nil {
			return err
		}
	}
	if err := d.findManagedCluster(ctx, r); err != nil {
		return err
	}
	own, err := d.companions(ctx, r)
	if err != nil {
		return fmt.Errorf("list Secrets and ConfigMaps in namespace %s: %w", d.Namespace, err)
	}
	if d.secretsByName.Load() {
		d.Left = append(d.Left,
			"Secrets of namespace "+d.Namespace+" that were made for it under names of their own: this user may not list them")
	}
	for _, o := range own {
		if !d.options.KeepSecrets {
			d.addFound("%s %s", kindOf(o), kube.Name(o))
		}
	}
	if err := d.findForeignCompanions(ctx, r); err != nil {
		return err
	}
	if err := d.findPools(ctx, r); err != nil {
		return err
	}
	return d.findCreated(ctx, r)
}

// findInfraID reads the InfraID from other objects if the HostedCluster is gone.
func (d *Plan) findInfraID(ctx context.Context, r kube.Reader, pools []hyperv1.NodePool, ns *corev1.Namespace) error {
	for i := range pools {
		if d.InfraID = pools[i].Labels[hostedcluster.InfraLabel]; d.InfraID != "" {
			return nil
		}
	}
	if ns != nil {
		hcp := &hyperv1.HostedControlPlane{}
		if err := r.Get(ctx, client.ObjectKey{Namespace: ns.Name, Name: d.Name}, hcp); err == nil {
			d.InfraID = hcp.Spec.InfraID
			return nil
		} else if !apierrors.IsNotFound(err) {
			return fmt.Errorf("read HostedControlPlane %s/%s: %w", ns.Name, d.Name, err)
		}
	}
	own, err := d.companions(ctx, r)
	if err != nil {
		return fmt.Errorf("list Secrets and ConfigMaps in namespace %s: %w", d.Namespace, err)
	}
	for _, o := range own {
		if d.InfraID = o.GetLabels()[hostedcluster.InfraLabel]; d.InfraID != "" {
			return nil
		}
	}
	return nil
}

// findManagedCluster finds the ManagedCluster. It adds a note to Left if one of this name is not the cluster's.
func (d *Plan) findManagedCluster(ctx context.Context, r kube.Reader) error {
	if d.options.KeepManagedCluster {
		return nil
	}
	mc, foreign, err := d.managedCluster(ctx, r)
	switch {
	case apierrors.IsForbidden(err):
		return &unreadManagedClusterError{d.Name, err}
	case err != nil:
		return fmt.Errorf("ManagedCluster %s: %w", d.Name, err)
	case mc != nil:
		d.addOutside("ManagedCluster %s", mc.Name)
	case foreign != "":
		d.Left = append(d.Left, fmt.Sprintf("ManagedCluster %s: %s", d.Name, foreign))
	}
	return nil
}

// unreadManagedClusterError means that the user may not read ManagedClusters.
type unreadManagedClusterError struct {
	name string
	err  error
}

func (e *unreadManagedClusterError) Error() string {
	return fmt.Sprintf("ManagedCluster %s: %s", e.name, kube.Explain(e.err))
}
func (e *unreadManagedClusterError) Unwrap() error { return e.err }

// Hint advises to ignore ManagedClusters.
func (*unreadManagedClusterError) Hint() hint.Text {
	return hint.New("%s deletes the hosted cluster without looking at ManagedClusters", hint.Flag("keep-managed-cluster"))
}

// findLosses collects what is lost permanently. It is only information, so it adds a note for objects that cannot be
// read instead of an error.
func (d *Plan) findLosses(ctx context.Context, r kube.Reader) {
	if d.foreignNamespace {
		return
	}
	in := client.InNamespace(d.controlPlaneName())
	var vms kubevirtv1.VirtualMachineList
	switch err := r.List(ctx, &vms, in); {
	case kube.IsKindMissing(err):
	case err != nil:
		d.Lost = append(d.Lost, "worker VMs (how many cannot be read: "+kube.Explain(err)+")")
	case len(vms.Items) > 0:
		d.Lost = append(d.Lost, plural.Count(len(vms.Items), "worker VM"))
	}
	var claims corev1.PersistentVolumeClaimList
	switch err := r.List(ctx, &claims, in); {
	case err != nil:
		d.Lost = append(d.Lost, "volumes (how many cannot be read: "+kube.Explain(err)+")")
	case len(claims.Items) > 0:
		var sum resource.Quantity
		for i := range claims.Items {
			sum.Add(claims.Items[i].Spec.Resources.Requests[corev1.ResourceStorage])
		}
		d.Lost = append(d.Lost, fmt.Sprintf("%s of %s in all", plural.Count(len(claims.Items), "volume"), sum.String()))
	}
}
