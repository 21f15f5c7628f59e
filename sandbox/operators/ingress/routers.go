package ingress

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	routerNamespace = "openshift-ingress"
	// routerLabel names the IngressController of a router.
	routerLabel = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"
	// wildcardVariable tells a router whether it takes Routes with a wildcard.
	wildcardVariable = "ROUTER_ALLOW_WILDCARD_ROUTES"
	// unavailableGrace is how long routers may be away before the IngressController is Degraded.
	unavailableGrace = 30 * time.Second
)

// routerOf returns the Deployment of an IngressController's routers, nil if there is none.
func (i *ingress) routerOf(ctx context.Context, name string) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: routerNamespace, Name: "router-" + name}}
	if found, err := framework.Exists(ctx, i.Client, d); err != nil || !found {
		return nil, err
	}
	return d, nil
}

// takesWildcards reports whether the routers take Routes with a wildcard, as they are configured.
func takesWildcards(d *appsv1.Deployment) bool {
	for _, e := range d.Spec.Template.Spec.Containers[0].Env {
		if e.Name == wildcardVariable {
			return e.Value == "true"
		}
	}
	return false
}

// ensureRouters creates the routers, or changes them to what the IngressController asks for. Each one has to be ready
// for a while before the next is replaced: 30 s in reality, here only with a fault.
func (i *ingress) ensureRouters(ctx context.Context, ic *operatorv1.IngressController) (*appsv1.Deployment, error) {
	spec := i.routerSpec(ic)
	d, err := i.routerOf(ctx, ic.Name)
	if err != nil {
		return nil, err
	}
	if d == nil {
		d = &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: routerNamespace, Name: "router-" + ic.Name,
			Labels: map[string]string{owningLabel: ic.Name}}, Spec: spec}
		return d, framework.Create(ctx, i.Client, d)
	}
	is, want := d.Spec.Template.Spec, spec.Template.Spec
	if ptr.Deref(d.Spec.Replicas, 0) == *spec.Replicas &&
		equality.Semantic.DeepEqual(is.NodeSelector, want.NodeSelector) &&
		equality.Semantic.DeepEqual(is.Tolerations, want.Tolerations) &&
		equality.Semantic.DeepEqual(is.Containers[0].Env, want.Containers[0].Env) {
		return d, nil
	}
	return d, framework.Change(ctx, i.Client, d, func(d *appsv1.Deployment) {
		d.Spec.Replicas, d.Spec.MinReadySeconds = spec.Replicas, spec.MinReadySeconds
		d.Spec.Template.Spec.NodeSelector, d.Spec.Template.Spec.Tolerations = want.NodeSelector, want.Tolerations
		d.Spec.Template.Spec.HostNetwork, d.Spec.Template.Spec.DNSPolicy = want.HostNetwork, want.DNSPolicy
		d.Spec.Template.Spec.Containers[0].Env = want.Containers[0].Env
		d.Spec.Template.Spec.Containers[0].Ports = want.Containers[0].Ports
	})
}

// owningLabel is on everything that the operator makes for an IngressController.
const owningLabel = "ingresscontroller.operator.openshift.io/owning-ingresscontroller"

func (i *ingress) routerSpec(ic *operatorv1.IngressController) appsv1.DeploymentSpec {
	labels := map[string]string{routerLabel: ic.Name}
	policy := ptr.Deref(ic.Spec.RouteAdmission, operatorv1.RouteAdmissionPolicy{}).WildcardPolicy
	pod := corev1.PodSpec{
		Containers: []corev1.Container{{
			Name: "router", Image: "sandbox.invalid/" + routerNamespace + "/router",
			Env: []corev1.EnvVar{{Name: wildcardVariable,
				Value: fmt.Sprint(policy == operatorv1.WildcardPolicyAllowed)}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi"),
			}},
		}},
		NodeSelector: map[string]string{corev1.LabelOSStable: "linux"},
	}
	if at := ic.Spec.NodePlacement; at != nil {
		if at.NodeSelector != nil && len(at.NodeSelector.MatchLabels) > 0 {
			pod.NodeSelector = at.NodeSelector.MatchLabels
		}
		pod.Tolerations = at.Tolerations
	}
	if s := ic.Status.EndpointPublishingStrategy; s != nil && s.Type == operatorv1.HostNetworkStrategyType {
		pod.HostNetwork, pod.DNSPolicy = true, corev1.DNSClusterFirstWithHostNet
		pod.Containers[0].Ports = hostPorts(ptr.Deref(s.HostNetwork, operatorv1.HostNetworkStrategy{}))
	}
	spec := appsv1.DeploymentSpec{
		Replicas: ptr.To(ptr.Deref(ic.Spec.Replicas, 2)),
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxUnavailable: ptr.To(intstr.FromString("50%")), MaxSurge: ptr.To(intstr.FromInt32(0))}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
	}
	if i.Faults.Active(fault.IngressRolloutSlow) {
		step := i.Pace.Scale(i.Faults.DurationOf(fault.IngressRolloutSlow, 0)) / 2
		spec.MinReadySeconds = int32((step + time.Second - 1) / time.Second)
	}
	return spec
}

// hostPorts are the ports of its node that a router takes where it is published there.
func hostPorts(s operatorv1.HostNetworkStrategy) []corev1.ContainerPort {
	port := func(name string, number, preset int32) corev1.ContainerPort {
		number = cmp.Or(number, preset)
		return corev1.ContainerPort{Name: name, ContainerPort: number, HostPort: number, Protocol: corev1.ProtocolTCP}
	}
	return []corev1.ContainerPort{port("http", s.HTTPPort, 80), port("https", s.HTTPSPort, 443),
		port("metrics", s.StatsPort, 1936)}
}

// conditions are those that the operator computes from the Deployment of the routers.
func (i *ingress) conditions(ctx context.Context, ic *operatorv1.IngressController, d *appsv1.Deployment) (
	[]operatorv1.OperatorCondition, time.Duration, error) {
	available := condition("DeploymentAvailable", true, "DeploymentAvailable",
		"The deployment has Available status condition set to True")
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable && c.Status != corev1.ConditionTrue {
			available = condition("DeploymentAvailable", false, "DeploymentUnavailable", fmt.Sprintf("The deployment has "+
				"Available status condition set to False (reason: %s) with message: %s", c.Reason, c.Message))
		}
	}
	all := condition("DeploymentReplicasAllAvailable", true, "DeploymentReplicasAvailable", "All replicas are available")
	if want := *d.Spec.Replicas; d.Status.AvailableReplicas < want {
		why, err := i.unscheduled(ctx, ic.Name)
		if err != nil {
			return nil, 0, err
		}
		all = condition("DeploymentReplicasAllAvailable", false, "DeploymentReplicasNotAvailable",
			fmt.Sprintf("%d/%d of replicas are available%s", d.Status.AvailableReplicas, want, why))
	}
	rolling := condition("DeploymentRollingOut", false, "DeploymentNotRollingOut",
		"Deployment is not actively rolling out")
	if message := rollingOut(d); message != "" {
		rolling = condition("DeploymentRollingOut", true, "DeploymentRollingOut", message)
	}
	out := []operatorv1.OperatorCondition{available, all, rolling,
		condition(operatorv1.OperatorStatusTypeAvailable, true, "", ""),
		condition(operatorv1.OperatorStatusTypeProgressing, false, "", ""),
		condition(operatorv1.OperatorStatusTypeDegraded, false, "", "")}
	if rolling.Status == operatorv1.ConditionTrue {
		out[4] = condition(operatorv1.OperatorStatusTypeProgressing, true, "IngressControllerProgressing",
			"One or more status conditions indicate progressing: "+inside(rolling))
	}
	key := "unavailable-" + string(ic.UID)
	if available.Status == operatorv1.ConditionTrue {
		i.Forget(key)
		return out, 0, nil
	}
	out[3] = condition(operatorv1.OperatorStatusTypeAvailable, false, "IngressControllerUnavailable",
		"One or more status conditions indicate unavailable: "+inside(available))
	wait := i.Remaining(unavailableGrace, key)
	if wait == 0 {
		out[5] = condition(operatorv1.OperatorStatusTypeDegraded, true, "DegradedConditions",
			"One or more other status conditions indicate a degraded state: "+inside(available))
	}
	return out, wait, nil
}

// unscheduled says which routers no node takes.
func (i *ingress) unscheduled(ctx context.Context, name string) (string, error) {
	pods := &corev1.PodList{}
	err := i.Client.List(ctx, pods, client.InNamespace(routerNamespace), client.MatchingLabels{routerLabel: name})
	if err != nil {
		return "", err
	}
	var words []string
	for _, pod := range pods.Items {
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				words = append(words, fmt.Sprintf("Pod %q cannot be scheduled: %s", pod.Name, c.Message))
			}
		}
	}
	if len(words) == 0 {
		return "", nil
	}
	return ": Some pods are not scheduled: " + strings.Join(words, ", "), nil
}

// rollingOut says how far the routers have been replaced; empty once they are.
func rollingOut(d *appsv1.Deployment) string {
	const waiting = "Waiting for router deployment rollout to finish: "
	want, s := *d.Spec.Replicas, d.Status
	switch {
	case s.ObservedGeneration < d.Generation, s.UpdatedReplicas < want:
		updated := s.UpdatedReplicas
		if s.ObservedGeneration < d.Generation {
			updated = 0
		}
		return fmt.Sprintf(waiting+"%d out of %d new replica(s) have been updated...\n", updated, want)
	case s.Replicas > s.UpdatedReplicas:
		return fmt.Sprintf(waiting+"%d old replica(s) are pending termination...\n", s.Replicas-s.UpdatedReplicas)
	case s.AvailableReplicas < s.UpdatedReplicas:
		return fmt.Sprintf(waiting+"%d of %d updated replica(s) are available...\n", s.AvailableReplicas, s.UpdatedReplicas)
	}
	return ""
}

// inside is a condition as another one quotes it.
func inside(c operatorv1.OperatorCondition) string {
	return fmt.Sprintf("%s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message)
}

func condition(kind string, is bool, reason, message string) operatorv1.OperatorCondition {
	status := operatorv1.ConditionFalse
	if is {
		status = operatorv1.ConditionTrue
	}
	return operatorv1.OperatorCondition{Type: kind, Status: status, Reason: reason, Message: message}
}
