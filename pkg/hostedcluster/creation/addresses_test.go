package creation

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

func TestPoolOfAddresses(t *testing.T) {
	const pools = "/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools"
	for name, tc := range map[string]struct {
		spec hostedtest.Object
		want string
	}{
		"serves it": {hostedtest.Object{"serviceAllocation": hostedtest.Object{"namespaces": []any{"other", "clusters-kv-00"}}},
			"ok: IPAddressPool metallb-system/tenants: serves namespace clusters-kv-00"},
		"for others yet": {
			hostedtest.Object{"autoAssign": true, "serviceAllocation": hostedtest.Object{"namespaces": []any{"other"}}},
			"missing: IPAddressPool metallb-system/tenants: is for [other], not yet for clusters-kv-00",
		},
		"for everybody": {
			hostedtest.Object{},
			"broken: IPAddressPool metallb-system/tenants: is not for chosen namespaces (spec.serviceAllocation.namespaces " +
				"is empty); binding this cluster to it would close it to all others",
		},
		"never by itself": {
			hostedtest.Object{"autoAssign": false, "serviceAllocation": hostedtest.Object{"namespaces": []any{"clusters-kv-00"}}},
			"broken: IPAddressPool metallb-system/tenants: spec.autoAssign is false, so MetalLB gives none of its addresses " +
				"to a Service that does not name it, and HyperShift's do not",
		},
		"absent": {nil, "broken: IPAddressPool metallb-system/tenants: does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]any{pools: hostedtest.Items()}
			if tc.spec != nil {
				answers[pools+"/tenants"] = hostedtest.Object{
					"apiVersion": "metallb.io/v1beta1",
					"kind":       "IPAddressPool",
					"metadata":   hostedtest.MetaOf("metallb-system", "tenants", nil),
					"spec":       tc.spec,
				}
			}
			p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")),
				client: hostedtest.ReadOnly(t, answers)}
			hostedtest.Expect(t, p.checkPoolServes(t.Context(), p.client), tc.want)
		})
	}
	t.Run("no MetalLB", func(t *testing.T) {
		p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")),
			client: hostedtest.ReadOnly(t, nil)}
		hostedtest.Expect(
			t,
			p.checkPoolServes(t.Context(), p.client),
			"broken: IPAddressPool metallb-system/tenants: MetalLB is not installed: the API server does not know "+
				"IPAddressPools",
		)
	})
}

func TestNodeAddress(t *testing.T) {
	node := func(name, kind, address string) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.Object{"name": name},
			"status":   hostedtest.Object{"addresses": []any{hostedtest.Object{"type": kind, "address": address}}},
		}
	}
	for name, tc := range map[string]struct {
		flags string
		nodes []any
		want  string
		err   string
	}{
		"not needed": {"", nil, "", ""},
		"given":      {"--service-publishing-strategy NodePort --api-server-address 192.0.2.7", nil, "", ""},
		"internal": {"--service-publishing-strategy NodePort",
			[]any{node("b", "InternalIP", "192.0.2.2"), node("a", "InternalIP", "192.0.2.1")}, "192.0.2.1", ""},
		"external before": {"--service-publishing-strategy NodePort",
			[]any{node("a", "InternalIP", "192.0.2.1"), node("b", "ExternalDNS", "b.example.com")}, "b.example.com", ""},
		"none": {"--service-publishing-strategy NodePort", nil, "", "--api-server-address: needed here: no " +
			"node of the management cluster has an address"},
		"for a service only": {"--publish Ignition=NodePort", []any{node("a", "InternalIP", "192.0.2.1")}, "192.0.2.1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Plan{
				Options: optionstest.Valid(t, optionstest.With(t, tc.flags)),
				client:  hostedtest.ReadOnly(t, map[string]any{"/api/v1/nodes": hostedtest.Items(tc.nodes...)}),
			}
			err := p.resolveNodeAddress(context.Background(), p.client, nil)
			if got := hostedtest.Message(optionstest.Flagged(err)); got != tc.err || p.Inputs.NodeAddress != tc.want {
				t.Errorf("got %q, %q", p.Inputs.NodeAddress, got)
			}
		})
	}
	t.Run("what exists stays", func(t *testing.T) {
		o := optionstest.Valid(t, optionstest.With(t, "--service-publishing-strategy NodePort"))
		p := &Plan{Options: o}
		if err := p.resolveNodeAddress(
			t.Context(),
			nil,
			objects.TypedHostedCluster(o, objects.Inputs{NodeAddress: "192.0.2.9"}),
		); err != nil ||
			p.Inputs.NodeAddress != "192.0.2.9" {
			t.Errorf("got %q, %v", p.Inputs.NodeAddress, err)
		}
	})
}

// TestOpenedPoolIsRemembered: create leaves a record of the namespace that it adds to a pool, next to what is there.
func TestOpenedPoolIsRemembered(t *testing.T) {
	api := kubetest.ServePaths(
		t,
		map[string]any{hostedtest.AddressPoolsPath + "/tenants": hostedtest.AddressPool("tenants", nil, "other")},
	)
	p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")), client: api.Client}
	if _, err := p.bindPool(t.Context()); err != nil {
		t.Fatal(err)
	}
	var patch struct {
		Metadata struct {
			Annotations     map[string]string
			ResourceVersion string
		}
		Spec struct {
			ServiceAllocation struct{ Namespaces []string }
		}
	}
	if err := json.Unmarshal([]byte(api.Writes()[0].Body), &patch); err != nil {
		t.Fatal(err)
	}
	if patch.Metadata.Annotations["serves.hcctl.dev/clusters-kv-00"] != "clusters/kv-00" ||
		patch.Metadata.ResourceVersion != "2" {
		t.Errorf("%+v", patch)
	}
	if diff := cmp.Diff([]string{"other", "clusters-kv-00"}, patch.Spec.ServiceAllocation.Namespaces); diff != "" {
		t.Error(diff)
	}
}

// TestPreflightOfPool: what the step that opens the pool would break off at is known before anything is written.
func TestPreflightOfPool(t *testing.T) {
	for name, tc := range map[string]struct {
		namespaces []any
		want       string
	}{
		"for others": {[]any{"other"}, "ok: IPAddressPool metallb-system/tenants: can serve the cluster: it is for " +
			"[other], not yet for clusters-kv-00"},
		"for it": {[]any{"clusters-kv-00"}, "ok: IPAddressPool metallb-system/tenants: serves namespace clusters-kv-00"},
		"for all": {nil, "broken: IPAddressPool metallb-system/tenants: is not for chosen namespaces " +
			"(spec.serviceAllocation.namespaces is empty); " +
			"binding this cluster to it would close it to all others"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := hostedtest.AddressPool("tenants", nil, tc.namespaces...)
			c := hostedtest.ReadOnly(
				t,
				map[string]any{hostedtest.AddressPoolsPath + "/tenants": pool, hostedtest.AddressPoolsPath: hostedtest.Items(pool)},
			)
			p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")), client: c}
			hostedtest.Expect(t, p.checkAddressPool(t.Context(), p.client), tc.want)
		})
	}
	for name, tc := range map[string]struct {
		world map[string]any
		want  string
	}{
		"absent": {map[string]any{hostedtest.AddressPoolsPath: hostedtest.Items(hostedtest.AddressPool("other", nil))},
			"missing: IPAddressPool tenants: does not exist; there are: other"},
		"no MetalLB": {nil, "broken: IPAddressPool metallb-system/tenants: MetalLB is not installed: the API server does " +
			"not know IPAddressPools"},
	} {
		t.Run(name, func(t *testing.T) {
			c := hostedtest.ReadOnly(t, tc.world)
			p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")), client: c}
			hostedtest.Expect(t, p.checkAddressPool(t.Context(), p.client), tc.want)
		})
	}
}

// TestMetalLBElsewhere: a MetalLB that runs in another namespace reads the pools there.
func TestMetalLBElsewhere(t *testing.T) {
	const elsewhere = "/apis/metallb.io/v1beta1/namespaces/load-balancing/ipaddresspools"
	metalLB := hostedtest.Items(hostedtest.Object{"apiVersion": "metallb.io/v1beta1", "kind": "MetalLB",
		"metadata": hostedtest.MetaOf("load-balancing", "metallb", nil)})
	pool := hostedtest.AddressPool("tenants", nil, "other")
	pool["metadata"].(hostedtest.Object)["namespace"] = "load-balancing"
	c := hostedtest.ReadOnly(t, map[string]any{"/apis/metallb.io/v1beta1/metallbs": metalLB, elsewhere + "/tenants": pool,
		elsewhere: hostedtest.Items(pool)})
	for flags, want := range map[string]string{"--metallb-pool tenants": "load-balancing",
		"--metallb-addresses 192.0.2.0/28": "load-balancing", "": ""} {
		p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, flags)), client: c}
		if err := p.findMetalLB(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := p.Inputs.MetalLBNamespace; got != want {
			t.Errorf("%s: %q, want %q", flags, got, want)
		}
		for _, o := range objects.All(p.Options, p.Inputs) {
			if k := o.GetObjectKind().GroupVersionKind(); k.Group == "metallb.io" && o.GetNamespace() != want {
				t.Errorf("%s %s in namespace %s", k.Kind, o.GetName(), o.GetNamespace())
			}
		}
		if p.Options.MetalLBPool != "" {
			hostedtest.Expect(t, p.checkAddressPool(t.Context(), c), "ok: IPAddressPool load-balancing/tenants: can serve the "+
				"cluster: it is for [other], not yet for clusters-kv-00")
		}
	}
	// Without MetalLB to be seen, or with one that may not be looked for, it is where everybody has it.
	p := &Plan{Options: optionstest.Valid(t, optionstest.With(t, "--metallb-pool tenants")),
		client: hostedtest.ReadOnly(t, map[string]any{"/apis/apps/v1/deployments": hostedtest.Items()})}
	if err := p.findMetalLB(t.Context(), p.client); err != nil || p.Inputs.MetalLB() != "metallb-system" {
		t.Errorf("%q, %v", p.Inputs.MetalLB(), err)
	}
}
