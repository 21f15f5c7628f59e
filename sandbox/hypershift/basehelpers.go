package hypershift

import (
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// publishing finds how a service is published.
func publishing(services []hyperv1.ServicePublishingStrategyMapping, which hyperv1.ServiceType) *hyperv1.ServicePublishingStrategy {
	for i := range services {
		if services[i].Service == which {
			return &services[i].ServicePublishingStrategy
		}
	}
	return nil
}

// admitted: a router of the management cluster serves the Route.
func admitted(route *routev1.Route) bool {
	for _, ingress := range route.Status.Ingress {
		for _, c := range ingress.Conditions {
			if c.Type == routev1.RouteAdmitted && c.Status == corev1.ConditionTrue {
				return true
			}
		}
	}
	return false
}

// conflictDelay lets the cache catch up with what somebody else, or this operator itself, just wrote.
const conflictDelay = 50 * time.Millisecond

// base is what every controller here has at hand.
type base struct {
	operator.Env
	// cached reads watched kinds from the manager's cache.
	cached client.Client
	// gen is the generation of operator this sandbox has installed.
	gen generation
	// lean: see Lean.
	lean   bool
	clock  *pacer
	guests *guests
}

// controllerOptions retries failures soon: the sandbox's clock runs faster than a cluster's. Names need not be unique
// because the operator can come to life many times in one process.
func (b *base) controllerOptions() controller.Options {
	return controller.Options{
		SkipNameValidation:      ptr.To(true),
		MaxConcurrentReconciles: 4,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			b.Pace.Scale(500*time.Millisecond), b.Pace.Scale(15*time.Second)),
	}
}

func (b *base) registry() registry {
	return registry{payload: b.Profile.ReleaseImage, payloadVersion: b.Profile.OpenShift}
}

// soonest is the shorter of two waits, where 0 means none.
func soonest(a, b time.Duration) time.Duration {
	if a <= 0 {
		return b
	}
	if b <= 0 {
		return a
	}
	return min(a, b)
}
