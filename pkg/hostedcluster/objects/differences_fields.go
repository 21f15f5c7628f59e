package objects

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// FixedInHostedCluster compares what the CRD's rules let nobody change after creation. The base domain of a cluster
// whose ingress passes through is left out: the operator fills it in.
func FixedInHostedCluster(have, want *hyperv1.HostedCluster) []Difference {
	h, w := have.Spec, want.Spec
	fields := []Comparison{
		{"spec.platform.type", string(h.Platform.Type), string(w.Platform.Type)},
		{"spec.infraID", h.InfraID, w.InfraID},
		{
			"spec.controllerAvailabilityPolicy",
			cmp.Or(string(h.ControllerAvailabilityPolicy), string(hyperv1.HighlyAvailable)),
			string(w.ControllerAvailabilityPolicy),
		},
		{"spec.fips", fmt.Sprint(h.FIPS), fmt.Sprint(w.FIPS)},
		{
			"spec.olmCatalogPlacement",
			cmp.Or(string(h.OLMCatalogPlacement), string(hyperv1.ManagementOLMCatalogPlacement)),
			string(w.OLMCatalogPlacement),
		},
		{"spec.capabilities.enabled", capabilities(h, enabledCapabilities), capabilities(w, enabledCapabilities)},
		{"spec.capabilities.disabled", capabilities(h, disabledCapabilities), capabilities(w, disabledCapabilities)},
		{"spec.networking.clusterNetwork", clusterCIDRs(h.Networking), clusterCIDRs(w.Networking)},
		{"spec.networking.serviceNetwork", serviceCIDRs(h.Networking), serviceCIDRs(w.Networking)},
		{"spec.networking.machineNetwork", machineCIDRs(h.Networking), machineCIDRs(w.Networking)},
		{
			"spec.networking.networkType",
			cmp.Or(string(h.Networking.NetworkType), string(hyperv1.OVNKubernetes)),
			string(w.Networking.NetworkType),
		},
		{
			"spec.operatorConfiguration.clusterNetworkOperator.disableMultiNetwork",
			fmt.Sprint(multiNetworkOff(h)),
			fmt.Sprint(multiNetworkOff(w)),
		},
		{"spec.etcd.managementType", string(h.Etcd.ManagementType), string(w.Etcd.ManagementType)},
		{"spec.etcd.managed.storage.persistentVolume.size", etcdVolumeSize(h.Etcd), etcdVolumeSize(w.Etcd)},
		{"spec.etcd.managed.storage.persistentVolume.storageClassName", etcdVolumeClass(h.Etcd), etcdVolumeClass(w.Etcd)},
		{"spec.services", shownServices(h.Services), shownServices(w.Services)},
		{"spec.platform.kubevirt.credentials", shownCredentials(h), shownCredentials(w)},
		{"spec.platform.kubevirt.storageDriver", shownDriver(h), shownDriver(w)},
	}
	havePass, wantPass := hostedcluster.BaseDomainPassthrough(h), hostedcluster.BaseDomainPassthrough(w)
	fields = append(
		fields,
		Comparison{"spec.platform.kubevirt.baseDomainPassthrough", fmt.Sprint(havePass), fmt.Sprint(wantPass)},
	)
	if !wantPass {
		fields = append(fields, Comparison{"spec.dns.baseDomain", h.DNS.BaseDomain, w.DNS.BaseDomain})
	}
	return Compare(fields...)
}

// fixedPaths are what FixedInHostedCluster and FixedInNewerFields compare, by the beginnings of their paths.
func fixedPaths() []string {
	return []string{
		"spec.capabilities",
		"spec.controllerAvailabilityPolicy",
		"spec.dns",
		"spec.etcd",
		"spec.fips",
		"spec.infraID",
		"spec.networking.allocateNodeCIDRs",
		"spec.networking.clusterNetwork",
		"spec.networking.machineNetwork",
		"spec.networking.networkType",
		"spec.networking.serviceNetwork",
		"spec.olmCatalogPlacement",
		"spec.operatorConfiguration.clusterNetworkOperator.disableMultiNetwork",
		"spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.mtu",
		"spec.platform",
		"spec.services",
	}
}

// FixedInNewerFields compares the fields that the Go types do not have; nobody can change them either.
func FixedInNewerFields(have *unstructured.Unstructured, o options.Validated) []Difference {
	newer := NewerFields(o)
	var fields []Comparison
	for _, path := range slices.Sorted(maps.Keys(newer)) {
		value, _, _ := unstructured.NestedFieldNoCopy(have.Object, options.Dotted(path)...)
		fields = append(fields, Comparison{path, plainValue(value), plainValue(newer[path])})
	}
	return Compare(fields...)
}

// ChangeableInHostedCluster compares what was asked for, other than by default, and could be changed.
func ChangeableInHostedCluster(have *hyperv1.HostedCluster, o options.Validated) []Difference {
	usual := options.ValidatedDefaults(o.Name, o.Namespace, o.BaseDomain)
	in := Inputs{InfraID: have.Spec.InfraID, ReleaseImage: o.ReleaseImage}
	return Compare(
		asked(
			asMap(have),
			asMap(TypedHostedCluster(o, in)),
			asMap(TypedHostedCluster(usual, Inputs{InfraID: in.InfraID})),
			fixedPaths(),
		)...)
}

// FixedInNodePool compares what nobody can change after creation.
func FixedInNodePool(have, want *hyperv1.NodePool) []Difference {
	h, w := have.Spec, want.Spec
	return Compare(
		Comparison{"spec.clusterName", h.ClusterName, w.ClusterName},
		Comparison{"spec.platform.type", string(h.Platform.Type), string(w.Platform.Type)},
		Comparison{"spec.arch", cmp.Or(h.Arch, hyperv1.ArchitectureAMD64), w.Arch},
		Comparison{"spec.management.upgradeType", string(h.Management.UpgradeType), string(w.Management.UpgradeType)},
	)
}

// ChangeableInNodePool compares all that would be written and could be changed; of the release, which upgrades, only
// what was asked for.
func ChangeableInNodePool(have, want *hyperv1.NodePool) []Difference {
	fixed := []string{
		"spec.clusterName",
		"spec.platform.type",
		"spec.arch",
		"spec.management.upgradeType",
		"spec.release",
		"spec.replicas",
	}
	fields := []Comparison{{"spec.replicas", replicas(have), replicas(want)}}
	return Compare(append(fields, asked(asMap(have), asMap(want), nil, append(fixed, "spec.autoScaling"))...)...)
}

// asked are the fields of want that are not as usual, with what have has; those that begin with one of except are left
// out.
func asked(have, want, usual map[string]any, except []string) []Comparison {
	var out []Comparison
	leaves(want, nil, func(path []string, value any) {
		name := strings.Join(path, ".")
		if slices.ContainsFunc(except, func(e string) bool { return name == e || strings.HasPrefix(name, e+".") }) {
			return
		}
		if v, ok, _ := unstructured.NestedFieldNoCopy(usual, path...); ok && plainValue(v) == plainValue(value) {
			return
		}
		has, _, _ := unstructured.NestedFieldNoCopy(have, path...)
		out = append(out, Comparison{name, plainValue(has), plainValue(value)})
	})
	return out
}

// leaves tells each field that is not a map, in the order of their names.
func leaves(m map[string]any, path []string, each func([]string, any)) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		at := append(slices.Clone(path), key)
		if inner, ok := m[key].(map[string]any); ok {
			leaves(inner, at, each)
			continue
		}
		each(at, m[key])
	}
}

// asMap is what people choose of an object: its spec, its labels and annotations.
func asMap(obj client.Object) map[string]any {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil
	}
	out := map[string]any{"spec": m["spec"]}
	metadata := map[string]any{}
	for _, key := range []string{"labels", "annotations"} {
		if v, ok, _ := unstructured.NestedMap(m, "metadata", key); ok {
			metadata[key] = v
		}
	}
	out["metadata"] = metadata
	return out
}

// plainValue writes values alike that mean the same: quantities in one unit, nothing as nothing.
func plainValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if q, err := resource.ParseQuantity(v); err == nil && v != "" {
			return quantity(&q)
		}
		return v
	case bool:
		if !v {
			return ""
		}
	}
	data, err := json.Marshal(v)
	if err != nil || string(data) == "[]" {
		return ""
	}
	return string(data)
}

type whichCapabilities func(*hyperv1.Capabilities) []hyperv1.OptionalCapability

func enabledCapabilities(c *hyperv1.Capabilities) []hyperv1.OptionalCapability  { return c.Enabled }
func disabledCapabilities(c *hyperv1.Capabilities) []hyperv1.OptionalCapability { return c.Disabled }

func capabilities(spec hyperv1.HostedClusterSpec, which whichCapabilities) string {
	if spec.Capabilities == nil {
		return ""
	}
	var names []string
	for _, c := range which(spec.Capabilities) {
		names = append(names, string(c))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func multiNetworkOff(spec hyperv1.HostedClusterSpec) bool {
	c := spec.OperatorConfiguration
	return c != nil && c.ClusterNetworkOperator != nil && ptr.Deref(c.ClusterNetworkOperator.DisableMultiNetwork, false)
}

func shownCredentials(spec hyperv1.HostedClusterSpec) string {
	if spec.Platform.Kubevirt == nil || spec.Platform.Kubevirt.Credentials == nil {
		return ""
	}
	c := spec.Platform.Kubevirt.Credentials
	if c.InfraKubeConfigSecret == nil {
		return "namespace " + c.InfraNamespace
	}
	return "namespace " + c.InfraNamespace + " by Secret " + c.InfraKubeConfigSecret.Name
}

func shownDriver(spec hyperv1.HostedClusterSpec) string {
	if spec.Platform.Kubevirt == nil || spec.Platform.Kubevirt.StorageDriver == nil {
		return ""
	}
	d := spec.Platform.Kubevirt.StorageDriver
	shown := []string{string(d.Type)}
	if d.Manual != nil {
		for _, m := range d.Manual.StorageClassMapping {
			shown = append(shown, grouped(m.InfraStorageClassName+"/"+m.GuestStorageClassName, m.Group))
		}
		for _, m := range d.Manual.VolumeSnapshotClassMapping {
			shown = append(shown, grouped(m.InfraVolumeSnapshotClassName+"/"+m.GuestVolumeSnapshotClassName, m.Group))
		}
	}
	return strings.Join(shown, " ")
}

func grouped(s, group string) string {
	if group == "" {
		return s
	}
	return s + ",group=" + group
}
