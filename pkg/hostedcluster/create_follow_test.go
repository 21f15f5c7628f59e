package hostedcluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestStepsFollowAsFarAsAsked(t *testing.T) {
	const objects = 7
	for wait, want := range map[Wait][]step.ID{
		WaitNone:     nil,
		WaitAPI:      {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api"},
		WaitNodes:    {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api", "cluster/machines", "cluster/nodes", "cluster/advice"},
		WaitComplete: {"cluster/accepted", "cluster/infrastructure", "cluster/etcd", "cluster/api", "cluster/machines", "cluster/nodes", "cluster/rollout", "cluster/advice"},
	} {
		p := &Plan{Options: named(func(o *Options) { o.Wait = wait }), Inputs: inputs()}
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
	o := with(t, "--base-domain example.com --infra-namespace guests --infra-kubeconfig-file kubeconfig")
	for _, s := range (&Plan{Options: o, Inputs: inputs()}).Steps() {
		if s.Group == "ingress" {
			t.Errorf("%s is made on the wrong cluster", s.ID)
		}
	}
}
