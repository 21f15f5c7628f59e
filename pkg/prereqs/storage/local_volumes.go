package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	LocalVolumes       step.ID = "storage/local-volumes"
	removeLocalVolumes step.ID = "uninstall/local-volumes"
)

const (
	// discoveryName is the only LocalVolumeDiscovery the disk maker serves.
	discoveryName = "auto-discover-devices"
	// localClass is the StorageClass, and the LocalVolumeSet, of the nodes' empty disks.
	localClass = "localblock"
	// storageLabel marks the nodes Data Foundation stores on.
	storageLabel = "cluster.ocs.openshift.io/openshift-storage"
	// leastStorageNodes is what three copies of everything need.
	leastStorageNodes = 3
)

// localVolumes finds the empty disks of the workers and makes volumes of them.
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
	if f := s.disksUnneeded(ctx, r); f != nil {
		return *f
	}
	sets, err := volumeSets(ctx, r)
	switch {
	case kube.IsKindMissing(err):
		return step.Missing("no volumes are made of disks: the Local Storage Operator is not installed").
			On("LocalVolumeSet %s", localClass)
	case err != nil:
		return kube.Unknown(err).On("LocalVolumeSets")
	}
	if set := blockSet(sets); set != nil {
		return s.checkSet(ctx, r, set)
	}
	return s.checkDiscovery(ctx, r)
}

func volumeSets(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	list := kube.LocalVolumeSet.NewList()
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// blockSet is the LocalVolumeSet a StorageCluster can be built on: that of class localblock, or one a person has made
// of raw disks under another name. Nil means there is none.
func blockSet(sets []unstructured.Unstructured) *unstructured.Unstructured {
	var found *unstructured.Unstructured
	for i := range sets {
		set := &sets[i]
		if kube.Text(set, "spec", "storageClassName") == localClass {
			return set
		}
		if kube.Text(set, "spec", "volumeMode") == "Block" && found == nil {
			found = set
		}
	}
	return found
}

// diskSource is the class of the volumes a new Cluster is built on; where the kind is not registered yet (in a plan),
// that of the set hcctl is going to make.
func diskSource(ctx context.Context, r kube.Reader) (string, error) {
	sets, err := volumeSets(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return "", fmt.Errorf("LocalVolumeSets: %w", err)
	}
	if set := blockSet(sets); set != nil {
		return kube.Text(set, "spec", "storageClassName"), nil
	}
	return localClass, nil
}

// judgeVolumeSet says what a LocalVolumeSet is still missing; nil means that its operator is done. The two condition
// types are those of the Local Storage operator 4.12 to 4.21 (pkg/controllers/localvolumeset/conditions.go and
// status.go): "DaemonSetsAvailable" is the value of a Go constant that has a longer name.
func judgeVolumeSet(set *unstructured.Unstructured) *step.Finding {
	return prereq.JudgeConditions(set, []string{"Available", "DaemonSetsAvailable"}, nil, nil)
}

// checkSet says whether every empty disk of the storage nodes has become a volume.
func (s localVolumes) checkSet(ctx context.Context, r kube.Reader, set *unstructured.Unstructured) step.Finding {
	if f := judgeVolumeSet(set); f != nil {
		return *f
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("PersistentVolumes")
	}
	made := made{set: set, volumes: volumes, now: r.Now()}
	if set.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner {
		// Only a set that hcctl created is known to be for every disk.
		if made.reports, err = diskReports(ctx, r); err != nil {
			return kube.Unknown(err).On("LocalVolumeDiscoveryResults")
		}
		if made.nodes, err = prereq.Workers(ctx, r); err != nil {
			return kube.Unknown(err).On("Nodes")
		}
	}
	return made.judge()
}

// checkDiscovery looks at what disks there are to make volumes of.
func (s localVolumes) checkDiscovery(ctx context.Context, r kube.Reader) step.Finding {
	list := kube.LocalVolumeDiscovery.NewList()
	if err := r.List(ctx, list); err != nil {
		return kube.Unknown(err).On("LocalVolumeDiscovery %s", discoveryName)
	}
	for i := range list.Items {
		if list.Items[i].GetName() != discoveryName {
			continue
		}
		reports, err := diskReports(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("LocalVolumeDiscoveryResults")
		}
		nodes, err := prereq.Workers(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("Nodes")
		}
		return judgeDisks(&list.Items[i], reports, nodes)
	}
	return step.Missing("the nodes' disks are not looked for").On("LocalVolumeDiscovery %s", discoveryName)
}

func (s localVolumes) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, err := s.operator(olm.LocalStorage()).Home(ctx, c)
	if err != nil {
		return "", err
	}
	discovery := kube.LocalVolumeDiscovery.New()
	err = c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: discoveryName}, discovery)
	switch {
	case apierrors.IsNotFound(err):
		return c.Apply(ctx, newDiscovery(namespace))
	case err != nil:
		return "", fmt.Errorf("LocalVolumeDiscovery %s/%s: %w", namespace, discoveryName, err)
	}
	reports, err := diskReports(ctx, c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for _, r := range reports {
		if len(r.empty()) == 0 {
			continue
		}
		labelled, failed := labelStorageNode(ctx, c, r.node)
		if failed != nil {
			return change, failed
		}
		change = step.Join(change, labelled)
	}
	set, err := c.Apply(ctx, newVolumeSet(namespace))
	return step.Join(change, set), err
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

func localVolumesRights() prereq.Rights {
	foundation := []rule.Feature{rule.DataFoundation}
	const (
		sets        = "localvolumesets.local.storage.openshift.io"
		discoveries = "localvolumediscoveries.local.storage.openshift.io"
	)
	return prereq.Rights{
		Check: slices.Concat(planRights(), listVolumes(), []rule.Rule{prereq.ListNodes()}),
		Apply: []rule.Rule{
			{Verbs: "get patch", Resources: "nodes", Features: foundation,
				Why: "labels the nodes whose disks Data Foundation takes"},
			{Verbs: "get create patch", Resources: discoveries, Names: discoveryName, Features: foundation,
				Why: "finds the disks"},
			{Verbs: "get create patch", Resources: sets, Names: localClass, Features: foundation, Why: "takes the disks"},
		},
		Remove: []rule.Rule{
			{Verbs: "get delete", Resources: sets, Names: localClass, Features: foundation, Why: "the disks"},
			{Verbs: "get delete", Resources: discoveries, Names: discoveryName, Features: foundation, Why: "the disks"},
			{Verbs: "get patch", Resources: "nodes", Features: foundation, Why: "takes the labels off that bootstrap put on"},
		},
	}
}
