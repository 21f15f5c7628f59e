package nodepool_test

import (
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// prepareCreate decides on the pool gpu.
func prepareCreate(t *testing.T, m *management, image string, wait nodepool.Wait) (*nodepool.Creation, error) {
	t.Helper()
	o := options.DefaultNodePool()
	o.Name, o.ReleaseImage = "gpu", image
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return nodepool.PrepareCreate(t.Context(), m.client, "clusters", "kv-00", valid, wait)
}

func TestNewPoolsGetARelease(t *testing.T) {
	const repo = "registry.example/ocp-release:"
	digest := "x/y@sha256:" + strings.Repeat("1", 64)
	noVersion := func(hc *hyperv1.HostedCluster) { hc.Status.Version = nil }
	noneCompleted := func(hc *hyperv1.HostedCluster) { hc.Status.Version.History = hc.Status.Version.History[:1] }
	for name, tc := range map[string]struct {
		hc           *hyperv1.HostedCluster
		image, want  string
		refusedWords string
	}{
		"what the control plane completed": {cluster(), "", repo + "4.20.3-multi", ""},
		"first roll-out":                   {cluster(noneCompleted), "", repo + "4.20.4-multi", ""},
		"no status":                        {cluster(noVersion), "", repo + "4.20.4-multi", ""},
		"an older one":                     {cluster(), repo + "4.17.9-multi", repo + "4.17.9-multi", ""},
		"too old":                          {cluster(), repo + "4.16.9-multi", "", "3 minor versions behind"},
		"newer":                            {cluster(), repo + "4.20.4-multi", "", "never newer"},
		"newer, first roll-out":            {cluster(noneCompleted), repo + "4.20.9-multi", repo + "4.20.9-multi", ""},
		"a digest":                         {cluster(), digest, digest, ""},
	} {
		c, err := prepareCreate(t, manage(t, tc.hc), tc.image, nodepool.WaitNone)
		if tc.refusedWords != "" {
			refuses(t, name, err, tc.refusedWords)
			continue
		}
		if err != nil || c.Pool.Spec.Release.Image != tc.want || c.Pool.Spec.ClusterName != "kv-00" {
			t.Errorf("%s: %+v, %v, want %s", name, c, err, tc.want)
		}
	}
}

func TestPoolsThatCannotBeMade(t *testing.T) {
	for name, tc := range map[string]struct {
		hc   *hyperv1.HostedCluster
		want string
	}{
		"no cluster": {nil, `no hosted cluster "kv-00"`},
		"a cluster that goes": {cluster(clusterGoes),
			"HostedCluster clusters/kv-00 is being deleted since 2026-03-01T10:00:00Z"},
		"a paused cluster": {cluster(clusterPaused), "HostedCluster clusters/kv-00 is paused"},
		"another platform": {cluster(func(hc *hyperv1.HostedCluster) { hc.Spec.Platform.Type = hyperv1.AWSPlatform }),
			"HostedCluster clusters/kv-00 is on platform AWS: hcctl makes pools of KubeVirt VMs only"},
	} {
		_, err := prepareCreate(t, manage(t, tc.hc), "", nodepool.WaitNone)
		refuses(t, name, err, tc.want)
	}
}

// Operators before 4.21 make no workers of s390x. One that does not say which versions it supports decides itself.
func TestPoolsOfS390X(t *testing.T) {
	for name, tc := range map[string]struct{ supported, arch, refused string }{
		"too old":          {`{"versions":["4.20","4.19"]}`, "s390x", "HyperShift operator of 4.21 or later; this one supports 4.20, 4.19"},
		"new enough":       {`{"versions":["4.21","4.20"]}`, "s390x", ""},
		"another":          {`{"versions":["4.20","4.19"]}`, "amd64", ""},
		"not told":         {"", "s390x", ""},
		"not to be parsed": {"odd", "s390x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster())
			if tc.supported != "" {
				m.configs.Put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "hypershift", Name: "supported-versions"},
					Data: map[string]string{"supported-versions": tc.supported}})
			}
			o := options.DefaultNodePool()
			o.Name, o.Arch = "z", tc.arch
			valid, err := o.Validate()
			if err != nil {
				t.Fatal(err)
			}
			_, err = nodepool.PrepareCreate(t.Context(), m.client, "clusters", "kv-00", valid, nodepool.WaitNone)
			if tc.refused == "" && err != nil || tc.refused != "" && (err == nil || !strings.Contains(err.Error(), tc.refused)) {
				t.Errorf("got %v, want %q", err, tc.refused)
			}
		})
	}
}

func TestStepsOfANewPool(t *testing.T) {
	m := manage(t, cluster())
	c, err := prepareCreate(t, m, "", nodepool.WaitNone)
	if err != nil || steptest.IDs(c.Steps()) != "pool/written" {
		t.Fatalf("--wait none: %s, %v", steptest.IDs(c.Steps()), err)
	}
	if c, err = prepareCreate(t, m, "", nodepool.WaitNodes); err != nil {
		t.Fatal(err)
	}
	steps := c.Steps()
	if _, err := step.New(steps...); err != nil || steptest.IDs(steps) != "pool/written pool/machines pool/nodes" ||
		!slices.Equal(steps[1].Needs, []step.ID{"pool/written"}) {
		t.Errorf("%s, %v", steptest.IDs(steps), err)
	}
	steptest.Expect(t, steps[0].Check(t.Context(), nil), step.StateMissing, "NodePool clusters/gpu")
	does(t, steps[0], step.Created)
	steptest.Expect(t, steps[0].Check(t.Context(), nil), step.StateOK)
	if np := m.pool(t, "gpu"); np.Spec.ClusterName != "kv-00" {
		t.Errorf("written: %+v", np.Spec)
	}
	away, err := prepareCreate(t, manage(t, cluster(elsewhere)), "", nodepool.WaitNodes)
	if err != nil || steptest.IDs(away.Steps()) != "pool/written pool/nodes" {
		t.Errorf("VMs elsewhere: %s, %v", steptest.IDs(away.Steps()), err)
	}
}

func TestWaits(t *testing.T) {
	if err := nodepool.WaitNodes.Validate(nodepool.WaitNone, nodepool.WaitNodes); err != nil {
		t.Error(err)
	}
	refuses(t, "gone", nodepool.WaitGone.Validate(nodepool.WaitNone, nodepool.WaitNodes), "must be one of none, nodes")
}
