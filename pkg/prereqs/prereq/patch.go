package prereq

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// MergePatch changes single fields of an object that has other owners too.
func MergePatch(ctx context.Context, c *kube.Client, obj client.Object, patch string) (step.Change, error) {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return "", err
	}
	name := kube.Name(obj)
	err = c.Patch(ctx, obj, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner(kube.FieldOwner))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", gvk.Kind, name, err)
	}
	return step.Configured, nil
}
