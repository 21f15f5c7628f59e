package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removals.
const (
	Cluster              step.ID = "storage/cluster"
	removeStorageCluster step.ID = "uninstall/storage-cluster"
	// removeClusterSettings removes hcctl's settings from a foreign StorageCluster.
	removeClusterSettings step.ID = "uninstall/storage-cluster-settings"
)

// storageCluster deploys Ceph on the volumes of the nodes' disks.
type storageCluster struct{ common }

func (s storageCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Cluster, Title: "storage cluster", Needs: []step.ID{DataFoundation, LocalVolumes},
		Check: s.check, Apply: s.apply, Timeout: 40 * time.Minute,
		// The count of the device set is replaced only with Grow.
		Replaces: append([]string{"spec.storageDeviceSets"}, s.o.DataFoundationSpec.Replaces()...),
		Rights:   storageClusterRights(),
		Remove: []prereq.Removal{s.removal(),
			prereq.SettingsRemoval(removeClusterSettings, "settings of the storage cluster", kube.StorageCluster)},
	}
}

func (s storageCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	r.Prefetch(ctx, kube.StorageCluster, kube.LVMCluster)
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	clusters, err := storageClusters(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("StorageClusters")
	}
	spec := s.o.DataFoundationSpec
	if len(clusters) == 0 {
		return spec.Judge(ctx, r, kube.StorageCluster, nil, s.foresee(ctx, r))
	}
	return spec.Judge(ctx, r, kube.StorageCluster, activeStorageCluster(clusters), s.state(ctx, r, clusters))
}

// state judges the StorageCluster and its disks.
func (s storageCluster) state(ctx context.Context, r kube.Reader, clusters []unstructured.Unstructured) step.Finding {
	f, sc := judgeStorageClusters(clusters, r.Now()), activeStorageCluster(clusters)
	if f.State != step.StateOK {
		return s.explained(ctx, r, sc, f)
	}
	if differences := s.o.Design.Differences(sc); len(differences) > 0 {
		f.Message += "; hcctl does not change a StorageCluster to fit the settings: " + strings.Join(differences, "; ")
	}
	var disks devices
	err := kube.Together(
		func() (err error) { disks, err = s.devices(ctx, r, sc); return err },
		func() error { r.Prefetch(ctx, kube.CephCluster); return nil },
	)
	if err != nil {
		return kube.Unknown(err)
	}
	// Growth comes first: it may be what makes room on full disks.
	if f = disks.judge(f); f.State != step.StateOK {
		return f
	}
	if f = s.health(ctx, r, sc, f); f.State != step.StateOK {
		return f
	}
	return s.judgeVirtual(ctx, r, sc, f)
}

// devices reads the disks of a StorageCluster, and the zones of its nodes if it is to grow.
func (s storageCluster) devices(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) (devices, error) {
	out := devices{cluster: sc, grow: s.o.Grow, maxCount: int64(s.o.Design.DeviceSets)}
	var err error
	if out.volumes, err = localDisks(ctx, r); err != nil {
		return out, fmt.Errorf("PersistentVolumes: %w", err)
	}
	if !out.grows() {
		return out, nil
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return out, fmt.Errorf("listing nodes: %w", err)
	}
	out.nodes, out.zones = nodes, zonesOf(nodes)
	return out, nil
}

func (s storageCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	clusters, err := storageClusters(ctx, c)
	if err != nil {
		return "", err
	}
	if len(clusters) > 0 {
		disks, err := s.devices(ctx, c, activeStorageCluster(clusters))
		if err != nil {
			return "", err
		}
		grown, err := disks.apply(ctx, c)
		if err != nil {
			return grown, err
		}
		marked, err := s.markVirtual(ctx, c, disks.cluster)
		if err != nil {
			return step.Join(grown, marked), err
		}
		set, err := s.o.DataFoundationSpec.Apply(ctx, c, disks.cluster)
		return step.Join(step.Join(grown, marked), set), err
	}
	return s.create(ctx, c)
}

// create creates a StorageCluster on the free volumes.
func (s storageCluster) create(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, version, err := s.operator(olm.DataFoundation()).Installed(ctx, c)
	if err != nil {
		return "", err
	}
	if bad := s.o.Design.Impossible(version); len(bad) > 0 {
		return "", errors.New(strings.Join(bad, "; "))
	}
	cluster, err := s.planned(ctx, c, namespace)
	if err != nil {
		return "", err
	}
	classes, err := storageClasses(ctx, c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	if hasStorageSystems(version) {
		change, err = c.Apply(ctx, newStorageSystem(namespace))
		if err != nil {
			return "", err
		}
	}
	setBlockPools(cluster, s.switches(version, classes)...)
	spec, _, _ := unstructured.NestedMap(cluster.Object, "spec")
	s.o.Design.SetIn(spec)
	cluster.Object["spec"] = spec
	created, err := s.o.DataFoundationSpec.Create(ctx, c, cluster)
	return step.Join(change, created), err
}

// planned returns the StorageCluster on the free volumes, spread as the zones of their nodes allow.
func (s storageCluster) planned(ctx context.Context, r kube.Reader, namespace string) (*unstructured.Unstructured,
	error) {
	class, err := s.diskClassOf(ctx, r)
	if err != nil {
		return nil, err
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("PersistentVolumes: %w", err)
	}
	free, _ := disksOf(volumes, class, namespace)
	if len(free) == 0 {
		return nil, fmt.Errorf("there are no free PersistentVolumes of class %s, raw disks, to build a StorageCluster on",
			class)
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("listing nodes: %w", err)
	}
	over, err := spreadAs(s.o.Design, zonesOf(nodes), free)
	if err != nil {
		return nil, err
	}
	return newStorageCluster(namespace, class, over), nil
}

// switches returns the fields of cephBlockPools that mark the classes as default ones. A field is left out if another
// class is marked, or this version does not have it.
func (s storageCluster) switches(version *semver.Version, classes []storagev1.StorageClass) []string {
	var out []string
	if marksDefaultClass(version) && s.wantsDefault(classes) {
		out = append(out, "defaultStorageClass")
	}
	if marksVirtualClass(version) && s.marksVirtual(classes) {
		out = append(out, "defaultVirtualizationStorageClass")
	}
	return out
}

// marksVirtual reports whether the class for virtual machines becomes their default.
func (s storageCluster) marksVirtual(classes []storagev1.StorageClass) bool {
	switch s.o.Design.VirtualizationClass {
	case design.MarkClass:
		return true
	case design.LeaveClass:
		return false
	}
	return len(virtDefaultsOf(classes)) == 0
}

// wantsDefault reports whether the class of the new StorageCluster becomes the default one: the user has named it, or
// no other usable class is marked.
func (s storageCluster) wantsDefault(classes []storagev1.StorageClass) bool {
	if s.o.DefaultClass != "" {
		return s.o.DefaultClass == storageClusterName+blockSuffix
	}
	return !slices.ContainsFunc(defaultsOf(classes), func(sc storagev1.StorageClass) bool { return unusable(&sc) == "" })
}

// removal has a long timeout: Ceph waits until no claim uses its volumes, and wipes its disks.
func (s storageCluster) removal() prereq.Removal {
	out := s.object().Removal(removeStorageCluster, "storage cluster", removeDefaultMark)
	out.Timeout = 40 * time.Minute
	return out
}

func (s storageCluster) object() removal.Object {
	object := guarded(kube.StorageCluster, storageClusterName)
	object.Before = cephRemoval{}.before
	return object
}

// cephRemoval prepares Data Foundation for removal with its documented annotations.
type cephRemoval struct{}

// before requests the graceful mode, which waits until no claim uses the volumes, and the wiping of disks. It also
// deletes the StorageSystem, which versions up to 4.18 have beside the StorageCluster.
func (s cephRemoval) before(ctx context.Context, c *kube.Client, sc *unstructured.Unstructured) (step.Change, error) {
	// The resource version makes this a conflict if sc has changed since hcctl was found to own it. sc has the new version
	// afterwards.
	change, err := prereq.MergePatch(ctx, c, sc, fmt.Sprintf(`{"metadata":{"resourceVersion":%q,"annotations":{`+
		`"uninstall.ocs.openshift.io/mode":"graceful","uninstall.ocs.openshift.io/cleanup-policy":"delete"}}}`,
		sc.GetResourceVersion()))
	if err != nil {
		return "", err
	}
	system := removal.Object{Kind: kube.StorageSystem, Name: storageSystemName}
	if own, _, err := system.Find(ctx, c); err != nil || own == nil || own.GetDeletionTimestamp() != nil {
		return change, err
	}
	removed, err := system.Apply(ctx, c)
	return step.Join(change, removed), err
}

// writeStorageCluster returns the right to write the StorageCluster of hcctl.
func writeStorageCluster() access.Rule {
	return access.Rule{Verbs: "get create patch", Resources: "storageclusters.ocs.openshift.io", Names: storageClusterName,
		Features: []access.Feature{access.DataFoundation}, Why: "Data Foundation"}
}

// markClasses returns the right to mark StorageClasses as default.
func markClasses() access.Rule {
	return access.Rule{Verbs: "patch", Resources: "storageclasses.storage.k8s.io",
		Features: []access.Feature{access.DefaultClass}, Why: "marks the default class"}
}

func storageClusterRights() prereq.Rights {
	foundation := []access.Feature{access.DataFoundation}
	const clusters, systems = "storageclusters.ocs.openshift.io", "storagesystems.odf.openshift.io"
	return prereq.Rights{
		Check: append(slices.Concat(planRights(), listVolumes(), listStorage("cephclusters.ceph.rook.io"),
			prereq.ReadWorkloads(), olm.CheckRights()), prereq.ReadSettings(kube.StorageCluster)),
		Apply: []access.Rule{
			writeStorageCluster(), labelNodes(), markClasses(),
			{Verbs: "get create patch", Resources: systems, Names: storageSystemName, Features: foundation,
				Why: "Data Foundation before 4.19"},
		},
		Remove: []access.Rule{
			prereq.TakeBackSettings(kube.StorageCluster),
			{Verbs: "get patch delete", Resources: clusters, Names: storageClusterName, Features: foundation,
				Why: fmt.Sprintf("%s: Data Foundation", hint.Flag("include-storage"))},
			{Verbs: "get delete", Resources: systems, Names: storageSystemName, Features: foundation,
				Why: "Data Foundation before 4.19"},
			{Verbs: "list", Resources: "storageclients.ocs.openshift.io storageconsumers.ocs.openshift.io persistentvolumes",
				Features: foundation, Why: "what keeps Data Foundation from going"},
		},
	}
}
