package deletion

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// namespaceSettled is OK if the HostedClusters' namespace does not exist or stays. hcctl removes it only if hcctl
// created it and it has only default objects.
func (d *Plan) namespaceSettled(ctx context.Context, r kube.Reader) step.Finding {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: d.Namespace}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("gone").On("Namespace %s", d.Namespace)
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", d.Namespace)
	case ns.Labels[kube.ManagedByLabel] != kube.FieldOwner:
		return step.OK("left as it is: hcctl did not create it").On("Namespace %s", d.Namespace)
	case ns.DeletionTimestamp != nil:
		return terminating(ns)
	}
	// A user who may delete clusters does not need to have the right to delete namespaces.
	denied, err := r.Denied(ctx, []kube.Access{
		{
			GroupResource: corev1.Resource("namespaces"),
			Verbs:         []string{"delete"},
			Namespace:     d.Namespace,
			Names:         []string{d.Namespace},
		},
	})
	if err == nil && len(denied) > 0 {
		return step.OK("left as it is: hcctl created it, but this user may not delete namespaces").On("Namespace %s",
			d.Namespace)
	}
	content := d.otherClusters(ctx, r)
	if len(content) == 0 {
		content, err = r.Remaining(ctx, d.Namespace, d.deletedWithCluster)
	}
	switch {
	case err != nil:
		f := kube.Unknown(err).On("Namespace %s", d.Namespace)
		f.Message = "what is in it cannot be known, so it stays: " + f.Message
		return f.WithHint("%s leaves it; to have it removed, a user who may list every kind in it runs the same command: "+
			"%s", hint.Flag("keep-namespace"), hint.Run("rbac").Flag("for", "uninstall"))
	case len(content) > 0:
		return step.OK("left as it is: there is more in it: %s", strings.Join(content, ", ")).On("Namespace %s",
			d.Namespace)
	}
	return step.Missing("created by hcctl and empty now").On("Namespace %s", d.Namespace)
}

// otherClusters returns the names of other HostedClusters in the namespace, at most five. If there is one, the
// namespace stays, and the objects of all kinds need not be listed.
func (d *Plan) otherClusters(ctx context.Context, r kube.Reader) []string {
	const maxNames = 5
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kube.HostedCluster.NewList().GroupVersionKind())
	if err := r.List(ctx, list, client.InNamespace(d.Namespace)); err != nil {
		return nil
	}
	var others []string
	for i := range list.Items {
		if name := list.Items[i].Name; name != d.Name && len(others) < maxNames {
			others = append(others, hostedcluster.HostedClusterKind+" "+name)
		}
	}
	return others
}

// findEmptyNamespace finds the namespace if an interrupted create or delete left nothing else.
func (d *Plan) findEmptyNamespace(ctx context.Context, r kube.Reader) {
	if d.options.KeepNamespace || d.options.KeepSecrets {
		return
	}
	if f := d.namespaceSettled(ctx, r); f.State == step.StateMissing || f.State == step.StatePending {
		d.addFound("Namespace %s", d.Namespace)
	}
}

// deletedWithCluster reports whether an object is deleted automatically: the HostedCluster owns it, or it is the
// operator's temporary Route.
func (d *Plan) deletedWithCluster(o *metav1.PartialObjectMetadata) bool {
	another := func(r metav1.OwnerReference) bool { return d.self.UID == "" || r.UID != d.self.UID }
	owned := len(o.OwnerReferences) > 0 && !slices.ContainsFunc(o.OwnerReferences, another)
	return owned || isOperatorRoute(o)
}

// isOperatorRoute reports whether the object is the temporary Route with which HyperShift's operator finds the domain
// for *.apps. The operator deletes it immediately, but an interrupted operator leaves it.
func isOperatorRoute(o *metav1.PartialObjectMetadata) bool {
	return o.Kind == "Route" && o.Name == "kubevirt-infra-temp-route"
}

func (d *Plan) deleteNamespace(ctx context.Context) (step.Change, error) {
	ns := &corev1.Namespace{}
	if err := d.client.Get(ctx, client.ObjectKey{Name: d.Namespace}, ns); err != nil {
		if apierrors.IsNotFound(err) {
			return step.Unchanged, nil
		}
		return "", err
	}
	// Objects may have been added to it meanwhile, so it is checked again.
	if f := d.namespaceSettled(ctx, d.client); f.State != step.StateMissing {
		return step.Unchanged, nil
	}
	return d.client.DeleteUnchanged(ctx, ns)
}
