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

// ListIdentities returns the identities of all HostedClusters. If the user may not list all namespaces, it lists only
// those of namespaces and returns the reason in unread.
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

// sharedField returns the field that both identities share, empty if there is none.
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

// SharedIDError returns the error about two HostedClusters with the same InfraID or ClusterID: one is a copy. field is
// what they share, such as "spec.InfraID kv-00-abcde"; gone means that the HostedCluster of i no longer exists.
func SharedIDError(i, other Identity, field string, gone bool) error {
	const docs = "delete %s by hand; docs/delete.md (An infraID that two clusters have)"
	if gone {
		return failure.New(failure.Final, hint.New("look at what is left and "+docs, "it"),
			"what is left of hosted cluster %s has %s, which is that of HostedCluster %s: nothing was deleted", i.Key(), field,
			other.Key())
	}
	words, newer := "find out which of them is the copy", ""
	switch {
	case i.Created.After(other.Created):
		newer = i.Key()
	case other.Created.After(i.Created):
		newer = other.Key()
	}
	if newer != "" {
		words += " (HostedCluster " + newer + " was created later)"
	}
	return failure.New(failure.Final, hint.New("%s and "+docs, words, "that one"),
		"HostedCluster %s has the same %s as HostedCluster %s: one of them is a copy, and nothing was deleted", i.Key(),
		field,
		other.Key())
}
