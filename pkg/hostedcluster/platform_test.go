package hostedcluster

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// TestPlatforms has every platform of HyperShift's API: only VMs of the management cluster are judged.
func TestPlatforms(t *testing.T) {
	for _, p := range append(hyperv1.PlatformTypes(), "", "Later") {
		hc := &hyperv1.HostedCluster{}
		hc.Namespace, hc.Name, hc.Spec.Platform.Type = "clusters", "a", p
		got, kubevirt, none := PlatformOf(hc), p == "" || p == hyperv1.KubevirtPlatform, p == hyperv1.NonePlatform
		if got.KubeVirt() != kubevirt || got.HasVMs() != kubevirt || got.MakesNodes() == none {
			t.Errorf("%q: %+v", p, got)
		}
		want := "platform " + string(p) + ": its machines are not judged"
		if kubevirt {
			want = ""
		}
		if got.NotJudged() != want {
			t.Errorf("%q: %q", p, got.NotJudged())
		}
		if err := CheckVMs(hc); (err == nil) != kubevirt {
			t.Errorf("%q: %v", p, err)
		}
		if err := CheckSizes(hc); (err != nil) != none {
			t.Errorf("%q: %v", p, err)
		}
		np := &hyperv1.NodePool{}
		np.Spec.Platform.Type = p
		if PlatformOfPool(np) != got {
			t.Errorf("%q: its NodePool is of another", p)
		}
	}
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name, hc.Spec.Platform.Type = "clusters", "a", hyperv1.KubevirtPlatform
	hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{Credentials: &hyperv1.KubevirtPlatformCredentials{}}
	p := PlatformOf(hc)
	if !p.KubeVirt() || p.HasVMs() || !p.MakesNodes() || p.NotJudged() != "its VMs run on another cluster: they are not judged" {
		t.Errorf("%+v: %s", p, p.NotJudged())
	}
}
