package cli

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

func TestGetMachines(t *testing.T) {
	world := described()
	world["/api/v1/nodes"] = object{"items": []any{object{"metadata": object{"name": "worker-1",
		"labels": object{"rack": "r1\x1b[2J", "topology.kubernetes.io/zone": "z1"}}}}}
	url := server(t, world, nil)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"get", "machines", "kv-00"}, 0, []string{"NAME", "HOST", "RACK", "worker-1", "z1",
			"Warning: nodes of the hosted cluster are not shown"}},
		{[]string{"get", "machines", "kv-00", "-o", "wide", "--no-headers"}, 0, []string{"10.128.2.31"}},
		{[]string{"get", "machines", "kv-00", "-o", "name"}, 0, []string{"virtualmachine.kubevirt.io/kv-00-a\n"}},
		{[]string{"get", "machines", "kv-00", "--nodepool", "other"}, 0,
			[]string{"No worker VMs of hosted cluster clusters/kv-00."}},
		{[]string{"get", "machines", "none"}, cmdutil.ExitError, []string{`no hosted cluster "none"`}},
		{[]string{"get", "machines", "kv-00", "--timeout", "0s"}, cmdutil.ExitUsage, []string{"--timeout 0s"}},
	} {
		code, out, errs := runOn(t, url, c.args...)
		for _, want := range c.want {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%v: no %q in\n%s%s", c.args, want, out, errs)
			}
		}
		if code != c.code || strings.Contains(out+errs, "\x1b") {
			t.Errorf("%v: exit %d\n%s%s", c.args, code, out, errs)
		}
	}
	_, out, _ := runOn(t, url, "get", "machines", "kv-00", "-o", "json")
	conforms(t, "machines", []byte(out))
}
