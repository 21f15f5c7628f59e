package hostedcluster

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// owns tells whether an object was made for this HostedCluster. Its mark says so, or, in the HostedCluster's own
// namespace, its owner reference, or the name and infraID that hcctl or the vendor's CLI gives.
func (d *Deletion) owns(o client.Object) bool {
	m := markOf(o)
	if m.cluster != "" {
		return d.marked(m)
	}
	if o.GetNamespace() != d.Namespace {
		return false
	}
	for _, ref := range o.GetOwnerReferences() {
		if d.self.uid != "" && ref.UID == d.self.uid {
			return true
		}
	}
	switch {
	case d.unlisted != "" || !slices.Contains(d.ownNames(kindOf(o)), o.GetName()):
		return false
	case d.InfraID == "" || m.infraID == "":
		return kindOf(o) == "Secret" && o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner
	}
	return m.infraID == d.InfraID
}

// marked tells whether a mark is that of this HostedCluster: namespace, name and UID. Where the mark has no UID
// (a killed create), or the HostedCluster is gone, the infraID has to be the same.
func (d *Deletion) marked(m mark) bool {
	switch {
	case m.cluster != d.key().String():
		return false
	case m.uid != "" && d.self.uid != "":
		return m.uid == d.self.uid
	case d.exists(m.uid):
		return false
	}
	return d.InfraID == "" || m.infraID == d.InfraID
}

// ownNames are the names that hcctl and the vendor's CLI give a cluster's objects of a kind.
func (d *Deletion) ownNames(kind string) []string {
	switch kind {
	case "Secret":
		return []string{
			pullSecretName(d.Name), encryptionKeyName(d.Name), sshKeyName(d.Name),
			infraCredentialsName(d.Name), auditWebhookName(d.Name), d.Name + "-admin-kubeconfig", d.Name + "-kubeadmin-password",
		}
	case "ConfigMap":
		names := []string{trustBundleName(d.Name), vendorTrustBundle}
		for _, pool := range append([]string{d.Name}, d.pools...) {
			for i := range mostConfigs {
				names = append(names, poolConfigName(pool, i))
			}
		}
		return names
	}
	return nil
}

// vendorTrustBundle is what the vendor's CLI calls every cluster's CA bundle.
const vendorTrustBundle = "user-ca-bundle"

// leave tells that an object stays although it has the label of the cluster's infraID.
func (d *Deletion) leave(kind string, o client.Object) {
	m := markOf(o)
	why := "it has the label of the infraID, but no mark of this HostedCluster (made by an older hcctl, or a copied label)"
	switch {
	case m.cluster != "" && m.cluster != d.key().String():
		why = fmt.Sprintf("it is marked as that of HostedCluster %q", m.cluster)
	case m.cluster != "":
		why = "it was made for another HostedCluster of this name"
	}
	d.Left = append(d.Left, fmt.Sprintf("%s %s: %s", kind, kube.Name(o), why))
}

// outside tells whether an object is in neither of the cluster's own two namespaces.
func (d *Deletion) outside(o client.Object) bool {
	return o.GetNamespace() != d.Namespace && o.GetNamespace() != d.controlPlaneName()
}

// foundOutside is found, for an object outside the cluster's own namespaces.
func (d *Deletion) foundOutside(format string, args ...any) {
	d.found(format, args...)
	d.Outside = append(d.Outside, fmt.Sprintf(format, args...))
}

// isSetting tells whether an object is one that the step about Secrets and ConfigMaps removes.
func (d *Deletion) isSetting(kind string, o client.Object) bool {
	return o.GetNamespace() == d.Namespace && (kind == "Secret" || kind == "ConfigMap")
}
