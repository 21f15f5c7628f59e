package marketplace

import (
	"context"
	"fmt"
	"time"

	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/catalog"
)

// The namespaces of OLM and its catalogs on OpenShift.
const (
	marketNamespace    = "openshift-marketplace"
	operatorsNamespace = "openshift-operators"
	olmNamespace       = "openshift-operator-lifecycle-manager"
)

// createOLMObjects creates the OLM objects of a new OpenShift: namespaces, the global OperatorGroup, and OLM's
// settings.
func createOLMObjects(ctx context.Context, c client.Client) error {
	objects := []client.Object{}
	for _, ns := range []string{marketNamespace, operatorsNamespace, olmNamespace} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}})
	}
	objects = append(objects,
		&operatorsv1.OperatorGroup{ObjectMeta: metav1.ObjectMeta{Namespace: operatorsNamespace, Name: "global-operators"}},
		&operatorsv1.OLMConfig{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}},
	)
	for _, o := range objects {
		if err := client.IgnoreAlreadyExists(c.Create(ctx, o)); err != nil {
			return fmt.Errorf("create %T %s: %w", o, client.ObjectKeyFromObject(o), err)
		}
	}
	return nil
}

// pointCatalogSource sets a catalog's address, so that OLM runs no registry pod. After the start from a recording the
// CatalogSource exists already, with an old address.
func pointCatalogSource(ctx context.Context, c client.Client, cat catalog.Catalog, address string) error {
	source := &operatorsv1alpha1.CatalogSource{ObjectMeta: metav1.ObjectMeta{Namespace: marketNamespace, Name: cat.Name}}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		_, err := controllerutil.CreateOrUpdate(ctx, c, source, func() error {
			source.Spec = operatorsv1alpha1.CatalogSourceSpec{
				SourceType: operatorsv1alpha1.SourceTypeGrpc, Address: address,
				DisplayName: cat.DisplayName, Publisher: cat.Publisher, Priority: priority(cat.Name),
			}
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("CatalogSource %s: %w", cat.Name, err)
	}
	return nil
}

// recordedAddress returns a catalog's address in a recorded cluster, or "". With the same address OLM, which is limited
// to five requests a second, does not have to read the catalog again.
func recordedAddress(ctx context.Context, c client.Client, name string) (string, error) {
	source := &operatorsv1alpha1.CatalogSource{}
	err := c.Get(ctx, client.ObjectKey{Namespace: marketNamespace, Name: name}, source)
	if err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return source.Spec.Address, nil
}

// priority is that of the default catalogs on OpenShift, which prefers the vendor's packages. Other catalogs have none.
func priority(name string) int {
	switch name {
	case catalog.RedHat:
		return -100
	case catalog.Community:
		return -400
	}
	return 0
}

// created is the creation time of a PackageManifest, which is its CatalogSource's.
func created(s *operatorsv1alpha1.CatalogSource) metav1.Time {
	if s.CreationTimestamp.IsZero() {
		return metav1.NewTime(time.Unix(0, 0))
	}
	return s.CreationTimestamp
}
