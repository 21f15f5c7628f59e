package mce

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/kubelet"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// stuckComponent does not become available under fault.ComponentStuck.
const stuckComponent = "hive"

// stuckSelector is its pod's node selector, which matches no node.
var stuckSelector = map[string]string{"node-role.kubernetes.io/infra": ""}

// withStuckSelector returns the workload of a component, with a node selector that matches no node if the fault is
// active.
func (m *engine) withStuckSelector(w framework.Workload, component string) framework.Workload {
	if component == stuckComponent && m.Faults.Active(fault.ComponentStuck) {
		w.Pod = func(p *corev1.PodSpec) { p.NodeSelector = stuckSelector }
	}
	return w
}

// removePlaced removes a component's Deployment from before the fault was active, so that it is created anew.
func (m *engine) removePlaced(ctx context.Context, w framework.Workload, component string) error {
	if component != stuckComponent || !m.Faults.Active(fault.ComponentStuck) {
		return nil
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	if found, err := framework.Exists(ctx, m.Client, d); err != nil || !found || d.Spec.Template.Spec.NodeSelector != nil {
		return err
	}
	return framework.Remove(ctx, m.Client, d, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

// degradeOperator makes one replica of HyperShift's operator unready if the fault is active. The other keeps the
// Deployment Available.
func (m *engine) degradeOperator(ctx context.Context) error {
	if !m.Faults.Active(fault.AddonDegraded) {
		return nil
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: hypershiftNamespace, Name: "operator"}}
	if found, err := framework.Exists(ctx, m.Client, d); err != nil || !found {
		return err
	}
	err := framework.Change(ctx, m.Client, d, func(d *appsv1.Deployment) {
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: ptr.To(intstr.FromInt32(1)),
				MaxSurge: ptr.To(intstr.FromInt32(1))}}
	})
	if err != nil {
		return err
	}
	pods := &corev1.PodList{}
	if err := m.Client.List(ctx, pods, framework.InNamespace(hypershiftNamespace),
		client.MatchingLabels{"app": "operator"}); err != nil || len(pods.Items) == 0 {
		return err
	}
	for i := range pods.Items {
		if pods.Items[i].Annotations[kubelet.HoldAnnotation] != "" {
			return nil
		}
	}
	return framework.Change(ctx, m.Client, &pods.Items[0], func(p *corev1.Pod) {
		metav1.SetMetaDataAnnotation(&p.ObjectMeta, kubelet.HoldAnnotation, "unready")
	})
}
