package prereqs

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// kvmResource is what KubeVirt's device plugin offers on nodes whose processor virtualizes.
const kvmResource corev1.ResourceName = "devices.kubevirt.io/kvm"

// kvm: workers that can run virtual machines.
type kvm struct{ c *kube.Client }

func (s kvm) step() step.Step {
	return step.Step{ID: KVM, Title: "hardware virtualization", Needs: []step.ID{HyperConverged}, Check: s.check, Timeout: 5 * time.Minute}
}

func (s kvm) check(ctx context.Context) step.Finding {
	nodes, err := workers(ctx, s.c)
	if err != nil {
		return kube.Unread(err).On("Nodes")
	}
	return judgeKVM(nodes)
}

func judgeKVM(nodes []corev1.Node) step.Finding {
	var able, unable []string
	for i := range nodes {
		n := &nodes[i]
		if !takesPods(n) {
			continue
		}
		if q := n.Status.Allocatable[kvmResource]; q.Value() > 0 && n.Labels["kubevirt.io/schedulable"] != "false" {
			able = append(able, n.Name)
		} else {
			unable = append(unable, n.Name)
		}
	}
	switch {
	case len(able) == 0:
		return step.Waiting("no worker offers %s yet", kvmResource).On("Nodes").
			WithHint("if this stays: switch on VT-x or AMD-V in the firmware, and see the pods virt-handler")
	case len(unable) > 0:
		return step.Okay("%d of %d workers offer it; none of: %s", len(able), len(able)+len(unable), strings.Join(unable, ", ")).On("Nodes")
	}
	return step.Okay("all %d workers offer it", len(able)).On("Nodes")
}
