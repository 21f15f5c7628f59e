package hostedcluster

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Edit sets fields of an object by a merge patch; nil removes a field. The patch contains the resource version, so a
// concurrent change is a conflict, and the caller has to read and decide again. opts are passed to the patch. Edit
// fails with *UnknownFieldError if the object's CRD lacks one of the fields, which an API server by default drops
// silently.
func Edit(ctx context.Context, c *kube.Client, obj client.Object, fields map[string]any,
	opts ...client.WriteOption) (step.Change, error) {
	metadata, ok := fields["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		fields["metadata"] = metadata
	}
	before := obj.GetResourceVersion()
	metadata["resourceVersion"] = before
	patch, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("%s: %w", kube.Name(obj), err)
	}
	opts = append(opts, client.FieldOwner(kube.FieldOwner), client.FieldValidation(metav1.FieldValidationStrict))
	err = c.Patch(ctx, obj, client.RawPatch(MergePatch, patch), opts...)
	if err != nil {
		kind, kindErr := c.GroupVersionKindFor(obj)
		if kindErr != nil {
			return "", kindErr
		}
		object := kind.Kind + " " + kube.Name(obj)
		if unknown := UnknownFields(err); len(unknown) > 0 {
			return "", &UnknownFieldError{Object: object, Fields: unknown, Err: err}
		}
		return "", fmt.Errorf("%s: %w", object, err)
	}
	if obj.GetResourceVersion() == before {
		return step.Unchanged, nil
	}
	return step.Configured, nil
}

// ChangedError means that another client changed the object between hcctl's decision and its write.
type ChangedError struct {
	// Object names the object, such as "NodePool clusters/kv-00". Field names the field, such as "its size".
	Object, Field string
	// Was is the value that hcctl decided on, Is the current value.
	Was, Is string
}

// Error returns the object, the field, and its old and new value.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s: another client has just changed %s from %s to %s; nothing was written", e.Object, e.Field,
		e.Was, e.Is)
}

// Hint advises to run the command again.
func (*ChangedError) Hint() hint.Text {
	return hint.New("look at it, and run the command again if it is still wanted")
}

// MergePatch is the type of the patches that hcctl writes.
const MergePatch = types.MergePatchType
