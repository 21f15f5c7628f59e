package apply

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Each registry that a new cluster's release comes from is looked for in the pull secret which that cluster gets.
func TestEachReleaseAndPullSecretIsWantedOnce(t *testing.T) {
	of := func(name, release, secret string) *creation.Plan {
		o := options.Defaults()
		o.Namespace, o.Name = "lab", name
		if secret != "" {
			o.PullSecret = options.File{Content: []byte(secret)}
		}
		valid, err := o.Validate()
		if err != nil {
			t.Fatal(err)
		}
		plan := &creation.Plan{Options: valid}
		plan.Inputs.ReleaseImage = release
		return plan
	}
	const (
		own   = `{"auths":{"quay.io":{"auth":"YTpi"}}}`
		other = `{"auths":{"lab.example:5000":{"auth":"YTpi"}}}`
	)
	got := wantedByAll([]*creation.Plan{
		of("a", "quay.io/ocp/release@sha256:00", ""), of("b", "lab.example:5000/ocp:4.20.1", ""),
		of("c", "quay.io/ocp/release:4.20.2", ""), of("d", "quay.io/ocp/release:4.20.2", own),
		of("e", "lab.example:5000/ocp:4.20.2", other), of("f", "lab.example:5000/ocp:4.20.1", other),
	})
	want := []string{"lab/a", "lab/b", "lab/d", "lab/e"}
	if len(got.Pulls) != len(want) {
		t.Fatalf("%d pulls, not those of %v", len(got.Pulls), want)
	}
	for i, pull := range got.Pulls {
		if pull.Cluster != want[i] {
			t.Errorf("pull %d is that of %s, not %s", i, pull.Cluster, want[i])
		}
	}
}
