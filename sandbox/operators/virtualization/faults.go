package virtualization

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// degraded returns HyperConverged's conditions while CDI is Degraded and nothing progresses. HCO aggregates these
// types, statuses and reasons; CDI's own message after the first colon is made up.
func degraded() hcoConditions {
	done := framework.Condition{Reason: "ReconcileCompleted", Message: "Reconcile completed successfully"}
	return hcoConditions{
		with(done, "True"),
		framework.Condition{Status: "False", Reason: "HCODegraded",
			Message: "HCO is not available due to degraded components"},
		with(done, "False"),
		framework.Condition{Status: "True", Reason: "CDIDegraded", Message: "CDI is degraded: cdi-deployment: Deployment " +
			"does not have minimum availability."},
		framework.Condition{Status: "False", Reason: "HCODegraded",
			Message: "HCO is not Upgradeable due to degraded components"},
	}
}

// nodeDevices has virt-handler's results for a node: whether its device plugins are connected, and its announced and
// healthy devices.
type nodeDevices struct {
	schedulable      string
	offered, healthy map[corev1.ResourceName]string
}

// nodeDevicesOf returns the devices of a node with a ready virt-handler. Without KVM most device plugins find no
// /dev/kvm, so their devices are announced but unhealthy; on the last node the plugins are not connected yet.
func (v *virtualization) nodeDevicesOf(last bool) nodeDevices {
	f := nodeDevices{"true", map[corev1.ResourceName]string{}, map[corev1.ResourceName]string{}}
	without := v.Faults.Active(fault.NoKVM)
	if without && last {
		f.schedulable = "false"
		return f
	}
	for _, d := range virtDevices {
		f.offered[d], f.healthy[d] = "1k", "1k"
	}
	if without {
		f.healthy[virtDevices[0]] = "0"
	}
	return f
}

// applyTo writes the devices to a node's status.
func (f nodeDevices) applyTo(n *corev1.Node) {
	for _, d := range virtDevices {
		for list, have := range map[*corev1.ResourceList]map[corev1.ResourceName]string{&n.Status.Capacity: f.offered,
			&n.Status.Allocatable: f.healthy} {
			if count, ok := have[d]; ok {
				(*list)[d] = resource.MustParse(count)
			} else {
				delete(*list, d)
			}
		}
	}
}

// lastNode returns the last of the pods' nodes, by name.
func lastNode(pods []corev1.Pod) string {
	last := ""
	for i := range pods {
		last = max(last, pods[i].Spec.NodeName)
	}
	return last
}

// refuseWebhook registers HCO's validating webhook, which refuses connections while the fault is active. Then it
// accepts everything: the checks of the real one (a second HyperConverged, a deletion with virtual machines) are not
// simulated.
func (v *virtualization) refuseWebhook() error {
	if !v.Faults.Active(fault.WebhookRefuses) {
		return nil
	}
	const name = "validate-hco.kubevirt.io"
	return v.ServeWebhooks(framework.Webhooks{
		Name: name, Namespace: v.namespace, RefusesFor: v.Faults.DurationOf(fault.WebhookRefuses, 0),
		Rules: []framework.WebhookRule{{
			Name: name, Group: hyperConvergedKind.Group, Version: "*", Resource: "hyperconvergeds",
			Operations: []admissionregistrationv1.OperationType{
				admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete},
			Review: func(context.Context, admission.Request) error { return nil },
		}},
	})
}
