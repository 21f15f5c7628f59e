package creation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestStepsFollowAsFarAsAsked(t *testing.T) {
	const objects = 7
	for wait, want := range map[options.Wait][]step.ID{
		options.WaitNone: nil,
		options.WaitAPI:  {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api"},
		options.WaitNodes: {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api",
			"cluster/machines", "hosted/nodes", "cluster/advice"},
		options.WaitComplete: {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api",
			"cluster/machines", "hosted/nodes", "cluster/rollout", "cluster/advice", "cluster/healthy"},
	} {
		p := &Plan{Options: optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) { o.Wait = wait })),
			Inputs: objectstest.Inputs()}
		steps := p.Steps()
		if _, err := step.New(steps...); err != nil {
			t.Fatal(err)
		}
		var got []step.ID
		for _, s := range steps[objects:] {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--wait %s: %s", wait, diff)
		}
	}
}

// VMs on another cluster cannot be behind a Service of this one.
func TestIngressIsNotMadeForVMsElsewhere(t *testing.T) {
	o := optionstest.Valid(t,
		optionstest.With(t, "--base-domain example.com --infra-namespace guests --infra-kubeconfig-file kubeconfig"))
	for _, s := range (&Plan{Options: o, Inputs: objectstest.Inputs()}).Steps() {
		if s.Group == "ingress" {
			t.Errorf("%s is made on the wrong cluster", s.ID)
		}
	}
}
