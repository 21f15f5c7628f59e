// Package reconciler has what all reconcilers of the simulated HyperShift operator share: clients, timed stages,
// faults.
package reconciler

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

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/clusterapi"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Publishing returns how a service is published.
func Publishing(services []hyperv1.ServicePublishingStrategyMapping,
	which hyperv1.ServiceType) *hyperv1.ServicePublishingStrategy {
	for i := range services {
		if services[i].Service == which {
			return &services[i].ServicePublishingStrategy
		}
	}
	return nil
}

// Admitted reports whether a router of the management cluster has admitted the Route.
func Admitted(route *routev1.Route) bool {
	for _, ingress := range route.Status.Ingress {
		for _, c := range ingress.Conditions {
			if c.Type == routev1.RouteAdmitted && c.Status == corev1.ConditionTrue {
				return true
			}
		}
	}
	return false
}

// LoadBalancerAddress returns the host or address of a Service's load balancer, or "".
func LoadBalancerAddress(s *corev1.Service) string {
	if len(s.Status.LoadBalancer.Ingress) == 0 {
		return ""
	}
	if host := s.Status.LoadBalancer.Ingress[0].Hostname; host != "" {
		return host
	}
	return s.Status.LoadBalancer.Ingress[0].IP
}

// NodePort returns where a Service is reached by the node port that it has; nil if it is published otherwise, or has
// none yet.
func NodePort(s *corev1.Service, how *hyperv1.ServicePublishingStrategy) *hyperv1.NodePortPublishingStrategy {
	if how == nil || how.Type != hyperv1.NodePort || how.NodePort == nil || len(s.Spec.Ports) == 0 ||
		s.Spec.Ports[0].NodePort == 0 {
		return nil
	}
	return &hyperv1.NodePortPublishingStrategy{Address: how.NodePort.Address, Port: s.Spec.Ports[0].NodePort}
}

// ConflictDelay lets the cache catch up with another write.
const ConflictDelay = 50 * time.Millisecond

// Base is embedded in every reconciler of the simulated HyperShift operator.
type Base struct {
	operator.Env
	// Cached reads watched kinds from the manager's cache.
	Cached client.Client
	// Features are those of the operator version that this sandbox has installed.
	Features Features
	// Lean leaves out most pods: see hypershift.Lean.
	Lean bool
	// Fleet leaves one pod of each component: see hypershift.Fleet.
	Fleet bool
	// Stages give the steps of a roll-out a duration.
	Stages *Stages
	// ClusterAPI writes the objects of Cluster API.
	ClusterAPI *clusterapi.Writer
	// Guests are the API servers of hosted clusters.
	Guests *guest.Servers
}

// ControllerOptions retries failures soon, because delays in a sandbox are short. It skips name validation, because the
// operator can start many times in one process.
func (b *Base) ControllerOptions() controller.Options {
	return controller.Options{
		SkipNameValidation:      ptr.To(true),
		MaxConcurrentReconciles: 4,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			b.Pace.Scale(500*time.Millisecond), b.Pace.Scale(15*time.Second)),
	}
}

// Registry is the image registry of this sandbox.
func (b *Base) Registry() release.Registry {
	return release.Registry{Payload: b.Profile.ReleaseImage, PayloadVersion: b.Profile.OpenShift}
}

// Soonest returns the shorter of two waits, where 0 means none.
func Soonest(a, b time.Duration) time.Duration {
	if a <= 0 {
		return b
	}
	if b <= 0 {
		return a
	}
	return min(a, b)
}
