package services_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	plugIn = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: cni}
---
apiVersion: v1
kind: Namespace
metadata: {name: cni}
`
	ready = "\n---\n{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: cni, generation: 1, annotations: " +
		"{hcctl.dev/manifest: %s}}, status: {observedGeneration: 1, desiredNumberScheduled: %[2]d, currentNumberScheduled: " +
		"%[2]d, updatedNumberScheduled: %[2]d, numberReady: %[3]d, numberAvailable: %[3]d}}\n"
	aNode = "\n---\n{apiVersion: v1, kind: Node, metadata: {name: w1}}\n"
)

// tenant is a hosted cluster whose API server answers.
type tenant struct {
	management, hosted *kubetest.API
	options            options.Cluster
}

func newTenant(t *testing.T) *tenant {
	t.Helper()
	out := &tenant{hosted: kubetest.Serve(t), management: kubetest.Serve(t)}
	_, kubeconfig := kubetest.Hosted(t, out.hosted)
	out.management.Register(t, kube.HostedCluster)
	out.management.Put(t, `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters},
  status: {kubeconfig: {name: kv-00-admin-kubeconfig}}}
`)
	out.put(t, kubeconfig)
	out.options = options.Defaults()
	out.options.Name, out.options.NetworkType = "kv-00", "Other"
	out.options.CNI = options.File{Path: "cni.yaml", Content: []byte(plugIn)}
	return out
}

func (n *tenant) put(t *testing.T, kubeconfig string) {
	t.Helper()
	n.management.Put(t, fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: kv-00-admin-kubeconfig, "+
		"namespace: clusters}, data: {kubeconfig: %s}}\n", base64.StdEncoding.EncodeToString([]byte(kubeconfig))))
}

// steps are the milestones with the services among them.
func (n *tenant) steps(t *testing.T, c *kube.Client) []step.Step {
	t.Helper()
	valid, err := n.options.Validate()
	if err != nil {
		t.Fatal(err)
	}
	okay := func(context.Context, step.Reads) step.Finding { return step.OK("") }
	return services.Among(c, valid, services.Milestones{
		Steps: []step.Step{{ID: "cluster/api", Check: okay},
			{ID: "cluster/machines", Needs: []step.ID{"cluster/api"}, Check: okay},
			{ID: "cluster/nodes", Needs: []step.ID{"cluster/machines"}, Check: okay}},
		API: "cluster/api",
		Reading: func(check func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding) kube.Check {
			return func(ctx context.Context, r kube.Reader) step.Finding {
				hc := &hyperv1.HostedCluster{}
				if err := r.Get(ctx, client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, hc); err != nil {
					return kube.Unknown(err)
				}
				return check(ctx, r, hc)
			}
		},
	})
}

func find(t *testing.T, steps []step.Step, id step.ID) step.Step {
	t.Helper()
	for _, s := range steps {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no step %s", id)
	return step.Step{}
}

func TestServicesStandAmongTheMilestones(t *testing.T) {
	n := newTenant(t)
	n.options.GuestManifests = options.Files{{Path: "a.yaml", Content: []byte(strings.Replace(plugIn, "agent", "other", 1))}}
	valid := n.options
	if _, err := valid.Validate(); err == nil || !strings.Contains(err.Error(), "Namespace cni is among those of --cni") {
		t.Errorf("an object of both: %v", err)
	}
	n.options.GuestManifests[0].Content = []byte("{apiVersion: v1, kind: Namespace, metadata: {name: team}}\n")
	var ids []string
	steps := n.steps(t, n.management.Client)
	for _, s := range steps {
		ids = append(ids, string(s.ID))
	}
	if got := strings.Join(ids, " "); got != "cluster/api services/network-plug-in services/guest-manifests "+
		"cluster/machines cluster/nodes" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(find(t, steps, "cluster/nodes").Needs); got != "[cluster/machines services/network-plug-in]" {
		t.Errorf("the nodes need %s", got)
	}
	n.options.CNI, n.options.GuestManifests = options.File{}, nil
	if got := n.steps(t, n.management.Client); len(got) != 3 {
		t.Errorf("without services there are %d steps", len(got))
	}
}

func TestNetworkPlugIn(t *testing.T) {
	n := newTenant(t)
	s := find(t, n.steps(t, n.management.Client), "services/network-plug-in")
	expect := func(want step.State, says string) step.Finding {
		t.Helper()
		f := s.Check(t.Context(), nil)
		if f.State != want || !strings.Contains(f.Message, says) {
			t.Errorf("got %+v, want %s with %q", f, want, says)
		}
		return f
	}
	expect(step.StateMissing, "it is not there")
	if change, err := s.Apply(t.Context()); change != step.Created || err != nil {
		t.Fatalf("%s, %v", change, err)
	}
	var writes []string
	for _, w := range n.hosted.Writes() {
		writes = append(writes, w.String())
	}
	if got := strings.Join(writes, ", "); got != "patch namespaces cni, patch daemonsets.apps cni/agent" {
		t.Errorf("wrote %s", got)
	}
	set := kube.Kind{Plural: "daemonsets", Namespaced: true}
	set.Group, set.Version, set.Kind = "apps", "v1", "DaemonSet"
	digest := n.hosted.Object(t, set, "cni", "agent").GetAnnotations()["hcctl.dev/manifest"]
	expect(step.StatePending, "its controller has not processed it yet")
	n.hosted.Put(t, fmt.Sprintf(ready, digest, 0, 0))
	expect(step.StatePending, "no node has joined yet")
	n.hosted.Put(t, aNode, fmt.Sprintf(ready, digest, 1, 0))
	expect(step.StatePending, "0 of 1 pods are ready")
	n.hosted.Put(t, fmt.Sprintf(ready, digest, 1, 1))
	expect(step.StateOK, "2 objects applied and up")
	// A later run changes nothing, and one with another document only what differs.
	before := len(n.hosted.Writes())
	again := find(t, n.steps(t, n.management.Client), "services/network-plug-in")
	if f := again.Check(t.Context(), nil); f.State != step.StateOK {
		t.Errorf("got %+v", f)
	}
	n.options.CNI.Content = []byte(strings.Replace(plugIn, "namespace: cni", "namespace: cni, labels: {version: '2'}", 1))
	changed := find(t, n.steps(t, n.management.Client), "services/network-plug-in")
	if f := changed.Check(t.Context(), nil); f.State != step.StateMissing || f.Object != "DaemonSet cni/agent" {
		t.Errorf("got %+v", f)
	}
	if len(n.hosted.Writes()) != before {
		t.Error("a check has written")
	}
}

// TestADeploymentWithoutANode: its controller gives up after ten minutes, in which no node may have joined yet.
func TestADeploymentWithoutANode(t *testing.T) {
	n := newTenant(t)
	n.options.CNI.Content = []byte(strings.Replace(plugIn, "DaemonSet", "Deployment", 1))
	s := find(t, n.steps(t, n.management.Client), "services/network-plug-in")
	if _, err := s.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	kind := kube.Kind{Plural: "deployments", Namespaced: true}
	kind.Group, kind.Version, kind.Kind = "apps", "v1", "Deployment"
	late := n.hosted.Object(t, kind, "cni", "agent")
	late.SetGeneration(1)
	late.Object["status"] = map[string]any{"observedGeneration": int64(1), "conditions": []any{map[string]any{
		"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}}}
	data, err := late.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	n.hosted.Put(t, string(data))
	node := func(ready string) string {
		return "\n---\n{apiVersion: v1, kind: Node, metadata: {name: w1}, status: {conditions: [{type: Ready, status: \"" +
			ready + "\"}]}}\n"
	}
	for _, tc := range []struct {
		node, says string
		want       step.State
		trouble    bool
	}{
		{"", "timed out; no node is ready that its pods could run on", step.StatePending, false},
		{node("False"), "timed out; no node is ready that its pods could run on", step.StatePending, true},
		{node("True"), "timed out", step.StateBroken, true},
	} {
		n.hosted.Put(t, tc.node)
		f := s.Check(t.Context(), nil)
		if f.State != tc.want || f.Trouble != tc.trouble || !strings.HasSuffix(f.Message, tc.says) {
			t.Errorf("with %q: got %+v", tc.node, f)
		}
	}
}

func TestAPlanWritesNothingIntoTheHostedCluster(t *testing.T) {
	n := newTenant(t)
	planning, _ := n.management.Client.Planning(nil)
	s := find(t, n.steps(t, planning), "services/network-plug-in")
	if f := s.Check(t.Context(), nil); f.State != step.StateMissing {
		t.Fatalf("got %+v", f)
	}
	if change, err := s.Apply(t.Context()); change != step.Created || err != nil {
		t.Errorf("%s, %v", change, err)
	}
	if writes := n.hosted.Writes(); len(writes) != 0 {
		t.Errorf("wrote %v", writes)
	}
	if f := s.Check(t.Context(), nil); f.State == step.StateMissing {
		t.Errorf("what is planned is not seen: %+v", f)
	}
}

func TestAHostedClusterThatCannotBeAsked(t *testing.T) {
	n := newTenant(t)
	n.hosted.Refuse("namespaces", 403)
	s := find(t, n.steps(t, n.management.Client), "services/network-plug-in")
	if f := s.Check(t.Context(), nil); f.State != step.StateUnknown || !strings.Contains(f.Message, "not allowed") {
		t.Errorf("got %+v", f)
	}
	n.put(t, "not a kubeconfig")
	if f := s.Check(t.Context(), nil); f.State != step.StateBroken {
		t.Errorf("got %+v", f)
	}
}
