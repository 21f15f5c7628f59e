package webhook

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// conditionEtcdEncrypted is False while etcd is encrypted anew, with another key.
const conditionEtcdEncrypted = "EtcdDataEncryptionUpToDate"

// WriteAdmissionPolicies writes the ValidatingAdmissionPolicies of this operator version, one that warns of a field
// without effect and one that refuses another encryption key. OpenShift has the kind since 4.17.
func WriteAdmissionPolicies(ctx context.Context, b reconciler.Base) error {
	if release.Minor(b.Profile.OpenShift) < 17 {
		return nil
	}
	const dra = "object.spec.configuration.scheduler.profileCustomizations"
	for _, p := range []struct {
		name       reconciler.Feature
		action     admissionregistrationv1.ValidationAction
		operations []admissionregistrationv1.OperationType
		rule       admissionregistrationv1.Validation
	}{
		{reconciler.DeprecationPolicy, admissionregistrationv1.Warn,
			[]admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
			admissionregistrationv1.Validation{
				Expression: "!has(object.spec.configuration) || !has(object.spec.configuration.scheduler) || !has(" + dra +
					") || !has(" + dra + ".dynamicResourceAllocation)",
				Message: "The field spec.configuration.scheduler.profileCustomizations.dynamicResourceAllocation is deprecated " +
					"and has no effect",
			}},
		{reconciler.RotationPolicy, admissionregistrationv1.Deny,
			[]admissionregistrationv1.OperationType{admissionregistrationv1.Update},
			admissionregistrationv1.Validation{
				Expression: "!has(object.status.conditions) || !object.status.conditions.exists(c, c.type == '" +
					conditionEtcdEncrypted + "' && c.status == 'False') || has(object.spec.secretEncryption) == " +
					"has(oldObject.spec.secretEncryption) && (!has(object.spec.secretEncryption) || " +
					"object.spec.secretEncryption == oldObject.spec.secretEncryption)",
				Message: "Cannot change the active encryption key while re-encryption is in progress " +
					"(EtcdDataEncryptionUpToDate=False). Wait for re-encryption to complete before rotating again.",
			}},
	} {
		if !b.Features.Has(p.name) {
			continue
		}
		meta := metav1.ObjectMeta{Name: string(p.name)}
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: meta}
		if _, err := controllerutil.CreateOrUpdate(ctx, b.Client, policy, func() error {
			policy.Spec.FailurePolicy = ptr.To(admissionregistrationv1.Ignore)
			if policy.Spec.MatchConstraints == nil {
				policy.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{}
			}
			policy.Spec.MatchConstraints.ResourceRules = []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{Operations: p.operations,
					Rule: admissionregistrationv1.Rule{APIGroups: []string{hyperv1.GroupVersion.Group},
						APIVersions: []string{"v1beta1"}, Resources: []string{"hostedclusters"}}}}}
			policy.Spec.Validations = []admissionregistrationv1.Validation{p.rule}
			return nil
		}); err != nil {
			return fmt.Errorf("failed to reconcile ValidatingAdmissionPolicy: %w", err)
		}
		binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta}
		if _, err := controllerutil.CreateOrUpdate(ctx, b.Client, binding, func() error {
			binding.Spec.PolicyName = meta.Name
			binding.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{p.action}
			return nil
		}); err != nil {
			return fmt.Errorf("failed to reconcile ValidatingAdmissionPolicyBinding: %w", err)
		}
	}
	return nil
}
