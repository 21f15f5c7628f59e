package kubevirtcsi

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/world"
)

const (
	driversNamespace     = "openshift-cluster-csi-drivers"
	dnsNamespace         = "openshift-dns"
	defaultClassName     = "kubevirt-csi-infra-default"
	defaultSnapshotClass = "kubevirt-csi-snapshot"
	// defaultAnnotation marks the class that claims without one get. HyperShift writes it if nobody else has.
	defaultAnnotation = "storageclass.kubernetes.io/is-default-class"

	infraClassParameter    = "infraStorageClassName"
	infraSnapshotParameter = "infraSnapshotClassName"
	busParameter           = "bus"
	busDefault             = "scsi"
)

// The first releases whose classes allow expansion, and which have classes of snapshots.
const (
	expansionSince = 18
	snapshotsSince = 16
)

var snapshotClassKind = schema.GroupVersionKind{Group: "snapshot.storage.k8s.io", Version: "v1",
	Kind: "VolumeSnapshotClass"}

func storageType(hcp *hyperv1.HostedControlPlane) hyperv1.KubevirtStorageDriverConfigType {
	if kv := hcp.Spec.Platform.Kubevirt; kv != nil && kv.StorageDriver != nil && kv.StorageDriver.Type != "" {
		return kv.StorageDriver.Type
	}
	return hyperv1.DefaultKubevirtStorageDriverConfigType
}

// manual returns the mappings of a hosted cluster, empty if it has none.
func manual(hcp *hyperv1.HostedControlPlane) hyperv1.KubevirtManualStorageDriverConfig {
	if storageType(hcp) != hyperv1.ManualKubevirtStorageDriverConfigType {
		return hyperv1.KubevirtManualStorageDriverConfig{}
	}
	return ptr.Deref(hcp.Spec.Platform.Kubevirt.StorageDriver.Manual, hyperv1.KubevirtManualStorageDriverConfig{})
}

// ensureClasses writes what the hosted cluster config operator makes in the guest: the driver, its classes and those of
// snapshots. It does so once for each content, where the real operator does so again and again.
func (d *driver) ensureClasses(ctx context.Context, hcp *hyperv1.HostedControlPlane, c client.Client) error {
	payload, err := d.Registry().Lookup(hcp.Spec.ReleaseImage)
	if err != nil {
		return fmt.Errorf("look up the release of the guest in %s: %w", hcp.Namespace, err)
	}
	content := fmt.Sprint(hcp.UID, payload.Version, storageType(hcp), manual(hcp))
	if told, _ := d.told.Load(hcp.Namespace); told == content {
		return nil
	}
	minor := release.Minor(payload.Version)
	if minor < 0 {
		minor = snapshotsSince + expansionSince // newer than every release that is told apart here
	}
	namespace := &corev1.Namespace{}
	namespace.Name = driversNamespace
	attach := &storagev1.CSIDriver{}
	attach.Name = driverName
	objects := []ensured{
		{namespace, func() {}},
		{attach, func() {
			attach.Spec.AttachRequired, attach.Spec.PodInfoOnMount = ptr.To(true), ptr.To(true)
			attach.Spec.FSGroupPolicy = ptr.To(storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
		}},
	}
	objects = append(objects, classes(hcp, minor)...)
	if minor >= snapshotsSince {
		objects = append(objects, snapshotClasses(hcp)...)
	}
	resolver, err := d.resolver()
	if err != nil {
		return err
	}
	objects = append(objects, resolver...)
	for _, o := range objects {
		if _, err := controllerutil.CreateOrUpdate(ctx, c, o.object, func() error { o.mutate(); return nil }); err != nil {
			return fmt.Errorf("make %T %s in a guest: %w", o.object, o.object.GetName(), err)
		}
	}
	d.told.Store(hcp.Namespace, content)
	return nil
}

// resolver is the DaemonSet of the guest's DNS operator, whose image is the release's client. It has no pods.
func (d *driver) resolver() ([]ensured, error) {
	born, err := world.Objects(d.Profile)
	if err != nil {
		return nil, fmt.Errorf("render what a guest has of DNS: %w", err)
	}
	var out []ensured
	for _, o := range born {
		if o.GetKind() == "DaemonSet" && o.GetNamespace() == dnsNamespace {
			namespace := &corev1.Namespace{}
			namespace.Name = dnsNamespace
			out = append(out, ensured{namespace, func() {}}, ensured{o, func() {}})
		}
	}
	return out, nil
}

// ensured is an object and what it has to have.
type ensured struct {
	object client.Object
	mutate func()
}

// classes are the StorageClasses of a guest: those of the mapping, else a default one.
func classes(hcp *hyperv1.HostedControlPlane, minor int) []ensured {
	class := func(name, infra string, isDefault bool) ensured {
		sc := &storagev1.StorageClass{}
		sc.Name = name
		return ensured{sc, func() {
			sc.Provisioner, sc.Parameters = driverName, map[string]string{busParameter: busDefault}
			if infra != "" {
				sc.Parameters[infraClassParameter] = infra
			}
			if minor >= expansionSince {
				sc.AllowVolumeExpansion = ptr.To(true)
			}
			if _, said := sc.Annotations[defaultAnnotation]; isDefault && !said {
				sc.Annotations = map[string]string{defaultAnnotation: "true"}
			}
		}}
	}
	if storageType(hcp) != hyperv1.ManualKubevirtStorageDriverConfigType {
		return []ensured{class(defaultClassName, "", true)}
	}
	var out []ensured
	for _, m := range manual(hcp).StorageClassMapping {
		out = append(out, class(m.GuestStorageClassName, m.InfraStorageClassName, false))
	}
	return out
}

// snapshotClasses are the VolumeSnapshotClasses of a guest.
func snapshotClasses(hcp *hyperv1.HostedControlPlane) []ensured {
	class := func(name, infra string) ensured {
		vsc := &unstructured.Unstructured{}
		vsc.SetGroupVersionKind(snapshotClassKind)
		vsc.SetName(name)
		return ensured{vsc, func() {
			vsc.Object["driver"], vsc.Object["deletionPolicy"] = driverName, string(corev1.PersistentVolumeReclaimDelete)
			if infra != "" {
				vsc.Object["parameters"] = map[string]any{infraSnapshotParameter: infra}
			}
		}}
	}
	if storageType(hcp) != hyperv1.ManualKubevirtStorageDriverConfigType {
		return []ensured{class(defaultSnapshotClass, "")}
	}
	var out []ensured
	for _, m := range manual(hcp).VolumeSnapshotClassMapping {
		out = append(out, class(m.GuestVolumeSnapshotClassName, m.InfraVolumeSnapshotClassName))
	}
	return out
}
