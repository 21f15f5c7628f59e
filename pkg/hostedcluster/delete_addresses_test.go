package hostedcluster

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPoolsAreClosed: delete takes out of pools of addresses what create put there, and only that.
func TestPoolsAreClosed(t *testing.T) {
	const own = "clusters-kv-00"
	for name, tc := range map[string]struct {
		pool         object
		found, left  int
		check, patch string
	}{
		"opened by create": {
			addressPool("tenants", []string{own, "clusters-kv-01"}, "other", own, "clusters-kv-01"), 1, 0,
			"missing: IPAddressPool metallb-system/tenants: still serves namespace clusters-kv-00",
			`{"metadata":{"annotations":{"serves.hcctl.dev/clusters-kv-00":null},"resourceVersion":"7"},"spec":{"serviceAllocation":{"namespaces":["other","clusters-kv-01"]}}}`,
		},
		"by a person": {
			addressPool("tenants", nil, "other", own), 0, 0,
			"ok: IPAddressPools in namespace metallb-system: none serves namespace clusters-kv-00 by hcctl's doing", "",
		},
		"for another cluster": {
			addressPool("tenants", []string{"clusters-kv-01"}, "other", "clusters-kv-01"), 0, 0,
			"ok: IPAddressPools in namespace metallb-system: none serves namespace clusters-kv-00 by hcctl's doing", "",
		},
		"closed by a person": {
			addressPool("tenants", []string{own}, "other"), 1, 0,
			"missing: IPAddressPool metallb-system/tenants: still serves namespace clusters-kv-00",
			`{"metadata":{"annotations":{"serves.hcctl.dev/clusters-kv-00":null},"resourceVersion":"7"}}`,
		},
		"it would be open to all": {
			addressPool("tenants", []string{own}, own), 0, 1,
			"ok: IPAddressPools in namespace metallb-system: none serves namespace clusters-kv-00 by hcctl's doing", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, patches := written(t, map[string]any{addressPoolsPath: items(tc.pool)})
			d := &Deletion{Namespace: "clusters", Name: "kv-00", client: c, options: DeleteDefaults()}
			if err := d.findPools(t.Context()); err != nil || len(d.Found) != tc.found || len(d.Left) != tc.left || d.serving != (tc.found > 0) {
				t.Errorf("found %q, left %q, %v", d.Found, d.Left, err)
			}
			expect(t, d.poolsClosed(t.Context()), tc.check)
			if _, err := d.closePools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.patch, patches["tenants"]); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("no MetalLB", func(t *testing.T) {
		c, _ := written(t, nil)
		d := &Deletion{Namespace: "clusters", Name: "kv-00", client: c}
		if err := d.findPools(t.Context()); err != nil || d.serving || len(d.Left) > 0 {
			t.Errorf("%v, %q", err, d.Left)
		}
	})
}

// TestOpenedPoolIsRemembered: create leaves a record of the namespace that it adds to a pool, next to what is there.
func TestOpenedPoolIsRemembered(t *testing.T) {
	c, patches := written(t, map[string]any{addressPoolsPath + "/tenants": addressPool("tenants", nil, "other")})
	p := &Plan{Options: with(t, "--metallb-pool tenants"), client: c}
	if _, err := p.openPool(t.Context()); err != nil {
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
	if err := json.Unmarshal([]byte(patches["tenants"]), &patch); err != nil {
		t.Fatal(err)
	}
	if patch.Metadata.Annotations["serves.hcctl.dev/clusters-kv-00"] != "clusters/kv-00" || patch.Metadata.ResourceVersion != "7" {
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
		"for others": {[]any{"other"}, "ok: IPAddressPool metallb-system/tenants: can serve the cluster: it is for [other], not yet for clusters-kv-00"},
		"for it":     {[]any{"clusters-kv-00"}, "ok: IPAddressPool metallb-system/tenants: serves namespace clusters-kv-00"},
		"for all": {nil, "broken: IPAddressPool metallb-system/tenants: is not for chosen namespaces (spec.serviceAllocation.namespaces is empty); " +
			"binding this cluster to it would close it to all others"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := addressPool("tenants", nil, tc.namespaces...)
			c, _ := written(t, map[string]any{addressPoolsPath + "/tenants": pool, addressPoolsPath: items(pool)})
			p := &Plan{Options: with(t, "--metallb-pool tenants"), client: c}
			expect(t, p.poolThere(t.Context()), tc.want)
		})
	}
	for name, tc := range map[string]struct {
		world map[string]any
		want  string
	}{
		"absent":     {map[string]any{addressPoolsPath: items(addressPool("other", nil))}, "missing: IPAddressPool tenants: does not exist; there are: other"},
		"no MetalLB": {nil, "broken: IPAddressPool metallb-system/tenants: MetalLB is not installed: the API server does not know IPAddressPools"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := written(t, tc.world)
			p := &Plan{Options: with(t, "--metallb-pool tenants"), client: c}
			expect(t, p.poolThere(t.Context()), tc.want)
		})
	}
}
