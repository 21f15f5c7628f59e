package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// madeClass is a class that a StorageCluster or an LVMCluster makes, or hcctl for a HostPathProvisioner.
type madeClass struct {
	// name is empty if the spec of its maker disables the class.
	name string
	// cluster is the object that makes it, such as "StorageCluster openshift-storage/ocs-storagecluster", or "".
	cluster string
	exists  bool
	// class is set if the class exists.
	class *storagev1.StorageClass
	// storageCluster is the StorageCluster that makes it, or nil.
	storageCluster *unstructured.Unstructured
}

// ownClass returns the class of the planned source. It becomes the default if there is none.
func (s common) ownClass(ctx context.Context, r kube.Reader) (madeClass, *step.Finding) {
	facts, f := s.facts(ctx, r)
	if f != nil {
		return madeClass{}, f
	}
	var own madeClass
	plan := planStorage(s.o.Options, facts)
	switch {
	case plan.source == sourceDataFoundation && len(facts.storageClusters) > 0:
		sc := activeStorageCluster(facts.storageClusters)
		own = madeClass{name: blockClass(sc), cluster: "StorageCluster " + kube.Name(sc), storageCluster: sc}
	case plan.source == sourceHostPath:
		own = madeClass{cluster: "HostPathProvisioner " + hostPathName, name: hostPathClass}
		if class := hostPathClassOf(facts.classes); class != nil {
			own.name = class.Name
		}
	case plan.source == sourceLVM && len(facts.lvmClusters) > 0:
		lvm := &facts.lvmClusters[0]
		own = madeClass{cluster: "LVMCluster " + kube.Name(lvm), name: lvmDefaultClass(lvm)}
		if names := lvmClasses(lvm); own.name == "" && len(names) > 0 {
			own.name = names[0]
		}
	}
	for i := range facts.classes {
		if c := &facts.classes[i]; c.Name == own.name {
			own.exists, own.class = true, c
		}
	}
	return own, nil
}

// mark marks a class as default. For the block class of a StorageCluster it also sets the field that exists from 4.15
// on, so that a recreated class is marked again. The existing class is annotated as well, because the operator writes
// the annotation only on creation.
func (s common) mark(ctx context.Context, client *kube.Client, name string,
	classes []storagev1.StorageClass) (step.Change, error) {
	change, err := s.setDefaultField(ctx, client, name, true)
	if err != nil {
		return change, err
	}
	i := slices.IndexFunc(classes, func(c storagev1.StorageClass) bool { return c.Name == name })
	switch {
	case i < 0, markedDefault(&classes[i]):
		return change, nil
	case markedByLVM(&classes[i]):
		requested, err := setLVMDefault(ctx, client, &classes[i], true)
		return step.Join(change, requested), err
	}
	annotated, err := s.annotate(ctx, client, name, map[string]string{defaultClassAnnotation: "true"})
	return step.Join(change, annotated), err
}

// unmark removes the mark: first the field, and the annotation at the next attempt, because an operator that has not
// read the field yet may write the annotation again.
func (s common) unmark(ctx context.Context, c *kube.Client, class *storagev1.StorageClass) (step.Change, error) {
	change, err := s.setDefaultField(ctx, c, class.Name, false)
	if err == nil && change == step.Unchanged {
		change, err = setLVMDefault(ctx, c, class, false)
	}
	if err != nil || change != step.Unchanged {
		return change, err
	}
	annotations := map[string]string{}
	for _, key := range []string{defaultClassAnnotation, betaDefaultClassAnnotation} {
		if class.Annotations[key] == "true" {
			annotations[key] = "false"
		}
	}
	return s.annotate(ctx, c, class.Name, annotations)
}

// annotate sets these annotations of a StorageClass.
func (s common) annotate(ctx context.Context, c *kube.Client, class string,
	annotations map[string]string) (step.Change, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return "", fmt.Errorf("StorageClass %s: %w", class, err)
	}
	return prereq.MergePatch(ctx, c, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}}, string(patch))
}

// setDefaultField sets the default field of the StorageCluster whose block class this is. It does nothing if there is
// no such StorageCluster, this version has no such field, or the value is the same.
func (s common) setDefaultField(ctx context.Context, c *kube.Client, class string, want bool) (step.Change, error) {
	clusters, err := storageClusters(ctx, c)
	if err != nil {
		return "", fmt.Errorf("StorageClusters: %w", err)
	}
	i := slices.IndexFunc(clusters, func(sc unstructured.Unstructured) bool { return blockClass(&sc) == class })
	if i < 0 || kube.Flag(&clusters[i], defaultField()...) == want {
		return step.Unchanged, nil
	}
	_, version, err := s.operator(olm.DataFoundation()).Installed(ctx, c)
	switch {
	case errors.Is(err, olm.ErrNotInstalled):
		// Installed without OLM: the version is unknown, and so whether the field exists.
		return step.Unchanged, nil
	case err != nil:
		return "", err
	case !marksDefaultClass(version):
		return step.Unchanged, nil
	}
	patch := fmt.Sprintf(`{"spec":{"managedResources":{"cephBlockPools":{"defaultStorageClass":%t}}}}`, want)
	return prereq.MergePatch(ctx, c, &clusters[i], patch)
}

// defaultField returns the path of the field that makes a StorageCluster mark its block class as default.
func defaultField() []string {
	return []string{"spec", "managedResources", "cephBlockPools", "defaultStorageClass"}
}

// virtualField returns the path of the field that makes a StorageCluster mark its class for virtual machines (4.19 and
// later).
func virtualField() []string {
	return []string{"spec", "managedResources", "cephBlockPools", "defaultVirtualizationStorageClass"}
}

// unmarkedVirtual returns the class for virtual machines of a StorageCluster if no class is marked for them, so that
// their disks use its block class. Else it returns "". Up to 4.18 the class is always marked.
func (s common) unmarkedVirtual(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured) (string, error) {
	classes, err := storageClasses(ctx, r)
	if err != nil {
		return "", fmt.Errorf("StorageClasses: %w", err)
	}
	block, name := blockClass(sc), virtualClass(sc)
	disks := diskClass(classes)
	i := slices.IndexFunc(classes, func(c storagev1.StorageClass) bool { return c.Name == name })
	if block == "" || i < 0 || len(virtDefaultsOf(classes)) > 0 || disks == nil || disks.Name != block {
		return "", nil
	}
	// The user has set another value.
	if _, chosen := classes[i].Annotations[virtClassAnnotation]; chosen {
		return "", nil
	}
	_, version, err := s.operator(olm.DataFoundation()).Installed(ctx, r)
	switch {
	case errors.Is(err, olm.ErrNotInstalled):
		return "", nil // installed without OLM: the version is unknown, and so whether the field exists
	case err != nil:
		return "", err
	case !marksVirtualClass(version):
		return "", nil
	}
	return name, nil
}

// mayMarkVirtual reports whether hcctl may set the field for the class of virtual machines: hcctl wrote this
// StorageCluster, and no other field manager set the field.
func mayMarkVirtual(sc *unstructured.Unstructured) bool {
	if !ofHcctl(sc) || !removal.SetByHcctl(sc, "f:spec", "f:storageDeviceSets") {
		return false
	}
	if _, set, _ := unstructured.NestedFieldNoCopy(sc.Object, virtualField()...); !set {
		return true
	}
	return kube.Flag(sc, virtualField()...) && removal.SetByHcctl(sc, "f:spec", "f:managedResources", "f:cephBlockPools",
		"f:defaultVirtualizationStorageClass")
}

// judgeVirtual checks whether disks of virtual machines use the class made for them. It only reports on a foreign
// StorageCluster.
func (s common) judgeVirtual(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured,
	ready step.Finding) step.Finding {
	name, err := s.unmarkedVirtual(ctx, r, sc)
	if err != nil {
		return kube.Unknown(err).On("%s", ready.Object)
	}
	if name == "" {
		return ready
	}
	words := fmt.Sprintf("disks of hosted clusters land on class %s, not on %s, which is not marked for virtual machines",
		blockClass(sc), name)
	if mayMarkVirtual(sc) {
		return step.Missing("%s (%s)", words, strings.Join(virtualField(), ".")).On("%s", ready.Object)
	}
	ready.Message += "; " + words
	return ready.WithHint(`oc patch storagecluster %s -n %s --type=merge -p '%s'; oc annotate storageclass %s %s=true`,
		sc.GetName(), sc.GetNamespace(), virtualPatch, name, virtClassAnnotation)
}

const virtualPatch = `{"spec":{"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":true}}}}`

// markVirtual marks the class for virtual machines. It sets the field, so that a recreated class is marked again, and
// the annotation, because the operator writes that only when it creates the class.
func (s common) markVirtual(ctx context.Context, c *kube.Client, sc *unstructured.Unstructured) (step.Change, error) {
	name, err := s.unmarkedVirtual(ctx, c, sc)
	if err != nil || name == "" || !mayMarkVirtual(sc) {
		return step.Unchanged, err
	}
	change := step.Unchanged
	if !kube.Flag(sc, virtualField()...) {
		if change, err = prereq.MergePatch(ctx, c, sc, virtualPatch); err != nil {
			return change, err
		}
	}
	marked, err := s.annotate(ctx, c, name, map[string]string{virtClassAnnotation: "true"})
	return step.Join(change, marked), err
}

// markRemoval restores the default marks of StorageClasses that hcctl changed.
type markRemoval struct{}

// marked returns a class whose mark hcctl set, with the value of the mark, or nil.
func (s markRemoval) marked(ctx context.Context, r kube.Reader) (
	class *storagev1.StorageClass, mark string, err error) {
	list := &storagev1.StorageClassList{}
	if err := r.List(ctx, list); err != nil {
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

func (s markRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	class, mark, err := s.marked(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("StorageClasses")
	case class == nil:
		return step.OK("hcctl marked none").On("StorageClasses")
	}
	return step.Missing("hcctl set its annotation %s to %q", defaultClassAnnotation, mark).
		On("StorageClass %s", class.Name)
}

// apply removes the mark. A class that hcctl unmarked becomes marked again, under another field manager, so that the
// mark does not count as hcctl's.
func (s markRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	class, mark, err := s.marked(ctx, c)
	if err != nil || class == nil {
		return step.Unchanged, err
	}
	if mark != "false" {
		return prereq.MergePatch(ctx, c, class, fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`,
			defaultClassAnnotation))
	}
	patch := client.RawPatch(types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, defaultClassAnnotation))
	if err := c.Patch(ctx, class, patch, client.FieldOwner(kube.FieldOwner+"-uninstall")); err != nil {
		return "", fmt.Errorf("StorageClass %s: %w", class.Name, err)
	}
	return step.Configured, nil
}
