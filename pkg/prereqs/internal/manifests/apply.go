package manifests

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// manifestAnnotation carries the digest of the document an object was applied from, so that a changed file is noticed.
const manifestAnnotation = "hcctl.dev/manifest"

// readsAtOnce bounds how many objects are asked for side by side.
const readsAtOnce = 8

// Apply writes the manifests in their order, by server-side apply as hcctl. Each has to be taken before the next is
// written; it can be called again at any time.
func (all List) Apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	change := step.Unchanged
	for _, m := range all {
		if err := c.DiscoverKind(ctx, m.GroupVersionKind()); err != nil {
			return change, fmt.Errorf("%s: %s: %w", m.where, m.name(), err)
		}
		one, err := c.Apply(ctx, m.marked())
		if err != nil {
			return change, fmt.Errorf("%s: %w", m.where, err)
		}
		change = step.Join(change, one)
	}
	return change, nil
}

// marked is the object with the digest of its document.
func (m Manifest) marked() *unstructured.Unstructured {
	u := m.DeepCopy()
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[manifestAnnotation] = m.digest()
	u.SetAnnotations(annotations)
	return u
}

// Check says what of the manifests is not there, was applied from another document, or is not up. Nil means nothing is.
func (all List) Check(ctx context.Context, r kube.Reader) *step.Finding {
	findings := make([]*step.Finding, len(all))
	var wg sync.WaitGroup
	places := make(chan struct{}, readsAtOnce)
	for i, m := range all {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			findings[i] = m.check(ctx, r)
		})
	}
	wg.Wait()
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

func (m Manifest) check(ctx context.Context, r kube.Reader) *step.Finding {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(m.GroupVersionKind())
	err := r.DiscoverKind(ctx, m.GroupVersionKind())
	if err == nil {
		err = r.Get(ctx, client.ObjectKeyFromObject(m.Unstructured), live)
	}
	var f step.Finding
	switch {
	case apierrors.IsNotFound(err), kube.IsKindMissing(err):
		f = step.Missing("it is not there (%s)", m.where)
	case err != nil:
		f = kube.Unknown(err)
	case live.GetAnnotations()[manifestAnnotation] != m.digest():
		f = step.Missing("it was not applied from %s as that is now", m.where)
	default:
		up := judgeUp(live)
		if up == nil {
			return nil
		}
		f = *up
	}
	f = f.On("%s", m.name())
	return &f
}

// judgeUp says what an applied object still waits for: a CRD to be established, a workload to be available. Nil means
// nothing.
func judgeUp(u *unstructured.Unstructured) *step.Finding {
	var f step.Finding
	switch u.GetKind() {
	case kube.CustomResourceDefinition.Kind:
		conditions := kube.Conditions(u)
		names := kube.FindCondition(conditions, "NamesAccepted")
		established := kube.FindCondition(conditions, "Established")
		switch {
		case established.True():
			return nil
		case names.False():
			f = step.Broken("%s", names.Describe()).WithHint("another CRD has one of its names: remove that or this one")
		default:
			f = step.Pending("%s", established.Describe())
		}
	case "Deployment":
		available := kube.FindCondition(kube.Conditions(u), "Available")
		switch {
		case !kube.Observed(u):
			f = step.Pending("its controller has not looked at it yet")
		case !available.True():
			f = step.Pending("%s", available.Describe()).WithHint("oc get pods,events -n %s", u.GetNamespace())
		default:
			return nil
		}
	case "DaemonSet":
		desired, ready := kube.Number(u, "status", "desiredNumberScheduled"), kube.Number(u, "status", "numberReady")
		if kube.Observed(u) && ready >= desired {
			return nil
		}
		f = step.Pending("%d of %d pods are ready", ready, desired)
	default:
		return nil
	}
	return &f
}
