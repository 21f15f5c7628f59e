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

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Identity identifies a HostedCluster.
type Identity struct {
	Namespace, Name    string
	UID                types.UID
	InfraID, ClusterID string
	Created            time.Time
}

// IdentityOf returns the identity of a HostedCluster.
func IdentityOf(hc *hyperv1.HostedCluster) Identity {
	return Identity{hc.Namespace, hc.Name, hc.UID, hc.Spec.InfraID, hc.Spec.ClusterID, hc.CreationTimestamp.Time}
}

// Key returns "namespace/name".
func (i Identity) Key() string { return i.Namespace + "/" + i.Name }

// ListIdentities returns the identities of all HostedClusters. If the user may not list them all, it returns those of
// the namespaces, and unread says why.
func ListIdentities(
	ctx context.Context, r kube.Reader, namespaces ...string) (all []Identity, unread string, err error) {
	visit := func(hc *hyperv1.HostedCluster) { all = append(all, IdentityOf(hc)) }
	err = eachHostedCluster(ctx, r, "", visit)
	if apierrors.IsForbidden(err) {
		unread = kube.Explain(err)
		all = nil
		slices.Sort(namespaces)
		err = nil
		for _, namespace := range slices.Compact(namespaces) {
			err = errors.Join(err, eachHostedCluster(ctx, r, namespace, visit))
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

// FindDuplicate returns the oldest other HostedCluster with the InfraID or ClusterID of i, and the field that they
// share.
func (i Identity) FindDuplicate(all []Identity) (other Identity, field string) {
	for _, o := range all {
		shared := i.sharedField(o)
		if shared != "" && (field == "" || o.Created.Before(other.Created)) {
			other, field = o, shared
		}
	}
	return other, field
}

// sharedField returns the field that both have in common, empty if there is none.
func (i Identity) sharedField(o Identity) string {
	switch {
	case o.Key() == i.Key():
	case i.InfraID != "" && o.InfraID == i.InfraID:
		return "spec.infraID " + i.InfraID
	case i.ClusterID != "" && o.ClusterID == i.ClusterID:
		return "spec.clusterID " + i.ClusterID
	}
	return ""
}

// SharedIDError means that two HostedClusters have the same InfraID or ClusterID: one is a copy.
type SharedIDError struct {
	failure.Refusal
	// Cluster and Other are "namespace/name". Newer is the one that was created later, empty if unknown.
	Cluster, Other, Newer string
	// Field is what they share, such as "spec.InfraID kv-00-abcde".
	Field string
	// Gone is whether the HostedCluster Cluster no longer exists.
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

// Hint says how to remove the copy.
func (e *SharedIDError) Hint() hint.Text {
	if e.Gone {
		return hint.New("look at what is left and delete it by hand; docs/delete.md (An infraID that two clusters have)")
	}
	words := "find out which of them is the copy"
	if e.Newer != "" {
		words += " (HostedCluster " + e.Newer + " was created later)"
	}
	return hint.New("%s and delete that one by hand; docs/delete.md (An infraID that two clusters have)", words)
}

// NewSharedIDError returns the error for i and the other cluster.
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
