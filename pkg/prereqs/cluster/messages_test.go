package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestWholeMessages compares messages to their end: a part about something of which there is none is left out.
func TestWholeMessages(t *testing.T) {
	pool := func(name string, paused bool) string {
		return fmt.Sprintf(`
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, metadata: {name: %s}, spec: {paused: %t},
  status: {machineCount: 3, updatedMachineCount: 3, conditions: [{type: Updated, status: "True"}]}}
`, name, paused)
	}
	mtu := func(n int) string { return strings.Replace(network, "8900", fmt.Sprint(n), 1) }
	usedByPods := strings.Replace(network, "10.128.0.0/14", "10.132.0.0/14", 1)
	all := []string{"quay.io", "registry.redhat.io", "cloud.openshift.com", "registry.connect.redhat.com"}
	const allNamed = "credentials for cloud.openshift.com, quay.io, registry.connect.redhat.com, registry.redhat.io"
	own := &prereq.Wanted{Pulls: []prereq.WantedPull{{Secret: dockerConfig("mirror.example.com:5000")}}}
	for name, tc := range map[string]struct {
		objects []string
		id      step.ID
		wanted  *prereq.Wanted
		state   step.State
		want    string
	}{
		"version": {[]string{prereqtest.ClusterVersion("4.20.3")}, prereq.ClusterVersion, nil, step.StateOK,
			"OpenShift 4.20.3"},
		"version without a history": {[]string{`
{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version},
  status: {desired: {version: 4.20.3}, conditions: [{type: Available, status: "True"}]}}`}, prereq.ClusterVersion, nil,
			step.StateOK, "OpenShift 4.20.3"},
		"one operator is not available": {[]string{operatorStatus("dns", "False", "False")}, Operators, nil,
			step.StatePending, "Available False (R): words"},
		"one operator is degraded": {[]string{operatorStatus("dns", "True", "True"), operatorStatus("etcd", "True", "False")},
			Operators, nil, step.StateMissing, "Degraded True (R): sick"},
		"the first of those not available": {[]string{operatorStatus("dns", "False", "True"),
			operatorStatus("etcd", "False", "True"), operatorStatus("network", "True", "True")}, Operators, nil,
			step.StatePending, "Degraded True (R): sick (and etcd, network)"},
		"operators that are not needed": {[]string{operatorStatus("dns", "True", "False"),
			operatorStatus("console", "True", "False"), operatorStatus("insights", "True", "True"),
			operatorStatus("samples", "False", "False")}, Operators, nil, step.StateOK,
			"the 1 that hosted clusters depend on are healthy; unhealthy, but not needed by them: insights, samples"},
		"pools": {[]string{pool("master", false), pool("worker", false)}, ConfigPools, nil, step.StateOK,
			"2 are updated, none is degraded or paused"},
		"a paused pool": {[]string{pool("master", false), pool("worker", true)}, ConfigPools, nil, step.StateOK,
			"2 are updated, none is degraded; paused: worker (certificates of nodes are not renewed meanwhile)"},
		"MTU for several queues": {[]string{mtu(9000)}, MTU, nil, step.StateOK,
			"MTU 9000, guests get 8900 and several queues for each network card"},
		"MTU below": {[]string{mtu(8999)}, MTU, nil, step.StateOK, "MTU 8999, guests get 8899"},
		"one network is used": {[]string{usedByPods}, GuestNetworks, nil, step.StateMissing,
			"the pods of a hosted cluster (10.132.0.0/14) would share addresses with the management cluster's pods " +
				"(10.132.0.0/14), and could not reach those"},
		"pull secret": {[]string{secretOf(all...)}, PullSecret, nil, step.StateOK, allNamed},
		"pull secret of mirrors": {[]string{secretOf("mirror.example.com:5000"), catalogsOff, mirrored}, PullSecret, nil,
			step.StateOK, "credentials for mirror.example.com:5000"},
		"own pull secret of mirrors": {[]string{catalogsOff, mirrored}, PullSecret, own, step.StateOK,
			"credentials for mirror.example.com:5000"},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects...)
			expectWhole(t, api, tc.id, tc.wanted, tc.state, tc.want)
		})
	}
}

// expectWhole compares the state and the whole message of a check, or of that for a hosted cluster.
func expectWhole(t *testing.T, api *prereqtest.API, id step.ID, wanted *prereq.Wanted, state step.State, want string) {
	t.Helper()
	var f step.Finding
	if of := Prerequisites(Options{}); wanted != nil {
		f = prereqtest.Preflight(t, api.Client, of, id, *wanted)
	} else {
		f = prereqtest.Check(t, api.Client, of, id)
	}
	if f.State != state || f.Message != want {
		t.Errorf("%s: %s\nwant %s: %s", f.State, f.Message, state, want)
	}
}

// TestHintsForTooFewWorkers: nodes that are not ready yet count, those that take no pods do not.
func TestHintsForTooFewWorkers(t *testing.T) {
	unready := func(name string) string { return strings.Replace(worker(name, 16, 250), `"True"`, `"False"`, 1) }
	master := func(name string) string {
		return strings.Replace(worker(name, 16, 250), "kubernetes.io/worker", "kubernetes.io/master", 1)
	}
	run(t, map[string]prereqtest.Case{
		"ready and not ready": {Objects: []string{worker("w1", 16, 250), unready("w2")}, ID: Nodes,
			State: step.StateMissing, Says: []string{"2 workers can be scheduled on, 3 are needed (add workers)"}},
		"not ready yet, with control plane nodes": {Objects: []string{unready("w1"), master("m1"), master("m2")}, ID: Nodes,
			State: step.StateMissing,
			Says:  []string{"1 worker can be scheduled on, 3 are needed (add workers, or let the 2 control plane nodes"}},
		"too few with control plane nodes": {Objects: []string{unready("w1"), master("m1")}, ID: Nodes,
			State: step.StateMissing, Says: []string{"1 worker can be scheduled on, 3 are needed (add workers)"}},
		"a control plane node that is not ready": {Objects: []string{worker("w1", 16, 250), master("m1"),
			strings.Replace(master("m2"), `"True"`, `"False"`, 1)}, ID: Nodes, State: step.StateMissing,
			Says: []string{"3 are needed (add workers)"}},
	})
}
