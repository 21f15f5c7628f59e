package restore

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// checkPlane rejects a control plane namespace that may belong to another cluster. The restore stops, deletes and
// overwrites objects in it, and the backup file may be forged.
func (p *Plan) checkPlane(ctx context.Context) error {
	_, foreign, err := hostedcluster.ControlPlanesIn(ctx, p.client, p.plane(), p.key())
	switch {
	case err != nil:
		return err
	case foreign != "":
		return p.foreign("it holds the control plane of HostedCluster " + foreign)
	case p.Exists:
		return nil
	}
	ns := &corev1.Namespace{}
	err = p.client.Get(ctx, client.ObjectKey{Name: p.plane()}, ns)
	switch {
	case apierrors.IsNotFound(err), err == nil && ns.DeletionTimestamp != nil:
		return nil
	case err != nil:
		return fmt.Errorf("read Namespace %s: %w", p.plane(), err)
	}
	mark := hostedcluster.MarkOf(ns)
	if mark.Cluster != p.key().String() || mark.InfraID != p.backup.Spec.InfraID || !hostedcluster.WrittenByHcctl(ns) {
		return p.foreign("nothing in it shows that it belongs to HostedCluster " + p.key().String() +
			", which does not exist")
	}
	return nil
}

func (p *Plan) foreign(why string) error {
	return refusal(hint.New("look at what is in it; a backup is restored only into a namespace of its own cluster, or a "+
		"new one"), "Namespace %s would become the control plane's, but %s: nothing was changed", p.plane(), why)
}

// checkIdentity refuses to create a cluster if another one has its namespace, infraID or clusterID. Deletions select
// objects by them.
func (p *Plan) checkIdentity(ctx context.Context) error {
	all, unread, err := hostedcluster.ListIdentities(ctx, p.client, p.key().Namespace)
	if err != nil {
		return err
	}
	if unread != "" {
		p.Notes = append(p.Notes, "whether another cluster has the same infraID or namespace is not known: "+unread)
	}
	for _, other := range all {
		if other.Key() != p.key().String() &&
			hostedcluster.ControlPlaneNamespace(other.Namespace, other.Name) == p.plane() {
			return p.foreign("HostedCluster " + other.Key() + " has the same")
		}
	}
	if other, field := hostedcluster.IdentityOf(p.backup).FindDuplicate(all); field != "" {
		return refusal(hint.New("a second cluster cannot have it; if that one is a copy of the backup's, delete it first"),
			"HostedCluster %s has the %s of the backup", other.Key(), field)
	}
	return nil
}
