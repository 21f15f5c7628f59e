package inject

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/world"
)

//go:embed objects/*.yaml
var files embed.FS

const (
	// fieldManager is the field manager of the objects that injected faults write.
	fieldManager = client.FieldOwner("sandbox-fault")
	// pollInterval is the time between two checks of an effect.
	pollInterval = 50 * time.Millisecond
)

// apply applies the objects of objects/NAME.yaml in their order.
func (s *injector) apply(ctx context.Context, name string) error {
	objects, err := read(name, s.Net)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := s.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), fieldManager,
			client.ForceOwnership); err != nil {
			return fmt.Errorf("write %s %s: %w", o.GetKind(), client.ObjectKeyFromObject(o), err)
		}
	}
	return nil
}

func read(name string, n world.Net) ([]*unstructured.Unstructured, error) {
	raw, err := files.ReadFile("objects/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	raw = bytes.ReplaceAll(raw, []byte(world.DefaultNet.Prefix()), []byte(n.Prefix()))
	var out []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(&o.Object); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("objects/%s.yaml: %w", name, err)
		case len(o.Object) > 0:
			out = append(out, o)
		}
	}
}

// patch applies a merge patch to an object.
func (s *injector) patch(ctx context.Context, o client.Object, patch string) error {
	if err := s.Client.Patch(ctx, o, client.RawPatch("application/merge-patch+json", []byte(patch)),
		fieldManager); err != nil {
		return fmt.Errorf("change %s: %w", client.ObjectKeyFromObject(o), err)
	}
	return nil
}

// waitFor polls until the condition is true or ctx ends. It keeps the last error of the condition, because the cluster
// may still change, and returns it when ctx ends.
func waitFor(ctx context.Context, what string, show func(context.Context) (bool, error)) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		ok, err := show(ctx)
		if err != nil {
			last = err
		}
		return ok && err == nil, nil
	})
	if err != nil {
		return errors.Join(fmt.Errorf("wait for %s: %w", what, err), last)
	}
	return nil
}

// object returns an empty object with kind and name, for reading.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// condition reads an object and returns the status of a condition, or "".
func (s *injector) condition(ctx context.Context, o *unstructured.Unstructured,
	kind string) (status, reason string, err error) {
	if err := s.Client.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
		return "", "", err
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			status, _ = m["status"].(string)
			reason, _ = m["reason"].(string)
		}
	}
	return status, reason, nil
}
