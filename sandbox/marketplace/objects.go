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

// createWorld writes what OpenShift has of OLM at birth: its namespaces, the global OperatorGroup and OLM's settings.
func createWorld(ctx context.Context, c client.Client) error {
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

// pointCatalogSource points OLM at a catalog: by address, so that it runs no registry pod. A sandbox that starts from
// recorded objects has the CatalogSource already, with an address that is gone.
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

// recordedAddress is where a recorded world had the catalog; "" where there is no record of it. A catalog that is
// served there again is the one OLM knows, and OLM, at five requests a second unless hastened, has nothing to find out
// anew.
func recordedAddress(ctx context.Context, c client.Client, name string) (string, error) {
	source := &operatorsv1alpha1.CatalogSource{}
	err := c.Get(ctx, client.ObjectKey{Namespace: marketNamespace, Name: name}, source)
	if err != nil {
		return "", client.IgnoreNotFound(err)
	}
	return source.Spec.Address, nil
}

// priority of the default catalogs on OpenShift: a package in both comes from the vendor's. Others have none.
func priority(name string) int {
	switch name {
	case catalog.RedHat:
		return -100
	case catalog.Community:
		return -400
	}
	return 0
}

// created is the creation time of a PackageManifest: its CatalogSource's.
func created(s *operatorsv1alpha1.CatalogSource) metav1.Time {
	if s.CreationTimestamp.IsZero() {
		return metav1.NewTime(time.Unix(0, 0))
	}
	return s.CreationTimestamp
}
