package deletion

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
)

// owns tells whether an object was made for this HostedCluster. Its mark says so, or, in the HostedCluster's own
// namespace, its owner reference, or the name and InfraID that hcctl or the vendor's CLI gives.
func (d *Plan) owns(o client.Object) bool {
	m := hostedcluster.MarkOf(o)
	if m.Cluster != "" {
		return d.marked(m)
	}
	if o.GetNamespace() != d.Namespace {
		return false
	}
	for _, ref := range o.GetOwnerReferences() {
		if d.self.UID != "" && ref.UID == d.self.UID {
			return true
		}
	}
	switch {
	case d.unlisted != "" || !slices.Contains(d.ownNames(kindOf(o)), o.GetName()):
		return false
	case d.InfraID == "" || m.InfraID == "":
		return kindOf(o) == "Secret" && o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner
	}
	return m.InfraID == d.InfraID
}

// marked tells whether a mark is that of this HostedCluster: namespace, name and UID. Where the mark has no UID
// (a killed create), or the HostedCluster is gone, the InfraID has to be the same.
func (d *Plan) marked(m hostedcluster.Mark) bool {
	switch {
	case m.Cluster != d.key().String():
		return false
	case m.UID != "" && d.self.UID != "":
		return m.UID == d.self.UID
	case d.exists(m.UID):
		return false
	}
	return d.InfraID == "" || m.InfraID == d.InfraID
}

// ownNames are the names that hcctl and the vendor's CLI give a cluster's objects of a kind.
func (d *Plan) ownNames(kind string) []string {
	switch kind {
	case "Secret":
		return []string{
			hostedcluster.PullSecretName(d.Name),
			hostedcluster.EncryptionKeyName(d.Name),
			hostedcluster.SSHKeyName(d.Name),
			hostedcluster.InfraCredentialsName(
				d.Name,
			),
			hostedcluster.AuditWebhookName(d.Name),
			d.Name + "-admin-kubeconfig",
			d.Name + "-kubeadmin-password",
		}
	case "ConfigMap":
		names := []string{hostedcluster.TrustBundleName(d.Name), vendorTrustBundle}
		for _, pool := range append([]string{d.Name}, d.pools...) {
			for i := range options.MaxConfigs {
				names = append(names, hostedcluster.PoolConfigName(pool, i))
			}
		}
		return names
	}
	return nil
}

// vendorTrustBundle is what the vendor's CLI calls every cluster's CA bundle.
const vendorTrustBundle = "user-ca-bundle"

// leave tells that an object stays although it has the label of the cluster's InfraID.
func (d *Plan) leave(kind string, o client.Object) {
	m := hostedcluster.MarkOf(o)
	why := "it has the label of the infraID, but no mark of this HostedCluster (made by an older hcctl, or a copied label)"
	switch {
	case m.Cluster != "" && m.Cluster != d.key().String():
		why = fmt.Sprintf("it is marked as that of HostedCluster %q", m.Cluster)
	case m.Cluster != "":
		why = "it was made for another HostedCluster of this name"
	}
	d.Left = append(d.Left, fmt.Sprintf("%s %s: %s", kind, kube.Name(o), why))
}

// outside tells whether an object is in neither of the cluster's own two namespaces.
func (d *Plan) outside(o client.Object) bool {
	return o.GetNamespace() != d.Namespace && o.GetNamespace() != d.controlPlaneName()
}

// foundOutside is found, for an object outside the cluster's own namespaces.
func (d *Plan) foundOutside(format string, args ...any) {
	d.found(format, args...)
	d.Outside = append(d.Outside, fmt.Sprintf(format, args...))
}

// isSetting tells whether an object is one that the step about Secrets and ConfigMaps removes.
func (d *Plan) isSetting(kind string, o client.Object) bool {
	return o.GetNamespace() == d.Namespace && (kind == "Secret" || kind == "ConfigMap")
}
