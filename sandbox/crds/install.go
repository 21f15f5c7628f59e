package crds

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Install creates the CRDs of the sets that are missing, gives the others the fields and columns of the release (see
// Set), and returns once all are Established. client's scheme must know apiextensions.k8s.io/v1; ctx bounds the wait.
func Install(ctx context.Context, c client.WithWatch, release string, sets ...string) error {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, set := range sets {
		list, err := Set(set, release)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	return install(ctx, c, all)
}

// InstallSome does the same for the named CRDs of a set.
func InstallSome(ctx context.Context, c client.WithWatch, set string, names ...string) error {
	var some []*apiextensionsv1.CustomResourceDefinition
	for _, name := range names {
		crd, err := one(set, name)
		if err != nil {
			return err
		}
		some = append(some, crd)
	}
	return install(ctx, c, some)
}

func install(ctx context.Context, c client.WithWatch, list []*apiextensionsv1.CustomResourceDefinition) error {
	waiting := map[string]bool{}
	group, gctx := errgroup.WithContext(ctx)
	for _, crd := range list {
		waiting[crd.Name] = true
		group.Go(func() error {
			err := c.Create(gctx, crd.DeepCopy())
			if apierrors.IsAlreadyExists(err) {
				return update(gctx, c, crd)
			}
			if err != nil {
				return fmt.Errorf("create CRD %s: %w", crd.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return established(ctx, c, waiting)
}

// update gives a CRD that is there the fields and columns it should have. Other parts of it stay.
func update(ctx context.Context, c client.Client, want *apiextensionsv1.CustomResourceDefinition) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		got := &apiextensionsv1.CustomResourceDefinition{}
		if err := c.Get(ctx, types.NamespacedName{Name: want.Name}, got); err != nil {
			return err
		}
		same, err := sameVersions(got, want)
		if err != nil || same {
			return err
		}
		takeVersions(got, want)
		return c.Update(ctx, got)
	})
	if err != nil {
		return fmt.Errorf("update CRD %s: %w", want.Name, err)
	}
	return nil
}

// established returns once every CRD in waiting is Established.
func established(ctx context.Context, c client.WithWatch, waiting map[string]bool) error {
	for len(waiting) > 0 {
		// A watch without a resource version starts with the existing objects.
		w, err := c.Watch(ctx, &apiextensionsv1.CustomResourceDefinitionList{})
		if err != nil {
			return fmt.Errorf("watch CRDs: %w", err)
		}
		for event := range w.ResultChan() {
			if crd, ok := event.Object.(*apiextensionsv1.CustomResourceDefinition); ok && isEstablished(crd) {
				delete(waiting, crd.Name)
			}
			if len(waiting) == 0 {
				break
			}
		}
		w.Stop()
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%d CRDs are not established yet, such as %s: %w", len(waiting), anyOf(waiting), err)
		}
	}
	return nil
}

func isEstablished(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
			return true
		}
	}
	return false
}

func anyOf(names map[string]bool) string {
	for n := range names {
		return n
	}
	return ""
}

// Installed reports whether every CRD of the set exists, is Established and has the fields and columns of the release.
func Installed(ctx context.Context, c client.Client, release, set string) (bool, error) {
	list, err := Set(set, release)
	if err != nil {
		return false, err
	}
	for _, want := range list {
		got := &apiextensionsv1.CustomResourceDefinition{}
		err := c.Get(ctx, types.NamespacedName{Name: want.Name}, got)
		switch {
		case apierrors.IsNotFound(err):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("get CRD %s: %w", want.Name, err)
		case !isEstablished(got):
			return false, nil
		}
		if same, err := sameVersions(got, want); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}
