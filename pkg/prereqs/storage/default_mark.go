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

// madeClass is a class that a StorageCluster or LVMCluster makes, or hcctl for a HostPathProvisioner.
type madeClass struct {
	// name is empty if its spec asks for none.
	name string
	// cluster is who makes it, such as "Cluster openshift-storage/ocs-storagecluster"; empty where there is none.
	cluster string
	there   bool
	// class is the class itself where it is there.
	class *storagev1.StorageClass
	// storageCluster is who makes it, if that is one.
	storageCluster *unstructured.Unstructured
}

// ownClass is the class that becomes the default where there is none: the one of the planned source.
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
			own.there, own.class = true, c
		}
	}
	return own, nil
}

// mark makes a class a default one. The block class of a StorageCluster is asked for by the field that versions from
// 4.15 on have, so that a class made anew is marked again; a class that is there is annotated as well, since those
// versions write the annotation only when they create it.
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
		asked, err := setLVMDefault(ctx, client, &classes[i], true)
		return step.Join(change, asked), err
	}
	annotated, err := s.annotate(ctx, client, name, map[string]string{defaultClassAnnotation: "true"})
	return step.Join(change, annotated), err
}

// unmark undoes it: the field first, and the annotation at the next attempt, since an operator that has not read the
// field yet may put the annotation back.
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

// annotate changes these annotations of a StorageClass and nothing else.
func (s common) annotate(ctx context.Context, c *kube.Client, class string,
	annotations map[string]string) (step.Change, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return "", fmt.Errorf("StorageClass %s: %w", class, err)
	}
	return prereq.MergePatch(ctx, c, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}}, string(patch))
}

// setDefaultField sets the field of the StorageCluster whose block class this is, if there is one, it has the field,
// and the field is not so already.
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
		// It came by other means than OLM: its version is not known, nor whether it has the field.
		return step.Unchanged, nil
	case err != nil:
		return "", err
	case !marksDefaultClass(version):
		return step.Unchanged, nil
	}
	patch := fmt.Sprintf(`{"spec":{"managedResources":{"cephBlockPools":{"defaultStorageClass":%t}}}}`, want)
	return prereq.MergePatch(ctx, c, &clusters[i], patch)
}

// defaultField is the path of the field that asks a StorageCluster to mark its block class as default.
func defaultField() []string {
	return []string{"spec", "managedResources", "cephBlockPools", "defaultStorageClass"}
}

// virtualField is the path of the field that asks a StorageCluster to mark its class for virtual machines (4.19 and
// later).
func virtualField() []string {
	return []string{"spec", "managedResources", "cephBlockPools", "defaultVirtualizationStorageClass"}
}

// unmarkedVirtual is the class for virtual machines that a StorageCluster made and nobody marked as their default, so
// that their disks land on its block class; empty where that is not so. Up to 4.18 it is always marked.
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
	// Any other value is a user's choice.
	if _, chosen := classes[i].Annotations[virtClassAnnotation]; chosen {
		return "", nil
	}
	_, version, err := s.operator(olm.DataFoundation()).Installed(ctx, r)
	switch {
	case errors.Is(err, olm.ErrNotInstalled):
		return "", nil // its version is not known, nor whether it has the field
	case err != nil:
		return "", err
	case !marksVirtualClass(version):
		return "", nil
	}
	return name, nil
}

// mayMarkVirtual reports whether hcctl may have the class for virtual machines marked: it wrote this StorageCluster,
// and nobody else the field.
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

// judgeVirtual says of a StorageCluster that is well whether disks of virtual machines land on the class for them. One
// that others made stays as it is.
func (s common) judgeVirtual(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured,
	well step.Finding) step.Finding {
	name, err := s.unmarkedVirtual(ctx, r, sc)
	if err != nil {
		return kube.Unknown(err).On("%s", well.Object)
	}
	if name == "" {
		return well
	}
	words := fmt.Sprintf("disks of hosted clusters land on class %s, not on %s, which is not marked for virtual machines",
		blockClass(sc), name)
	if mayMarkVirtual(sc) {
		return step.Missing("%s (%s)", words, strings.Join(virtualField(), ".")).On("%s", well.Object)
	}
	well.Message += "; " + words
	return well.WithHint(`oc patch storagecluster %s -n %s --type=merge -p '%s'; oc annotate storageclass %s %s=true`,
		sc.GetName(), sc.GetNamespace(), virtualPatch, name, virtClassAnnotation)
}

const virtualPatch = `{"spec":{"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":true}}}}`

// markVirtual marks that class: by the field, so that a class made anew is marked again, and by the annotation, which
// the operator writes only when it creates the class.
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

// markRemoval puts the default marks of StorageClasses back, where hcctl set them.
type markRemoval struct{}

// marked returns a class whose mark hcctl set, and what the mark is; nil if there is none.
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

// apply takes the mark away. A class that hcctl unmarked, since another was chosen, becomes what it was: marked, by
// another field manager, so that the mark is not taken for hcctl's own again.
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
