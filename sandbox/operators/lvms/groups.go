package lvms

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	corev1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// deviceClass is one entry of spec.storage.deviceClasses.
type deviceClass struct {
	Name           string `json:"name"`
	Default        bool   `json:"default"`
	FSType         string `json:"fstype"`
	DeviceSelector *struct {
		Paths         []string `json:"paths"`
		OptionalPaths []string `json:"optionalPaths"`
	} `json:"deviceSelector"`
	NodeSelector *corev1.NodeSelector `json:"nodeSelector"`
	// DeviceDiscoveryPolicy is there from 4.22 on; absent is Dynamic.
	DeviceDiscoveryPolicy string `json:"deviceDiscoveryPolicy"`
	// ThinPoolConfig is required for snapshots.
	ThinPoolConfig *struct {
		Name string `json:"name"`
	} `json:"thinPoolConfig"`
}

// paths are those that the class names, required and optional ones.
func (c deviceClass) paths() []string {
	if c.DeviceSelector == nil {
		return nil
	}
	return append(slices.Clone(c.DeviceSelector.Paths), c.DeviceSelector.OptionalPaths...)
}

func (c deviceClass) className() string { return "lvms-" + c.Name }

func deviceClasses(o *unstructured.Unstructured) ([]deviceClass, error) {
	var out []deviceClass
	_, err := framework.Read(o, &out, "spec", "storage", "deviceClasses")
	return out, err
}

// group is the volume group of a device class on a node, as in status.deviceClassStatuses[].nodeStatus[].
type group struct {
	Node    string   `json:"node"`
	Name    string   `json:"name,omitempty"`
	Status  string   `json:"status"`
	Reason  string   `json:"reason,omitempty"`
	Devices []string `json:"devices,omitempty"`
	// Policy is there from 4.16 on, Excluded from 4.15 on.
	Policy   string     `json:"deviceDiscoveryPolicy,omitempty"`
	Excluded []excluded `json:"excluded,omitempty"`
}

// excluded is a device that a volume group does not take.
type excluded struct {
	Name    string   `json:"name"`
	Reasons []string `json:"reasons"`
}

type groups []group

// condition returns the condition VolumeGroupsReady. One that has failed comes before one that is degraded.
func (g groups) condition() framework.Condition {
	is := func(status string) bool {
		return slices.ContainsFunc(g, func(g group) bool { return g.Status == status })
	}
	switch {
	case len(g) == 0, is("Failed"):
		return framework.Condition{Type: "VolumeGroupsReady", Status: "False", Reason: "VGsFailed",
			Message: "One or more VGs are failed"}
	case is("Degraded"):
		return framework.Condition{Type: "VolumeGroupsReady", Status: "False", Reason: "VGsDegraded",
			Message: "One or more VGs are degraded"}
	}
	return framework.Condition{Type: "VolumeGroupsReady", Status: "True", Reason: "VGsReady",
		Message: "All the VGs are ready"}
}

// statuses returns the groups by device class, with the fields of the release.
func (g groups) statuses(release string) []any {
	out := []any{}
	var names []string
	for _, one := range g {
		if !slices.Contains(names, one.Name) {
			names = append(names, one.Name)
		}
	}
	for _, name := range names {
		var nodes []group
		for _, one := range g {
			if one.Name != name {
				continue
			}
			if !framework.AtLeast(release, "4.15") {
				one.Name, one.Excluded = "", nil
			}
			if !framework.AtLeast(release, "4.16") {
				one.Policy = ""
			}
			nodes = append(nodes, one)
		}
		out = append(out, map[string]any{"name": name, "nodeStatus": nodes})
	}
	return out
}

// groups adds disks to the volume groups of each class on each of its nodes, and returns their state.
func (l *lvmStorage) groups(ctx context.Context, o *unstructured.Unstructured, classes []deviceClass) (groups, error) {
	var tolerations []corev1.Toleration
	if _, err := framework.Read(o, &tolerations, "spec", "tolerations"); err != nil {
		return nil, err
	}
	nodes := &corev1.NodeList{}
	if err := l.Client.List(ctx, nodes); err != nil {
		return nil, err
	}
	lso, err := l.localVolumes(ctx)
	if err != nil {
		return nil, err
	}
	var out groups
	for _, class := range classes {
		for i := range nodes.Items {
			node := &nodes.Items[i]
			_, tainted := corev1helper.FindMatchingUntoleratedTaint(klog.FromContext(ctx), node.Spec.Taints, tolerations, nil,
				true)
			fits, err := disks.Placement{Selector: class.NodeSelector}.Matches(node)
			if err != nil {
				return nil, err
			}
			if tainted || !fits {
				continue
			}
			g, err := l.group(ctx, node, class, lso)
			if err != nil {
				return nil, err
			}
			out = append(out, g)
		}
	}
	return out, nil
}

// localVolumes returns the devices, as node/name, with volumes of the Local Storage Operator.
func (l *lvmStorage) localVolumes(ctx context.Context) (map[string]bool, error) {
	list := &corev1.PersistentVolumeList{}
	if err := l.Client.List(ctx, list); err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, pv := range list.Items {
		if device := pv.Annotations[disks.DeviceAnnotation]; device != "" {
			out[pv.Labels[corev1.LabelHostname]+"/"+device] = true
		}
	}
	return out, nil
}

// group adds every allowed disk to the volume group of a class on a node, and writes that to the node's disks. Without
// a deviceSelector it takes all empty disks, by the policy Static only those that are there when the group is made. The
// reasons are those of vg-manager.
func (l *lvmStorage) group(ctx context.Context, node *corev1.Node, class deviceClass,
	lso map[string]bool) (group, error) {
	devices, err := disks.Of(node)
	if err != nil {
		return group{}, err
	}
	g := group{Node: node.Name, Name: class.Name, Status: "Ready", Policy: class.policy()}
	made := slices.ContainsFunc(devices, func(d disks.Disk) bool { return d.VolumeGroup == class.Name })
	free := func(d disks.Disk) bool {
		return d.State == "Available" && d.FSType == "" && !lso[node.Name+"/"+path.Base(d.Path)]
	}
	missing := class.missing(devices, free)
	changed := false
	for i := range devices {
		d := &devices[i]
		switch {
		case d.VolumeGroup == class.Name:
		case !class.wants(*d):
			g.exclude(*d, d.Path+" is not part of the device selector or could not be resolved via symlink resolution")
		case !free(*d):
			g.exclude(*d, fmt.Sprintf("%s has an invalid filesystem signature (%s) and cannot be used", d.Path, d.FSType))
		case made && g.Policy == runtimeStatic:
			g.exclude(*d, fmt.Sprintf("%s was not part of %s at creation (static device discovery enabled)", d.Path, class.Name))
		case missing == "":
			d.State, d.FSType, d.VolumeGroup, changed = "NotAvailable", "LVM2_member", class.Name, true
		}
		if d.VolumeGroup == class.Name {
			g.Devices = append(g.Devices, d.Path)
		}
	}
	switch {
	case missing != "":
		g.Status, g.Reason = "Failed", fmt.Sprintf("mandatory device path %q cannot be used, because it is NOT available as "+
			"a new device for the volume group and NOT part of a valid and tagged existing volume group", missing)
		if len(g.Devices) > 0 { // the group is there and lacks a disk
			g.Status = "Degraded"
		}
	case len(g.Devices) == 0:
		g.Status, g.Reason = "Failed", fmt.Sprintf("the volume group %s does not exist (or was not tagged properly with "+
			"%q), and there were no available devices to create it", class.Name, "@lvms")
	}
	if !changed {
		return g, nil
	}
	raw, err := json.Marshal(devices)
	if err != nil {
		return group{}, err
	}
	return g, framework.Change(ctx, l.Client, node, func(n *corev1.Node) {
		metav1.SetMetaDataAnnotation(&n.ObjectMeta, disks.DisksAnnotation, string(raw))
		metav1.SetMetaDataLabel(&n.ObjectMeta, lvmsTopology, n.Name)
	})
}

func (g *group) exclude(d disks.Disk, reason string) {
	g.Excluded = append(g.Excluded, excluded{Name: d.Path, Reasons: []string{reason}})
}

// runtimeStatic is the policy that a status has for Static.
const runtimeStatic = "RuntimeStatic"

// policy is the class's policy as a status has it.
func (c deviceClass) policy() string {
	switch {
	case c.DeviceSelector != nil:
		return "Preconfigured"
	case c.DeviceDiscoveryPolicy == "Static":
		return runtimeStatic
	}
	return "RuntimeDynamic"
}

// missing is a required path that is on no disk that the class has or can have; empty if there is none. Nothing is
// taken on such a node.
func (c deviceClass) missing(devices []disks.Disk, free func(disks.Disk) bool) string {
	if c.DeviceSelector == nil {
		return ""
	}
	for _, want := range c.DeviceSelector.Paths {
		if !slices.ContainsFunc(devices, func(d disks.Disk) bool {
			return (d.Path == want || d.DeviceID == want) && (d.VolumeGroup == c.Name || free(d))
		}) {
			return want
		}
	}
	return ""
}

func (c deviceClass) wants(d disks.Disk) bool {
	if c.DeviceSelector == nil {
		return d.Type == "disk"
	}
	return slices.Contains(c.paths(), d.Path) || d.DeviceID != "" && slices.Contains(c.paths(), d.DeviceID)
}

// wipe removes the disks from all volume groups.
func (l *lvmStorage) wipe(ctx context.Context) error {
	nodes := &corev1.NodeList{}
	if err := l.Client.List(ctx, nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		devices, err := disks.Of(&nodes.Items[i])
		if err != nil {
			return err
		}
		for d := range devices {
			if devices[d].VolumeGroup != "" {
				devices[d].State, devices[d].FSType, devices[d].VolumeGroup = "Available", "", ""
			}
		}
		raw, err := json.Marshal(devices)
		if err != nil {
			return err
		}
		err = framework.Change(ctx, l.Client, &nodes.Items[i], func(n *corev1.Node) {
			if len(devices) > 0 {
				n.Annotations[disks.DisksAnnotation] = string(raw)
			}
			delete(n.Labels, lvmsTopology)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// classes creates the storage class of each device class, and its snapshot class if it has a thin pool. A new class of
// the default device class becomes the cluster's default if there is no other.
func (l *lvmStorage) classes(ctx context.Context, classes []deviceClass) error {
	if err := l.RegisterDrivers(ctx, lvmsDriver); err != nil {
		return err
	}
	list := &storagev1.StorageClassList{}
	if err := l.Client.List(ctx, list); err != nil {
		return err
	}
	for _, class := range classes {
		taken := slices.ContainsFunc(list.Items, func(c storagev1.StorageClass) bool {
			return c.Name != class.className() && c.Annotations[framework.DefaultClassAnnotation] == "true"
		})
		sc := &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{
				Name: class.className(), Annotations: map[string]string{"description": "Provides RWO and RWOP Filesystem & Block " +
					"volumes"},
			},
			Provisioner: lvmsDriver, VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
			AllowVolumeExpansion: ptr.To(true), ReclaimPolicy: ptr.To(corev1.PersistentVolumeReclaimDelete),
			Parameters: map[string]string{"topolvm.io/device-class": class.Name, "csi.storage.k8s.io/fstype": class.FSType},
		}
		// Up to 4.13, a single device class is the default one without saying so.
		alone := len(classes) == 1 && !framework.AtLeast(l.Profile.Minor(), "4.14")
		if (class.Default || alone) && !taken {
			sc.Annotations[framework.DefaultClassAnnotation] = "true"
		}
		if err := l.write(ctx, sc); err != nil {
			return err
		}
		if class.ThinPoolConfig == nil {
			continue
		}
		snapshots := framework.Unstructured(framework.SnapshotClassKind)
		snapshots.SetName(class.className())
		snapshots.Object["driver"], snapshots.Object["deletionPolicy"] = lvmsDriver, "Delete"
		if err := framework.Create(ctx, l.Client, snapshots); err != nil {
			return err
		}
	}
	return nil
}

// write creates a class. From 4.22 on it is applied with force at every reconcile, with its mark true or false: another
// mark does not stay.
func (l *lvmStorage) write(ctx context.Context, sc *storagev1.StorageClass) error {
	if !framework.AtLeast(l.Profile.Minor(), "4.22") {
		return framework.Create(ctx, l.Client, sc)
	}
	mark := sc.Annotations[framework.DefaultClassAnnotation]
	sc.Annotations[framework.DefaultClassAnnotation] = cmp.Or(mark, "false")
	sc.TypeMeta = metav1.TypeMeta{APIVersion: storagev1.SchemeGroupVersion.String(), Kind: "StorageClass"}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(sc)
	if err != nil {
		return err
	}
	return l.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: fields}),
		client.FieldOwner("lvms-operator"), client.ForceOwnership)
}
