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

// degraded is what HyperConverged says while CDI is Degraded and nothing progresses. Types, statuses and reasons are
// those HCO aggregates; guess: CDI's own words after the first colon.
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

// fitness is what virt-handler tells of a node: whether its device plugins are connected, and the devices it announces
// with those of them that are healthy.
type fitness struct {
	schedulable      string
	offered, healthy map[corev1.ResourceName]string
}

// fitnessOf a node with a ready virt-handler. Without KVM, most device plugins find no /dev/kvm: they go on announcing
// the devices, none of them healthy. On the last node virt-handler has not got as far as connecting its device plugins.
func (v *virtualization) fitnessOf(last bool) fitness {
	f := fitness{"true", map[corev1.ResourceName]string{}, map[corev1.ResourceName]string{}}
	without := v.Faults.On(fault.NoKVM)
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

// onto writes the devices into a node's status.
func (f fitness) onto(n *corev1.Node) {
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

// lastNode is the last of the pods' nodes, by name.
func lastNode(pods []corev1.Pod) string {
	last := ""
	for i := range pods {
		last = max(last, pods[i].Spec.NodeName)
	}
	return last
}

// refuse registers HCO's validating webhook for as long as it is to refuse connections, if the fault is in effect.
// After that it accepts all: what it judges (a second HyperConverged, a deletion with virtual machines left) is not
// played.
func (v *virtualization) refuse() error {
	if !v.Faults.On(fault.WebhookRefuses) {
		return nil
	}
	const name = "validate-hco.kubevirt.io"
	return v.ServeWebhooks(framework.Webhooks{
		Name: name, Namespace: v.namespace, RefusesFor: v.Faults.Lasting(fault.WebhookRefuses, 0),
		Rules: []framework.WebhookRule{{
			Name: name, Group: hyperConvergedKind.Group, Version: "*", Resource: "hyperconvergeds",
			Operations: []admissionregistrationv1.OperationType{
				admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete},
			Review: func(context.Context, admission.Request) error { return nil },
		}},
	})
}
