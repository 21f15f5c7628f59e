package programs

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hostPolicy is the name of the policy that gives Routes a host.
const hostPolicy = "route-host.sandbox.hcctl.dev"

// giveRoutesHosts has the API server itself set the host of a Route, as OpenShift's does. HyperShift reads it from the
// answer to its own write, so the simulated ingress operator, which sets it afterwards, is too late.
func giveRoutesHosts(ctx context.Context, c client.Client) error {
	ingress := &configv1.Ingress{}
	if err := c.Get(ctx, client.ObjectKey{Name: "cluster"}, ingress); err != nil {
		return fmt.Errorf("read the domain of Routes: %w", err)
	}
	return applyPolicy(ctx, c, hostPolicy, admissionregistrationv1.MutatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create,
						admissionregistrationv1.Update},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{"route.openshift.io"},
						APIVersions: []string{"v1"}, Resources: []string{"routes"}},
				},
			}},
		},
		MatchConditions: []admissionregistrationv1.MatchCondition{{Name: "no-host",
			Expression: "!has(object.spec.host) && !has(object.spec.subdomain)"}},
		Mutations: []admissionregistrationv1.Mutation{{
			PatchType: admissionregistrationv1.PatchTypeJSONPatch,
			JSONPatch: &admissionregistrationv1.JSONPatch{Expression: fmt.Sprintf(
				`[JSONPatch{op: "add", path: "/spec/host", value: object.metadata.name + "-" + `+
					`object.metadata.namespace + %q}, has(object.metadata.annotations) ? `+
					`JSONPatch{op: "add", path: "/metadata/annotations/openshift.io~1host.generated", value: "true"} : `+
					`JSONPatch{op: "add", path: "/metadata/annotations", value: {"openshift.io/host.generated": "true"}}]`,
				"."+ingress.Spec.Domain)},
		}},
	})
}
