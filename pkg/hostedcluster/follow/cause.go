package follow

import (
	"context"
	"fmt"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// troubleAge is how long a pod of the control plane must have been in trouble before it is told: while a control plane
// comes up, pods wait for volumes and for each other all the time.
const troubleAge = 5 * time.Second

// because adds to a milestone that is waited for what stands behind it: the pod of the control plane, or the claim of
// etcd, that cannot go on.
func (f *Cluster) because(
	check func(context.Context, *hyperv1.HostedCluster) step.Finding,
) func(context.Context, *hyperv1.HostedCluster) step.Finding {
	return func(ctx context.Context, hc *hyperv1.HostedCluster) step.Finding {
		found := check(ctx, hc)
		if found.State != step.StatePending {
			return found
		}
		cause, again := f.controlPlaneTrouble(ctx)
		if cause != "" {
			found.Message += "; " + cause
			found = found.WithTrouble()
		}
		if found.Recheck == 0 {
			found.Recheck = again
		}
		return found
	}
}

// controlPlaneTrouble is why the control plane's pods do not run, of the first that something keeps from it; empty
// where nothing does, or nothing can be seen: the milestone itself says what is waited for. Where there is trouble that
// is too young to tell, again is when it will not be any more.
func (f *Cluster) controlPlaneTrouble(ctx context.Context) (cause string, again time.Duration) {
	namespace := hostedcluster.ControlPlaneNamespace(f.Namespace, f.Name)
	var claims corev1.PersistentVolumeClaimList
	if err := f.client.List(ctx, &claims, client.InNamespace(namespace)); err == nil {
		if text := claimTrouble(claims.Items); text != "" {
			return text, 0
		}
	}
	var pods corev1.PodList
	if err := f.client.List(ctx, &pods, client.InNamespace(namespace)); err != nil {
		return "", 0
	}
	var troubles []string
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch text := PodTrouble(pod); {
		case text == "":
		case f.client.Now().Sub(pod.CreationTimestamp.Time) < troubleAge:
			again = troubleAge
		default:
			troubles = append(troubles, fmt.Sprintf("Pod %s: %s", kube.Name(pod), text))
		}
	}
	return firstOf(troubles, 1), again
}

// claimTrouble is about a claim of etcd that has no volume though its pod waits for one. A claim whose StorageClass
// binds late is Pending until then as well, so only one that can never be bound is told: without any class.
func claimTrouble(claims []corev1.PersistentVolumeClaim) string {
	for i := range claims {
		c := &claims[i]
		if c.Status.Phase == corev1.ClaimPending && (c.Spec.StorageClassName == nil || *c.Spec.StorageClassName == "") {
			return fmt.Sprintf(
				"PersistentVolumeClaim %s is Pending without a StorageClass: there is no default one (hcctl check storage)",
				kube.Name(c),
			)
		}
	}
	return ""
}

// PodTrouble is what keeps a pod from running that will not pass by waiting a moment: no node takes it, its image
// cannot be had, its container ends again and again. Empty for a pod that runs, is done or is on its way.
func PodTrouble(pod *corev1.Pod) string {
	if pod.Status.Phase == corev1.PodSucceeded {
		return ""
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return oneLine(strings.TrimSuffix(fmt.Sprintf("%s: %s", c.Reason, c.Message), ": "))
		}
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			w := statuses[i].State.Waiting
			if w == nil || w.Reason == "" || w.Reason == "ContainerCreating" || w.Reason == "PodInitializing" {
				continue
			}
			return oneLine(strings.TrimSuffix(fmt.Sprintf("%s: %s", w.Reason, w.Message), ": "))
		}
	}
	return ""
}
