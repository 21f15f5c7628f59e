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

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// adoptedNamespace is the control plane's namespace where create took it over; nil where it did not.
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

// adoptedSteps bracket the HostedCluster's deletion: before, who writes the control plane's objects is written down;
// after, what they left goes. The namespace and what was in it stay.
func (d *Plan) adoptedSteps() (before, after step.Step) {
	name := d.controlPlaneName()
	before = step.Step{
		ID: adoptedNotedStep, Title: "what of Namespace " + name + " is the cluster's", Group: deleteGroup,
		Check: d.client.Reading(d.managersNoted), Apply: d.noteManagers,
	}
	after = step.Step{
		ID: adoptedStep, Title: "Namespace " + name + " as it was before", Group: deleteGroup,
		Check: d.client.Reading(d.adoptedRestored), Apply: d.restoreAdopted,
	}
	return before, after
}

func (d *Plan) managersNoted(ctx context.Context, r kube.Reader) step.Finding {
	ns, err := d.adoptedNamespace(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", d.controlPlaneName())
	case ns == nil:
		return step.OK("gone").On("Namespace %s", d.controlPlaneName())
	case len(hostedcluster.AdoptedOf(ns).Managers) > 0:
		return step.OK("written down").On("Namespace %s", ns.Name)
	}
	managers, err := d.planeManagers(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", ns.Name)
	case len(managers) == 0:
		return step.OK("there is no control plane in it").On("Namespace %s", ns.Name)
	}
	return step.Missing("is not written down yet").On("Namespace %s", ns.Name)
}

// planeManagers are the field managers of what the HostedControlPlane owns, and of itself.
func (d *Plan) planeManagers(ctx context.Context, r kube.Reader) ([]string, error) {
	var mu sync.Mutex
	var managers []string
	_, err := r.Remaining(ctx, d.controlPlaneName(), func(o *metav1.PartialObjectMetadata) bool {
		owned := slices.ContainsFunc(o.OwnerReferences, func(r metav1.OwnerReference) bool {
			return r.Kind == "HostedControlPlane"
		})
		mu.Lock()
		defer mu.Unlock()
		if owned || o.Kind == "HostedControlPlane" {
			managers = append(managers, writersOf(o)...)
		}
		return true
	})
	slices.Sort(managers)
	return slices.Compact(managers), err
}

// writersOf are the managers of an object, beside those of its status.
func writersOf(o client.Object) []string {
	var names []string
	for _, entry := range o.GetManagedFields() {
		if entry.Subresource == "" && !slices.Contains(names, entry.Manager) {
			names = append(names, entry.Manager)
		}
	}
	return names
}

func (d *Plan) noteManagers(ctx context.Context) (step.Change, error) {
	ns, err := d.adoptedNamespace(ctx, d.client)
	if err != nil || ns == nil {
		return step.Unchanged, err
	}
	adopted := hostedcluster.AdoptedOf(ns)
	if adopted.Managers, err = d.planeManagers(ctx, d.client); err != nil {
		return "", err
	}
	text, err := adopted.Text()
	if err != nil {
		return "", err
	}
	return hostedcluster.Edit(ctx, d.client, ns, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{hostedcluster.AdoptedAnnotation: text}}})
}

// leftInAdopted lists what is in the namespace and was not before: what the control plane's operators made and left,
// what disappears with its owner, and the rest, which stays.
func (d *Plan) leftInAdopted(ctx context.Context, r kube.Reader, adopted hostedcluster.Adopted) (
	left []client.Object, going, others []string, err error) {
	var mu sync.Mutex
	_, err = r.Remaining(ctx, d.controlPlaneName(), func(o *metav1.PartialObjectMetadata) bool {
		name := hostedcluster.AdoptedName(o)
		if slices.Contains(adopted.Objects, name) {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case o.DeletionTimestamp != nil || len(o.OwnerReferences) > 0 || o.Kind == "Endpoints": // these go with a Service
			going = append(going, name)
		case d.madeByPlane(o, adopted.Managers):
			left = append(left, o)
		default:
			others = append(others, name)
		}
		return true
	})
	slices.Sort(going)
	slices.Sort(others)
	return left, going, others, err
}

// madeByPlane reports whether only the control plane's operators wrote an object, or hcctl did. A claim of etcd is
// written by Kubernetes for its StatefulSet, and a Lease says nothing once its holder is gone.
func (d *Plan) madeByPlane(o *metav1.PartialObjectMetadata, managers []string) bool {
	if o.Kind == "PersistentVolumeClaim" && strings.HasPrefix(o.Name, "data-etcd-") || o.Kind == "Lease" {
		return true
	}
	writers := writersOf(o)
	return len(writers) > 0 && !slices.ContainsFunc(writers, func(w string) bool {
		return w != kube.FieldOwner && !slices.Contains(managers, w)
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
		return step.Missing("the control plane left %s", few(namesOf(left))).On("Namespace %s", ns.Name)
	case len(going) > 0:
		return step.Pending("being emptied, left: %s", few(going)).On("Namespace %s", ns.Name)
	case len(others) > 0:
		return step.Missing("still marked as taken over; what is not the cluster's stays: %s", few(others)).
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

// restoreAdopted deletes what the control plane left, and then takes the labels of HyperShift and hcctl's mark off.
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
