package creation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

const vmPatches = "hypershift.openshift.io/kubevirt-vm-jsonpatch"

// guest is a patch that gives VMs another size.
func guest(memory string, cores int) string {
	return fmt.Sprintf(`[{"op": "replace", "path": "/spec/template/spec/domain/memory/guest", "value": %q}, `+
		`{"op": "replace", "path": "/spec/template/spec/domain/cpu/cores", "value": %d}]`, memory, cores)
}

// TestPatchedSizesCount: what is counted of a pool is what its patches leave, those of its HostedCluster and its own,
// and so is what is promised to others.
func TestPatchedSizesCount(t *testing.T) {
	for name, tc := range map[string]struct{ cluster, pool, other, want string }{
		"none":                       {"", "", "", ""},
		"of the HostedCluster":       {guest("100Gi", 2), "", "", "needs memory 100.5Gi with KubeVirt's overhead: the largest worker"},
		"of the pool":                {"", guest("90Gi", 2), "", "needs memory 90.4Gi"},
		"the pool's comes last":      {guest("100Gi", 2), guest("8Gi", 2), "", ""},
		"CPUs":                       {guest("8Gi", 400), "", "", "needs CPU 40.0"},
		"another cluster's promises": {"", "", guest("57Gi", 2), "counted with"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Node", worker("n1"))
			var clusters []hostedtest.Object
			for cluster, patch := range map[string]string{"kv-01": tc.cluster, "kv-02": tc.other} {
				clusters = append(clusters, hostedtest.Object{"metadata": hostedtest.Object{"name": cluster,
					"namespace": "clusters", "annotations": hostedtest.Object{vmPatches: patch}},
					"status": hostedtest.Object{"kubeconfig": hostedtest.Object{"name": "a"}}})
			}
			w.Set("HostedCluster", clusters...)
			pool := poolOf("kv-01", 0, 0, "8Gi")
			pool["metadata"] = hostedtest.Object{"name": "kv-01", "namespace": "clusters",
				"annotations": hostedtest.Object{vmPatches: tc.pool}}
			w.Set("NodePool", pool, poolOf("kv-02", 1, 0, "8Gi"))
			pools, err := hostedcluster.Pools(t.Context(), w.Client, "clusters", "kv-01")
			if err != nil || len(pools) != 1 {
				t.Fatal(pools, err)
			}
			hc, err := hostedcluster.Find(t.Context(), w.Client, "clusters", "kv-01")
			if err != nil {
				t.Fatal(err)
			}
			c, err := CountPool(t.Context(), w.Client, hc, &pools[0], hostedcluster.Size{Min: 1, Max: 1})
			if err != nil || tc.want == "" && c.Impossible != "" || !strings.Contains(c.Impossible, tc.want) {
				t.Errorf("%q, %v, want %q", c.Impossible, err, tc.want)
			}
		})
	}
}

// TestWorkerSizes: the sums of a new cluster are those of its patched VMs.
func TestWorkerSizes(t *testing.T) {
	for args, want := range map[string]string{
		"--memory 8Gi --cores 2": "[2] [8589934592]",
		"--memory 8Gi --cores 2 --annotations " + vmPatches + "=" + strings.ReplaceAll(guest("20Gi", 6), " ", ""): "[6] [21474836480]",
		"--memory 8Gi --cores 3 --qos-class Guaranteed":                                                           "[3] [8589934592]",
	} {
		w := world(t)
		w.Set("Node", worker("n1"))
		cores, memory := prepared(t, w, flags(t, args)).WorkerSizes()
		if got := fmt.Sprint(cores, memory); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}
