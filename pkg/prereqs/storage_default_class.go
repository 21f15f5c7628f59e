package prereqs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// defaultClass: a StorageClass for claims that name none, as those of hosted control planes do.
type defaultClass struct{ c *kube.Client }

func (s defaultClass) step() step.Step {
	return step.Step{
		ID: DefaultClass, Title: "default StorageClass", Needs: []step.ID{StorageCluster},
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
	}
}

func (s defaultClass) check(ctx context.Context) step.Finding {
	classes, err := defaultClasses(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("StorageClasses")
	}
	if len(classes) == 0 {
		return s.checkNone(ctx)
	}
	first := &classes[0]
	if first.Provisioner == noProvisioner {
		return step.Stuck("the default class makes no volumes by itself (provisioner %s)", noProvisioner).On("StorageClass %s", first.Name).
			WithHint("%s, and mark another, or run hcctl bootstrap", unmark(first.Name))
	}
	if len(classes) > 1 {
		version, err := openShift(ctx, s.c)
		if err != nil {
			return kube.Unread(err)
		}
		// Kubernetes 1.25 (OpenShift 4.12) refuses claims without a class while there are two.
		if version.Major() == 4 && version.Minor() <= 12 {
			return severalDefaults(classes, step.Stuck)
		}
	}
	return step.Okay("provisioner %s", first.Provisioner).On("StorageClass %s", first.Name)
}

// checkNone says what becomes the default class.
func (s defaultClass) checkNone(ctx context.Context) step.Finding {
	clusters, err := storageClusters(ctx, s.c)
	switch {
	case err != nil:
		return kube.Unread(err).On("StorageClusters")
	case len(clusters) == 0:
		return step.NotThere("no StorageClass is the default one").On("StorageClasses").
			WithHint("mark one, or let hcctl bootstrap set up storage: oc annotate storageclass NAME %s=true", defaultClassAnnotation)
	}
	sc := &clusters[0]
	_, version, err := installer{s.c, dataFoundationRow()}.installed(ctx)
	if err != nil && !errors.Is(err, errNotInstalled) {
		return kube.Unread(err)
	}
	if version != nil && marksDefaultClass(version) {
		if kube.Flag(sc, "spec", "managedResources", "cephBlockPools", "defaultStorageClass") {
			return step.Waiting("it is to mark its class %s as default, and has not yet", blockClass(sc.GetName())).On("StorageCluster %s", kube.Name(sc))
		}
		return step.NotThere("no StorageClass is the default one, and this one is not asked to mark its own").On("StorageCluster %s", kube.Name(sc))
	}
	name := blockClass(sc.GetName())
	err = s.c.Get(ctx, types.NamespacedName{Name: name}, &storagev1.StorageClass{})
	switch {
	case apierrors.IsNotFound(err):
		return step.Waiting("it has not created its class %s yet", name).On("StorageCluster %s", kube.Name(sc))
	case err != nil:
		return kube.Unread(err).On("StorageClass %s", name)
	}
	return step.NotThere("it is not marked as the default class, nor is any other").On("StorageClass %s", name)
}

func (s defaultClass) apply(ctx context.Context) (step.Change, error) {
	clusters, err := storageClusters(ctx, s.c)
	if err != nil {
		return "", err
	}
	if len(clusters) == 0 {
		return "", errors.New("there is no StorageCluster whose class could be the default one")
	}
	sc := &clusters[0]
	_, version, err := installer{s.c, dataFoundationRow()}.installed(ctx)
	if err != nil && !errors.Is(err, errNotInstalled) {
		return "", err
	}
	if version != nil && marksDefaultClass(version) {
		patch := `{"spec":{"managedResources":{"cephBlockPools":{"defaultStorageClass":true}}}}`
		return mergePatch(ctx, s.c, sc, patch)
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: blockClass(sc.GetName())}}
	return mergePatch(ctx, s.c, class, fmt.Sprintf(`{"metadata":{"annotations":{%q:"true"}}}`, defaultClassAnnotation))
}

// blockClass is the class of a StorageCluster's block volumes.
func blockClass(cluster string) string { return cluster + "-ceph-rbd" }

// singleDefaultClass: no second default class. A person has to say which is meant; nothing is changed.
type singleDefaultClass struct{ c *kube.Client }

func (s singleDefaultClass) step() step.Step {
	return step.Step{ID: SingleDefaultClass, Title: "one default StorageClass only", Severity: step.Advisory, Needs: []step.ID{DefaultClass}, Check: s.check}
}

func (s singleDefaultClass) check(ctx context.Context) step.Finding {
	classes, err := defaultClasses(ctx, s.c)
	switch {
	case err != nil:
		return kube.Unread(err).On("StorageClasses")
	case len(classes) > 1:
		return severalDefaults(classes, step.NotThere)
	}
	return step.Okay("not more than one")
}

func severalDefaults(classes []storagev1.StorageClass, as func(string, ...any) step.Finding) step.Finding {
	var names, remedies []string
	for i := range classes {
		names = append(names, classes[i].Name)
		if i > 0 {
			remedies = append(remedies, unmark(classes[i].Name))
		}
	}
	return as("%d classes are marked as default: %s; one must remain", len(classes), strings.Join(names, ", ")).On("StorageClasses").
		WithHint("to keep %s: %s", names[0], strings.Join(remedies, "; "))
}

func unmark(class string) string {
	return fmt.Sprintf(`oc patch storageclass %s -p '{"metadata":{"annotations":{%q:"false"}}}'`, class, defaultClassAnnotation)
}
