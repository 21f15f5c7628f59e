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
	// person is the field manager of what is written here.
	person = client.FieldOwner("sandbox-fault")
	// pollInterval is how often an effect is looked for.
	pollInterval = 50 * time.Millisecond
)

// apply writes the objects of objects/NAME.yaml in their order.
func (s *injector) apply(ctx context.Context, name string) error {
	objects, err := read(name, s.Net)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := s.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), person,
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
	raw = bytes.ReplaceAll(raw, []byte(world.Written.Prefix()), []byte(n.Prefix()))
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

// patch merges a JSON patch into an object.
func (s *injector) patch(ctx context.Context, o client.Object, patch string) error {
	if err := s.Client.Patch(ctx, o, client.RawPatch("application/merge-patch+json", []byte(patch)), person); err != nil {
		return fmt.Errorf("change %s: %w", client.ObjectKeyFromObject(o), err)
	}
	return nil
}

// until returns once show says so. An error of show is one of a world in motion: it is kept for the case that ctx ends.
func until(ctx context.Context, what string, show func(context.Context) (bool, error)) error {
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

// object is a named object of a kind, to be read.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// condition is a status condition of an object that is read anew; "" while there is none.
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
