package gitops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/hcctl/hcctl/pkg/fleet/gitops"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
)

// run runs a health check as Argo CD does (util/lua/lua.go, v3.2.1): the libraries package, base and table, no string,
// one second, the object as the global obj.
func run(t *testing.T, kind string, obj map[string]any) (status, message string) {
	t.Helper()
	script := ""
	for _, c := range gitops.HealthChecks() {
		if c.Kind == kind {
			script = c.Lua
		}
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase,
		lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	l.SetContext(ctx)
	l.SetGlobal("obj", value(l, obj))
	if err := l.DoString(script); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	table, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("%s returns no table", kind)
	}
	return lua.LVAsString(table.RawGetString("status")), lua.LVAsString(table.RawGetString("message"))
}

// value is an object in Lua.
func value(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		table := l.CreateTable(len(v), 0)
		for _, item := range v {
			table.Append(value(l, item))
		}
		return table
	case map[string]any:
		table := l.CreateTable(0, len(v))
		for key, item := range v {
			table.RawSetString(key, value(l, item))
		}
		return table
	}
	return lua.LNil
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var obj map[string]any
	if err := json.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return obj
}

// TestRecorded: what real operators wrote about a cluster that works.
func TestRecorded(t *testing.T) {
	for kind, file := range map[string]string{"HostedCluster": "hostedcluster.json", "NodePool": "nodepool.json"} {
		data, err := os.ReadFile("../../hostedcluster/status/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if status, message := run(t, kind, parse(t, string(data))); status != "Healthy" {
			t.Errorf("%s: %s: %s", kind, status, message)
		}
	}
}

// TestArgoCDKnowsTheTerminalReasons: what hcctl's table calls terminal is Degraded in Argo CD, and a lookup that the
// operator retries is not.
func TestArgoCDKnowsTheTerminalReasons(t *testing.T) {
	found := 0
	for _, e := range conditions.Explanations() {
		if !e.Terminal {
			continue
		}
		found++
		text := fmt.Sprintf(`{"metadata": {}, "spec": {}, "status": {"conditions": [{"type": %q, "status": "False", "reason": %q}]}}`,
			e.Condition, e.Reason)
		if status, message := run(t, e.Kind, parse(t, text)); status != "Degraded" {
			t.Errorf("%s %s of a %s: %s: %s", e.Condition, e.Reason, e.Kind, status, message)
		}
	}
	if found < 6 {
		t.Errorf("only %d terminal reasons", found)
	}
	status, _ := run(t, "HostedCluster", parse(t, `{"metadata": {}, "spec": {}, "status": {"conditions": [{"type": "ValidReleaseImage",
		"status": "False", "reason": "InvalidImage", "message": "failed to lookup release image: timeout"}]}}`))
	if status != "Progressing" {
		t.Errorf("an image that could not be looked up is %s", status)
	}
}

func TestHealth(t *testing.T) {
	// All true conditions of a type each, before the one that the row is about.
	conditions := func(all ...string) string {
		var out []string
		for _, c := range all {
			parts := strings.SplitN(c, " ", 4)
			reason, message := "", ""
			if len(parts) > 2 {
				reason = parts[2]
			}
			if len(parts) > 3 {
				message = parts[3]
			}
			data, _ := json.Marshal(map[string]string{"type": parts[0], "status": parts[1], "reason": reason, "message": message})
			out = append(out, string(data))
		}
		return `"conditions": [` + strings.Join(out, ",") + `]`
	}
	const complete = `"version": {"history": [{"state": "Completed", "version": "4.20.3"}]}`
	for name, tc := range map[string]struct {
		kind, meta, spec, status string
		want, message            string
	}{
		"new":          {kind: "HostedCluster", want: "Progressing", message: "not reported"},
		"no condition": {kind: "HostedCluster", status: complete, want: "Progressing", message: "not reported"},
		"deleted": {kind: "HostedCluster", meta: `"deletionTimestamp": "2026-01-01T00:00:00Z"`,
			status: conditions("Available True"), want: "Progressing", message: "Being deleted"},
		"paused": {kind: "HostedCluster", spec: `"pausedUntil": "true"`, status: conditions("Available True") + "," + complete,
			want: "Healthy", message: "Paused until true"},
		"paused before it was there": {kind: "HostedCluster", spec: `"pausedUntil": "true"`, want: "Healthy", message: "Paused"},
		"paused until a time that has passed": {kind: "HostedCluster", spec: `"pausedUntil": "2020-01-01T00:00:00Z"`,
			status: conditions("ReconciliationActive True", "Available True") + "," + complete, want: "Healthy"},
		"no such release": {kind: "HostedCluster", status: conditions("Available False", "ValidReleaseImage False InvalidImage no"),
			want: "Degraded", message: "ValidReleaseImage is False: no"},
		"the registry does not answer": {kind: "HostedCluster",
			status: conditions("Available False x waits", "ValidReleaseImage False PayloadArchNotFound no"),
			want:   "Progressing", message: "Available is False: waits"},
		"not supported": {kind: "HostedCluster",
			status: conditions("SupportedHostedCluster False UnsupportedHostedCluster no"), want: "Degraded", message: "Supported"},
		"not seen": {kind: "HostedCluster", meta: `"generation": 3`,
			status: `"conditions": [{"type": "Available", "status": "True", "observedGeneration": 2}],` + complete,
			want:   "Progressing", message: "last change"},
		"first rollout": {kind: "HostedCluster",
			status: conditions("Available True") + `, "version": {"history": [{"state": "Partial"}]}`,
			want:   "Progressing", message: "rolled out"},
		"upgrade": {kind: "HostedCluster", status: conditions("Available True") +
			`, "version": {"history": [{"state": "Partial"}, {"state": "Completed"}]}`, want: "Progressing"},
		"young":  {kind: "HostedCluster", status: conditions("Available False x etcd"), want: "Progressing", message: "etcd"},
		"broken": {kind: "HostedCluster", status: conditions("Available False x etcd") + "," + complete, want: "Degraded"},
		"degraded": {kind: "HostedCluster", status: conditions("Available True", "Degraded True x pods") + "," + complete,
			want: "Degraded", message: "Degraded is True: pods"},
		"available": {kind: "HostedCluster", status: conditions("Available True", "Degraded False") + "," + complete,
			want: "Healthy", message: "4.20.3"},

		"new pool":  {kind: "NodePool", spec: `"replicas": 2`, want: "Progressing"},
		"one of 2":  {kind: "NodePool", spec: `"replicas": 2`, status: conditions("Ready True") + `, "replicas": 1`, want: "Progressing", message: "1 of 2 nodes"},
		"two of 2":  {kind: "NodePool", spec: `"replicas": 2`, status: conditions("Ready True") + `, "replicas": 2`, want: "Healthy", message: "2 nodes"},
		"too many":  {kind: "NodePool", spec: `"replicas": 1`, status: conditions("Ready True") + `, "replicas": 2`, want: "Progressing"},
		"not ready": {kind: "NodePool", spec: `"replicas": 2`, status: conditions("Ready False x no") + `, "replicas": 2`, want: "Progressing", message: "Ready is False: no"},
		"stopped":   {kind: "NodePool", spec: `"replicas": 0`, status: conditions("Ready True"), want: "Healthy", message: "Stopped"},
		"autoscaled": {kind: "NodePool", spec: `"autoScaling": {"min": 1, "max": 3}`, status: conditions("Ready True") + `, "replicas": 3`,
			want: "Healthy", message: "3 nodes"},
		"pool is updated": {kind: "NodePool", spec: `"replicas": 2`,
			status: conditions("Ready True", "UpdatingVersion True x 4.20.4") + `, "replicas": 2`, want: "Progressing", message: "4.20.4"},
		"no valid VM": {kind: "NodePool", status: conditions("ValidMachineTemplate False InvalidKubevirtMachineTemplate patch"),
			want: "Degraded", message: "patch"},
		"a sick node": {kind: "NodePool", spec: `"replicas": 1`, status: conditions("Ready True", "AllNodesHealthy False x kubelet") +
			`, "replicas": 1`, want: "Progressing", message: "kubelet"},
		"paused pool": {kind: "NodePool", spec: `"pausedUntil": "true"`, want: "Healthy", message: "Paused"},

		"new HyperConverged": {kind: "HyperConverged", want: "Progressing"},
		"while it is deployed": {kind: "HyperConverged", status: conditions("ReconcileComplete True", "Available True",
			"Progressing True x cdi", "Degraded True x cdi"), want: "Progressing", message: "cdi"},
		"it stays degraded": {kind: "HyperConverged", status: conditions("ReconcileComplete True", "Available True",
			"Progressing False", "Degraded True x cdi"), want: "Degraded"},
		"not reconciled": {kind: "HyperConverged", status: conditions("ReconcileComplete False x no", "Available True"),
			want: "Progressing", message: "ReconcileComplete"},
		"deployed": {kind: "HyperConverged", status: conditions("ReconcileComplete True", "Available True", "Progressing False",
			"Degraded False"), want: "Healthy"},

		"not approved": {kind: "Subscription", spec: `"installPlanApproval": "Manual", "startingCSV": "a.v1"`,
			status: `"state": "UpgradePending"`, want: "Progressing", message: "approved"},
		"a newer one is on offer": {kind: "Subscription", spec: `"installPlanApproval": "Manual", "startingCSV": "a.v1"`,
			status: `"state": "UpgradePending", "installedCSV": "a.v1",` + conditions("InstallPlanPending True"),
			want:   "Healthy", message: "a.v1 is installed"},
		"the pin was raised": {kind: "Subscription", spec: `"installPlanApproval": "Manual", "startingCSV": "a.v2"`,
			status: `"state": "UpgradePending", "installedCSV": "a.v1"`, want: "Progressing", message: "a.v2 is wanted"},
		"automatic": {kind: "Subscription", status: `"state": "AtLatestKnown", "installedCSV": "a.v1"`, want: "Healthy"},
		"automatic and late": {kind: "Subscription", status: `"state": "UpgradePending", "installedCSV": "a.v1"`,
			want: "Progressing"},
		"no solution": {kind: "Subscription", status: conditions("ResolutionFailed True x no such channel"),
			want: "Degraded", message: "no such channel"},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"metadata": {` + tc.meta + `}, "spec": {` + tc.spec + `}`
			if tc.status != "" {
				text += `, "status": {` + tc.status + `}`
			}
			status, message := run(t, tc.kind, parse(t, text+"}"))
			if status != tc.want || !strings.Contains(message, tc.message) {
				t.Errorf("%s: %s, want %s: %s", status, message, tc.want, tc.message)
			}
		})
	}
}
