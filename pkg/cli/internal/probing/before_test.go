package probing

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/management/probe"
)

// Without --pull-secret a cluster gets the management cluster's, which is in the inputs and not in the options.
func TestProbesPullWithTheSecretThatTheClusterGets(t *testing.T) {
	plan := func(image, secret string) *creation.Plan {
		return &creation.Plan{Inputs: objects.Inputs{ReleaseImage: image, PullSecret: []byte(secret)}}
	}
	got := pulls([]*creation.Plan{plan("a", `{"auths":{"x":{}}}`), plan("a", `{"auths":{"x":{}}}`),
		plan("b", `{"auths":{"x":{}}}`), plan("a", `{"auths":{"y":{}}}`)})
	want := []probe.Pulled{{Image: "a", Secret: []byte(`{"auths":{"x":{}}}`)},
		{Image: "b", Secret: []byte(`{"auths":{"x":{}}}`)},
		{Image: "a", Secret: []byte(`{"auths":{"y":{}}}`)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pulls (-want +got):\n%s", diff)
	}
}
