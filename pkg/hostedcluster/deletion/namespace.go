package deletion

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// namespaceSettled holds once the HostedClusters' namespace is gone, or is to stay: hcctl removes it only if hcctl
// created it and nothing is in it but what every namespace is born with.
func (d *Plan) namespaceSettled(ctx context.Context) step.Finding {
	ns := &corev1.Namespace{}
	err := d.client.Get(ctx, client.ObjectKey{Name: d.Namespace}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("gone").On("Namespace %s", d.Namespace)
	case err != nil:
		return kube.Unread(err).On("Namespace %s", d.Namespace)
	case ns.Labels[kube.ManagedByLabel] != kube.FieldOwner:
		return step.OK("left as it is: hcctl did not create it").On("Namespace %s", d.Namespace)
	case ns.DeletionTimestamp != nil:
		return terminating(ns)
	}
	// Whoever may delete clusters need not be allowed to delete namespaces, and is asked for no more than that.
	denied, err := d.client.Denied(ctx, []kube.Access{
		{
			GroupResource: corev1.Resource(
				"namespaces",
			),
			Verbs:     []string{"delete"},
			Namespace: d.Namespace,
			Names:     []string{d.Namespace},
		},
	})
	if err == nil && len(denied) > 0 {
		return step.OK(
			"left as it is: hcctl created it, but this user may not delete namespaces",
		).On(
			"Namespace %s",
			d.Namespace,
		)
	}
	content, err := d.client.Remaining(ctx, d.Namespace, d.goesAlong)
	switch {
	case err != nil:
		f := kube.Unread(err).On("Namespace %s", d.Namespace)
		f.Message = "what is in it cannot be known, so it stays: " + f.Message
		return f.WithHint(
			"--keep-namespace leaves it; to have it removed, somebody who may list every kind in it runs the same command: " +
				"hcctl rbac --for uninstall",
		)
	case len(content) > 0:
		return step.OK(
			"left as it is: there is more in it: %s",
			strings.Join(content, ", "),
		).On(
			"Namespace %s",
			d.Namespace,
		)
	}
	return step.Missing("created by hcctl and empty now").On("Namespace %s", d.Namespace)
}

// findEmptyNamespace finds what is left where a deletion, or a create, was killed when there was nothing else: the
// namespace, which may be on its way out already.
func (d *Plan) findEmptyNamespace(ctx context.Context) {
	if d.options.KeepNamespace || d.options.KeepSecrets {
		return
	}
	if f := d.namespaceSettled(ctx); f.State == step.StateMissing || f.State == step.StatePending {
		d.found("Namespace %s", d.Namespace)
	}
}

// goesAlong tells what vanishes from the namespace by itself: what the HostedCluster owns, and a Route that nobody
// needs.
func (d *Plan) goesAlong(o *metav1.PartialObjectMetadata) bool {
	another := func(r metav1.OwnerReference) bool { return d.self.UID == "" || r.UID != d.self.UID }
	owned := len(o.OwnerReferences) > 0 && !slices.ContainsFunc(o.OwnerReferences, another)
	return owned || operatorsRoute(o)
}

// operatorsRoute tells the Route by which HyperShift's operator finds out the domain that a new cluster's *.apps lies
// below. It deletes it at once, but one that was interrupted, or looked twice, leaves it behind, and nothing of
// anybody's is behind it.
func operatorsRoute(o *metav1.PartialObjectMetadata) bool {
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
	return d.remove(ctx, ns, "Namespace")
}
