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

// identity is what tells one HostedCluster from another.
type identity struct {
	namespace, name    string
	uid                types.UID
	infraID, clusterID string
	created            time.Time
}

func identityOf(hc *hyperv1.HostedCluster) identity {
	return identity{hc.Namespace, hc.Name, hc.UID, hc.Spec.InfraID, hc.Spec.ClusterID, hc.CreationTimestamp.Time}
}

// key is "namespace/name".
func (i identity) key() string { return i.namespace + "/" + i.name }

// identities are those of all HostedClusters. Where this user may not list all of them they are those of
// the namespaces, and unread says why.
func identities(
	ctx context.Context, c *kube.Client, namespaces ...string,
) (all []identity, unread string, err error) {
	visit := func(hc *hyperv1.HostedCluster) { all = append(all, identityOf(hc)) }
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

// rival finds the oldest other HostedCluster with the infraID or clusterID of i. The second result is the
// field they share.
func (i identity) rival(all []identity) (other identity, field string) {
	for _, o := range all {
		shared := i.shares(o)
		if shared != "" && (field == "" || o.created.Before(other.created)) {
			other, field = o, shared
		}
	}
	return other, field
}

// shares names the field that another HostedCluster has a copy of; empty if there is none.
func (i identity) shares(o identity) string {
	switch {
	case o.key() == i.key():
	case i.infraID != "" && o.infraID == i.infraID:
		return "spec.infraID " + i.infraID
	case i.clusterID != "" && o.clusterID == i.clusterID:
		return "spec.clusterID " + i.clusterID
	}
	return ""
}

// SharedIDError means that two HostedClusters have the same infraID or clusterID: one of them is a copy.
type SharedIDError struct {
	// Cluster and Other are "namespace/name"; Newer is the one that was created later, empty if not known.
	Cluster, Other, Newer string
	// Field is what they share, such as "spec.infraID kv-00-abcde".
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

// sharedID is the error about i and the other cluster.
func sharedID(i, other identity, field string, gone bool) *SharedIDError {
	e := &SharedIDError{Cluster: i.key(), Other: other.key(), Field: field, Gone: gone}
	switch {
	case i.created.After(other.created):
		e.Newer = i.key()
	case other.created.After(i.created):
		e.Newer = other.key()
	}
	return e
}
