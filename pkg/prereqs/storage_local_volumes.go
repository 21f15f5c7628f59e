package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
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

// localVolumes: the empty disks of the workers are found, and volumes made of them.
type localVolumes struct{ c *kube.Client }

func (s localVolumes) step() step.Step {
	return step.Step{
		ID: LocalVolumes, Title: "volumes on the nodes' empty disks", Needs: []step.ID{LocalStorageOperator},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
	}
}

func (s localVolumes) check(ctx context.Context) step.Finding {
	if f := localDisksUnneeded(ctx, s.c); f != nil {
		return *f
	}
	sets := kube.LocalVolumeSet.NewList()
	err := s.c.List(ctx, sets)
	switch {
	case kube.IsKindMissing(err):
		return step.NotThere("no volumes are made of disks: the Local Storage Operator is not installed").On("LocalVolumeSet %s", localClass)
	case err != nil:
		return kube.Unread(err).On("LocalVolumeSets")
	}
	for i := range sets.Items {
		if set := &sets.Items[i]; kube.Text(set, "spec", "storageClassName") == localClass {
			return s.checkSet(ctx, set)
		}
	}
	return s.checkDiscovery(ctx)
}

// checkSet says whether every empty disk of the storage nodes has become a volume.
func (s localVolumes) checkSet(ctx context.Context, set *unstructured.Unstructured) step.Finding {
	object := "LocalVolumeSet " + kube.Name(set)
	found, err := emptyDisks(ctx, s.c)
	if err != nil {
		return kube.Unread(err)
	}
	nodes, err := storageNodes(ctx, s.c)
	if err != nil {
		return kube.Unread(err)
	}
	if f := judgeConditions(set, []string{"Available", "DaemonSetsAvailableAndConfigured"}, nil, nil); f != nil {
		return *f
	}
	want := 1
	if set.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner {
		want = wantedVolumes(nodes, found)
	}
	made := kube.Number(set, "status", "totalProvisionedDeviceCount")
	if made < int64(want) {
		return step.Waiting("volumes are made of %d of %d empty disks", made, want).On("%s", object)
	}
	return step.Okay("%d volumes of class %s", made, localClass).On("%s", object)
}

// wantedVolumes is how many volumes there will be: one for each disk that is still empty, and at least one on each storage
// node. (A disk that became a volume may count as empty or not, depending on whether it is in use.)
func wantedVolumes(nodes []string, found map[string]int) int {
	disks := 0
	for _, n := range nodes {
		disks += found[n]
	}
	return max(disks, len(nodes), 1)
}

// checkDiscovery looks at what disks there are to make volumes of.
func (s localVolumes) checkDiscovery(ctx context.Context) step.Finding {
	list := kube.LocalVolumeDiscovery.NewList()
	if err := s.c.List(ctx, list); err != nil {
		return kube.Unread(err).On("LocalVolumeDiscovery %s", discoveryName)
	}
	i := slices.IndexFunc(list.Items, func(u unstructured.Unstructured) bool { return u.GetName() == discoveryName })
	if i < 0 {
		return step.NotThere("the nodes' disks are not looked for").On("LocalVolumeDiscovery %s", discoveryName)
	}
	discovery := &list.Items[i]
	found, err := emptyDisks(ctx, s.c)
	if err != nil {
		return kube.Unread(err)
	}
	nodes, err := workers(ctx, s.c)
	if err != nil {
		return kube.Unread(err)
	}
	var silent []string
	for i := range nodes {
		if _, reported := found[nodes[i].Name]; !reported && takesPods(&nodes[i]) {
			silent = append(silent, nodes[i].Name)
		}
	}
	return judgeDisks(discovery, found, silent)
}

func judgeDisks(discovery *unstructured.Unstructured, found map[string]int, silent []string) step.Finding {
	object := "LocalVolumeDiscovery " + kube.Name(discovery)
	disks, with := 0, 0
	for _, n := range found {
		disks += n
		if n > 0 {
			with++
		}
	}
	if len(silent) > 0 {
		words := ""
		if conditions := kube.Conditions(discovery); len(conditions) > 0 {
			words = " (" + conditions[0].Told() + ")"
		}
		return step.Waiting("the disks of %s are not reported yet%s", strings.Join(silent, ", "), words).On("%s", object)
	}
	if with < leastStorageNodes {
		return step.Stuck("%d workers have an empty disk, OpenShift Data Foundation needs them on %d", with, leastStorageNodes).On("%s", object).
			WithHint("add raw disks (no partitions, no file system), or give the cluster a default StorageClass of your own; see: oc get localvolumediscoveryresults -A -o yaml")
	}
	return step.NotThere("%d empty disks on %d workers are not used yet", disks, with).On("%s", object)
}

func (s localVolumes) apply(ctx context.Context) (step.Change, error) {
	namespace, err := installer{s.c, localStorageRow()}.home(ctx)
	if err != nil {
		return "", err
	}
	discovery := kube.LocalVolumeDiscovery.New()
	err = s.c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: discoveryName}, discovery)
	switch {
	case apierrors.IsNotFound(err):
		return s.c.Apply(ctx, newDiscovery(namespace))
	case err != nil:
		return "", fmt.Errorf("LocalVolumeDiscovery %s/%s: %w", namespace, discoveryName, err)
	}
	found, err := emptyDisks(ctx, s.c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for node, disks := range found {
		if disks == 0 {
			continue
		}
		labelled, failed := labelStorageNode(ctx, s.c, node)
		if failed != nil {
			return change, failed
		}
		change = step.Join(change, labelled)
	}
	set, err := s.c.Apply(ctx, newVolumeSet(namespace))
	return step.Join(change, set), err
}

// storageNodes are the names of the nodes with the storage label.
func storageNodes(ctx context.Context, c *kube.Client) ([]string, error) {
	nodes, err := workers(ctx, c)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range nodes {
		if _, ok := nodes[i].Labels[storageLabel]; ok {
			names = append(names, nodes[i].Name)
		}
	}
	return names, nil
}

func labelStorageNode(ctx context.Context, c *kube.Client, name string) (step.Change, error) {
	node := &corev1.Node{}
	if err := c.Get(ctx, types.NamespacedName{Name: name}, node); err != nil {
		return "", fmt.Errorf("node %s: %w", name, err)
	}
	if _, ok := node.Labels[storageLabel]; ok {
		return step.Unchanged, nil
	}
	return mergePatch(ctx, c, node, fmt.Sprintf(`{"metadata":{"labels":{%q:""}}}`, storageLabel))
}
