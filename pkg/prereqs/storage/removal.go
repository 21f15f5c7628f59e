package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removeDefaultMark    step.ID = "uninstall/default-class"
	removeStorageCluster step.ID = "uninstall/storage-cluster"
	removeDataFoundation step.ID = "uninstall/data-foundation-operator"
	removeLVMCluster     step.ID = "uninstall/lvm-cluster"
	removeLVMOperator    step.ID = "uninstall/lvm-operator"
	removeLocalVolumes   step.ID = "uninstall/local-volumes"
	removeLocalOperator  step.ID = "uninstall/local-storage-operator"
)

// allData is what a person has to know of the removal of storage.
const allData = "(all data on it is lost)"

// Removal removes storage with all that is on it, once nothing claims it any more.
func Removal(c *kube.Client) []step.Step {
	const group = "storage"
	needs := []step.ID{prereq.NoHostedClusters, prereq.RemoveHyperConverged, prereq.RemoveEngine}
	local := []kube.Kind{kube.LocalVolumeSet, kube.LocalVolumeDiscovery}
	sc := removal.Object{Client: c, Kind: kube.StorageCluster, Name: storageClusterName,
		Blocked: claims{c}.ofStorageCluster, Before: cephRemoval{c}.before, Loss: allData}
	lvm := removal.Object{Client: c, Kind: kube.LVMCluster, Name: lvmClusterName, Blocked: claims{c}.ofLVM, Loss: allData}
	steps := []step.Step{
		{ID: removeDefaultMark, Title: "default StorageClass", Group: group, Needs: needs, Check: markRemoval{c}.check,
			Apply: markRemoval{c}.apply},
		sc.Step(removeStorageCluster, "storage cluster", group, removeDefaultMark),
		olm.NewRemoval(c, olm.DataFoundation(), kube.StorageCluster).Step(removeDataFoundation, group, removeStorageCluster),
		lvm.Step(removeLVMCluster, "LVM volume groups", group, removeDefaultMark),
		olm.NewRemoval(c, olm.LVMStorage(), kube.LVMCluster).Step(removeLVMOperator, group, removeLVMCluster),
		{ID: removeLocalVolumes, Title: "volumes on the nodes' disks", Group: group, Needs: []step.ID{removeStorageCluster},
			Check: localRemoval{c}.check, Apply: localRemoval{c}.apply},
		olm.NewRemoval(c, olm.LocalStorage(), local...).Step(removeLocalOperator, group, removeLocalVolumes),
	}
	steps[1].Timeout = 40 * time.Minute
	return steps
}

// cephRemoval tells Data Foundation how to go, by its documented annotations.
type cephRemoval struct{ c *kube.Client }

// before asks for the graceful mode, which waits until nothing claims its volumes, and for disks to be wiped; and it
// removes the StorageSystem, which versions up to 4.18 have beside the Cluster.
func (s cephRemoval) before(ctx context.Context, sc *unstructured.Unstructured) (step.Change, error) {
	change, err := prereq.MergePatch(ctx, s.c, sc.DeepCopy(),
		`{"metadata":{"annotations":{"uninstall.ocs.openshift.io/mode":"graceful",`+
			`"uninstall.ocs.openshift.io/cleanup-policy":"delete"}}}`)
	if err != nil {
		return "", err
	}
	system := removal.Object{Client: s.c, Kind: kube.StorageSystem, Name: storageSystemName}
	if own, _, err := system.Find(ctx); err != nil || own == nil || own.GetDeletionTimestamp() != nil {
		return change, err
	}
	removed, err := system.Apply(ctx)
	return step.Join(change, removed), err
}

// claims: a volume somebody claims is somebody's data.
type claims struct{ c *kube.Client }

func (s claims) ofStorageCluster(ctx context.Context, sc *unstructured.Unstructured) *step.Finding {
	return s.check(ctx, sc, func(class *storagev1.StorageClass) bool {
		return strings.HasSuffix(class.Provisioner,
			".csi.ceph.com")
	})
}

func (s claims) ofLVM(ctx context.Context, lvm *unstructured.Unstructured) *step.Finding {
	return s.check(ctx, lvm, func(class *storagev1.StorageClass) bool { return class.Provisioner == "topolvm.io" })
}

// check finds claims of the classes outside of the storage's own namespace.
func (s claims) check(ctx context.Context, u *unstructured.Unstructured,
	its func(*storagev1.StorageClass) bool) *step.Finding {
	classes := &storagev1.StorageClassList{}
	if err := s.c.List(ctx, classes); err != nil {
		f := kube.Unread(err).On("StorageClasses")
		return &f
	}
	var own []string
	for i := range classes.Items {
		if its(&classes.Items[i]) {
			own = append(own, classes.Items[i].Name)
		}
	}
	list := &corev1.PersistentVolumeClaimList{}
	if err := s.c.List(ctx, list); err != nil {
		f := kube.Unread(err).On("PersistentVolumeClaims")
		return &f
	}
	var claimed []string
	for i := range list.Items {
		pvc := &list.Items[i]
		if pvc.Namespace != u.GetNamespace() && pvc.Spec.StorageClassName != nil &&
			slices.Contains(own, *pvc.Spec.StorageClassName) {
			claimed = append(claimed, kube.Name(pvc))
		}
	}
	if len(claimed) == 0 {
		return nil
	}
	const handful = 5
	count := len(claimed)
	if count > handful {
		claimed = append(claimed[:handful], "...")
	}
	f := step.Broken("%d PersistentVolumeClaims are on it: %s", count, strings.Join(claimed, ", ")).
		On("%s %s", u.GetKind(), kube.Name(u)).
		WithHint("save their data and delete them first: oc get pvc -A")
	return &f
}

// markRemoval puts the default marks of StorageClasses back, where hcctl set them.
type markRemoval struct{ c *kube.Client }

// marked returns a class whose mark hcctl set, and what the mark is; nil if there is none.
func (s markRemoval) marked(ctx context.Context) (class *storagev1.StorageClass, mark string, err error) {
	list := &storagev1.StorageClassList{}
	if err := s.c.List(ctx, list); err != nil {
		return nil, "", err
	}
	for i := range list.Items {
		sc := &list.Items[i]
		mark, ok := sc.Annotations[defaultClassAnnotation]
		if ok && removal.SetByHcctl(sc, "f:metadata", "f:annotations", "f:"+defaultClassAnnotation) {
			return sc, mark, nil
		}
	}
	return nil, "", nil
}

func (s markRemoval) check(ctx context.Context) step.Finding {
	class, mark, err := s.marked(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("StorageClasses")
	case class == nil:
		return step.OK("hcctl marked none").On("StorageClasses")
	}
	return step.Missing("hcctl set its annotation %s to %q", defaultClassAnnotation, mark).
		On("StorageClass %s", class.Name)
}

// apply takes the mark away. A class that hcctl unmarked, since another was chosen, becomes what it was: marked, by
// another field manager, so that the mark is not taken for hcctl's own again.
func (s markRemoval) apply(ctx context.Context) (step.Change, error) {
	class, mark, err := s.marked(ctx)
	if err != nil || class == nil {
		return step.Unchanged, err
	}
	if mark != "false" {
		return prereq.MergePatch(ctx, s.c, class, fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`,
			defaultClassAnnotation))
	}
	patch := client.RawPatch(types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, defaultClassAnnotation))
	if err := s.c.Patch(ctx, class, patch, client.FieldOwner(kube.FieldOwner+"-uninstall")); err != nil {
		return "", fmt.Errorf("StorageClass %s: %w", class.Name, err)
	}
	return step.Configured, nil
}
