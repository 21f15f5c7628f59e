package prereq

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// JudgeWorkload returns why a Deployment or DaemonSet is not healthy, or nil. The cause is one of its pods or the
// newest warning about it.
func JudgeWorkload(ctx context.Context, r kube.Reader, o client.Object) *step.Finding {
	v := health.Of(o, r.Now())
	if v.OK() {
		return nil
	}
	trouble := workloadTrouble(ctx, r, o)
	if trouble != nil && v.State != step.StateBroken {
		return trouble
	}
	f := Explained(v.Finding, trouble)
	return &f
}

// JudgeDeployment is JudgeWorkload for a Deployment that must have this number of replicas. It returns nil if the
// Deployment is healthy, does not exist or cannot be read.
func JudgeDeployment(ctx context.Context, r kube.Reader, namespace, name string, replicas int) *step.Finding {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, d); err != nil {
		return nil
	}
	if f := health.ScaledToZero(d, replicas); f != nil {
		return f
	}
	return JudgeWorkload(ctx, r, d)
}

// JudgeWorkloads returns the most severe finding about the Deployments and DaemonSets of a namespace, of these names if
// any are given. It returns nil if all are healthy or cannot be read.
func JudgeWorkloads(ctx context.Context, r kube.Reader, namespace string, names ...string) *step.Finding {
	deployments, daemonSets := &appsv1.DeploymentList{}, &appsv1.DaemonSetList{}
	var all []client.Object
	if err := r.List(ctx, deployments, client.InNamespace(namespace)); err == nil {
		for i := range deployments.Items {
			all = append(all, &deployments.Items[i])
		}
	}
	if err := r.List(ctx, daemonSets, client.InNamespace(namespace)); err == nil {
		for i := range daemonSets.Items {
			all = append(all, &daemonSets.Items[i])
		}
	}
	var found []step.Finding
	for _, o := range all {
		if len(names) > 0 && !slices.Contains(names, o.GetName()) {
			continue
		}
		f := JudgeWorkload(ctx, r, o)
		if d, is := o.(*appsv1.Deployment); is && len(names) > 0 && f == nil {
			f = health.ScaledToZero(d, 1)
		}
		if f != nil {
			found = append(found, *f)
		}
	}
	if len(found) == 0 {
		return nil
	}
	// Of two Pending findings, the one with Trouble explains more.
	slices.SortStableFunc(found, func(a, b step.Finding) int {
		if a.Trouble != b.Trouble && a.State == b.State {
			return map[bool]int{true: -1, false: 1}[a.Trouble]
		}
		return b.State.Compare(a.State)
	})
	return &found[0]
}

// Explained returns the cause of a finding with the finding's message appended, or the finding if there is no cause.
func Explained(f step.Finding, cause *step.Finding) step.Finding {
	if cause == nil {
		return f
	}
	out := *cause
	out.State, out.Trouble = step.Worse(f.State, cause.State), f.Trouble || cause.Trouble
	out.Message = fmt.Sprintf("%s; so %s: %s", cause.Message, f.Object, f.Message)
	return out
}

// workloadTrouble returns the problem of a workload's pods: Broken if no node can ever run one, Pending with Trouble if
// it may recover. Without such a pod it is the newest warning. It returns nil if there is no problem yet, or pods
// cannot be read.
func workloadTrouble(ctx context.Context, r kube.Reader, o client.Object) *step.Finding {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(o.GetNamespace())); err != nil {
		return nil
	}
	daemonSet, daemons := o.(*appsv1.DaemonSet)
	wanted := int32(0)
	if deployment, is := o.(*appsv1.Deployment); is {
		wanted = Replicas(deployment)
	} else if daemons {
		wanted = daemonSet.Status.DesiredNumberScheduled
	}
	waiting, stuck := map[string]bool{}, (*step.Finding)(nil)
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !ownedBy(pod, o.GetName(), daemons) || pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		wanted--
		v := health.Of(pod, r.Now())
		if v.OK() {
			continue
		}
		if !v.Trouble || v.Reason == health.ReasonCreating {
			waiting[pod.Name] = true
			if v.Trouble {
				stuck = &v.Finding
			}
			continue
		}
		if v.Reason == corev1.PodReasonUnschedulable && len(pod.Spec.NodeSelector) > 0 {
			nodes := &corev1.NodeList{}
			if err := r.List(ctx, nodes); err == nil {
				if f := judgeNodeSelector(pod, nodes.Items); f != nil {
					return f
				}
			}
		}
		if v.Reason == corev1.PodReasonUnschedulable && strings.Contains(v.Message, "free ports") {
			all := &corev1.PodList{}
			if err := r.List(ctx, all); err == nil {
				return addPortHolders(v.Finding, pod, all.Items)
			}
		}
		return &v.Finding
	}
	return cmp.Or(warningOf(ctx, r, o, waiting, wanted > 0), stuck)
}

// StartedFirst returns the earliest start of the running pods of a Deployment, or false if none runs.
func StartedFirst(ctx context.Context, r kube.Reader, namespace, name string) (first time.Time, found bool, err error) {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		return first, false, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		for _, s := range pod.Status.ContainerStatuses {
			if run := s.State.Running; run != nil && pod.DeletionTimestamp == nil && ownedBy(pod, name, false) &&
				(!found || run.StartedAt.Time.Before(first)) {
				first, found = run.StartedAt.Time, true
			}
		}
	}
	return first, found, nil
}

// ownedBy reports whether the pod belongs to the DaemonSet or Deployment. A Deployment's ReplicaSet has its name and
// the hash of the template.
func ownedBy(pod *corev1.Pod, name string, daemons bool) bool {
	kind := "ReplicaSet"
	if daemons {
		kind = "DaemonSet"
	} else {
		name += "-" + pod.Labels["pod-template-hash"]
	}
	return slices.ContainsFunc(pod.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == kind && o.Name == name
	})
}

// judgeNodeSelector returns a finding if a pod selects labels that no node has, else nil. Only a user can repair that.
func judgeNodeSelector(pod *corev1.Pod, nodes []corev1.Node) *step.Finding {
	selector := labels.SelectorFromSet(pod.Spec.NodeSelector)
	for i := range nodes {
		if selector.Matches(labels.Set(nodes[i].Labels)) {
			return nil
		}
	}
	var wanted []string
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		wanted = append(wanted, key+"="+pod.Spec.NodeSelector[key])
	}
	f := step.Broken("no node has the labels of its spec.nodeSelector, %s", strings.Join(wanted, ",")).
		On("Pod %s", kube.Name(pod)).
		WithHint("oc label node NODE %s, or take the node selector away from what asks for it", strings.Join(wanted, " "))
	return &f
}

// maxHolders is the maximum number of pods that addPortHolders names.
const maxHolders = 3

// addPortHolders adds the pods that use the host ports a pod needs. The scheduler reports only that the ports are not
// free.
func addPortHolders(f step.Finding, pod *corev1.Pod, all []corev1.Pod) *step.Finding {
	wanted := hostPorts(pod)
	var holders []string
	for i := range all {
		p := &all[i]
		if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed ||
			slices.ContainsFunc(p.OwnerReferences, func(o metav1.OwnerReference) bool {
				return slices.ContainsFunc(pod.OwnerReferences, func(own metav1.OwnerReference) bool { return own.UID == o.UID })
			}) {
			continue
		}
		for _, port := range hostPorts(p) {
			if slices.Contains(wanted, port) {
				holders = append(holders, fmt.Sprintf("%s of %s by Pod %s", port, p.Spec.NodeName, kube.Name(p)))
			}
		}
	}
	if len(holders) > 0 {
		slices.Sort(holders)
		more := ""
		if n := len(holders) - maxHolders; n > 0 {
			holders, more = holders[:maxHolders], AndMore(n)
		}
		f.Message = fmt.Sprintf("it needs ports of its node that others have: %s%s; %s", Listed(holders), more, f.Message)
	}
	return &f
}

// hostPorts returns the host ports of a pod, as PORT/PROTOCOL.
func hostPorts(pod *corev1.Pod) []string {
	var ports []string
	for _, c := range pod.Spec.Containers {
		for _, port := range c.Ports {
			if port.HostPort > 0 {
				ports = append(ports, fmt.Sprintf("%d/%s", port.HostPort, cmp.Or(port.Protocol, corev1.ProtocolTCP)))
			}
		}
	}
	return ports
}
