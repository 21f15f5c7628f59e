package deletion

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// poolProgress returns the progress of a NodePool in deletion. Its Machines and VMs are removed first.
func (d *Plan) poolProgress(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) step.Finding {
	left := append(d.machines(ctx, r, np), d.virtualMachines(ctx, r, np)...)
	words := "its workers are gone"
	if why := hostedcluster.PlatformOfPool(np).NotJudged(); why != "" {
		words = why
	}
	if len(left) > 0 {
		words = "its workers are being removed, " + plural.Few(left, maxNamed)
	}
	f := deletingFinding(np, words).On("NodePool %s", kube.Name(np))
	if np.DeletionTimestamp == nil {
		f = step.Pending("its operator has not begun with it").On("NodePool %s", kube.Name(np))
	}
	if len(left) == 0 {
		return f
	}
	for _, name := range []string{"cluster-api", "capi-provider"} {
		f = d.withDown(ctx, r, f, d.controlPlaneName(), name, hint.New(
			"the controller that removes the VMs is not running: oc -n %s get pods", d.controlPlaneName()))
	}
	return f
}

// machines lists the Machines of a NodePool. It omits what cannot be read.
func (d *Plan) machines(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) []string {
	var left []string
	for _, m := range d.clusterAPI(ctx, r, "machines") {
		if m.GetAnnotations()[hostedcluster.NodePoolAnnotation] == kube.Name(np) {
			left = append(left, "Machine "+m.GetName()+machineMessage(&m, r.Now()))
		}
	}
	return left
}

// machineMessage returns why a Machine still exists: what its deletion waits for, otherwise its finalizers.
func machineMessage(m *unstructured.Unstructured, now time.Time) string {
	if v := health.Judge(m, now); m.GetDeletionTimestamp() != nil && v.Reason != health.ReasonTerminating {
		return " (" + v.Message + ")"
	}
	return heldBySuffix(kube.Finalizers(m))
}

func (d *Plan) virtualMachines(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) []string {
	var vms kubevirtv1.VirtualMachineList
	if err := r.List(ctx, &vms, client.InNamespace(d.controlPlaneName())); err != nil {
		return nil
	}
	var left []string
	for i := range vms.Items {
		vm := &vms.Items[i]
		if vm.Labels[hyperv1.NodePoolNameLabel] == np.Name {
			words := string(vm.Status.PrintableStatus)
			if vm.DeletionTimestamp != nil {
				words = "being deleted" + heldBySuffix(kube.Finalizers(vm))
			}
			left = append(left, fmt.Sprintf("VirtualMachine %s (%s)", vm.Name, words))
		}
	}
	return left
}

// infrastructureProgress returns the progress of Cluster API's objects, which are removed after the NodePools and
// before the control plane.
func (d *Plan) infrastructureProgress(ctx context.Context, r kube.Reader) (step.Finding, bool) {
	for _, resource := range []string{"machines", "clusters"} {
		for _, u := range d.clusterAPI(ctx, r, resource) {
			if u.GetDeletionTimestamp() != nil {
				return deletingFinding(&u, "being removed").On("Cluster API's %s %s", u.GetKind(), kube.Name(&u)), true
			}
		}
	}
	return step.Finding{}, false
}

// clusterAPI lists a resource of Cluster API in the control plane namespace. It returns none if that cannot be read.
func (d *Plan) clusterAPI(ctx context.Context, r kube.Reader, resource string) []unstructured.Unstructured {
	kind, err := r.DiscoverResource(ctx, schema.GroupResource{Group: "cluster.x-k8s.io", Resource: resource})
	if err != nil {
		return nil
	}
	list := kind.NewList()
	if err := r.List(ctx, list, client.InNamespace(d.controlPlaneName())); err != nil {
		return nil
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(kind.GroupVersionKind)
	}
	return list.Items
}
