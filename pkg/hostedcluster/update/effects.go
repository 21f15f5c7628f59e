package update

import (
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Effect is what a change of a field sets off in the hosted cluster.
type Effect int

// The effects, the least first.
const (
	// EffectNone restarts nothing.
	EffectNone Effect = iota
	// EffectControlPlane restarts pods of the control plane, or of the hosted cluster's own operators.
	EffectControlPlane
	// EffectNodes replaces the nodes of every pool, and restarts the control plane.
	EffectNodes
)

// effects has the options that can be changed, by their names. Nodes are replaced for what HyperShift hashes into the
// configuration of the nodes: hypershift-operator/controllers/nodepool/config.go, rolloutConfig (v0.1.70): the
// MachineConfigs of the cluster, among them the mirrors, and the proxy.
var effects = map[string]Effect{
	"labels":                         EffectNone,
	"annotations":                    EffectNone,
	"allowedCIDRBlocks":              EffectNone,
	"olmDisableDefaultSources":       EffectNone,
	"kasDNSName":                     EffectControlPlane,
	"ovnInternalJoinSubnet":          EffectControlPlane,
	"ovnInternalTransitSwitchSubnet": EffectControlPlane,
	"infraAvailabilityPolicy":        EffectControlPlane,
	"nodeSelector":                   EffectControlPlane,
	"podsLabels":                     EffectControlPlane,
	"toleration":                     EffectControlPlane,
	"controlPlaneOperatorImage":      EffectControlPlane,
	"featureSet":                     EffectControlPlane,
	"identityProviders":              EffectControlPlane,
	"oidc":                           EffectControlPlane,
	"auditProfile":                   EffectControlPlane,
	"imageContentSources":            EffectNodes,
	"httpProxy":                      EffectNodes,
	"httpsProxy":                     EffectNodes,
	"noProxy":                        EffectNodes,
}

// Fields are the options of a HostedCluster that can be changed after creation.
func Fields() []options.Field {
	return slices.DeleteFunc(options.Fields(), func(f options.Field) bool {
		_, changeable := effects[f.Name]
		return !changeable
	})
}

// EffectOf is what a change of one of Fields sets off.
func EffectOf(f options.Field) Effect { return effects[f.Name] }

// fixed are the options that nobody can change: a transition rule of the HostedCluster's CRD refuses it
// (v0.1.70, v0.1.81), or HyperShift applies it only when it creates the cluster (networkType).
var fixed = []string{"infraID", "fips", "baseDomain", "externalDNSDomain", "servicePublishingStrategy",
	"apiServerAddress", "publish", "apiHostname", "networkType", "clusterCIDR", "serviceCIDR", "machineCIDR",
	"disableMultiNetwork", "allocateNodeCIDRs", "ovnKubernetesMTU", "controlPlaneAvailabilityPolicy",
	"etcdStorageClass", "etcdStorageSize", "olmCatalogPlacement", "enableClusterCapabilities",
	"disableClusterCapabilities", "infraKubeconfigFile", "infraNamespace", "storageDriver", "infraStorageClassMapping",
	"infraVolumesnapshotClassMapping"}

// other says why an option is not one of the HostedCluster's fields that can be changed, and the way to change it.
type other struct{ why, way string }

// servicesWay is how a service is changed.
const servicesWay = "hcctl apply -f FILE, or the command that created the cluster, with the new value"

// elsewhere are the options that something else changes, by their names.
var elsewhere = map[string]other{
	"releaseImage": {"a release is changed by an upgrade", "hcctl upgrade cluster NAME --release-image IMAGE"},
	"version":      {"a version is changed by an upgrade", "hcctl upgrade cluster NAME --version VERSION"},
	"releaseStream": {"a release is changed by an upgrade",
		"hcctl upgrade cluster NAME lists the releases to choose from"},
	"channel":     {"the channel belongs to upgrades", "hcctl upgrade cluster NAME --channel CHANNEL"},
	"pausedUntil": {"a pause is a command of its own", "hcctl pause cluster NAME, hcctl resume cluster NAME"},
	"arch": {"the architecture belongs to a node pool and cannot be changed",
		"hcctl create nodepool POOL --cluster-name NAME --arch ARCH"},
	"pullSecret": {"the pull secret is in the Secret NAME-pull-secret, not in the HostedCluster",
		"oc set data secret/NAME-pull-secret --from-file=.dockerconfigjson=FILE; nodes get it when they are replaced"},
	"sshKey": {"the key is in the Secret NAME-ssh-key, not in the HostedCluster",
		"oc set data secret/NAME-ssh-key --from-file=id_rsa.pub=FILE, for a cluster that was created with a key"},
	"generateSSH": {"a key pair is made when a cluster is created",
		"oc set data secret/NAME-ssh-key --from-file=id_rsa.pub=FILE, for a cluster that was created with a key"},
	"additionalTrustBundle": {"the certificates are in the ConfigMap NAME-user-ca-bundle, not in the HostedCluster",
		"oc set data configmap/NAME-user-ca-bundle --from-file=ca-bundle.crt=FILE, for a cluster that was created with one"},
	"auditWebhook": {"the kubeconfig is in the Secret NAME-audit-webhook, not in the HostedCluster",
		"oc set data secret/NAME-audit-webhook --from-file=webhook-kubeconfig=FILE, for a cluster that was created with one"},
	"manifests":      {"the objects of a file are not fields of the HostedCluster", "oc apply -f FILE"},
	"cni":            {"the manifests are files, which create and apply bring and change", servicesWay},
	"guestManifests": {"the manifests are files, which create and apply bring and change", servicesWay},
	"adoptExisting": {"it is about objects that are there before the cluster is created",
		"hcctl create cluster --help"},
	"ingress": {"the Service and the Route are made when the cluster is created",
		"hcctl status NAME shows where its ingress is"},
	"isolateControlPlane": {"it is written as a node selector",
		"hcctl update cluster NAME --node-selector hypershift.openshift.io/control-plane=true"},
	"managedCluster":           {"the ManagedCluster is no part of the HostedCluster", servicesWay},
	"clusterSet":               {"the set is a label of the ManagedCluster", servicesWay},
	"addons":                   {"addons stand beside the ManagedCluster", servicesWay},
	"guestDefaultStorageClass": {"the class is marked in the hosted cluster", servicesWay},
	"nodeTopology":             {"the labels are those of the hosted cluster's nodes", servicesWay},
	"spread": {"where VMs stand is written into each node pool, for all pools of a cluster together",
		"hcctl apply -f FILE for the cluster, hcctl update nodepool POOL --spread KEY for one pool"},
	"avoid": {"where VMs stand is written into each node pool, for all pools of a cluster together",
		"hcctl apply -f FILE"},
	"metallbPool":      {"addresses belong to an IPAddressPool", "oc edit ipaddresspool POOL -n metallb-system"},
	"metallbAddresses": {"addresses belong to an IPAddressPool", "oc edit ipaddresspool NAMESPACE-NAME -n metallb-system"},
}

// services are the options of what stands beside a cluster, by their names: create and apply bring it and change it.
var services = func() []string {
	var names []string
	for _, f := range options.Fields() {
		if strings.HasPrefix(f.Name, "services.") {
			names = append(names, f.Name)
		}
	}
	return names
}()

// Refusal says for a flag of create cluster that update cluster does not have why that is so, and the way to change it.
// ok is false for a flag that is none of create's, or that can be changed.
func Refusal(flag string) (why, way string, ok bool) {
	for _, f := range options.Fields() {
		if f.Flag != flag {
			continue
		}
		if slices.Contains(fixed, f.Name) {
			return "HyperShift does not allow changing it after the cluster is created",
				"hcctl create cluster --name ANOTHER --" + flag + " makes another cluster with it", true
		}
		if slices.Contains(services, f.Name) {
			return "it belongs to a service, which create and apply bring and change",
				servicesWay, true
		}
		o, known := elsewhere[f.Name]
		return o.why, o.way, known
	}
	for _, f := range options.NodePoolFields() {
		if f.Flag == "" || f.Flag != flag && options.ClusterFlag(f.Flag) != flag {
			continue
		}
		if slices.Contains([]string{"replicas", "minReplicas", "maxReplicas"}, f.Name) {
			return "the number of workers belongs to a node pool", "hcctl scale nodepool POOL --" + f.Flag + " NUMBER", true
		}
		if slices.Contains([]string{"nodeUpgradeType", "config"}, f.Name) {
			return "it belongs to a node pool and is chosen when the pool is created",
				"hcctl create nodepool POOL --cluster-name NAME --" + f.Flag, true
		}
		return "it belongs to a node pool", "hcctl update nodepool POOL --" + f.Flag, true
	}
	return "", "", false
}

// Options are the names of all options that this package knows something about, sorted.
func Options() []string {
	all := append(slices.Collect(maps.Keys(effects)), fixed...)
	all = slices.Concat(all, slices.Collect(maps.Keys(elsewhere)), services)
	slices.Sort(all)
	return all
}
