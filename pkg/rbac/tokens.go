package rbac

import (
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// tokenPolicy refuses the subjects Secrets that the control plane fills with the token of a ServiceAccount: RBAC cannot
// tell one type of Secret from another. Kubernetes 1.30 (OpenShift 4.17) and later have such policies.
func (r Roles) tokenPolicy() []any {
	if !slices.Contains(r.Features, TokenPolicy) || len(r.Subjects) == 0 {
		return nil
	}
	meta := metav1.ObjectMeta{Name: r.policyName()}
	version := admissionv1.SchemeGroupVersion.String()
	fail, forbidden := admissionv1.Fail, metav1.StatusReasonForbidden
	policy := &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ValidatingAdmissionPolicy"}, ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: secretsWritten()},
			MatchConditions:  []admissionv1.MatchCondition{{Name: "subject", Expression: r.isSubject()}},
			Validations: []admissionv1.Validation{{
				Expression: "!has(object.type) || object.type != " + strconv.Quote(string(corev1.SecretTypeServiceAccountToken)),
				Reason:     &forbidden,
				Message:    "holders of this role of hcctl rbac may not create Secrets that hold the token of a ServiceAccount",
			}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ValidatingAdmissionPolicyBinding"}, ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: meta.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	if r.Namespace != "" {
		binding.Spec.MatchResources = &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: r.Namespace}},
		}
	}
	return []any{policy, binding}
}

func secretsWritten() []admissionv1.NamedRuleWithOperations {
	return []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"*"}, Resources: []string{"secrets"}},
	}}}
}

// isSubject is the expression that holds for requests of the subjects.
func (r Roles) isSubject() string {
	var terms []string
	for _, s := range r.Subjects {
		switch s.Kind {
		case rbacv1.GroupKind:
			terms = append(terms, strconv.Quote(s.Name)+" in request.userInfo.groups")
		case rbacv1.ServiceAccountKind:
			terms = append(terms, "request.userInfo.username == "+strconv.Quote("system:serviceaccount:"+s.Namespace+":"+s.Name))
		default:
			terms = append(terms, "request.userInfo.username == "+strconv.Quote(s.Name))
		}
	}
	return strings.Join(terms, " || ")
}
