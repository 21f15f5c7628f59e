package ingress

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// ingressWith is a default IngressController that admits wildcards, with more of its spec and status.
func ingressWith(metadata, spec, status string) string {
	return `
{apiVersion: operator.openshift.io/v1, kind: IngressController,
  metadata: {name: default, namespace: openshift-ingress-operator ` + metadata + `},
  spec: {routeAdmission: {wildcardPolicy: WildcardsAllowed} ` + spec + `}, status: {` + status + ` conditions: [
    ` + well + `]}}
`
}

func TestSelectorsOfTheDefaultIngress(t *testing.T) {
	const routes, namespaces = "spec.routeSelector", "spec.namespaceSelector"
	cases := map[string]prereqtest.Case{}
	for name, tc := range map[string]struct{ spec, says string }{
		"none":  {"", ""},
		"empty": {", routeSelector: {}, namespaceSelector: {}", ""},
		"the newest operator's own": {", routeSelector: {matchExpressions: [{key: hypershift.openshift.io/hosted-control-plane, " +
			"operator: DoesNotExist}]}", ""},
		"Routes of hosted clusters":   {", routeSelector: {matchExpressions: [{key: " + infraLabel + ", operator: Exists}]}", ""},
		"Routes of one infra ID":      {", routeSelector: {matchLabels: {" + infraLabel + ": a}}", ""},
		"Routes of some infra IDs":    {", routeSelector: {matchExpressions: [{key: " + infraLabel + ", operator: In, values: [a]}]}", ""},
		"no Routes of infra IDs":      {", routeSelector: {matchExpressions: [{key: " + infraLabel + ", operator: DoesNotExist}]}", routes},
		"a label of Routes":           {", routeSelector: {matchLabels: {type: public}}", routes + " (type=public)"},
		"no such label":               {", routeSelector: {matchExpressions: [{key: type, operator: NotIn, values: [private]}]}", ""},
		"control planes' namespaces":  {", namespaceSelector: {matchLabels: {" + controlPlaneLabel + `: "true"}}`, ""},
		"a namespace by name":         {", namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: clusters-a}}", ""},
		"a label of namespaces":       {", namespaceSelector: {matchLabels: {tier: front}}", namespaces + " (tier=front)"},
		"no control plane namespaces": {", namespaceSelector: {matchExpressions: [{key: " + controlPlaneLabel + ", operator: DoesNotExist}]}", namespaces},
	} {
		c := prereqtest.Case{ID: Wildcard, Objects: []string{ingressWith("", tc.spec, ""), routers}, State: step.StateOK}
		if tc.says != "" {
			c.State, c.Says = step.StateBroken, []string{tc.says, "--type=json", "--skip ingress/wildcard"}
		}
		cases[name] = c
	}
	prereqtest.Run(t, Prerequisites(nil), cases)
}

func TestPublished(t *testing.T) {
	private := `endpointPublishingStrategy: {type: Private}`
	passing, own := &prereq.Wanted{PassesThrough: true}, prereq.Wanted{}
	prereqtest.Run(t, Prerequisites(nil), map[string]prereqtest.Case{
		"host network": {ID: Published, State: step.StateOK, Says: []string{"HostNetwork"},
			Objects: []string{ingressWith("", "", "endpointPublishingStrategy: {type: HostNetwork},")}},
		"private": {ID: Published, State: step.StateUnknown, Says: []string{"is Private", "is not known", "oc replace --force"},
			Objects: []string{ingressWith("", "", private+",")}},
		"private, and a hosted cluster that passes through it": {ID: Published, Wanted: passing, State: step.StateUnknown,
			Objects: []string{ingressWith("", "", private+",")}},
		"asked to be private": {ID: Published, State: step.StateUnknown, Objects: []string{ingressWith("", ", "+private, "")}},
		"asked to be private too late": {ID: Published, State: step.StateOK,
			Objects: []string{ingressWith("", ", "+private, "endpointPublishingStrategy: {type: HostNetwork},")}},
		"not told": {ID: Published, State: step.StateUnknown, Objects: []string{ingressWith("", "", "")}},
		"none":     {ID: Published, State: step.StateSkipped},
		"not to be read": {ID: Published, State: step.StateUnknown,
			Refused: prereqtest.Forbidden("ingresscontrollers.operator.openshift.io")},
	})
	if _, needed := (published{}).prerequisite().PreflightStep(nil, own); needed {
		t.Error("a hosted cluster with a base domain of its own does not pass through the default ingress")
	}
}

// A field of a wrong type is no field that is not set.
func TestFieldsOfAWrongType(t *testing.T) {
	cases := map[string]prereqtest.Case{}
	for field, object := range map[string]string{
		"routeSelector":      ingressWith("", ", routeSelector: everything", ""),
		"namespaceSelector":  ingressWith("", ", namespaceSelector: [front]", ""),
		"observedGeneration": ingressWith("", "", "observedGeneration: latest,"),
		"wildcardPolicy":     controller("[WildcardsDisallowed]", ""),
		"routeAdmission":     strings.Replace(controller("x", ""), "{wildcardPolicy: x}", "WildcardsAllowed", 1),
		"conditions":         strings.Replace(controller("WildcardsAllowed", ""), `"True"`, "true", 1),
	} {
		cases["wildcard: "+field] = prereqtest.Case{ID: Wildcard, Objects: []string{object}, State: step.StateUnknown}
		cases["removal: "+field] = prereqtest.Case{ID: removeWildcard, Objects: []string{object}, State: step.StateUnknown}
	}
	for field, object := range map[string]string{
		"spec":   ingressWith("", ", endpointPublishingStrategy: Private", "endpointPublishingStrategy: {type: HostNetwork},"),
		"status": ingressWith("", "", "endpointPublishingStrategy: {type: [Private]},"),
	} {
		cases["published: "+field] = prereqtest.Case{ID: Published, Objects: []string{object}, State: step.StateUnknown}
	}
	prereqtest.Run(t, Prerequisites(nil), cases)
}

// A finalizer keeps an IngressController that somebody deleted.
func TestIngressBeingDeleted(t *testing.T) {
	prereqtest.Run(t, Prerequisites(nil), map[string]prereqtest.Case{
		"deleted": {ID: Wildcard, State: step.StatePending, Trouble: true, Says: []string{"being deleted since 2026-01-01",
			"finalizers keep it: example.com/hold", "oc get ingresscontroller default -o yaml -n openshift-ingress-operator"},
			Objects: []string{ingressWith(`, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.com/hold]`, "", ""),
				routers}},
	})
}
