package ingress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const controllers = "ingresscontrollers.operator.openshift.io"

// well are the conditions of an IngressController that has rolled out.
const well = `{type: Admitted, status: "True", reason: Valid}, {type: Available, status: "True"},
    {type: Progressing, status: "False"}, {type: Degraded, status: "False"}`

// controller is the default IngressController with a policy, and more metadata as YAML.
func controller(policy, metadata string) string { return reporting(well, policy, metadata) }

// reporting is a controller with these conditions.
func reporting(conditions, policy, metadata string) string {
	return fmt.Sprintf(`
---
{apiVersion: operator.openshift.io/v1, kind: IngressController,
  metadata: {name: default, namespace: openshift-ingress-operator, %s},
  spec: {routeAdmission: {wildcardPolicy: %s}}, status: {conditions: [%s]}}
`, metadata, policy, conditions)
}

// routers are two of two routers that admit wildcards.
var routers = routersWith("true", healthtest.RolledOut(2, 2, 2))

// routersWith are routers with a value of their variable, and their Deployment's status.
func routersWith(wildcards, status string) string {
	return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: router-default, namespace: openshift-ingress, generation: 1},
  spec: {replicas: 2, template: {spec: {containers: [{name: router, env: [{name: OTHER, value: "true"},
    {name: ROUTER_ALLOW_WILDCARD_ROUTES, value: %q}]}]}}},
  status: %s}
`, wildcards, status)
}

// unscheduled is a router that no node takes, with more of its spec.
func unscheduled(spec string) string {
	return `
---
{apiVersion: v1, kind: Pod, metadata: {name: router-default-7c-x, namespace: openshift-ingress,
    labels: {pod-template-hash: 7c}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: router-default-7c,
      uid: u}]}, spec: {` + spec + `}, status: {phase: Pending, conditions: [{type: PodScheduled, status: "False",
    reason: Unschedulable, message: "0/3 nodes are available: 3 node(s) had untolerated taint"}]}}
`
}

func TestWildcard(t *testing.T) {
	allowed := controller("WildcardsAllowed", "")
	refused := strings.Replace(reporting(well, "WildcardsAllowed", ""), `{type: Admitted, status: "True", reason: Valid}`,
		`{type: Admitted, status: "False", reason: Invalid, message: "conflicts with: internal"}`, 1)
	taken := func(value string) string {
		return controller(value, `managedFields: [{manager: kubectl-edit, operation: Update, time: "2026-01-02T15:04:05Z",
			fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:routeAdmission": {"f:wildcardPolicy": {}}}}}]`)
	}
	rolling := reporting(strings.Replace(well, `Progressing, status: "False"`, `Progressing, status: "True", `+
		`reason: IngressControllerProgressing, message: "0 out of 2"`, 1), "WildcardsAllowed", "")
	degraded := reporting(strings.Replace(well, `Degraded, status: "False"`, `Degraded, status: "True", `+
		`reason: DegradedConditions, message: "DNSReady=False"`, 1), "WildcardsAllowed", "")
	stuck := routersWith("true", strings.Replace(healthtest.RolledOut(3, 1, 2), `"True", "reason": "NewReplicaSetAvailable"`,
		`"False", "reason": "ProgressDeadlineExceeded", "message": "timed out"`, 1))
	cases := map[string]prereqtest.Case{
		"no ingress": {State: step.StateBroken, Says: []string{"there is no default IngressController"}},
		"not allowed": {Objects: []string{controller(`""`, "")}, State: step.StateMissing,
			Says: []string{"wildcardPolicy is WildcardsDisallowed, hosted clusters need WildcardsAllowed"}},
		"taken back": {Objects: []string{taken("WildcardsDisallowed"), routers}, State: step.StateBroken,
			Says: []string{"WildcardsDisallowed, set by kubectl-edit on 2026-01-02 15:04 UTC", "--take-over ingress/wildcard"}},
		"allowed":              {Objects: []string{allowed, routers}, State: step.StateOK, Says: []string{"all 2 routers admit them"}},
		"for a hosted cluster": {Objects: []string{allowed, routers}, Wanted: &prereq.Wanted{PassesThrough: true}, State: step.StateOK},
		"no routers": {Objects: []string{allowed}, State: step.StatePending, Trouble: true,
			Says: []string{"there is no Deployment openshift-ingress/router-default", "oc get pods,events -n openshift-ingress-operator"}},
		"not looked at": {Objects: []string{controller("WildcardsAllowed", "generation: 2"), routers},
			State: step.StatePending, Says: []string{"has not processed its latest change"}},
		"not admitted, with the conditions of before": {Objects: []string{refused, routers}, State: step.StateBroken,
			Says: []string{"Admitted False (Invalid): conflicts with: internal",
				"oc describe ingresscontroller default -n openshift-ingress-operator"}},
		"not admitted from the beginning": {Objects: []string{refused}, State: step.StateBroken,
			Says: []string{"conflicts with: internal"}},
		"nothing reported": {Objects: []string{reporting("", "WildcardsAllowed", ""), routers}, State: step.StatePending,
			Says: []string{"Admitted not reported yet"}},
		"rolling":  {Objects: []string{rolling, routersWith("true", healthtest.RolledOut(2, 1, 2))}, State: step.StatePending, Says: []string{"0 out of 2"}},
		"degraded": {Objects: []string{degraded, routers}, State: step.StatePending, Trouble: true, Says: []string{"DNSReady=False"}},
		"other routers than configured": {Objects: []string{allowed, routersWith("false", healthtest.RolledOut(2, 2, 2))},
			State: step.StatePending, Says: []string{"has not configured the routers"}},
		"one is updated": {Objects: []string{allowed, routersWith("true", healthtest.RolledOut(3, 1, 2))},
			State: step.StatePending, Says: []string{"1 of 2 pods are updated"}},
		"one is available": {Objects: []string{allowed, routersWith("true", healthtest.RolledOut(2, 2, 1))},
			State: step.StatePending, Says: []string{"1 of 2 pods are ready"}},
		"an old one is left": {Objects: []string{allowed, routersWith("true", healthtest.RolledOut(3, 2, 2))},
			State: step.StatePending, Says: []string{"1 of 3 pods are to end"}},
		"Deployment changed": {Objects: []string{allowed, strings.Replace(routers, "generation: 1", "generation: 5", 1)},
			State: step.StatePending, Says: []string{"its controller has not processed it yet"}},
		"stuck": {Objects: []string{allowed, stuck}, State: step.StateBroken,
			Says: []string{"Deployment openshift-ingress/router-default: Progressing False (ProgressDeadlineExceeded): timed out"}},
		"no node takes one": {Objects: []string{rolling, unscheduled(""), routersWith("true", healthtest.RolledOut(2, 1, 1))},
			State: step.StatePending, Trouble: true, Says: []string{"Pod openshift-ingress/router-default-7c-x",
				"0/3 nodes are available", "oc describe pod router-default-7c-x -n openshift-ingress"}},
		"no node has its labels": {Objects: []string{rolling, unscheduled(`nodeSelector: {infra: ""}`),
			routersWith("true", healthtest.RolledOut(2, 1, 1))}, State: step.StateBroken,
			Says: []string{"no node has the labels of its spec.nodeSelector, infra="}},
		"no permission": {Refused: prereqtest.Forbidden(controllers),
			Says: []string{"IngressController openshift-ingress-operator/default", "not allowed: "}},
		"no permission for routers": {Objects: []string{allowed},
			Refused: prereqtest.Forbidden("deployments.apps"), Says: []string{"not allowed: "}},
		"server fails": {Refused: map[string]int{controllers: 500}, Says: []string{"IngressController"}},
		"allow": {Objects: []string{controller(`""`, "")}, Change: step.Configured,
			Writes: []string{"patch " + controllers + " openshift-ingress-operator/default"},
			Sends:  []string{`{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`}},
		"allow: no permission": {Objects: []string{controller(`""`, "")}, Refused: prereqtest.Forbidden(controllers),
			Fails: "IngressController", Writes: []string{"patch " + controllers + " openshift-ingress-operator/default"}},
	}
	for name, c := range cases {
		c.ID = Wildcard
		cases[name] = c
	}
	prereqtest.Run(t, Prerequisites(nil), cases)
}

func TestRemoveWildcard(t *testing.T) {
	set := func(manager string) string {
		return controller("WildcardsAllowed", fmt.Sprintf(`managedFields: [{manager: %s, operation: Update,
			fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:routeAdmission": {"f:wildcardPolicy": {}}}}}]`, manager))
	}
	prereqtest.Run(t, Prerequisites(nil), map[string]prereqtest.Case{
		"no ingress": {ID: removeWildcard, State: step.StateOK, Says: []string{"there is none"}},
		"not allowed": {Objects: []string{controller(`""`, "")}, ID: removeWildcard, State: step.StateOK,
			Says: []string{"wildcard routes are not admitted"}},
		"nothing said": {Objects: []string{`
{apiVersion: operator.openshift.io/v1, kind: IngressController,
  metadata: {name: default, namespace: openshift-ingress-operator}}
`}, ID: removeWildcard, State: step.StateOK, Says: []string{"wildcard routes are not admitted"}},
		"allowed by somebody": {Objects: []string{set("kubectl")}, ID: removeWildcard, State: step.StateOK,
			Says: []string{"left as it is"}},
		"allowed by hcctl": {Objects: []string{set("hcctl")}, ID: removeWildcard, State: step.StateMissing,
			Says: []string{"its wildcardPolicy was set by hcctl"}},
		"no permission": {Refused: prereqtest.Forbidden(controllers), ID: removeWildcard,
			Says: []string{"IngressController", "not allowed: "}},
		"take it back": {Objects: []string{set("hcctl")}, ID: removeWildcard, Change: step.Configured,
			Writes: []string{"patch " + controllers + " openshift-ingress-operator/default"},
			Sends:  []string{`{"spec":{"routeAdmission":{"wildcardPolicy":null}}}`}},
	})
}

func TestDNS(t *testing.T) {
	infrastructure := `
---
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster},
  status: {platformStatus: {type: BareMetal, baremetal: {ingressIPs: [192.0.2.6]}}}}
`
	domain := func(name string) string {
		return `
---
{apiVersion: config.openshift.io/v1, kind: Ingress, metadata: {name: cluster}, spec: {domain: "` + name + `"}}
`
	}
	resolved := func(address string, failure error) []prereq.Prerequisite {
		return []prereq.Prerequisite{dns{func(ctx context.Context, host string) ([]string, error) {
			prefix, rest, _ := strings.Cut(host, ".")
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > dnsTimeout {
				t.Error("the resolver may take for ever")
			}
			if rest != "apps.example.com" || !strings.HasPrefix(prefix, "hcctl-") || len(prefix) != len("hcctl-")+8 {
				t.Errorf("asked for %s", host)
			}
			return []string{address}, failure
		}}.prerequisite()}
	}
	absent := &net.DNSError{Err: "no such host", IsNotFound: true}
	all := []string{infrastructure, domain("apps.example.com")}
	prereqtest.Run(t, resolved("192.0.2.6", nil), map[string]prereqtest.Case{
		"resolves": {Objects: all, ID: DNS, State: step.StateOK,
			Says: []string{"Ingress cluster", "*.apps.example.com resolves to 192.0.2.6"}},
		"resolves to something else": {Objects: all, Of: resolved("192.0.2.99", nil), ID: DNS, State: step.StateOK,
			Says: []string{"not the cluster's own ingress address 192.0.2.6"}},
		"resolves, address not told": {Objects: []string{domain("apps.example.com"), `
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster},
  status: {platformStatus: {type: None}}}
`}, Of: resolved("192.0.2.99", nil), ID: DNS, State: step.StateOK, Says: []string{"asked from where hcctl runs"}},
		"does not": {Objects: all, Of: resolved("", absent), ID: DNS, State: step.StateMissing,
			Says: []string{"does not resolve", "a DNS record *.apps.example.com that points to 192.0.2.6"}},
		"no answer": {Objects: all, Of: resolved("", &net.DNSError{IsTimeout: true}), ID: DNS,
			Says: []string{"no answer within 2s"}},
		"a broken resolver": {Objects: all, Of: resolved("", errors.New("no resolver")), ID: DNS,
			Says: []string{"no resolver"}},
		"no domain": {Objects: []string{infrastructure, domain("")}, ID: DNS, State: step.StatePending,
			Says: []string{"spec.domain is not set yet"}},
		"no permission": {Refused: prereqtest.Forbidden("ingresses.config.openshift.io"), ID: DNS,
			Says: []string{"Ingress cluster", "not allowed: "}},
		"no permission for the infrastructure": {Objects: all,
			Refused: prereqtest.Forbidden("infrastructures.config.openshift.io"),
			ID:      DNS, Says: []string{"Infrastructure cluster", "not allowed: "}},
	})
}
