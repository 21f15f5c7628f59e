package hub

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// leaseName is the Lease in a site's namespace that its registration agent renews.
const leaseName = "managed-cluster-lease"

// Site is a management cluster.
type Site struct {
	Name string
	// Reason is why it is not available, empty if it is.
	Reason string
	// Seen is when its agent last renewed its lease, by the site's clock; zero if never.
	Seen time.Time
}

// Lost reports whether the hub does not hear from the site, or hears that its API server is away.
func (s *Site) Lost() bool { return s.Reason != "" }

// Age is how old what is known of the site may be; false if nothing is known. A time in the future counts as now.
func (s *Site) Age(now time.Time) (time.Duration, bool) {
	if s.Seen.IsZero() {
		return 0, false
	}
	return max(0, now.Sub(s.Seen)).Round(time.Second), true
}

// NoHubError means that the cluster is not a hub.
type NoHubError struct{}

func (*NoHubError) Error() string {
	return "this cluster is no hub: it has no ManagedClusters of Open Cluster Management"
}

// ExitCode is that of what is missing.
func (*NoHubError) ExitCode() int { return 3 }

// Hint says what to do.
func (*NoHubError) Hint() string {
	return "--context chooses the hub in the kubeconfig; without --hub a command works on one management cluster"
}

// ReservedNameError means that a ManagedCluster has the name of the namespace with hcctl's assignments: its agents
// could move hosted clusters of other sites.
type ReservedNameError struct{}

func (*ReservedNameError) Error() string {
	return "ManagedCluster " + hostedcluster.AssignmentsNamespace + " has the namespace of hcctl's assignments"
}

// Hint says what to do.
func (*ReservedNameError) Hint() string { return "detach it from the hub, and join it by another name" }

// Sites reads all management clusters, by name. It fails with *NoHubError, *ReservedNameError or the error of
// a read.
func Sites(ctx context.Context, c *kube.Client) (map[string]*Site, error) {
	type managedCluster struct {
		Metadata struct {
			Name              string
			DeletionTimestamp *metav1.Time
		}
		Spec   struct{ HubAcceptsClient bool }
		Status struct{ Conditions []metav1.Condition }
	}
	sites, reserved := map[string]*Site{}, false
	err := kube.ListDecoded(ctx, c, kube.ManagedCluster, func(m *managedCluster) {
		s := &Site{Name: m.Metadata.Name}
		if s.Reason = unavailable(m.Status.Conditions); m.Metadata.DeletionTimestamp != nil {
			s.Reason = "being detached from the hub"
		}
		sites[s.Name] = s
		// Its agents have rights in the namespace of its name once it is accepted.
		reserved = reserved || s.Name == hostedcluster.AssignmentsNamespace && m.Spec.HubAcceptsClient
	})
	switch {
	case kube.IsKindMissing(err):
		return nil, &NoHubError{}
	case err != nil:
		return nil, fmt.Errorf("list ManagedClusters: %w", err)
	case reserved:
		return nil, &ReservedNameError{}
	}
	type lease struct {
		Metadata struct{ Namespace string }
		Spec     struct{ RenewTime *metav1.MicroTime }
	}
	err = kube.ListDecoded(ctx, c, kube.Lease, func(l *lease) {
		if s := sites[l.Metadata.Namespace]; s != nil && l.Spec.RenewTime != nil {
			s.Seen = l.Spec.RenewTime.Time
		}
	}, client.MatchingFields{"metadata.name": leaseName})
	if err != nil {
		return nil, fmt.Errorf("list Leases of ManagedClusters: %w", err)
	}
	return sites, nil
}

// unavailable is why a ManagedCluster is not available; empty if it is.
func unavailable(conditions []metav1.Condition) string {
	for _, c := range conditions {
		if c.Type == clusterv1.ManagedClusterConditionAvailable {
			if c.Status == metav1.ConditionTrue {
				return ""
			}
			return sanitize.Value(c.Reason)
		}
	}
	return "it has not joined yet"
}
