package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// diskSource is an object that makes PersistentVolumes of one class from the nodes' disks: a LocalVolumeSet, or a
// LocalVolume, which names each disk.
type diskSource struct {
	object *unstructured.Unstructured
	class  string
	// raw means block devices, which Ceph needs.
	raw bool
}

func (s diskSource) isSet() bool { return s.object.GetKind() == kube.LocalVolumeSet.Kind }

// takesNone reports whether the source is a LocalVolumeSet with a maximum of no disks.
func (s diskSource) takesNone() bool {
	maxDevices := disk.MaxOfSet(s.object)
	return s.isSet() && maxDevices != nil && *maxDevices < 1
}

// judge returns what the operator has not done yet, or nil if it is done.
//
// The condition types are those of the Local Storage Operator 4.12 to 4.21: a LocalVolume has Available alone, and
// "DaemonSetsAvailable" is the value of a Go constant with a longer name. Available is False only on an error. The
// operator ignores a LocalVolume whose managementState is neither empty, Managed nor Force.
func (s diskSource) judge() *step.Finding {
	wanted := []string{"Available", "DaemonSetsAvailable"}
	if !s.isSet() {
		wanted = wanted[:1]
	}
	f := prereq.JudgeObject(s.object, health.Conditions(wanted, nil))
	if f == nil || s.object.GetDeletionTimestamp() != nil {
		return f
	}
	state := kube.Text(s.object, "spec", "managementState")
	if !s.isSet() && !slices.Contains([]string{"", "Managed", "Force"}, state) {
		unmanaged := step.Broken("its spec.managementState is %s, so its operator does nothing about it: %s", state,
			f.Message).On("%s", f.Object).WithHint(`oc patch localvolume %s -n %s --type=merge -p `+
			`'{"spec":{"managementState":"Managed"}}'`, s.object.GetName(), s.object.GetNamespace())
		return &unmanaged
	}
	if kube.FindCondition(kube.Conditions(s.object), wanted[0]).False() {
		failed := f.WithTrouble().WithHint("%s", health.Describe(s.object))
		return &failed
	}
	return f
}

// diskMaker is the DaemonSet that makes volumes of disks; discoveryMaker is the one that discovers disks.
const (
	diskMaker      = "diskmaker-manager"
	discoveryMaker = "diskmaker-discovery"
)

// explained adds the problem of one of these operator workloads to a Pending finding.
func explained(ctx context.Context, r kube.Reader, f step.Finding, namespace string, workloads ...string) step.Finding {
	if f.State != step.StatePending {
		return f
	}
	out := prereq.Explained(f, prereq.JudgeWorkloads(ctx, r, namespace, workloads...))
	out.Recheck = f.Recheck
	return out
}

// ofFiles returns a finding if the volumes of the source are file systems, or nil if they are block devices. The Local
// Storage Operator makes file systems by default (4.12 and later).
func (s diskSource) ofFiles(all []diskSource) *step.Finding {
	if s.raw {
		return nil
	}
	field := "spec.volumeMode"
	if !s.isSet() {
		field = "spec.storageClassDevices[].volumeMode"
	}
	next := hint.New("if no claim uses its volumes (oc get pv -l %s=%s), oc delete %s %s -n %s, and hcctl makes raw ones",
		localOwnerLabel, s.object.GetName(), strings.ToLower(s.object.GetKind()), s.object.GetName(), s.object.GetNamespace())
	if raw := offers(all); len(raw) > 0 {
		next = hint.New("have it built on others: %s; or, %s", hint.Run("bootstrap").Flag("disks", "class="+raw[0]), next)
	}
	f := step.Broken("its volumes of class %s have a file system (%s is not Block), and OpenShift Data Foundation needs "+
		"raw disks: its claims would never be bound", s.class, field).On("%s %s", s.object.GetKind(), kube.Name(s.object)).
		WithHint("%s", next)
	return &f
}

// diskSources lists the LocalVolumeSets and LocalVolumes by class. The error satisfies kube.IsKindMissing if the Local
// Storage Operator is not installed.
func diskSources(ctx context.Context, r kube.Reader) ([]diskSource, error) {
	sets := kube.LocalVolumeSet.NewList()
	if err := r.List(ctx, sets); err != nil {
		return nil, fmt.Errorf("LocalVolumeSets: %w", err)
	}
	volumes := kube.LocalVolume.NewList()
	if err := r.List(ctx, volumes); err != nil && !kube.IsKindMissing(err) {
		return nil, fmt.Errorf("LocalVolumes: %w", err)
	}
	return append(sourcesOfSets(sets.Items), sourcesOfVolumes(volumes.Items)...), nil
}

// sourcesOfSets returns the sources of the LocalVolumeSets among the objects.
func sourcesOfSets(sets []unstructured.Unstructured) []diskSource {
	var out []diskSource
	for i := range sets {
		if sets[i].GetKind() != kube.LocalVolumeSet.Kind {
			continue
		}
		out = append(out, diskSource{object: &sets[i], class: kube.Text(&sets[i], "spec", "storageClassName"),
			raw: kube.Text(&sets[i], "spec", "volumeMode") == "Block"})
	}
	return out
}

func sourcesOfVolumes(volumes []unstructured.Unstructured) []diskSource {
	var out []diskSource
	for i := range volumes {
		volume := &volumes[i]
		for _, class := range kube.Maps(volume, "spec", "storageClassDevices") {
			out = append(out, diskSource{object: volume, class: prereq.Text(class, "storageClassName"),
				raw: prereq.Text(class, "volumeMode") == "Block"})
		}
	}
	return out
}

// chosen returns the source that a StorageCluster can be built on, or nil. It is the source of class localblock, which
// the vendor's documents use, or the raw source of the class that the user has named: other sources have a purpose of
// their own.
func (s common) chosen(sources []diskSource) *diskSource {
	class := s.o.disks.Class()
	for i := range sources {
		if found := &sources[i]; found.class == localClass && class == "" || found.raw && found.class == class {
			return found
		}
	}
	return nil
}

// diskClassOf returns the class of the volumes for a new StorageCluster. If the kind is not registered yet (in a plan),
// it is the class of the LocalVolume that hcctl will make.
func (s common) diskClassOf(ctx context.Context, r kube.Reader) (string, error) {
	sources, err := diskSources(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	if source := s.chosen(sources); source != nil {
		return source.class, nil
	}
	return localClass, nil
}

// noSuchClass returns an error if the user has named a class of volumes that no source makes.
func (s common) noSuchClass(sources []diskSource) error {
	if class := s.o.disks.Class(); class != "" && s.chosen(sources) == nil {
		return fmt.Errorf("no LocalVolumeSet or LocalVolume makes raw volumes of class %s", class)
	}
	return nil
}

// offers returns the classes of raw volumes of LocalVolumeSets: a user can name one for a StorageCluster. LocalVolumes
// are left out, because each names its disks for a purpose of its own.
func offers(sources []diskSource) []string {
	var out []string
	for _, source := range sources {
		valid := len(validation.IsDNS1123Subdomain(source.class)) == 0
		if source.raw && source.isSet() && valid && !slices.Contains(out, source.class) {
			out = append(out, source.class)
		}
	}
	return out
}

// diskUse is the present use of the nodes' disks by Data Foundation.
type diskUse struct {
	// cluster is the active StorageCluster, or nil.
	cluster *unstructured.Unstructured
	sources []diskSource
	// unregistered means that the kinds of the Local Storage Operator are not registered.
	unregistered bool
}

// diskUse reads the present use. The finding is set if it cannot be read.
func (s common) diskUse(ctx context.Context, r kube.Reader) (diskUse, *step.Finding) {
	var use diskUse
	clusters, err := storageClusters(ctx, r)
	if err != nil {
		return use, unread(err, "StorageClusters")
	}
	if len(clusters) > 0 {
		use.cluster = activeStorageCluster(clusters)
	}
	use.sources, err = diskSources(ctx, r)
	if use.unregistered = kube.IsKindMissing(err); err != nil && !use.unregistered {
		return use, unread(err, "LocalVolumeSets and LocalVolumes")
	}
	return use, nil
}

// served reports whether the StorageCluster uses volumes of the Local Storage Operator.
func (u diskUse) served() bool {
	return u.cluster != nil && slices.ContainsFunc(u.sources,
		func(s diskSource) bool { return slices.Contains(deviceClasses(u.cluster), s.class) })
}

// foreign reports whether hcctl must not prepare the disks: a StorageCluster exists, and it or the LocalVolume or
// LocalVolumeSet below it is not owned by hcctl. Its disks hold data.
func (u diskUse) foreign() bool {
	return u.cluster != nil && (!ofHcctl(u.cluster) || !slices.ContainsFunc(u.sources, func(s diskSource) bool {
		return ofHcctl(s.object) && slices.Contains(deviceClasses(u.cluster), s.class)
	}))
}

// leftAlone returns the finding for disks that hcctl must not prepare.
func (u diskUse) leftAlone() step.Finding {
	return step.OK("not needed: StorageCluster %s is there, on %s", kube.Name(u.cluster), describeDevices(u.cluster)).
		On("StorageCluster %s", kube.Name(u.cluster))
}
