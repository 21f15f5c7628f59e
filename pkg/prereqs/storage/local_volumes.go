package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	LocalVolumes       step.ID = "storage/local-volumes"
	removeLocalVolumes step.ID = "uninstall/local-volumes"
)

const (
	// discoveryName is the only name of a LocalVolumeDiscovery that the disk maker serves.
	discoveryName = "auto-discover-devices"
	// localClass names the LocalVolume and the StorageClass of the nodes' disks.
	localClass = "localblock"
	// storageLabel marks the nodes that Data Foundation stores data on.
	storageLabel = "cluster.ocs.openshift.io/openshift-storage"
	// minStorageNodes is the number of storage nodes that three replicas need.
	minStorageNodes = 3
)

// localVolumes finds the empty disks of the workers and makes PersistentVolumes of them.
type localVolumes struct{ common }

func (s localVolumes) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LocalVolumes, Title: "volumes on the nodes' empty disks", Needs: []step.ID{LocalStorageOperator},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
		Rights: localVolumesRights(),
		Remove: []prereq.Removal{{ID: removeLocalVolumes, Title: "volumes on the nodes' disks",
			Needs: []step.ID{removeStorageCluster},
			Check: localRemoval{}.check, Apply: localRemoval{}.apply}},
	}
}

func (s localVolumes) check(ctx context.Context, r kube.Reader) step.Finding {
	r.Prefetch(ctx, diskKinds()...)
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	use, f := s.diskUse(ctx, r)
	switch {
	case f != nil:
		return *f
	case use.foreign():
		return use.leftAlone()
	}
	if f := s.impossible(ctx, r); f != nil {
		return *f
	}
	if use.unregistered {
		return step.Missing("no volumes are made of disks: the Local Storage Operator is not installed").
			On("LocalVolumeSet %s", localClass)
	}
	if source := s.chosen(use.sources); source != nil {
		if f := source.ofFiles(use.sources); f != nil && use.cluster == nil {
			return *f
		}
		return s.checkSource(ctx, r, source, use.cluster != nil)
	}
	if err := s.noSuchClass(use.sources); err != nil {
		return step.Broken("%s", err).On("LocalVolumeSets").WithHint("oc get localvolumeset,localvolume -A -o yaml")
	}
	return s.checkDiscovery(ctx, r, foundationTaker(disk.Held{}))
}

// checkSource checks the volumes that Data Foundation is to be built on. Once the StorageCluster exists, it waits for
// further volumes only with Grow.
func (s localVolumes) checkSource(ctx context.Context, r kube.Reader, source *diskSource, built bool) step.Finding {
	if f := source.judge(); f != nil {
		return explained(ctx, r, *f, source.object.GetNamespace(), diskMaker)
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("PersistentVolumes")
	}
	made := made{source: *source, volumes: volumes, built: built && !s.o.Grow, now: r.Now()}
	if made.nodes, err = prereq.AllNodes(ctx, r); err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	if !ofHcctl(source.object) {
		// The intended disks are known only for a LocalVolume of hcctl.
		return explained(ctx, r, made.judge(), source.object.GetNamespace(), diskMaker)
	}
	held, err := heldBy(source)
	if err != nil {
		return step.Broken("%s", err).On("LocalVolume %s", kube.Name(source.object)).
			WithHint("select its nodes by their hostnames, as hcctl did")
	}
	t := foundationTaker(held)
	f, err := s.diskFacts(ctx, r, t)
	if err != nil {
		return kube.Unknown(err)
	}
	made.reports, made.held = f.reports, held
	found := explained(ctx, r, made.judge(), source.object.GetNamespace(), diskMaker)
	if source.isSet() || found.State != step.StateOK && !s.o.Grow {
		return found // a LocalVolumeSet takes every disk by itself
	}
	return s.spare(f, t, found)
}

func (s localVolumes) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	sources, err := diskSources(ctx, c)
	if err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	source := s.chosen(sources)
	switch {
	case source == nil:
		if err := s.noSuchClass(sources); err != nil {
			return "", err
		}
	case ofHcctl(source.object) && !source.isSet():
		return s.take(ctx, c, "", source)
	default:
		return s.labelVolumes(ctx, c, source)
	}
	namespace, made, err := s.discover(ctx, c)
	if err != nil || made != "" {
		return made, err
	}
	return s.take(ctx, c, namespace, nil)
}

// labelVolumes puts the storage label on the nodes of a foreign LocalVolume or LocalVolumeSet that Data Foundation is
// to use.
func (s localVolumes) labelVolumes(ctx context.Context, c *kube.Client, source *diskSource) (step.Change, error) {
	nodes, err := prereq.AllNodes(ctx, c)
	if err != nil {
		return "", fmt.Errorf("listing nodes: %w", err)
	}
	volumes, err := localDisks(ctx, c)
	if err != nil {
		return "", fmt.Errorf("PersistentVolumes: %w", err)
	}
	return labelStorageNodes(ctx, c, made{source: *source, volumes: volumes, nodes: nodes}.unlabelled())
}

func labelStorageNodes(ctx context.Context, c *kube.Client, names []string) (step.Change, error) {
	change := step.Unchanged
	for _, name := range names {
		labelled, err := labelStorageNode(ctx, c, name)
		if err != nil {
			return change, err
		}
		change = step.Join(change, labelled)
	}
	return change, nil
}

func labelStorageNode(ctx context.Context, c *kube.Client, name string) (step.Change, error) {
	node := &corev1.Node{}
	if err := c.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		return "", fmt.Errorf("node %s: %w", name, err)
	}
	if _, ok := node.Labels[storageLabel]; ok {
		return step.Unchanged, nil
	}
	return prereq.MergePatch(ctx, c, node, fmt.Sprintf(`{"metadata":{"labels":{%q:""}}}`, storageLabel))
}

const discoveries = "localvolumediscoveries.local.storage.openshift.io"

// localDiskUsers returns the features that need disk discovery.
func localDiskUsers() []access.Feature {
	return []access.Feature{access.DataFoundation, access.LVMStorage}
}

// discoverDisks returns the right to run disk discovery.
func discoverDisks() access.Rule {
	return access.Rule{Verbs: "get create patch", Resources: discoveries, Names: discoveryName, Features: localDiskUsers(),
		Why: "finds the disks"}
}

// labelNodes returns the right to label nodes for Data Foundation.
func labelNodes() access.Rule {
	return access.Rule{Verbs: "get patch", Resources: "nodes", Features: []access.Feature{access.DataFoundation},
		Why: "labels the nodes whose disks Data Foundation takes"}
}

func localVolumesRights() prereq.Rights {
	foundation := []access.Feature{access.DataFoundation}
	const (
		sets    = "localvolumesets.local.storage.openshift.io"
		volumes = "localvolumes.local.storage.openshift.io"
	)
	return prereq.Rights{
		Check: slices.Concat(planRights(), listVolumes(), prereq.ReadWorkloads()),
		Apply: []access.Rule{
			labelNodes(),
			discoverDisks(),
			{Verbs: "get create patch", Resources: volumes, Names: localClass, Features: foundation, Why: "takes the disks"},
		},
		Remove: []access.Rule{
			{Verbs: "get delete", Resources: volumes, Names: localClass, Features: foundation, Why: "the disks"},
			{Verbs: "get delete", Resources: sets, Names: localClass, Features: foundation,
				Why: "the disks, as an earlier hcctl took them"},
			{Verbs: "get delete", Resources: discoveries, Names: discoveryName, Features: localDiskUsers(), Why: "the disks"},
			{Verbs: "get patch", Resources: "nodes", Features: foundation, Why: "takes the labels off that bootstrap put on"},
		},
	}
}
