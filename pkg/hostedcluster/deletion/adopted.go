package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// adoptedNamespace returns the control plane namespace if create adopted it; nil otherwise.
func (d *Plan) adoptedNamespace(ctx context.Context, r kube.Reader) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: d.controlPlaneName()}, ns)
	switch {
	case apierrors.IsNotFound(err) || err == nil && hostedcluster.AdoptedOf(ns).Cluster != d.key().String():
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read Namespace %s: %w", d.controlPlaneName(), err)
	}
	return ns, nil
}

// adoptedRestoredStep returns the step that restores the adopted namespace to its state before the cluster.
func (d *Plan) adoptedRestoredStep() step.Step {
	return step.Step{
		ID: adoptedStep, Title: "Namespace " + d.controlPlaneName() + " as it was before", Group: deleteGroup,
		Check: d.client.Reading(d.adoptedRestored), Apply: d.restoreAdopted,
	}
}

// leftInAdopted lists the objects that were added to the namespace since its adoption: left are certainly the
// cluster's, going are garbage-collected with their owners, and others stay because their writer is not known.
func (d *Plan) leftInAdopted(ctx context.Context, r kube.Reader, adopted hostedcluster.Adopted) (
	left []client.Object, going, others []string, err error) {
	var mu sync.Mutex
	var all []*metav1.PartialObjectMetadata
	_, err = r.Remaining(ctx, d.controlPlaneName(), func(o *metav1.PartialObjectMetadata) bool {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, o)
		return true
	})
	if err != nil {
		return nil, nil, nil, err
	}
	kept := keptObjects(all, adopted)
	for _, o := range all {
		switch name := hostedcluster.AdoptedName(o); {
		case slices.Contains(adopted.Objects, name):
		case kept[o]:
			others = append(others, name)
		case createdForPlane(o):
			left = append(left, o)
		default:
			going = append(going, name)
		}
	}
	slices.Sort(going)
	slices.Sort(others)
	return left, going, others, nil
}

// keptObjects returns the objects that stay: the original ones, those that a user may have added, and those that belong
// to one of these.
func keptObjects(
	all []*metav1.PartialObjectMetadata, adopted hostedcluster.Adopted) map[*metav1.PartialObjectMetadata]bool {
	kept, owners := map[*metav1.PartialObjectMetadata]bool{}, map[types.UID]bool{}
	services := map[string]bool{}
	belongs := func(o *metav1.PartialObjectMetadata) bool {
		switch {
		case slices.Contains(adopted.Objects, hostedcluster.AdoptedName(o)):
			return true
		case o.DeletionTimestamp != nil || createdForPlane(o):
			return false
		case o.Kind == "Endpoints": // these have no owner, and the name of their Service
			return services[o.Name]
		}
		return len(o.OwnerReferences) == 0 || slices.ContainsFunc(o.OwnerReferences, func(r metav1.OwnerReference) bool {
			return owners[r.UID]
		})
	}
	// An object may be listed before its owner.
	for more := true; more; {
		more = false
		for _, o := range all {
			if !kept[o] && belongs(o) {
				kept[o], owners[o.UID], more = true, true, true
				services[o.Name] = services[o.Name] || o.Kind == "Service"
			}
		}
	}
	return kept
}

// createdForPlane reports whether an object is certainly the cluster's: hcctl is its only field manager, or it is a
// volume claim of etcd's StatefulSet.
func createdForPlane(o *metav1.PartialObjectMetadata) bool {
	if o.Kind == "PersistentVolumeClaim" {
		return o.Labels["app"] == "etcd" && strings.HasPrefix(o.Name, "data-etcd-")
	}
	writers := o.GetManagedFields()
	return len(writers) > 0 && !slices.ContainsFunc(writers, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager != kube.FieldOwner
	})
}

func (d *Plan) adoptedRestored(ctx context.Context, r kube.Reader) step.Finding {
	ns, err := d.adoptedNamespace(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", d.controlPlaneName())
	case ns == nil:
		return step.OK("left with what was in it").On("Namespace %s", d.controlPlaneName())
	}
	left, going, others, err := d.leftInAdopted(ctx, r, hostedcluster.AdoptedOf(ns))
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", ns.Name)
	case len(left) > 0:
		return step.Missing("the control plane left %s", plural.Few(namesOf(left), maxNamed)).On("Namespace %s", ns.Name)
	case len(going) > 0:
		return step.Pending("being emptied, left: %s", plural.Few(going, maxNamed)).On("Namespace %s", ns.Name)
	case len(others) > 0:
		return step.Missing("still marked as taken over; what is not the cluster's stays: %s", plural.Few(others, maxNamed)).
			On("Namespace %s", ns.Name)
	}
	return step.Missing("still marked as taken over").On("Namespace %s", ns.Name)
}

func namesOf(objects []client.Object) []string {
	names := make([]string, len(objects))
	for i, o := range objects {
		names[i] = o.GetObjectKind().GroupVersionKind().Kind + " " + o.GetName()
	}
	slices.Sort(names)
	return names
}

// restoreAdopted deletes the remains of the control plane. Once there are none, it removes HyperShift's labels and
// hcctl's annotation.
func (d *Plan) restoreAdopted(ctx context.Context) (step.Change, error) {
	ns, err := d.adoptedNamespace(ctx, d.client)
	if err != nil || ns == nil {
		return step.Unchanged, err
	}
	adopted := hostedcluster.AdoptedOf(ns)
	left, going, _, err := d.leftInAdopted(ctx, d.client, adopted)
	if err != nil || len(left)+len(going) > 0 {
		change, deleteErr := d.removeAll(ctx, left)
		if err == nil {
			err = deleteErr
		}
		return change, err
	}
	labels := map[string]any{}
	for key := range ns.Labels {
		if !slices.Contains(adopted.Labels, key) {
			labels[key] = nil
		}
	}
	return hostedcluster.Edit(ctx, d.client, ns, map[string]any{"metadata": map[string]any{"labels": labels,
		"annotations": map[string]any{hostedcluster.AdoptedAnnotation: nil}}})
}
