package deletion

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestPoolsAreClosed: delete takes out of pools of addresses what create put there, and only that.
func TestPoolsAreClosed(t *testing.T) {
	const own = "clusters-kv-00"
	for name, tc := range map[string]struct {
		pool         hostedtest.Object
		found, left  int
		check, patch string
	}{
		"opened by create": {
			hostedtest.AddressPool("tenants", []string{own, "clusters-kv-01"}, "other", own, "clusters-kv-01"), 1, 0,
			"missing: IPAddressPool metallb-system/tenants: still serves namespace clusters-kv-00",
			`{"metadata":{"annotations":{"serves.hcctl.dev/clusters-kv-00":null},"resourceVersion":"2"},"spec":{"serviceAllocation":{"namespaces":["other","clusters-kv-01"]}}}`,
		},
		"by a person": {
			hostedtest.AddressPool("tenants", nil, "other", own), 0, 0,
			"ok: IPAddressPools: hcctl has bound none to namespace clusters-kv-00", "",
		},
		"for another cluster": {
			hostedtest.AddressPool("tenants", []string{"clusters-kv-01"}, "other", "clusters-kv-01"), 0, 0,
			"ok: IPAddressPools: hcctl has bound none to namespace clusters-kv-00", "",
		},
		"closed by a person": {
			hostedtest.AddressPool("tenants", []string{own}, "other"), 1, 0,
			"missing: IPAddressPool metallb-system/tenants: still serves namespace clusters-kv-00",
			`{"metadata":{"annotations":{"serves.hcctl.dev/clusters-kv-00":null},"resourceVersion":"2"}}`,
		},
		"opened to all by a person": {
			hostedtest.AddressPool("tenants", []string{own}), 1, 0,
			"missing: IPAddressPool metallb-system/tenants: still serves namespace clusters-kv-00",
			`{"metadata":{"annotations":{"serves.hcctl.dev/clusters-kv-00":null},"resourceVersion":"2"}}`,
		},
		"it would be open to all": {
			hostedtest.AddressPool("tenants", []string{own}, own), 0, 1,
			"ok: IPAddressPools: hcctl has bound none to namespace clusters-kv-00", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.ServePaths(t, map[string]any{hostedtest.AllAddressPoolsPath: hostedtest.Items(tc.pool)})
			c := api.Client
			d := &Plan{Namespace: "clusters", Name: "kv-00", client: c, options: Defaults()}
			if err := d.findPools(t.Context(), c); err != nil || len(d.Found) != tc.found || len(d.Left) != tc.left ||
				d.hasAddressPool != (tc.found > 0) {
				t.Errorf("found %q, left %q, %v", d.Found, d.Left, err)
			}
			hostedtest.Expect(t, d.poolsReleased(t.Context(), d.client), tc.check)
			if _, err := d.releasePools(t.Context()); err != nil {
				t.Fatal(err)
			}
			patch := ""
			for _, w := range api.Writes() {
				patch = w.Body
			}
			if diff := cmp.Diff(tc.patch, patch); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("no MetalLB", func(t *testing.T) {
		c := hostedtest.ReadOnly(t, nil)
		d := &Plan{Namespace: "clusters", Name: "kv-00", client: c}
		if err := d.findPools(t.Context(), d.client); err != nil || d.hasAddressPool || len(d.Left) > 0 {
			t.Errorf("%v, %q", err, d.Left)
		}
	})
}
