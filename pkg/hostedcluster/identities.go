package hostedcluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Identity is what tells one HostedCluster from another.
type Identity struct {
	Namespace, Name    string
	UID                types.UID
	InfraID, ClusterID string
	Created            time.Time
}

// IdentityOf is what tells this HostedCluster from others.
func IdentityOf(hc *hyperv1.HostedCluster) Identity {
	return Identity{hc.Namespace, hc.Name, hc.UID, hc.Spec.InfraID, hc.Spec.ClusterID, hc.CreationTimestamp.Time}
}

// Key is "namespace/name".
func (i Identity) Key() string { return i.Namespace + "/" + i.Name }

// ListIdentities are those of all HostedClusters. Where this user may not list all of them they are those of
// the namespaces, and unread says why.
func ListIdentities(
	ctx context.Context, c *kube.Client, namespaces ...string,
) (all []Identity, unread string, err error) {
	visit := func(hc *hyperv1.HostedCluster) { all = append(all, IdentityOf(hc)) }
	err = eachHostedCluster(ctx, c, "", visit)
	if apierrors.IsForbidden(err) {
		unread = kube.Explain(err)
		all = nil
		slices.Sort(namespaces)
		err = nil
		for _, namespace := range slices.Compact(namespaces) {
			err = errors.Join(err, eachHostedCluster(ctx, c, namespace, visit))
		}
	}
	switch {
	case kube.IsKindMissing(err):
		return nil, unread, nil
	case err != nil:
		return nil, unread, fmt.Errorf("list HostedClusters: %w", err)
	}
	return all, unread, nil
}

// Rival finds the oldest other HostedCluster with the InfraID or ClusterID of i. The second result is the
// field they share.
func (i Identity) Rival(all []Identity) (other Identity, field string) {
	for _, o := range all {
		shared := i.shares(o)
		if shared != "" && (field == "" || o.Created.Before(other.Created)) {
			other, field = o, shared
		}
	}
	return other, field
}

// shares names the field that another HostedCluster has a copy of; empty if there is none.
func (i Identity) shares(o Identity) string {
	switch {
	case o.Key() == i.Key():
	case i.InfraID != "" && o.InfraID == i.InfraID:
		return "spec.infraID " + i.InfraID
	case i.ClusterID != "" && o.ClusterID == i.ClusterID:
		return "spec.clusterID " + i.ClusterID
	}
	return ""
}

// SharedIDError means that two HostedClusters have the same InfraID or ClusterID: one of them is a copy.
type SharedIDError struct {
	// Cluster and Other are "namespace/name"; Newer is the one that was created later, empty if not known.
	Cluster, Other, Newer string
	// Field is what they share, such as "spec.InfraID kv-00-abcde".
	Field string
	// Gone is set where the HostedCluster Cluster does not exist any more.
	Gone bool
}

// Error names both clusters.
func (e *SharedIDError) Error() string {
	if e.Gone {
		return fmt.Sprintf(
			"what is left of hosted cluster %s has %s, which is that of HostedCluster %s: nothing was deleted",
			e.Cluster, e.Field, e.Other)
	}
	return fmt.Sprintf(
		"HostedCluster %s has the same %s as HostedCluster %s: one of them is a copy, and nothing was deleted",
		e.Cluster, e.Field, e.Other)
}

// Hint is how to get rid of the copy.
func (e *SharedIDError) Hint() string {
	if e.Gone {
		return "look at what is left and delete it by hand; docs/delete.md (An infraID that two clusters have)"
	}
	words := "find out which of them is the copy"
	if e.Newer != "" {
		words += " (HostedCluster " + e.Newer + " was created later)"
	}
	return words + " and delete that one by hand; docs/delete.md (An infraID that two clusters have)"
}

// ExitCode is 5: waiting does not cure it.
func (*SharedIDError) ExitCode() int { return 5 }

// NewSharedIDError is the error about i and the other cluster.
func NewSharedIDError(i, other Identity, field string, gone bool) *SharedIDError {
	e := &SharedIDError{Cluster: i.Key(), Other: other.Key(), Field: field, Gone: gone}
	switch {
	case i.Created.After(other.Created):
		e.Newer = i.Key()
	case other.Created.After(i.Created):
		e.Newer = other.Key()
	}
	return e
}
