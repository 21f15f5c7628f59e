package programs

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// applyPolicy creates a policy with which the API server itself changes objects, as a plugin of OpenShift's does.
func applyPolicy(ctx context.Context, c client.Client, name string,
	spec admissionregistrationv1.MutatingAdmissionPolicySpec) error {
	spec.FailurePolicy = ptr.To(admissionregistrationv1.Fail)
	spec.ReinvocationPolicy = admissionregistrationv1.NeverReinvocationPolicy
	meta := metav1.ObjectMeta{Name: name}
	for _, o := range []client.Object{
		&admissionregistrationv1.MutatingAdmissionPolicy{ObjectMeta: meta, Spec: spec},
		&admissionregistrationv1.MutatingAdmissionPolicyBinding{ObjectMeta: meta,
			Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name}},
	} {
		if err := c.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T %s: %w", o, name, err)
		}
	}
	return nil
}
