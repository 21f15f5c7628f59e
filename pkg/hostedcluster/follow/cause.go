package follow

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// minTroubleAge is how old a pod of the control plane must be before its trouble is reported: pods wait for volumes and
// for each other while a control plane starts.
const minTroubleAge = 5 * time.Second

// withCause adds the cause to a pending milestone: a pod of the control plane, etcd's volume claim or a component that
// has a problem.
func (f *Cluster) withCause(
	check clusterCheck,
) clusterCheck {
	return func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		found := check(ctx, r, hc)
		if found.State != step.StatePending {
			return found
		}
		cause, again := f.controlPlaneTrouble(ctx, r)
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

// stillAvailable adds to a pending milestone that the control plane, which was available before, no longer is.
func stillAvailable(check clusterCheck) clusterCheck {
	return func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		found := check(ctx, r, hc)
		set := conditions.OfCluster(hc)
		available := set.Get(string(hyperv1.HostedClusterAvailable))
		if found.State != step.StatePending || !available.False() {
			return found
		}
		found.Message += "; the control plane is no longer available: " + available.Describe()
		if next := set.Hint(available); !next.IsZero() {
			found.Hint = next
		}
		return found.WithTrouble()
	}
}

// controlPlaneTrouble returns the first problem of the control plane's pods and components, empty if none is known.
// again is when a problem that is too young becomes worth reporting.
func (f *Cluster) controlPlaneTrouble(ctx context.Context, r kube.Reader) (cause string, again time.Duration) {
	namespace := hostedcluster.ControlPlaneNamespace(f.Namespace, f.Name)
	var claims corev1.PersistentVolumeClaimList
	if err := r.List(ctx, &claims, client.InNamespace(namespace)); err == nil {
		if text := claimTrouble(claims.Items); text != "" {
			return text, 0
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(namespace)); err != nil {
		return "", 0
	}
	var troubles []string
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch trouble, wrong := health.TroubleOf(pod); {
		case !wrong:
		case r.Now().Sub(pod.CreationTimestamp.Time) < minTroubleAge:
			again = minTroubleAge
		default:
			troubles = append(troubles, fmt.Sprintf("Pod %s: %s", kube.Name(pod), trouble.Describe()))
		}
	}
	if cause = firstOf(troubles, 1); cause == "" {
		cause = componentTrouble(ctx, r, namespace)
	}
	return cause, again
}

// claimTrouble returns the problem of a volume claim that can never be bound, because it has no StorageClass. Other
// claims may be Pending until a pod uses them.
func claimTrouble(claims []corev1.PersistentVolumeClaim) string {
	for i := range claims {
		c := &claims[i]
		if c.Status.Phase == corev1.ClaimPending && (c.Spec.StorageClassName == nil || *c.Spec.StorageClassName == "") {
			return fmt.Sprintf(
				"PersistentVolumeClaim %s is Pending without a StorageClass: there is no default one (%s)", kube.Name(c),
				hint.Run("check").Flag("only", "storage"),
			)
		}
	}
	return ""
}
