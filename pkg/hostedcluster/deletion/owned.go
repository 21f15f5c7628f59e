package deletion

import (
	"fmt"
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// owns reports whether an object was created for this HostedCluster. Proofs are the mark and, in the HostedCluster's
// own namespace, the owner reference or the usual name together with the InfraID.
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
	case d.listError != "" || !slices.Contains(d.companionNames(kindOf(o)), o.GetName()):
		return false
	case d.InfraID == "" || m.InfraID == "":
		return kindOf(o) == "Secret" && o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner
	}
	return m.InfraID == d.InfraID
}

// marked reports whether a mark is that of this HostedCluster: namespace, name and UID. If the mark has no UID (an
// interrupted create) or the HostedCluster is gone, the InfraID must match.
func (d *Plan) marked(m hostedcluster.Mark) bool {
	switch {
	case m.Cluster != d.key().String():
		return false
	case m.UID != "" && d.self.UID != "":
		return m.UID == d.self.UID
	case d.clusterExists(m.UID):
		return false
	}
	return d.InfraID == "" || m.InfraID == d.InfraID
}

// companionNames returns the names that hcctl and the hypershift command line give to a cluster's objects of a kind.
func (d *Plan) companionNames(kind string) []string {
	switch kind {
	case "Secret":
		return []string{
			hostedcluster.PullSecretName(d.Name),
			hostedcluster.EncryptionKeyName(d.Name),
			hostedcluster.SSHKeyName(d.Name),
			hostedcluster.InfraCredentialsName(d.Name),
			hostedcluster.AuditWebhookName(d.Name),
			hostedcluster.AdminKubeconfigName(d.Name),
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

// vendorTrustBundle is the name of every cluster's CA bundle in the hypershift command line.
const vendorTrustBundle = "user-ca-bundle"

// addLeft adds a note to Left with the reason why an object with the InfraID label stays.
func (d *Plan) addLeft(kind string, o client.Object) {
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

// isOutside reports whether an object is in neither of the cluster's two namespaces.
func (d *Plan) isOutside(o client.Object) bool {
	return o.GetNamespace() != d.Namespace && o.GetNamespace() != d.controlPlaneName()
}

// addOutside records an object outside of the cluster's namespaces.
func (d *Plan) addOutside(format string, args ...any) {
	d.addFound(format, args...)
	d.Outside = append(d.Outside, fmt.Sprintf(format, args...))
}

// isCompanion reports whether the step for Secrets and ConfigMaps removes the object.
func (d *Plan) isCompanion(kind string, o client.Object) bool {
	return o.GetNamespace() == d.Namespace && (kind == "Secret" || kind == "ConfigMap")
}
