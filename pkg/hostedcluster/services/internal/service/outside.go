package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/step"
)

// Namespace is the name of the namespace of the tenant's services, on the management cluster.
func (t Tenant) Namespace() string {
	return hostedcluster.ServicesNamespace(t.Cluster.Namespace, t.Cluster.Name)
}

// FindNamespace reads the namespace of the tenant's services. The finding is nil if the namespace exists and belongs to
// this HostedCluster. It is Broken for a namespace that hcctl did not create or that belongs to another HostedCluster;
// hcctl never writes to that.
func (t Tenant) FindNamespace(ctx context.Context, r kube.Reader) (*corev1.Namespace, *step.Finding) {
	ns := &corev1.Namespace{}
	return ns, Look(ctx, r, "Namespace", client.ObjectKey{Name: t.Namespace()}, ns, step.Missing("it is not there"),
		func() *step.Finding { return t.judgeNamespace(ns) })
}

func (t Tenant) judgeNamespace(ns *corev1.Namespace) *step.Finding {
	var f step.Finding
	_, plane := ns.Labels[hostedcluster.ControlPlaneLabel]
	switch mark := hostedcluster.MarkOf(ns); {
	case ns.DeletionTimestamp != nil: // perhaps of an earlier cluster of that name
		f = step.Pending("it is being deleted")
	case plane:
		f = step.Broken("it has the control plane of another hosted cluster, and the services of this one would be in it").
			WithHint("give the hosted cluster another name")
	case hostedcluster.ReservedFor(ns, kube.Name(t.Cluster)):
		return nil
	case !hostedcluster.WrittenByHcctl(ns) || mark.Cluster == "":
		f = step.Broken("hcctl did not make it, and writes nothing into it").
			WithHint("give the hosted cluster another name, or remove the namespace if nobody needs it")
	case mark.Cluster != kube.Name(t.Cluster) || mark.UID != t.Cluster.UID:
		f = step.Broken("it was made for HostedCluster %s with UID %s, and hcctl writes nothing into it", mark.Cluster,
			mark.UID).
			WithHint("if that one is gone and nobody needs the namespace: oc delete namespace %s", ns.Name)
	default:
		return nil
	}
	return &f
}

// mark marks an object as belonging to the HostedCluster.
func (t Tenant) mark(o client.Object) { hostedcluster.MarkFor(t.Cluster).SetOn(o) }

// MakeNamespace creates the namespace of the tenant's services unless it exists. It fails if the namespace is not the
// tenant's.
func (t Tenant) MakeNamespace(ctx context.Context) (step.Change, error) {
	existing := &corev1.Namespace{}
	switch err := t.Client.Get(ctx, client.ObjectKey{Name: t.Namespace()}, existing); {
	case err == nil:
		if _, f := t.FindNamespace(ctx, t.Client); f != nil {
			return "", fmt.Errorf("%s: %s", f.Object, f.Message)
		}
		return step.Unchanged, nil
	case !apierrors.IsNotFound(err):
		return "", err
	}
	ns := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: t.Namespace(), Labels: map[string]string{
			hostedcluster.ServicesLabel:    string(t.Cluster.UID),
			hostedcluster.PodSecurityLabel: hostedcluster.PodSecurityRestricted,
		}}}
	t.mark(ns)
	if err := t.Client.CreateNew(ctx, ns); err != nil {
		return "", err
	}
	return step.Created, nil
}

// Keep creates an object of the named service unless it exists, and never changes an existing one, such as a key. The
// namespace must exist.
func (t Tenant) Keep(ctx context.Context, name string, o client.Object) (step.Change, error) {
	t.prepare(name, o)
	return t.Client.CreateOnce(ctx, o)
}

// prepare sets the namespace of an object of the named service, and the labels and annotations that mark it as hcctl's.
func (t Tenant) prepare(name string, o client.Object) {
	o.SetNamespace(t.Namespace())
	t.mark(o)
	labels := o.GetLabels()
	labels[hostedcluster.ServiceLabel] = name
	o.SetLabels(labels)
}

// Objects returns the objects of the named service with their namespace, and with the labels and annotations that mark
// them as hcctl's.
func (t Tenant) Objects(name string, objects ...client.Object) (manifests.List, error) {
	var b bytes.Buffer
	for _, o := range objects {
		t.prepare(name, o)
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, err
		}
		delete(fields, "status")
		data, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		b.Write(append(data, "\n---\n"...))
	}
	return manifests.Parse(manifests.File{Name: "service " + name, Data: b.Bytes()})
}

// CheckOutside returns a finding if an object is missing or, unless WriteOnly is set, not up yet; otherwise nil.
func (t Tenant) CheckOutside(ctx context.Context, r kube.Reader, all manifests.List) *step.Finding {
	if _, f := t.FindNamespace(ctx, r); f != nil {
		return f
	}
	if f := t.checkPool(ctx); f != nil {
		return f
	}
	if f := all.CheckApplied(ctx, r); f != nil || t.WriteOnly {
		return f
	}
	return all.CheckUp(ctx, r)
}

// ApplyOutside writes the namespace, then the objects.
func (t Tenant) ApplyOutside(ctx context.Context, all manifests.List) (step.Change, error) {
	change, err := t.MakeNamespace(ctx)
	if err != nil {
		return change, err
	}
	pool, err := t.openPool(ctx)
	change = step.Join(change, pool)
	if err != nil {
		return change, err
	}
	written, err := all.Apply(ctx, t.Client)
	return step.Join(change, written), err
}

// errForeign is returned for a namespace that is not the tenant's.
var errForeign = errors.New("the namespace is not this hosted cluster's")

// Ref identifies an object of a service in the namespace of the tenant's services.
type Ref struct {
	Kind kube.Kind
	Name string
}

// RefTo returns a Ref to an object of any kind, such as ("apps", "v1", "Deployment", "deployments", "dex").
func RefTo(group, version, kind, plural, name string) Ref {
	k := kube.Kind{Plural: plural, Namespaced: true}
	k.Group, k.Version, k.Kind = group, version, kind
	return Ref{k, name}
}

// RemovedOutside returns Missing while objects of the service exist. The namespace is removed with the last service.
func (t Tenant) RemovedOutside(ctx context.Context, r kube.Reader, refs ...Ref) step.Finding {
	ns, f := t.FindNamespace(ctx, r)
	switch {
	case f != nil && (f.State == step.StateMissing || f.State == step.StateBroken):
		return step.OK("there is none").On("%s", f.Object)
	case f != nil:
		return *f
	case t.Last:
		return step.Missing("no service needs it any more").On("Namespace %s", ns.Name)
	}
	left, err := t.outside(ctx, r, refs)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", ns.Name)
	case len(left) > 0:
		return step.Missing("it is no longer asked for").On("%s %s", left[0].GetObjectKind().GroupVersionKind().Kind,
			kube.Name(left[0]))
	}
	return step.OK("there is none").On("Namespace %s", ns.Name)
}

// RemoveOutside removes the objects of the service, or the whole namespace with the last service.
func (t Tenant) RemoveOutside(ctx context.Context, refs ...Ref) (step.Change, error) {
	ns, f := t.FindNamespace(ctx, t.Client)
	switch {
	case f != nil && (f.State == step.StateMissing || f.State == step.StatePending):
		return step.Unchanged, nil // deleted, perhaps by another service that is not requested
	case f != nil:
		return "", fmt.Errorf("%s: %w", f.Object, errForeign)
	case t.Last:
		change, err := t.closePool(ctx)
		if err != nil {
			return change, err
		}
		gone, err := t.Client.DeleteUnchanged(ctx, ns)
		return step.Join(change, gone), err
	}
	left, err := t.outside(ctx, t.Client, refs)
	change := step.Unchanged
	for _, o := range left {
		one, gone := t.Client.DeleteUnchanged(ctx, o)
		change, err = step.Join(change, one), errors.Join(err, gone)
	}
	return change, err
}

// outside returns the objects among refs that exist and that hcctl created for this cluster.
func (t Tenant) outside(ctx context.Context, r kube.Reader, refs []Ref) ([]client.Object, error) {
	var out []client.Object
	for _, ref := range refs {
		o := ref.Kind.New()
		_, err := r.Namespaced(ctx, ref.Kind.GroupVersionKind) // registers the kind, which hcctl may not know yet
		if err == nil {
			err = r.Get(ctx, client.ObjectKey{Namespace: t.Namespace(), Name: ref.Name}, o)
		}
		switch {
		case apierrors.IsNotFound(err), kube.IsKindMissing(err):
		case err != nil:
			return nil, fmt.Errorf("%s %s/%s: %w", ref.Kind.Kind, t.Namespace(), ref.Name, err)
		case hostedcluster.MarkOf(o).UID == t.Cluster.UID && hostedcluster.WrittenByHcctl(o) &&
			o.GetDeletionTimestamp() == nil:
			out = append(out, o)
		}
	}
	return out, nil
}

// same reports whether the mark of a pool is that of this cluster.
func (t Tenant) same(m hostedcluster.Mark) bool {
	return m.Cluster == kube.Name(t.Cluster) && (m.UID == t.Cluster.UID || m.UID == types.UID(""))
}
