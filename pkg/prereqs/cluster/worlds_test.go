package cluster

import (
	"fmt"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestProxy(t *testing.T) {
	proxy := func(spec string) string {
		return "\n---\n{apiVersion: config.openshift.io/v1, kind: Proxy, metadata: {name: cluster}, spec: {" + spec + "}}\n"
	}
	certificates := func(key string) string {
		return "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: openshift-config}, data: {" + key +
			": CERTIFICATE}}\n"
	}
	const trusts = "trustedCA: {name: mine}"
	mends := []string{"oc create configmap mine -n openshift-config --from-file=ca-bundle.crt=CA.crt", `"trustedCA":{"name":""}`}
	prereqtest.Run(t, Prerequisites(Options{}), map[string]prereqtest.Case{
		"no object":      {ID: Proxy, State: step.StateOK, Says: []string{"none"}},
		"no proxy":       {ID: Proxy, Objects: []string{proxy("")}, State: step.StateOK, Says: []string{"none"}},
		"not to be read": {ID: Proxy, Refused: prereqtest.Forbidden("proxies.config.openshift.io"), State: step.StateUnknown},
		"trusted anyway": {ID: Proxy, Objects: []string{proxy(`httpsProxy: "http://p"`)}, State: step.StateOK,
			Says: []string{"is not set"}},
		"certificates": {ID: Proxy, Objects: []string{proxy(trusts), certificates("ca-bundle.crt")}, State: step.StateOK,
			Says: []string{"ConfigMap openshift-config/mine"}},
		"no certificates": {ID: Proxy, Objects: []string{proxy(trusts)}, State: step.StateMissing,
			Says: append(mends, "mine, which does not exist")},
		"under another key": {ID: Proxy, Objects: []string{proxy(trusts), certificates("ca.crt")}, State: step.StateMissing,
			Says: append(mends, "which has no ca-bundle.crt")},
		"certificates not to be read": {ID: Proxy, Objects: []string{proxy(trusts)}, State: step.StateUnknown,
			Refused: prereqtest.Forbidden("configmaps")},
		"before a hosted cluster is created": {ID: Proxy, Objects: []string{proxy(trusts)}, State: step.StateMissing,
			Wanted: &prereq.Wanted{}},
	})
}

// worldOf has a default node selector, and workers with a label "type" of these values.
func worldOf(selector string, types ...string) []string {
	out := []string{fmt.Sprintf("{apiVersion: config.openshift.io/v1, kind: Scheduler, metadata: {name: cluster},"+
		" spec: {defaultNodeSelector: %q}}\n", selector)}
	for i, value := range types {
		out = append(out, fmt.Sprintf(`
{apiVersion: v1, kind: Node, metadata: {name: w%d, labels: {node-role.kubernetes.io/worker: "", type: %q}},
  status: {allocatable: {cpu: "64", memory: 256Gi, pods: "500"}, conditions: [{type: Ready, status: "True"}]}}
`, i, value))
	}
	return out
}

func TestDefaultNodeSelector(t *testing.T) {
	single, highly := &prereq.Wanted{}, &prereq.Wanted{HighlyAvailable: true}
	some := worldOf("type=user", "user", "infra", "infra")
	cordoned := append(worldOf("type=user"), "\n{apiVersion: v1, kind: Node, metadata: {name: w9, labels: "+
		"{node-role.kubernetes.io/worker: \"\", type: user}}, spec: {unschedulable: true}}\n")
	prereqtest.Run(t, Prerequisites(Options{}), map[string]prereqtest.Case{
		"none":           {ID: NodeSelector, Objects: worldOf("", "a"), State: step.StateOK, Says: []string{"none"}},
		"no object":      {ID: NodeSelector, State: step.StateOK, Says: []string{"none"}},
		"not to be read": {ID: NodeSelector, Refused: prereqtest.Forbidden("schedulers.config.openshift.io"), State: step.StateUnknown},
		"nodes not to be read": {ID: NodeSelector, Objects: some, Refused: prereqtest.Forbidden("nodes"),
			State: step.StateUnknown},
		"all": {ID: NodeSelector, Objects: worldOf("type=user", "user", "user", "user"), State: step.StateOK,
			Says: []string{"3 of 3 workers", "w0, w1, w2"}},
		"no node": {ID: NodeSelector, Objects: worldOf("type=user,region=east", "user"), State: step.StateMissing,
			Says: []string{"0 of 1 workers", "oc label node NODE type=user region=east", `"defaultNodeSelector":null`}},
		"a cordoned one":  {ID: NodeSelector, Objects: cordoned, State: step.StateMissing, Says: []string{"0 of 0 workers"}},
		"too few":         {ID: NodeSelector, Objects: some, State: step.StateMissing, Says: []string{"1 of 3 workers", "(w0)", "need 3"}},
		"nonsense":        {ID: NodeSelector, Objects: worldOf("a in (b)", "user"), State: step.StateMissing, Says: []string{"cannot be read"}},
		"enough for one":  {ID: NodeSelector, Objects: some, Wanted: single, State: step.StateOK},
		"too few for all": {ID: NodeSelector, Objects: some, Wanted: highly, State: step.StateMissing},
		// What has no room is not counted as room.
		"capacity of the nodes that are left": {ID: Capacity, Objects: some, State: step.StateMissing, Says: []string{"on 1 worker"}},
		"capacity without any":                {ID: Capacity, Objects: worldOf("type=user", "infra"), State: step.StateMissing, Says: []string{"no ready worker"}},
		"capacity of a selector that cannot be read": {ID: Capacity, Objects: worldOf("a in (b)", "user"), State: step.StateMissing,
			Says: []string{"no ready worker"}},
		"capacity of one that may not be read": {ID: Capacity, Objects: some, State: step.StateUnknown,
			Refused: prereqtest.Forbidden("schedulers.config.openshift.io")},
	})
	if s, needed := (nodeSelector{}).prerequisite().PreflightStep(prereqtest.Serve(t).Client, *single); !needed || s.Severity != step.Required {
		t.Error("a hosted cluster without nodes is created")
	}
}
