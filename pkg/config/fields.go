package config

import (
	"strings"
	"sync"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
)

// Field describes one field of a document.
type Field = option.Field

// Fields lists every field of Bootstrap, in the order of the document.
func Fields() []Field {
	ofDisks := option.Runs{Groups: "storage", Modes: "auto odf lvms"}
	ofDesign := option.Runs{Groups: "storage", Modes: "auto odf"}
	return []Field{
		{Name: "apiVersion", Values: []string{APIVersion}, Text: "version of this document"},
		{Name: "kind", Values: []string{Kind}, Text: "kind of this document"},
		{Name: "storage", Text: "where volumes come from"},
		{Name: "storage.mode", Flag: "storage", Values: words(storage.Modes()), ValuesInText: true,
			Runs: option.Runs{Groups: "storage", Checked: true}, Example: "auto",
			Text: "storage to use: auto (keep a healthy default class, else install ODF), existing, odf, lvms, hostpath (for " +
				"labs) or none"},
		{Name: "storage.defaultStorageClass", Flag: "default-storage-class",
			Runs:    option.Runs{Groups: "storage", Checked: true, Modes: "auto existing odf lvms hostpath"},
			Example: "ocs-storagecluster-ceph-rbd",
			Text:    "StorageClass that is to be the only default one; needed where two are marked"},
		{Name: "storage.hostPath", Flag: "host-path", Runs: option.Runs{Groups: "storage", Modes: "hostpath"},
			Example: "/var/hpvolumes",
			Text:    "directory of the nodes for the volumes of the hostpath provisioner, /var/hpvolumes unless said otherwise"},
		{Name: "storage.grow", Flag: "grow-storage", Runs: ofDisks, Example: "true",
			Text: "add disks to the StorageCluster or LVMCluster that hcctl created: free volumes, and those that the " +
				"settings of disks select"},
		{Name: "storage.disks", Text: "which of the nodes' disks OpenShift Data Foundation or LVM Storage may take"},
		{Name: "storage.disks.nodes", Flag: "disk-nodes", Runs: ofDisks, Example: "disks=fast",
			Text: "label selector of the nodes whose disks may be taken; all workers unless said otherwise"},
		{Name: "storage.disks.types", Flag: "disk-types", Values: disk.Types(), Runs: ofDisks, Example: "disk",
			Text: "types of devices that may be taken; disk unless said otherwise"},
		{Name: "storage.disks.media", Flag: "disk-media", Values: disk.AllMedia(), ValuesInText: true,
			Runs: ofDisks, Example: "ssd",
			Text: "disks that may be used: ssd (SSD and NVMe, the default), hdd (hard disks) or any"},
		{Name: "storage.disks.minSize", Flag: "disk-min-size", Runs: ofDisks, Example: "500Gi",
			Text: "minimum size of a disk"},
		{Name: "storage.disks.maxSize", Flag: "disk-max-size", Runs: ofDisks, Example: "4Ti",
			Text: "maximum size of a disk"},
		{Name: "storage.disks.take", Flag: "disk-take", Runs: ofDisks, Example: "MZQL2",
			Text: "models or by-id names of disks to take, in part or with wildcards; all others are left"},
		{Name: "storage.disks.leave", Flag: "disk-leave", Runs: ofDisks, Example: "nvme-eui.0025*",
			Text: "models or by-id names of disks to leave, in part or with wildcards"},
		{Name: "storage.disks.perNode", Flag: "disks-per-node", Runs: ofDisks, Example: "2",
			Text: "maximum number of disks to take on one node; 0 means all"},
		{Name: "storage.disks.agreed", Flag: "disks", Runs: ofDisks,
			Example: "node=worker-0,by-id=nvme-eui.0025385b91b0001",
			Text: "agree to disks: FILE.json with what hcctl disks -o json printed, its digest, node=NAME,by-id=NAME " +
				"for each disk to take, or class=NAME for the raw volumes that somebody else has made"},
		{Name: "storage.dataFoundation", Text: "layout of a new StorageCluster; an existing one is not changed"},
		{Name: "storage.dataFoundation.resourceProfile", Flag: "odf-resource-profile",
			Values: design.Profiles(), ValuesInText: true, Runs: ofDesign, Example: "lean",
			Text: "how much Data Foundation's daemons request: balanced (its default), lean or performance; 4.15 and " +
				"later"},
		{Name: "storage.dataFoundation.encryption", Flag: "odf-encryption", Runs: ofDesign, Example: "true",
			Text: "encrypt the disks at rest; their keys are in Secrets beside the StorageCluster"},
		{Name: "storage.dataFoundation.objectGateways", Flag: "odf-object-gateways", Values: design.Gateways(),
			ValuesInText: true, Runs: ofDesign, Example: "none",
			Text: "object gateways: both (the default), rados, multicloud (Multicloud Object Gateway) or none"},
		{Name: "storage.dataFoundation.spread", Flag: "odf-spread", Values: design.Spreads(),
			ValuesInText: true, Runs: ofDesign, Example: "auto",
			Text: "what replicas are spread over: auto (zones where there are three with disks, else nodes), zones or " +
				"nodes"},
		{Name: "storage.dataFoundation.deviceSets", Flag: "odf-device-sets", Runs: ofDesign, Example: "3",
			Text: "count of the device set: disks over nodes, disks of each zone over zones; 0 means all"},
		{Name: "storage.dataFoundation.virtualizationClass", Flag: "odf-virtualization-class",
			Values: design.VirtualizationClasses(), ValuesInText: true, Runs: ofDesign, Example: "auto",
			Text: "default class of virtual machines: auto (mark Data Foundation's unless another is marked), mark or " +
				"leave"},
		{Name: "storage.dataFoundation.consolePlugin", Flag: "odf-console-plugin", Values: design.ConsolePlugins(),
			ValuesInText: true, Runs: ofDesign, Example: "enable",
			Text: "Data Foundation's plugin of the console: enable (the default) or leave as it is"},
		{Name: "storage.dataFoundation.spec",
			Text: "fields of the StorageCluster's spec, new or not; what others have set is kept"},
		{Name: "storage.lvms", Text: "layout of a new LVMCluster; an existing one is not changed"},
		{Name: "storage.lvms.spec",
			Text: "fields of the LVMCluster's spec; the device class of hcctl is vg1"},
		{Name: "virtualization", Text: "what runs the worker VMs"},
		{Name: "virtualization.source", Flag: "virtualization-source",
			Runs: option.Runs{Groups: "virtualization", Checked: true}, Example: "redhat",
			Text: "OpenShift Virtualization from redhat or community, or the image of a catalog with the community " +
				"operator"},
		{Name: "virtualization.manifests", Flag: "virtualization-manifests",
			Runs: option.Runs{Groups: "virtualization cluster", Checked: true}, Example: "kubevirt",
			Text: "directory of manifests to apply instead, for clusters without Operator Lifecycle Manager"},
		{Name: "virtualization.spec",
			Text: "fields of the HyperConverged's spec, new or not; what others have set is kept"},
		{Name: "loadBalancer", Text: "where hosted API servers get their addresses"},
		{Name: "loadBalancer.mode", Flag: "load-balancer", Values: words(loadbalancer.Modes()),
			ValuesInText: true, Runs: option.Runs{Groups: "load-balancer", Checked: true}, Example: "metallb",
			Text: "load balancer: metallb (installed if missing), existing (another one that is there) or none"},
		{Name: "loadBalancer.metallbRanges", Flag: "metallb-range", Runs: option.Runs{Groups: "load-balancer"},
			Example: "192.168.216.32-192.168.216.122",
			Text:    "addresses MetalLB may assign, as CIDR or FIRST-LAST; not needed where a pool exists"},
		{Name: "loadBalancer.metallbSpec",
			Text: "fields of the MetalLB's spec, new or not; what others have set is kept"},
		{Name: "multicluster", Text: "what installs HyperShift"},
		{Name: "multicluster.enableComponents", Flag: "enable-component",
			Runs: option.Runs{Groups: "multicluster hypershift"}, Example: "hypershift",
			Text: "components of multicluster engine to turn on even if they were turned off on purpose: hypershift, " +
				"hypershift-local-hosting, local-cluster"},
		{Name: "multicluster.spec",
			Text: "fields of the MultiClusterEngine's spec, new or not; what others have set is kept"},
		{Name: "mirrors", Text: "where images and operators come from, on a disconnected cluster"},
		{Name: "mirrors.resources", Flag: "mirror-resources", Example: "working-dir/cluster-resources",
			Runs: option.Runs{Groups: "cluster", Checked: true},
			Text: "directory of oc-mirror's results: its CatalogSources and sets of mirrors are applied, all else is named"},
		{Name: "mirrors.catalogs", Text: "images of catalogs, by the names of the CatalogSources that hcctl makes of them"},
		{Name: "mirrors.catalogs.*", Text: "image of this catalog, with its tag or digest"},
		{Name: "mirrors.certificates", Text: "certificates that nodes are to trust, by registry, such as " +
			"registry.example.com:5000; those of others stay"},
		{Name: "mirrors.certificates.*", Text: "file of PEM certificates of this registry's authorities"},
		{Name: "mirrors.pullSecret", Text: "file of credentials to add to the cluster's pull secret; its other entries " +
			"stay"},
		{Name: "with", Flag: "with", Values: prereqs.OptionalGroups(), ValuesInText: true,
			Runs: option.Runs{Names: true}, Example: "gitops",
			Text: "optional groups of steps: gitops (OpenShift GitOps, and hosted clusters known to Argo CD)"},
		{Name: "approval", Flag: "approval", Values: olm.Approvals(), ValuesInText: true,
			Runs: option.Runs{Groups: "storage virtualization load-balancer multicluster gitops"}, Example: "manual",
			Text: "updates of operators that hcctl installs: automatic (the default, by OLM itself) or manual (an " +
				"administrator approves each)"},
		{Name: "operators",
			Text: "exact versions, channels or catalogs of operators, by the name of their OLM package"},
		{Name: "operators.*", Text: "one operator"},
		{Name: "operators.*.approval", Values: olm.Approvals(),
			Text: "updates of this operator: automatic or manual, instead of approval"},
		{Name: "operators.*.startingCSV",
			Text: "exact version to install; makes the approval Manual, and no other version is approved"},
		{Name: "operators.*.channel", Text: "channel, instead of the one that fits"},
		{Name: "operators.*.catalogSource",
			Text: "CatalogSource in openshift-marketplace, instead of the one that has the operator"},
		{Name: "takeOver", Flag: "take-over", Values: takeOvers(), Runs: option.Runs{Names: true},
			Example: "ingress/wildcard",
			Text:    "IDs of steps that may replace what somebody else has decided; hcctl check and --dry-run name them"},
		{Name: "only", Flag: "only", Example: "storage,load-balancer/pool",
			Text: "groups or IDs of steps to run; what they need is checked but not installed"},
		{Name: "skip", Flag: "skip", Runs: option.Runs{Names: true, Checked: true}, Example: "cluster/topology",
			Text: "groups or IDs of steps to leave out; steps that need them continue as if they were fulfilled"},
		{Name: "timeout", Flag: "timeout", Example: "1h", Text: "time limit for bootstrap as a whole"},
		{Name: "timeouts", Text: "how long single steps may take, by ID"},
		{Name: "timeouts.*", Text: "how long this step may take"},
		{Name: "troubleTimeout", Flag: "trouble-timeout", Example: "10m",
			Text: "how long a step may report the same problem, such as a degraded component, before bootstrap gives " +
				"up on it; 0 means until its timeout"},
		{Name: "parallel", Flag: "parallel", Example: "0",
			Text: "how many steps may run at once, including those that only wait; 0 means no limit"},
	}
}

// DiskFlags returns the flags of the settings that select disks.
func DiskFlags() []string {
	var out []string
	for _, f := range Fields() {
		if strings.HasPrefix(f.Name, "storage.disks.") {
			out = append(out, f.Flag)
		}
	}
	return out
}

// takeOvers returns the steps that can replace decisions of others. It is cached, because making every
// prerequisite takes milliseconds.
var takeOvers = sync.OnceValue(func() []string { return words(prereqs.TakeOvers()) })

func words[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// table lists the fields of one kind of document, in order. "[]" stands for the index of a list's item, as in
// "spec.nodePools[].memory".
type table []Field

// children returns the names of the fields directly below a path; "*" for the keys of a map.
func (t table) children(path string) []string {
	path = general(path)
	var out []string
	for _, f := range t {
		parent, name := "", f.Name
		if i := strings.LastIndex(f.Name, "."); i >= 0 {
			parent, name = f.Name[:i], f.Name[i+1:]
		}
		if matches(parent, path) {
			out = append(out, name)
		}
	}
	return out
}

// at returns the field with this path, or the list that has this path as an item. If several patterns match, the
// longest wins.
func (t table) at(path string) (Field, bool) {
	path = strings.TrimSuffix(general(path), "[]")
	var at Field
	for _, f := range t {
		if f.Name == path {
			return f, true
		}
		if len(f.Name) > len(at.Name) && matches(f.Name, path) {
			at = f
		}
	}
	return at, at.Name != ""
}

// holds describes what a mapping at that path must contain.
func (t table) holds(path string) string {
	if names := t.children(path); len(names) > 0 && names[0] != "*" {
		return "fields: " + strings.Join(names, ", ")
	}
	return "fields, each a name and a value"
}

// placeOf returns the path of the field that a misplaced name means, by its last part or its flag. If several
// match, it returns the nearest to path; "" if none does.
func (t table) placeOf(name, path string) string {
	best, depth := "", -1
	for _, f := range t {
		if !strings.HasSuffix(f.Name, "."+name) && (f.Flag == "" || f.Flag != name &&
			f.Flag != strings.TrimSuffix(name, "s")) {
			continue
		}
		common := 0
		here, there := strings.Split(general(path), "."), strings.Split(f.Name, ".")
		for common < len(here) && common < len(there) && (here[common] == there[common] || there[common] == "*") {
			common++
		}
		if common > depth {
			best, depth = f.Name, common
		}
	}
	return best
}

// itemPlace matches the index of a list's item, such as "[3]".
var itemPlace = lazyregexp.New(`\[[0-9]+\]`)

// general returns a path without the indexes of items.
func general(path string) string { return itemPlace.ReplaceAllString(path, "[]") }

// matches reports whether a pattern describes a path. "*" stands for one key; at the end the key may contain
// dots, as keys of labels do.
func matches(pattern, path string) bool {
	if pattern == path {
		return true
	}
	before, after, ok := strings.Cut(pattern, "*")
	if !ok || !strings.HasPrefix(path, before) {
		return false
	}
	rest := path[len(before):]
	if after == "" {
		return rest != ""
	}
	end := strings.Index(rest, ".")
	return end > 0 && matches(after, rest[end:])
}
