package hostedcluster

import (
	"context"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"
)

// identify notes which HostedCluster it is, and which others there are.
func (d *Deletion) identify(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if hc != nil {
		d.self, d.present, d.InfraID = identityOf(hc), true, hc.Spec.InfraID
		d.keepsNamespace = hc.Annotations[hyperv1.SkipControlPlaneNamespaceDeletionAnnotation] == "true"
	} else {
		d.self = identity{namespace: d.Namespace, name: d.Name}
	}
	if made := d.options.Made; made != nil {
		d.clusters, d.unlisted = made.clusters, made.unlisted
	} else {
		var err error
		if d.clusters, d.unlisted, err = identities(ctx, d.client, d.Namespace); err != nil {
			return err
		}
	}
	if d.unlisted != "" {
		d.Left = append(d.Left, "what has no full mark of this HostedCluster, since it cannot be known whether another "+
			"one has its infraID: "+d.unlisted)
	}
	return d.refuseShared()
}

// refuseShared fails with *SharedIDError if another HostedCluster has the infraID or clusterID.
func (d *Deletion) refuseShared() error {
	self := d.self
	self.infraID = d.InfraID
	if other, field := self.rival(d.clusters); field != "" {
		return sharedID(self, other, field, !d.present)
	}
	return nil
}

// exists tells whether a HostedCluster with that UID exists anywhere.
func (d *Deletion) exists(uid types.UID) bool {
	return slices.ContainsFunc(d.clusters, func(i identity) bool { return uid != "" && i.uid == uid })
}

// namesake is another HostedCluster of the same name, empty if there is none.
func (d *Deletion) namesake() string {
	for _, i := range d.clusters {
		if i.name == d.Name && i.namespace != d.Namespace {
			return i.key()
		}
	}
	return ""
}
