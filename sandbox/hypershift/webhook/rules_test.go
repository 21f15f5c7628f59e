package webhook

import (
	"context"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestDefaultsOfAHostedCluster(t *testing.T) {
	defaults := func(name string) *clusterDefaults {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return &clusterDefaults{reconciler.Base{Env: operator.Env{Profile: p}, Features: reconciler.FeaturesOf(p.MCE())}}
	}
	hc := &hyperv1.HostedCluster{Spec: hyperv1.HostedClusterSpec{
		Platform: hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform},
		Services: []hyperv1.ServicePublishingStrategyMapping{{
			Service: hyperv1.APIServer, ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: hyperv1.Route},
		}},
	}}
	if err := defaults("ready").Default(context.Background(), hc); err != nil {
		t.Fatal(err)
	}
	if hc.Spec.Release.Image != "quay.io/openshift-release-dev/ocp-release:4.20.8-multi" {
		t.Errorf("release %s", hc.Spec.Release.Image)
	}
	if api := reconciler.Publishing(hc.Spec.Services, hyperv1.APIServer); len(hc.Spec.Services) != 4 ||
		api.Type != hyperv1.Route {
		t.Errorf("services %+v", hc.Spec.Services)
	}
	if kv := hc.Spec.Platform.Kubevirt; kv == nil || len(kv.GenerateID) != 10 || !*kv.BaseDomainPassthrough {
		t.Errorf("platform %+v", kv)
	}
	// Without access to the internet there is no latest release.
	err := defaults("disconnected").Default(context.Background(), &hyperv1.HostedCluster{})
	if err == nil || !strings.HasPrefix(err.Error(), "unable to find default release image: Get ") {
		t.Errorf("disconnected: %v", err)
	}
}

func TestPatchAnnotation(t *testing.T) {
	for text, want := range map[string]string{
		`[{"op":"add","path":"/spec/x","value":1}]`: "",
		`{"op":"add"}`:                        "cannot unmarshal object",
		`[{"path":"/spec/x","value":1}]`:      "unsupported operation",
		`[{"op":"add","path":"/spec/x"}]`:     "missing value",
		`[{"op":"add","value":1}]`:            "path",
		`[{"op":"replace","path":"/spec/x"}]`: "missing value",
	} {
		err := checkPatchAnnotation(map[string]string{hyperv1.JSONPatchAnnotation: text})
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(),
				`wrong json patch structure in the "hypershift.openshift.io/kubevirt-vm-jsonpatch" annotation`)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
