package programs

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// securityPolicy is the name of the policy that fills in the security contexts of pods.
const securityPolicy = "restricted-v2.sandbox.hcctl.dev"

// enforceLabel is Kubernetes' label for the level of pod security that a namespace enforces.
const enforceLabel = "pod-security.kubernetes.io/enforce"

// Expressions that fill in what the containers of a pod leave out, by the field that lists them. What they say
// themselves stays, and pod security then refuses it if it is too much.
const (
	containerContexts = `object.spec.%[1]s.map(c, Object.spec.%[1]s{name: c.name,
	securityContext: Object.spec.%[1]s.securityContext{
		allowPrivilegeEscalation: c.?securityContext.allowPrivilegeEscalation.orValue(false),
		runAsNonRoot: c.?securityContext.runAsNonRoot.orValue(true)}})`
	// droppedCapabilities is a patch, because an ApplyConfiguration must not change an atomic list.
	droppedCapabilities = `object.spec.%[1]s.transformList(i, c,
	c.?securityContext.capabilities.drop.orValue([]).size() == 0,
	JSONPatch{op: "add", path: "/spec/%[1]s/" + string(i) + "/securityContext/capabilities",
		value: Object.spec.%[1]s.securityContext.capabilities{
			drop: ["ALL"], ?add: c.?securityContext.capabilities.add}})`
)

// fillSecurityContexts has the API server fill in the security contexts of pods in restricted namespaces as
// SecurityContextConstraints restricted-v2 do, which OpenShift's admission applies before it checks pod security.
func fillSecurityContexts(ctx context.Context, c client.Client) error {
	of := func(expression, field string) string { return fmt.Sprintf(expression, field) }
	contexts := `Object{spec: Object.spec{
	securityContext: Object.spec.securityContext{seccompProfile: Object.spec.securityContext.seccompProfile{
		type: object.spec.?securityContext.seccompProfile.type.orValue("RuntimeDefault")}},
	containers: ` + of(containerContexts, "containers") + `,
	?initContainers: has(object.spec.initContainers) ? optional.of(` + of(containerContexts, "initContainers") +
		`) : optional.none()}}`
	capabilities := of(droppedCapabilities, "containers") +
		" + (has(object.spec.initContainers) ? " + of(droppedCapabilities, "initContainers") + " : [])"
	return applyPolicy(ctx, c, securityPolicy, admissionregistrationv1.MutatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{enforceLabel: "restricted"}},
			ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
						Resources: []string{"pods"}},
				},
			}},
		},
		Mutations: []admissionregistrationv1.Mutation{
			{PatchType: admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: contexts}},
			{PatchType: admissionregistrationv1.PatchTypeJSONPatch,
				JSONPatch: &admissionregistrationv1.JSONPatch{Expression: capabilities}},
		},
	})
}
