package removal

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Object is the removal of one object that hcctl made.
type Object struct {
	Kind kube.Kind
	// Name is the only name that hcctl uses; empty means any.
	Name string
	// Blocked returns why an object cannot be deleted now, or nil. It is called again right before the deletion. It may be
	// nil itself.
	Blocked func(context.Context, kube.Reader, *unstructured.Unstructured) *step.Finding
	// Before writes what is needed before the deletion. It may be nil.
	Before func(context.Context, *kube.Client, *unstructured.Unstructured) (step.Change, error)
	// Holds returns what blocks the deletion of an object beyond its status, or "". It may be nil.
	Holds func(context.Context, kube.Reader, *unstructured.Unstructured) string
	// Loss is what is lost with the object, such as "with all data on it".
	Loss string
}

// Owned reports whether hcctl may remove an object: it has hcctl's label, and no tool such as GitOps has adopted it,
// which would create it again.
func Owned(o client.Object) bool {
	return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner && takenBy(o) == nil
}

// takenBy returns the tool that deploys the object, or nil.
func takenBy(o client.Object) *owner.Owner {
	if tool := owner.Of(o); tool != nil && tool.Deploys() {
		return tool
	}
	return nil
}

// Find returns the object that hcctl created, and the first that it did not create. Either may be nil.
func (r Object) Find(ctx context.Context, reader kube.Reader) (own, foreign *unstructured.Unstructured, err error) {
	list, err := kube.ListStored(ctx, reader, r.Kind)
	if err != nil {
		return nil, nil, err
	}
	for i := range list {
		u := &list[i]
		switch {
		case Owned(u) && (r.Name == "" || u.GetName() == r.Name):
			if own == nil {
				own = u
			}
		case foreign == nil:
			foreign = u
		}
	}
	return own, foreign, nil
}

// Check succeeds once the object that hcctl made is gone.
func (r Object) Check(ctx context.Context, reader kube.Reader) step.Finding {
	own, foreign, err := r.Find(ctx, reader)
	if err != nil {
		return kube.Unknown(err).On("%ss", r.Kind.Kind)
	}
	return r.Judge(ctx, reader, own, foreign)
}

// Judge is Check with the results of Find. A second Find could differ if the object was deleted in the meantime.
func (r Object) Judge(ctx context.Context, reader kube.Reader, own, foreign *unstructured.Unstructured) step.Finding {
	switch {
	case own == nil && foreign == nil:
		return step.OK("there is none").On("%s", strings.TrimSpace(r.Kind.Kind+" "+r.Name))
	case own == nil && takenBy(foreign) != nil:
		return step.OK("left as it is: %s looks after it", takenBy(foreign)).On("%s %s", r.Kind.Kind, kube.Name(foreign))
	case own == nil:
		return step.OK("left as it is: hcctl did not create it").On("%s %s", r.Kind.Kind, kube.Name(foreign))
	case own.GetDeletionTimestamp() != nil:
		return r.deletionProgress(ctx, reader, own)
	}
	if r.Blocked != nil {
		if f := r.Blocked(ctx, reader, own); f != nil {
			return *f
		}
	}
	return step.Missing("%s", strings.TrimSpace("created by hcctl and still there "+r.Loss)).
		On("%s %s", r.Kind.Kind, kube.Name(own))
}

// deletionProgress returns what an object that is being deleted waits for, in its operator's words if it has any.
func (r Object) deletionProgress(ctx context.Context, reader kube.Reader, u *unstructured.Unstructured) step.Finding {
	words := "being deleted"
	if phase := kube.Text(u, "status", "phase"); phase != "" {
		words += ", " + phase
	}
	if c := prereq.RemovalStage(u); c != nil {
		words += "; " + c.Describe()
	}
	if r.Holds != nil {
		if held := r.Holds(ctx, reader, u); held != "" {
			words += "; " + held
		}
	}
	f := step.Pending("").On("%s %s", r.Kind.Kind, kube.Name(u)).WithHint("%s", health.Describe(u))
	if e, found := prereq.WarningAbout(ctx, reader, r.Kind.Kind, u); found {
		words += "; " + prereq.DescribeWarning(e)
		f.Detail = "Event " + e.Describe(reader.Now())
	}
	if finalizers := u.GetFinalizers(); len(finalizers) > 0 {
		words += "; finalizers: " + strings.Join(finalizers, ", ")
	}
	f.Message = words
	return f
}

// Apply deletes the object that hcctl made.
func (r Object) Apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	own, _, err := r.Find(ctx, c)
	if err != nil || own == nil {
		return step.Unchanged, err
	}
	if r.Blocked != nil && own.GetDeletionTimestamp() == nil && r.Blocked(ctx, c, own) != nil {
		return step.Unchanged, nil // changed since Check, which reports it next time
	}
	if r.Before != nil {
		if _, err := r.Before(ctx, c, own); err != nil {
			return "", err
		}
	}
	return c.DeleteUnchanged(ctx, own)
}

// Removal returns the removal for a prerequisite.
func (r Object) Removal(id step.ID, title string, needs ...step.ID) prereq.Removal {
	return prereq.Removal{ID: id, Title: title, Needs: needs, Check: r.Check, Apply: r.Apply}
}

// SetByHcctl reports whether hcctl was the last to set a field, according to the managed fields. path has their form,
// such as "f:spec", "f:routeAdmission".
func SetByHcctl(o metav1.Object, path ...string) bool {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager != kube.FieldOwner || entry.FieldsV1 == nil {
			continue
		}
		fields := &unstructured.Unstructured{}
		if err := fields.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"Fields","fields":` + entry.FieldsV1.GetRawString() +
			`}`)); err != nil {
			continue
		}
		if _, found, err := unstructured.NestedFieldNoCopy(fields.Object, append([]string{"fields"}, path...)...); found &&
			err == nil {
			return true
		}
	}
	return false
}
