package deletion

import (
	"context"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// identify notes which HostedCluster it is, and which others there are.
func (d *Plan) identify(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if hc != nil {
		d.self, d.present, d.InfraID = hostedcluster.IdentityOf(hc), true, hc.Spec.InfraID
		d.keepsNamespace = hc.Annotations[hyperv1.SkipControlPlaneNamespaceDeletionAnnotation] == "true"
	} else {
		d.self = hostedcluster.Identity{Namespace: d.Namespace, Name: d.Name}
	}
	if made := d.options.Made; made != nil {
		d.clusters, d.unlisted = made.clusters, made.unlisted
	} else {
		var err error
		if d.clusters, d.unlisted, err = hostedcluster.ListIdentities(ctx, d.client, d.Namespace); err != nil {
			return err
		}
	}
	if d.unlisted != "" {
		d.Left = append(d.Left, "what has no full mark of this HostedCluster, since it cannot be known whether another "+
			"one has its infraID: "+d.unlisted)
	}
	return d.refuseShared()
}

// refuseShared fails with *SharedIDError if another HostedCluster has the InfraID or ClusterID.
func (d *Plan) refuseShared() error {
	self := d.self
	self.InfraID = d.InfraID
	if other, field := self.Rival(d.clusters); field != "" {
		return hostedcluster.NewSharedIDError(self, other, field, !d.present)
	}
	return nil
}

// exists tells whether a HostedCluster with that UID exists anywhere.
func (d *Plan) exists(uid types.UID) bool {
	return slices.ContainsFunc(d.clusters, func(i hostedcluster.Identity) bool { return uid != "" && i.UID == uid })
}

// namesake is another HostedCluster of the same name, empty if there is none.
func (d *Plan) namesake() string {
	for _, i := range d.clusters {
		if i.Name == d.Name && i.Namespace != d.Namespace {
			return i.Key()
		}
	}
	return ""
}
