package manifests

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// manifestAnnotation has the digest of the document from which an object was applied, so that hcctl notices a changed
// file.
const manifestAnnotation = "hcctl.dev/manifest"

// maxParallelReads is the maximum number of objects that are read in parallel.
const maxParallelReads = 8

// Apply writes the manifests in their order by server-side apply as hcctl, and stops at the first error. It is
// idempotent.
func (all List) Apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	change := step.Unchanged
	for _, m := range all {
		namespaced, err := c.Namespaced(ctx, m.GroupVersionKind())
		if kube.IsKindMissing(err) && c.IsPlanning() {
			change = step.Join(change, step.Created) // its CRD, or the operator that installs it, is only planned
			continue
		}
		if err != nil {
			return change, &ApplyError{where: m.where, name: m.name(), named: true, err: err}
		}
		one, err := c.Apply(ctx, m.annotated(namespaced))
		if err != nil {
			return change, &ApplyError{where: m.where, name: m.name(), err: err}
		}
		change = step.Join(change, one)
	}
	return change, nil
}

// ApplyError is the error of an object of a file that could not be written.
type ApplyError struct {
	where, name string
	// named is set if err does not name the object, so Error adds it.
	named bool
	err   error
}

// Error begins with the file and the number of the document.
func (e *ApplyError) Error() string {
	if e.named {
		return fmt.Sprintf("%s: %s: %v", e.where, e.name, e.err)
	}
	return fmt.Sprintf("%s: %v", e.where, e.err)
}

// Unwrap returns the API server's error.
func (e *ApplyError) Unwrap() error { return e.err }

// Object returns the object as findings name it: "Kind namespace/name".
func (e *ApplyError) Object() string { return e.name }

// annotated returns the object with the digest of its document, in the namespace to which kubectl would write it.
func (m Manifest) annotated(namespaced bool) *unstructured.Unstructured {
	u := m.DeepCopy()
	u.SetNamespace(m.key(namespaced).Namespace)
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[manifestAnnotation] = m.digest()
	u.SetAnnotations(annotations)
	return u
}

// key returns the key of the object. A namespaced object without a namespace is in "default", as for kubectl.
func (m Manifest) key(namespaced bool) client.ObjectKey {
	key := client.ObjectKeyFromObject(m.Unstructured)
	switch {
	case !namespaced:
		key.Namespace = ""
	case key.Namespace == "":
		key.Namespace = metav1.NamespaceDefault
	}
	return key
}

// Check returns a finding for a manifest whose object is missing, was applied from another document, or is not ready;
// nil if there is none.
func (all List) Check(ctx context.Context, r kube.Reader) *step.Finding {
	return all.checkAll(func(m Manifest) *step.Finding { return m.check(ctx, r, true) })
}

// CheckApplied is Check without the readiness of the objects.
func (all List) CheckApplied(ctx context.Context, r kube.Reader) *step.Finding {
	return all.checkAll(func(m Manifest) *step.Finding { return m.check(ctx, r, false) })
}

// CheckUp returns a finding for an applied object that is not ready; nil if there is none. It reads only objects whose
// status reports readiness.
func (all List) CheckUp(ctx context.Context, r kube.Reader) *step.Finding {
	reporters := slices.DeleteFunc(slices.Clone(all), func(m Manifest) bool { return !m.reportsReady })
	return reporters.checkAll(func(m Manifest) *step.Finding {
		f := m.check(ctx, r, true)
		if f != nil && f.State == step.StateMissing && m.removesItself() {
			return nil
		}
		return f
	})
}

// removesItself reports whether the object is a Job that Kubernetes deletes after it has finished.
func (m Manifest) removesItself() bool {
	_, given, _ := unstructured.NestedFieldNoCopy(m.Object, "spec", "ttlSecondsAfterFinished")
	return given && m.GetKind() == "Job"
}

// checkAll checks all manifests in parallel. A missing object takes precedence over pending ones.
func (all List) checkAll(check func(Manifest) *step.Finding) *step.Finding {
	findings := make([]*step.Finding, len(all))
	kube.Parallelize(len(all), maxParallelReads, func(i int) { findings[i] = check(all[i]) })
	var waiting *step.Finding
	for _, f := range findings {
		switch {
		case f == nil:
		case f.State == step.StatePending:
			if waiting == nil {
				waiting = f
			}
		default:
			return f
		}
	}
	return waiting
}

func (m Manifest) check(ctx context.Context, r kube.Reader, ready bool) *step.Finding {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(m.GroupVersionKind())
	namespaced, err := r.Namespaced(ctx, m.GroupVersionKind())
	if err == nil {
		err = r.Get(ctx, m.key(namespaced), live)
	}
	var f step.Finding
	switch {
	case kube.IsKindMissing(err):
		f = step.Missing("its kind is not served yet (%s)", m.where)
	case apierrors.IsNotFound(err):
		f = step.Missing("it is not there (%s)", m.where)
	case err != nil:
		f = kube.Unknown(err)
	case live.GetAnnotations()[manifestAnnotation] != m.digest():
		f = step.Missing("it was not applied from the current content of %s", m.where)
	case !ready:
		return nil
	default:
		up := m.judgeReady(live, r.Now())
		if up == nil {
			return nil
		}
		f = *up
	}
	f = f.On("%s", m.name())
	return &f
}
