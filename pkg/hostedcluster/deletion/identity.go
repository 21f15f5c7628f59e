package deletion

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// identify records the HostedCluster's identity. It fails if another HostedCluster shares it.
func (d *Plan) identify(hc *hyperv1.HostedCluster) error {
	if hc != nil {
		d.self, d.present, d.InfraID = hostedcluster.IdentityOf(hc), true, hc.Spec.InfraID
		d.keepControlPlane = hc.Annotations[hyperv1.SkipControlPlaneNamespaceDeletionAnnotation] == "true"
	} else {
		d.self = hostedcluster.Identity{Namespace: d.Namespace, Name: d.Name}
	}
	if d.listError != "" {
		d.Left = append(d.Left, "what has no full mark of this HostedCluster, since it cannot be known whether another "+
			"one has its infraID: "+d.listError)
	}
	return d.refuseShared()
}

// refuseShared fails with hostedcluster.SharedIDError if another HostedCluster has the same InfraID or ClusterID.
func (d *Plan) refuseShared() error {
	self := d.self
	self.InfraID = d.InfraID
	if other, field := self.FindDuplicate(d.clusters); field != "" {
		return hostedcluster.SharedIDError(self, other, field, !d.present)
	}
	return nil
}

// clusterExists reports whether a HostedCluster with this UID exists.
func (d *Plan) clusterExists(uid types.UID) bool {
	return slices.ContainsFunc(d.clusters, func(i hostedcluster.Identity) bool { return uid != "" && i.UID == uid })
}

// sameNameCluster returns another HostedCluster of the same name; empty if there is none.
func (d *Plan) sameNameCluster() string {
	for _, i := range d.clusters {
		if i.Name == d.Name && i.Namespace != d.Namespace {
			return i.Key()
		}
	}
	return ""
}
