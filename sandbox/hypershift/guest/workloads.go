package guest

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// PlayWorkloads plays the DaemonSets and Deployments of a guest: no controller and no kubelet runs there. Each
// DaemonSet gets a pod on each node that its nodeSelector matches; pods with hostNetwork run at once, others once their
// node is ready. Deployments only get a status. It returns the nodes on which a pod with hostNetwork of a DaemonSet is
// ready: there is a network plug-in.
//
// No image is pulled and no program runs. Any DaemonSet with hostNetwork counts as a network plug-in, as nobody writes
// a CNI configuration here.
func PlayWorkloads(ctx context.Context, c client.Client) (map[string]bool, error) {
	nodes, sets, deployments := &corev1.NodeList{}, &appsv1.DaemonSetList{}, &appsv1.DeploymentList{}
	for _, list := range []client.ObjectList{nodes, sets, deployments} {
		if err := c.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list what runs in a guest: %w", err)
		}
	}
	plugged := map[string]bool{}
	for i := range sets.Items {
		if err := playDaemonSet(ctx, c, &sets.Items[i], nodes.Items, plugged); err != nil {
			return nil, err
		}
	}
	for i := range deployments.Items {
		if err := playDeployment(ctx, c, &deployments.Items[i], nodes.Items); err != nil {
			return nil, err
		}
	}
	return plugged, nil
}

func playDaemonSet(ctx context.Context, c client.Client, set *appsv1.DaemonSet, nodes []corev1.Node,
	plugged map[string]bool) error {
	template := &set.Spec.Template
	status := appsv1.DaemonSetStatus{ObservedGeneration: set.Generation}
	for i := range nodes {
		node := &nodes[i]
		if !labels.SelectorFromSet(template.Spec.NodeSelector).Matches(labels.Set(node.Labels)) {
			continue
		}
		ready := template.Spec.HostNetwork || NodeReady(node)
		if err := playPod(ctx, c, set, node, ready); err != nil {
			return err
		}
		status.DesiredNumberScheduled++
		status.CurrentNumberScheduled++
		status.UpdatedNumberScheduled++
		if ready {
			status.NumberReady++
			status.NumberAvailable++
			plugged[node.Name] = plugged[node.Name] || template.Spec.HostNetwork
		}
	}
	status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	if equality.Semantic.DeepEqual(set.Status, status) {
		return nil
	}
	set.Status = status
	return ignoreRaces(c.Status().Update(ctx, set))
}

// playPod creates the pod of a DaemonSet on a node unless it is there, and has it run.
func playPod(ctx context.Context, c client.Client, set *appsv1.DaemonSet, node *corev1.Node, ready bool) error {
	pod := &corev1.Pod{}
	key := client.ObjectKey{Namespace: set.Namespace, Name: set.Name + "-" + node.Name}
	err := c.Get(ctx, key, pod)
	if apierrors.IsNotFound(err) {
		template := set.Spec.Template.DeepCopy()
		pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set,
				appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}}, Spec: template.Spec}
		pod.Spec.NodeName = node.Name
		err = c.Create(ctx, pod)
	}
	if err != nil {
		return fmt.Errorf("play pod %s in a guest: %w", key, err)
	}
	condition, phase := corev1.ConditionFalse, corev1.PodPending
	if ready {
		condition, phase = corev1.ConditionTrue, corev1.PodRunning
	}
	if operator.WrittenByOthers(pod, "f:containerStatuses") || pod.Status.Phase == phase && slices.ContainsFunc(
		pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == condition
		}) {
		return nil
	}
	pod.Status.Phase = phase
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: condition,
		LastTransitionTime: metav1.Now()}}
	return ignoreRaces(c.Status().Update(ctx, pod))
}

// playDeployment says that a Deployment is available once a node takes its pods.
func playDeployment(ctx context.Context, c client.Client, d *appsv1.Deployment, nodes []corev1.Node) error {
	if operator.WrittenByOthers(d) {
		return nil
	}
	replicas := ptr.Deref(d.Spec.Replicas, 1)
	runs := slices.ContainsFunc(nodes, func(n corev1.Node) bool {
		return d.Spec.Template.Spec.HostNetwork || NodeReady(&n)
	})
	status, reason, progress := corev1.ConditionFalse, "MinimumReplicasUnavailable", "ReplicaSetUpdated"
	if runs {
		status, reason, progress = corev1.ConditionTrue, "MinimumReplicasAvailable", "NewReplicaSetAvailable"
	}
	if d.Status.ObservedGeneration == d.Generation && len(d.Status.Conditions) > 0 &&
		d.Status.Conditions[0].Status == status {
		return nil
	}
	now := metav1.Now()
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: replicas, UpdatedReplicas: replicas,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: status, Reason: reason,
			LastUpdateTime: now, LastTransitionTime: now}, {Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue,
			Reason: progress, LastUpdateTime: now, LastTransitionTime: now}}}
	if runs {
		d.Status.ReadyReplicas, d.Status.AvailableReplicas = replicas, replicas
	} else {
		d.Status.UnavailableReplicas = replicas
	}
	return ignoreRaces(c.Status().Update(ctx, d))
}

// ignoreRaces leaves an object that somebody changed or deleted to the next round.
func ignoreRaces(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
