package operator

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// written notes the result of a write of obj. After a failed write the cache may be behind, so its state is unknown.
func (c *cachedClient) written(obj client.Object, err error) error {
	gvk, kindErr := c.GroupVersionKindFor(obj)
	if kindErr != nil {
		return err
	}
	w := write{}
	if err == nil {
		w.version = versionOf(obj)
	}
	c.note(objectID{gvk, client.ObjectKeyFromObject(obj)}, w)
	return err
}

// Create implements client.Writer. It asks the API server only if the cache does not have the object already.
func (c *cachedClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	gvk, err := c.GroupVersionKindFor(obj)
	if err == nil && c.exists(ctx, objectID{gvk, client.ObjectKeyFromObject(obj)}, obj) {
		return apierrors.NewAlreadyExists(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, obj.GetName())
	}
	return c.written(obj, c.Client.Create(ctx, obj, opts...))
}

// exists reports whether the cache has the object in its last known state.
func (c *cachedClient) exists(ctx context.Context, id objectID, obj client.Object) bool {
	found, err := c.emptyLike(obj, id.GroupVersionKind)
	if err != nil || id.Name == "" {
		return false
	}
	err, _ = c.lookUp(ctx, id, found)
	return err == nil && c.current(id, found, true) && found.GetDeletionTimestamp() == nil
}

// Update implements client.Writer.
func (c *cachedClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	return c.written(obj, c.Client.Update(ctx, obj, opts...))
}

// Patch implements client.Writer.
func (c *cachedClient) Patch(ctx context.Context, obj client.Object, patch client.Patch,
	opts ...client.PatchOption) error {
	return c.written(obj, c.Client.Patch(ctx, obj, patch, opts...))
}

// Delete implements client.Writer.
func (c *cachedClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	err := c.Client.Delete(ctx, obj, opts...)
	gvk, kindErr := c.GroupVersionKindFor(obj)
	if kindErr == nil && (err == nil || apierrors.IsNotFound(err)) {
		c.note(objectID{gvk, client.ObjectKeyFromObject(obj)}, write{deleted: true})
	}
	return err
}

// Status implements client.StatusClient.
func (c *cachedClient) Status() client.SubResourceWriter {
	return &cachedStatus{SubResourceWriter: c.Client.Status(), client: c}
}

// cachedStatus notes writes of status.
type cachedStatus struct {
	client.SubResourceWriter
	client *cachedClient
}

// Update implements client.SubResourceWriter.
func (s *cachedStatus) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	return s.client.written(obj, s.SubResourceWriter.Update(ctx, obj, opts...))
}

// Patch implements client.SubResourceWriter.
func (s *cachedStatus) Patch(ctx context.Context, obj client.Object, patch client.Patch,
	opts ...client.SubResourcePatchOption) error {
	return s.client.written(obj, s.SubResourceWriter.Patch(ctx, obj, patch, opts...))
}
