package follow

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// minTroubleAge is the minimum age of a control plane pod whose trouble is reported: while a control plane starts, pods
// wait for volumes and for each other.
const minTroubleAge = 5 * time.Second

// withCause adds the cause to a pending milestone: a pod of the control plane, etcd's volume claim or a component that
// has a problem.
func (f *Cluster) withCause(check clusterCheck) clusterCheck {
	return func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		found := check(ctx, r, hc)
		if found.State != step.StatePending {
			return found
		}
		words, again := f.controlPlaneTrouble(ctx, r, hc)
		if words != "" {
			found.Message += "; " + words
			found = found.WithTrouble()
		}
		if found.Recheck == 0 {
			found.Recheck = again
		}
		return found
	}
}

// publishedRecheck is the interval for reading Services while InfrastructureReady is False. They and their Events are
// not watched.
const publishedRecheck = 5 * time.Second

// withPublished adds to a pending milestone the problem that MetalLB or a router reports for a Service or Route of the
// control plane, such as that no address is free.
func (f *Cluster) withPublished(check clusterCheck) clusterCheck {
	return func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		found := check(ctx, r, hc)
		if found.State != step.StatePending || found.Trouble ||
			!conditions.OfCluster(hc).Get(string(hyperv1.InfrastructureReady)).False() {
			return found
		}
		w := cause.New(hc, r, nil)
		w.Steady = true
		if all := w.Published(ctx); len(all) > 0 && all[0].Trouble {
			found.Message += "; " + all[0].Describe()
			found = found.WithTrouble()
		}
		if found.Recheck == 0 || found.Recheck > publishedRecheck {
			found.Recheck = publishedRecheck
		}
		return found
	}
}

// stillAvailable adds to a pending milestone that the control plane was available and no longer is.
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

// controlPlaneTrouble returns the first problem of the control plane's claims, pods and components, in the words of its
// deepest cause, or "" if there is none. again is the time after which a problem is old enough to be reported.
func (f *Cluster) controlPlaneTrouble(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (words string,
	again time.Duration) {
	inside := client.InNamespace(hostedcluster.ControlPlaneNamespace(f.Namespace, f.Name))
	w := cause.New(hc, r, nil)
	w.Steady = true
	var claims corev1.PersistentVolumeClaimList
	if err := r.List(ctx, &claims, inside); err == nil {
		w.GiveClaims(claims.Items)
		// Other claims may be Pending until a pod uses them.
		for i := range claims.Items {
			if v := health.Of(&claims.Items[i], r.Now()); v.Trouble {
				return fmt.Sprintf("%s: %s (%s)", v.Object, v.Message, v.Hint), 0
			}
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, inside); err != nil {
		return "", 0
	}
	w.GivePods(pods.Items)
	others := 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch verdict := health.Of(pod, r.Now()); {
		case !verdict.Trouble:
		case r.Now().Sub(pod.CreationTimestamp.Time) < minTroubleAge:
			again = minTroubleAge
		case words == "":
			words = w.Pod(ctx, pod).Deepest().Describe()
		default:
			others++
		}
	}
	switch {
	case others > 0:
		return fmt.Sprintf("%s; and %d more", words, others), again
	case words != "":
		return words, again
	}
	// Only Events report why a controller cannot create pods.
	if s := w.Refused(ctx); len(s) > 0 {
		return s[0].Describe(), 0
	}
	return componentTrouble(ctx, r, string(inside)), again
}
