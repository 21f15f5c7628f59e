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

// diskSource is what makes volumes of one class of the nodes' disks: a LocalVolumeSet, or a LocalVolume, which names
// each disk.
type diskSource struct {
	object *unstructured.Unstructured
	class  string
	// raw means block devices, which Ceph needs.
	raw bool
}

func (s diskSource) isSet() bool { return s.object.GetKind() == kube.LocalVolumeSet.Kind }

// takesNone reports whether it is a LocalVolumeSet that may take no disk.
func (s diskSource) takesNone() bool {
	most := disk.MostOfSet(s.object)
	return s.isSet() && most != nil && *most < 1
}

// judge says what the operator has not done yet; nil means that it is done. The condition types are those of the Local
// Storage operator 4.12 to 4.21: a LocalVolume has Available alone, and "DaemonSetsAvailable" is the value of a Go
// constant that has a longer name. Available is False with an error alone. The operator looks at no LocalVolume whose
// managementState says that it is not its own.
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

// diskMaker is the DaemonSet that makes volumes of disks, discoveryMaker the one that looks for disks.
const (
	diskMaker      = "diskmaker-manager"
	discoveryMaker = "diskmaker-discovery"
)

// explained adds what keeps one of these workloads of the operator to the finding that something is not done yet.
func explained(ctx context.Context, r kube.Reader, f step.Finding, namespace string, workloads ...string) step.Finding {
	if f.State != step.StatePending {
		return f
	}
	out := prereq.Explained(f, prereq.JudgeWorkloads(ctx, r, namespace, workloads...))
	out.Recheck = f.Recheck
	return out
}

// ofFiles is the finding where the volumes of the source are no raw disks; nil where they are. Unless its spec says
// otherwise, the Local Storage operator makes file systems (4.12 and later).
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

// diskSources lists them. It fails with a missing kind where the Local Storage Operator is not installed.
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

// sourcesOfSets are those of the LocalVolumeSets among the objects.
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

// chosen is the source a StorageCluster can be built on: that of class localblock, which the vendor's documents make
// for it; or that of raw disks whose class a user has named, for somebody picked its disks for ends of their own. Nil
// means there is none.
func (s common) chosen(sources []diskSource) *diskSource {
	class := s.o.disks.Class()
	for i := range sources {
		if found := &sources[i]; found.class == localClass && class == "" || found.raw && found.class == class {
			return found
		}
	}
	return nil
}

// diskClassOf is the class of the volumes that a new StorageCluster is built on; where the kind is not registered yet
// (in a plan), that of the LocalVolume hcctl is going to make.
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

// noSuchClass says that a user has named a class of volumes that nothing makes; nil where that is not so.
func (s common) noSuchClass(sources []diskSource) error {
	if class := s.o.disks.Class(); class != "" && s.chosen(sources) == nil {
		return fmt.Errorf("no LocalVolumeSet or LocalVolume makes raw volumes of class %s", class)
	}
	return nil
}

// offers are the classes of raw volumes of LocalVolumeSets, on which a StorageCluster could be built if a user names
// one. A LocalVolume names its disks for ends of its own.
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

// diskUse is who uses the nodes' disks for Data Foundation already.
type diskUse struct {
	// cluster is the StorageCluster that counts; nil where there is none.
	cluster *unstructured.Unstructured
	sources []diskSource
	// unregistered means the kinds of the Local Storage Operator are not there.
	unregistered bool
}

// diskUse reads it.
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

// served reports whether the StorageCluster is on volumes of the Local Storage Operator.
func (u diskUse) served() bool {
	return u.cluster != nil && slices.ContainsFunc(u.sources,
		func(s diskSource) bool { return slices.Contains(deviceClasses(u.cluster), s.class) })
}

// ofOthers reports whether the disks are not hcctl's to prepare: a StorageCluster is there, and not both of it and the
// LocalVolume or LocalVolumeSet under it are hcctl's. Its disks hold data.
func (u diskUse) ofOthers() bool {
	return u.cluster != nil && (!ofHcctl(u.cluster) || !slices.ContainsFunc(u.sources, func(s diskSource) bool {
		return ofHcctl(s.object) && slices.Contains(deviceClasses(u.cluster), s.class)
	}))
}

// leftAlone is the finding where the disks are not hcctl's to prepare.
func (u diskUse) leftAlone() step.Finding {
	return step.OK("not needed: StorageCluster %s is there, on %s", kube.Name(u.cluster), describeDevices(u.cluster)).
		On("StorageCluster %s", kube.Name(u.cluster))
}
