package hub

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// leaseName is the Lease in a site's namespace that its registration agent renews.
const leaseName = "managed-cluster-lease"

// Site is a management cluster.
type Site struct {
	Name string
	// Reason is why the site is not available; empty if it is.
	Reason string
	// Refused is why the site gets no hosted clusters; empty if it may have some.
	Refused string
	// Seen is when the site's agent last renewed its lease, by the site's clock; zero if never.
	Seen time.Time
}

// Lost reports whether the hub has lost contact with the site, or the site's API server is not available.
func (s *Site) Lost() bool { return s.Reason != "" }

// Age returns the maximum age of what is known about the site; false if nothing is known. A time in the future
// counts as now.
func (s *Site) Age(now time.Time) (time.Duration, bool) {
	if s.Seen.IsZero() {
		return 0, false
	}
	return max(0, now.Sub(s.Seen)).Round(time.Second), true
}

// NoHub returns the error for a cluster that is not a hub.
func NoHub() error {
	return failure.New(failure.Missing, hint.New("%s chooses the hub in the kubeconfig; without %s a command "+
		"works on one management cluster", hint.Flag("context"), hint.Flag("hub")),
		"this cluster is no hub: it has no ManagedClusters of Open Cluster Management")
}

// reservedName is why the ManagedCluster with the name of the assignments' namespace gets no hosted cluster: its
// agents have rights in that namespace.
const reservedName = "its namespace is that of hcctl's assignments: detach it from the hub, and join it by another name"

// refusal returns why a ManagedCluster gets no hosted cluster, by its name and annotations, or "".
func refusal(name string, annotations map[string]string) string {
	switch {
	case name == hostedcluster.AssignmentsNamespace:
		return reservedName
	case annotations[managedcluster.CreatedViaAnnotation] == managedcluster.CreatedViaHypershift:
		return "it is a hosted cluster itself"
	}
	return ""
}

// refuseHosted refuses the sites that are hosted clusters of this hub, because users of such a cluster could
// read what is delivered to it. The annotations of a ManagedCluster do not suffice, because its user may leave
// them out.
func refuseHosted(ctx context.Context, c *kube.Client, sites map[string]*Site,
	at map[fleet.ClusterName]location) error {
	refuse := func(name fleet.ClusterName) {
		if s := sites[name.Name]; s != nil && s.Refused == "" {
			s.Refused = fmt.Sprintf("it has the name of hosted cluster %s/%s", name.Namespace, name.Name)
		}
	}
	for name := range at {
		refuse(name)
	}
	type named struct {
		Metadata struct{ Name, Namespace string }
	}
	err := kube.ListDecoded(ctx, c, kube.HostedCluster, func(n *named) {
		refuse(fleet.ClusterName{Namespace: n.Metadata.Namespace, Name: n.Metadata.Name})
	})
	if err != nil && !kube.IsKindMissing(err) {
		return fmt.Errorf("list HostedClusters of the hub, which may not be sites: %w", err)
	}
	return nil
}

// Sites reads all management clusters, by name. The error is NoHub or that of a read.
func Sites(ctx context.Context, c *kube.Client) (map[string]*Site, error) {
	type managedCluster struct {
		Metadata struct {
			Name              string
			Annotations       map[string]string
			DeletionTimestamp *metav1.Time
		}
		Status struct{ Conditions []metav1.Condition }
	}
	sites := map[string]*Site{}
	err := kube.ListDecoded(ctx, c, kube.ManagedCluster, func(m *managedCluster) {
		s := &Site{Name: m.Metadata.Name, Refused: refusal(m.Metadata.Name, m.Metadata.Annotations)}
		if s.Reason = unavailable(m.Status.Conditions); m.Metadata.DeletionTimestamp != nil {
			s.Reason = "being detached from the hub"
		} else if s.Refused == reservedName {
			s.Reason = reservedName
		}
		sites[s.Name] = s
	})
	switch {
	case kube.IsKindMissing(err):
		return nil, NoHub()
	case err != nil:
		return nil, fmt.Errorf("list ManagedClusters: %w", err)
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

// unavailable returns why a ManagedCluster is not available, or "" if it is.
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
