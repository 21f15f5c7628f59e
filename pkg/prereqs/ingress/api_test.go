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

// controller is the default IngressController with a policy, and more metadata as YAML.
func controller(policy, metadata string) string {
	return fmt.Sprintf(`
---
{apiVersion: operator.openshift.io/v1, kind: IngressController,
  metadata: {name: default, namespace: openshift-ingress-operator, %s},
  spec: {routeAdmission: {wildcardPolicy: %s}}, status: {conditions: [{type: Available, status: "True"},
    {type: Progressing, status: "False"}, {type: Degraded, status: "False"}]}}
`, metadata, policy)
}

// routers are two of two routers that admit wildcards.
var routers = `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: router-default, namespace: openshift-ingress, generation: 1},
  spec: {replicas: 2, template: {spec: {containers: [{name: router, env: [
    {name: ROUTER_ALLOW_WILDCARD_ROUTES, value: "true"}]}]}}},
  status: ` + healthtest.RolledOut(2, 2, 2) + `}
`

func TestWildcard(t *testing.T) {
	prereqtest.Run(t, Prerequisites(nil), map[string]prereqtest.Case{
		"no ingress": {ID: Wildcard, State: step.StateBroken, Says: []string{"there is no default IngressController"}},
		"not allowed": {Objects: []string{controller(`""`, "")}, ID: Wildcard, State: step.StateMissing,
			Says: []string{"wildcardPolicy is WildcardsDisallowed, hosted clusters need WildcardsAllowed"}},
		"allowed": {Objects: []string{controller("WildcardsAllowed", ""), routers}, ID: Wildcard, State: step.StateOK,
			Says: []string{"all 2 routers admit them"}},
		"for a hosted cluster": {Objects: []string{controller("WildcardsAllowed", ""), routers}, ID: Wildcard,
			Wanted: &prereq.Wanted{PassesThrough: true}, State: step.StateOK},
		"allowed, other routers": {Objects: []string{controller("WildcardsAllowed", "")}, ID: Wildcard,
			State: step.StateOK, Says: []string{"WildcardsAllowed"}},
		"not looked at": {Objects: []string{controller("WildcardsAllowed", "generation: 2"), routers}, ID: Wildcard,
			State: step.StatePending, Says: []string{"has not processed its latest change"}},
		"no permission": {Refused: prereqtest.Forbidden(controllers), ID: Wildcard,
			Says: []string{"IngressController openshift-ingress-operator/default", "not allowed: "}},
		"no permission for routers": {Objects: []string{controller("WildcardsAllowed", "")},
			Refused: prereqtest.Forbidden("deployments.apps"), ID: Wildcard, Says: []string{"not allowed: "}},
		"server fails": {Refused: map[string]int{controllers: 500}, ID: Wildcard, Says: []string{"IngressController"}},
		"allow": {Objects: []string{controller(`""`, "")}, ID: Wildcard, Change: step.Configured,
			Writes: []string{"patch " + controllers + " openshift-ingress-operator/default"},
			Sends:  []string{`{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`}},
		"allow: no permission": {Objects: []string{controller(`""`, "")}, Refused: prereqtest.Forbidden(controllers),
			ID:    Wildcard,
			Fails: "IngressController", Writes: []string{"patch " + controllers + " openshift-ingress-operator/default"}},
	})
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
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > dnsPatience {
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
