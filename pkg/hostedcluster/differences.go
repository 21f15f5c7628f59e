package hostedcluster

import (
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/step"
)

// difference is a field of an existing object that is not as asked.
type difference struct{ field, have, want string }

func (d difference) String() string {
	return fmt.Sprintf("%s is %s, asked for %s", d.field, d.have, d.want)
}

// compared is a field with both its values.
type compared struct{ field, have, want string }

func differing(fields ...compared) []difference {
	var out []difference
	for _, f := range fields {
		if f.have != f.want {
			out = append(out, difference{f.field, shown(f.have), shown(f.want)})
		}
	}
	return out
}

func shown(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

// standing is the finding about an existing object: Broken where a field differs that cannot be changed any more.
func standing(object string, fixed, changeable []difference) step.Finding {
	if len(fixed) > 0 {
		return step.Stuck("exists already and differs in fields that cannot be changed: %s", list(fixed)).On("%s", object).
			WithHint("choose another --name, or give the flags it was created with")
	}
	if len(changeable) > 0 {
		return step.Okay("exists; left as it is: %s", list(changeable)).On("%s", object)
	}
	return step.Okay("exists").On("%s", object)
}

func list(ds []difference) string {
	parts := make([]string, 0, len(ds))
	for _, d := range ds {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, "; ")
}

// fixedOfHostedCluster compares what the CRD's rules let nobody change after creation. The base domain of a cluster whose
// ingress passes through is left out: the operator fills it in.
func fixedOfHostedCluster(have, want *hyperv1.HostedCluster) []difference {
	h, w := have.Spec, want.Spec
	fields := []compared{
		{"spec.platform.type", string(h.Platform.Type), string(w.Platform.Type)},
		{"spec.controllerAvailabilityPolicy", orDefault(string(h.ControllerAvailabilityPolicy), string(hyperv1.HighlyAvailable)), string(w.ControllerAvailabilityPolicy)},
		{"spec.fips", fmt.Sprint(h.FIPS), fmt.Sprint(w.FIPS)},
		{"spec.olmCatalogPlacement", orDefault(string(h.OLMCatalogPlacement), string(hyperv1.ManagementOLMCatalogPlacement)), string(w.OLMCatalogPlacement)},
		{"spec.networking.clusterNetwork", clusterCIDRs(h.Networking), clusterCIDRs(w.Networking)},
		{"spec.networking.serviceNetwork", serviceCIDRs(h.Networking), serviceCIDRs(w.Networking)},
		{"spec.networking.machineNetwork", machineCIDRs(h.Networking), machineCIDRs(w.Networking)},
		{"spec.networking.networkType", orDefault(string(h.Networking.NetworkType), string(hyperv1.OVNKubernetes)), string(w.Networking.NetworkType)},
		{"spec.etcd.managementType", string(h.Etcd.ManagementType), string(w.Etcd.ManagementType)},
		{"spec.etcd.managed.storage.persistentVolume.size", etcdVolumeSize(h.Etcd), etcdVolumeSize(w.Etcd)},
		{"spec.etcd.managed.storage.persistentVolume.storageClassName", etcdVolumeClass(h.Etcd), etcdVolumeClass(w.Etcd)},
		{"spec.services", published(h.Services), published(w.Services)},
	}
	havePass, wantPass := passthrough(h), passthrough(w)
	fields = append(fields, compared{"spec.platform.kubevirt.baseDomainPassthrough", fmt.Sprint(havePass), fmt.Sprint(wantPass)})
	if !wantPass {
		fields = append(fields, compared{"spec.dns.baseDomain", h.DNS.BaseDomain, w.DNS.BaseDomain})
	}
	return differing(fields...)
}

// changeableOfHostedCluster compares what was asked for by flag and could be changed.
func changeableOfHostedCluster(have *hyperv1.HostedCluster, o Options) []difference {
	var fields []compared
	if o.ReleaseImage != "" {
		fields = append(fields, compared{"spec.release.image", have.Spec.Release.Image, o.ReleaseImage})
	}
	if len(o.SSHKey) > 0 {
		fields = append(fields, compared{"spec.sshKey.name", have.Spec.SSHKey.Name, sshKeyName(o.Name)})
	}
	return differing(fields...)
}

func fixedOfNodePool(have, want *hyperv1.NodePool) []difference {
	h, w := have.Spec, want.Spec
	return differing(
		compared{"spec.clusterName", h.ClusterName, w.ClusterName},
		compared{"spec.platform.type", string(h.Platform.Type), string(w.Platform.Type)},
		compared{"spec.arch", orDefault(h.Arch, hyperv1.ArchitectureAMD64), w.Arch},
		compared{"spec.management.upgradeType", string(h.Management.UpgradeType), string(w.Management.UpgradeType)},
	)
}

func changeableOfNodePool(have, want *hyperv1.NodePool) []difference {
	fields := []compared{{"spec.replicas", replicas(have), replicas(want)}}
	h, w := have.Spec.Platform.Kubevirt, want.Spec.Platform.Kubevirt
	if h != nil && w != nil {
		fields = append(fields,
			compared{"spec.platform.kubevirt.compute.memory", memory(h), memory(w)},
			compared{"spec.platform.kubevirt.compute.cores", cores(h), cores(w)},
			compared{"spec.platform.kubevirt.rootVolume.persistent.size", rootVolume(h), rootVolume(w)},
		)
	}
	return differing(fields...)
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func clusterCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.ClusterNetwork {
		cidrs = append(cidrs, n.ClusterNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func serviceCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.ServiceNetwork {
		cidrs = append(cidrs, n.ServiceNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func machineCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.MachineNetwork {
		cidrs = append(cidrs, n.MachineNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func etcdVolumeSize(e hyperv1.EtcdSpec) string {
	if e.Managed == nil || e.Managed.Storage.PersistentVolume == nil {
		return ""
	}
	return quantity(e.Managed.Storage.PersistentVolume.Size)
}

func etcdVolumeClass(e hyperv1.EtcdSpec) string {
	if e.Managed == nil || e.Managed.Storage.PersistentVolume == nil {
		return ""
	}
	return ptr.Deref(e.Managed.Storage.PersistentVolume.StorageClassName, "")
}

// published is the services and how each is published, in a fixed order.
func published(services []hyperv1.ServicePublishingStrategyMapping) string {
	parts := make([]string, 0, len(services))
	for _, s := range services {
		parts = append(parts, fmt.Sprintf("%s by %s", s.Service, s.Type))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func passthrough(spec hyperv1.HostedClusterSpec) bool {
	return spec.Platform.Kubevirt != nil && ptr.Deref(spec.Platform.Kubevirt.BaseDomainPassthrough, false)
}

func quantity(q *resource.Quantity) string {
	if q == nil {
		return ""
	}
	return resource.NewQuantity(q.Value(), resource.BinarySI).String()
}

func replicas(np *hyperv1.NodePool) string {
	switch {
	case np.Spec.Replicas != nil:
		return fmt.Sprint(*np.Spec.Replicas)
	case np.Spec.AutoScaling != nil:
		return fmt.Sprintf("autoscaled %d to %d", np.Spec.AutoScaling.Min, np.Spec.AutoScaling.Max)
	}
	return ""
}

func memory(k *hyperv1.KubevirtNodePoolPlatform) string {
	if k.Compute == nil {
		return ""
	}
	return quantity(k.Compute.Memory)
}

func cores(k *hyperv1.KubevirtNodePoolPlatform) string {
	if k.Compute == nil || k.Compute.Cores == nil {
		return ""
	}
	return fmt.Sprint(*k.Compute.Cores)
}

func rootVolume(k *hyperv1.KubevirtNodePoolPlatform) string {
	if k.RootVolume == nil || k.RootVolume.Persistent == nil {
		return ""
	}
	return quantity(k.RootVolume.Persistent.Size)
}
