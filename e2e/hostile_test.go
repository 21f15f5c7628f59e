package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestHostile runs every script of testdata/hostile: attacks by users with only a role that hcctl rbac prints, by their
// input, by servers that they run, and by other users of the machine. docs/security.md lists them.
//
// The scripts share one sandbox, each with its own namespaces.
func TestHostile(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: attacks are for sandboxes")
	}
	// No script asks a hosted API server: at their addresses only health checks are answered.
	lean := s
	lean.all = false
	st := newStage(t, s, lean.hosting("ready", 0)...)
	st.giveOut(metalLBPool, (&harness{settings: s}).addresses())
	if err := st.admin.growNodes(); err != nil {
		t.Fatal(err)
	}
	run(t, s, "testdata/hostile", func(env *testscript.Env) error {
		harness := env.Values[home{}].(*harness)
		harness.stage = st
		env.Setenv("KUBECONFIG", st.sandbox.Kubeconfig)
		env.Setenv("ADMIN", st.sandbox.Kubeconfig)
		return nil
	})
}

// growNodes makes room for the hosted clusters of all scripts: create counts what each of them is to get.
func (c *cluster) growNodes() error {
	nodes, err := c.resource("nodes", "")
	if err != nil {
		return err
	}
	ctx, cancel := requestContext()
	defer cancel()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	patch := []byte(`{"status":{"allocatable":{"pods":"2500","cpu":"630","memory":"2540Gi"}}}`)
	for i := range list.Items {
		_, err = nodes.Patch(ctx, list.Items[i].GetName(), types.MergePatchType, patch,
			metav1.PatchOptions{FieldManager: "hcctl-e2e"}, "status")
		if err != nil {
			return err
		}
	}
	return nil
}

// metalLBPool is the IPAddressPool of the sandbox's profile ready.
const metalLBPool = "metallb"

// giveOut has a pool give out these addresses: hosted API servers of other sandboxes listen on theirs, on the same
// machine.
func (st *stage) giveOut(pool, addresses string) {
	st.t.Helper()
	if err := st.admin.giveOut(pool, addresses); err != nil {
		st.t.Fatal(err)
	}
}

func (c *cluster) giveOut(pool, addresses string) error {
	pools, err := c.resource("ipaddresspools.metallb.io", "metallb-system")
	if err != nil {
		return err
	}
	ctx, cancel := requestContext()
	defer cancel()
	patch := fmt.Appendf(nil, `{"spec":{"addresses":[%q]}}`, addresses)
	options := metav1.PatchOptions{FieldManager: "hcctl-e2e"}
	_, err = pools.Patch(ctx, pool, types.MergePatchType, patch, options)
	return err
}

// personCommand: person NAME --for PURPOSE [ARG of hcctl rbac]...
//
// makes a user who may do what hcctl rbac prints with these arguments and nothing else. The variable NAME is the path
// of their kubeconfig: env KUBECONFIG=$NAME. Scripts share the cluster, so the name has to be the script's own.
func personCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := harnessOf(ts)
	if neg || len(args) < 3 || args[1] != "--for" {
		ts.Fatalf("usage: person NAME --for PURPOSE [ARG of hcctl rbac]...")
	}
	if h.stage == nil {
		ts.Fatalf("person is for the scripts of testdata/hostile")
	}
	p, err := h.stage.newPerson(strings.ToLower(args[0]), args[2], args[3:]...)
	ts.Check(err)
	ts.Setenv(args[0], p.kubeconfig)
}
