// Package metallb finds the MetalLB of a cluster. MetalLB reads pools and advertisements only in its own namespace.
package metallb

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// DefaultNamespace is the namespace in Red Hat's operator and MetalLB's own manifests.
const DefaultNamespace = "metallb-system"

// Name is the only name of a MetalLB that its operator accepts (MetalLB operator 4.12 to 4.21).
const Name = "metallb"

// controllerLabels returns the labels of MetalLB's controller: those of its manifests and operator, and those of its
// Helm chart (MetalLB 0.13 to 0.15).
func controllerLabels() []client.MatchingLabels {
	return []client.MatchingLabels{
		{"app": "metallb", "component": "controller"},
		{"app.kubernetes.io/name": "metallb", "app.kubernetes.io/component": "controller"},
	}
}

// WithoutOperator returns the controller Deployment of a MetalLB that was installed without its operator, or nil.
func WithoutOperator(ctx context.Context, r kube.Reader) (*appsv1.Deployment, error) {
	for _, labels := range controllerLabels() {
		list := &appsv1.DeploymentList{}
		if err := r.List(ctx, list, labels); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if !byOperator(&list.Items[i]) {
				return &list.Items[i], nil
			}
		}
	}
	return nil, nil
}

// byOperator reports whether MetalLB's operator created the Deployment. The Deployment stays if the operator is
// removed.
func byOperator(d *appsv1.Deployment) bool {
	return slices.ContainsFunc(d.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == kube.MetalLB.Kind
	})
}

// Home returns the namespace in which MetalLB runs. It is empty if there is no MetalLB, or if it has no operator and
// the user may not list Deployments.
func Home(ctx context.Context, r kube.Reader) (string, error) {
	list := kube.MetalLB.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return "", err
	}
	for i := range list.Items {
		if list.Items[i].GetName() == Name {
			return list.Items[i].GetNamespace(), nil
		}
	}
	controller, err := WithoutOperator(ctx, r)
	switch {
	case apierrors.IsForbidden(err), err == nil && controller == nil:
		return "", nil
	case err != nil:
		return "", err
	}
	return controller.Namespace, nil
}

// Refused returns the messages of MetalLB components that rejected their configuration and keep the previous one. It
// returns none before MetalLB operator 4.21, or if the user may not read ConfigurationStates.
func Refused(ctx context.Context, r kube.Reader, home string) (all []string) {
	list := kube.ConfigurationState.NewList()
	if home == "" || r.List(ctx, list, client.InNamespace(home)) != nil {
		return nil
	}
	for i := range list.Items {
		u := &list.Items[i]
		if kube.Text(u, "status", "result") != "Invalid" {
			continue
		}
		message := kube.Text(u, "status", "errorSummary")
		for _, c := range kube.Conditions(u) {
			if message == "" && c.False() {
				message = c.Message
			}
		}
		all = append(all, fmt.Sprintf("MetalLB's %s does not take its configuration and keeps the one before: %s",
			u.GetName(), sanitize.Value(message)))
	}
	slices.Sort(all) // the controller, which assigns addresses, before the speakers
	return all
}
