package virtualization

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// KVM is the prerequisite of this file.
const KVM step.ID = "virtualization/kvm"

const (
	// kvmResource is the resource of KubeVirt's device plugin on nodes with hardware virtualization.
	kvmResource corev1.ResourceName = "devices.kubevirt.io/kvm"
	// schedulableLabel says whether KubeVirt schedules virtual machines on a node.
	schedulableLabel = "kubevirt.io/schedulable"
	// virtHandlerLabel marks the pods of virt-handler, which sets both.
	virtHandlerLabel = "kubevirt.io"
	// featureLabels is the prefix of the labels of Node Feature Discovery.
	featureLabels = "feature.node.kubernetes.io/"
	// handlerGrace is how long a ready virt-handler may take to offer its devices and mark its node schedulable: it
	// updates the label once a minute.
	handlerGrace = 2 * time.Minute
)

// kvm checks that workers can run virtual machines.
type kvm struct{}

func (s kvm) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: KVM, Title: "hardware virtualization", Needs: []step.ID{prereq.HyperConverged},
		Check:   s.check,
		Timeout: 5 * time.Minute,
		Rights:  prereq.Rights{Check: []access.Rule{prereq.ListNodes(), prereq.ListPods()}},
	}
}

func (s kvm) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.Workers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	handlers := &corev1.PodList{}
	if err := r.List(ctx, handlers, client.MatchingLabels{virtHandlerLabel: "virt-handler"}); err != nil {
		return kube.Unknown(err).On("Pods virt-handler")
	}
	return judgeKVM(nodes, readySince(handlers.Items), r.Now())
}

// readySince returns since when the virt-handler of each node is ready, by node name.
func readySince(handlers []corev1.Pod) map[string]time.Time {
	since := map[string]time.Time{}
	for i := range handlers {
		if at, ready := health.PodReadySince(&handlers[i]); ready && handlers[i].DeletionTimestamp == nil {
			since[handlers[i].Spec.NodeName] = at
		}
	}
	return since
}

// judgeKVM judges the workers that take pods, and names those that cannot run virtual machines. It is Broken only if
// none can: once a virt-handler has been ready on each for handlerGrace, or if Node Feature Discovery found no
// processor with virtualization.
func judgeKVM(nodes []corev1.Node, handlers map[string]time.Time, now time.Time) step.Finding {
	var able, unable []string
	settled, featured := true, true
	left := time.Duration(0)
	for i := range nodes {
		n := &nodes[i]
		if !prereq.TakesPods(n) {
			continue
		}
		why := whyNoKVM(n)
		if why == "" {
			able = append(able, n.Name)
			continue
		}
		unable = append(unable, n.Name+" ("+why+")")
		featured = featured && withoutVirtualization(n)
		since, ready := handlers[n.Name]
		if age := now.Sub(since); !ready || age < handlerGrace {
			settled = false
			left = max(left, handlerGrace-age)
		}
	}
	const hint = "switch on VT-x or AMD-V in the firmware of the machines (nested virtualization where they are " +
		"virtual), and see: oc get pods -A -l kubevirt.io=virt-handler -o wide"
	switch {
	case len(able) == 0 && len(unable) == 0:
		return step.Pending("there is no worker that takes pods").On("Nodes")
	case len(able) == 0 && len(handlers) == 0 && featured:
		return step.Broken("Node Feature Discovery finds no processor that virtualizes: %s", strings.Join(unable, ", ")).
			On("Nodes").WithHint(hint)
	case len(able) == 0 && settled:
		return step.Broken("no worker can run virtual machines, though virt-handler is ready there: %s",
			strings.Join(unable, ", ")).On("Nodes").WithHint(hint)
	case len(able) == 0:
		f := step.Pending("no worker can run virtual machines yet: %s", strings.Join(unable, ", ")).On("Nodes").WithHint(hint)
		if left > 0 && left <= handlerGrace {
			f = f.RecheckAfter(left)
		}
		return f
	case len(unable) > 0:
		return step.OK("%d of %d workers offer it; none of: %s", len(able), len(able)+len(unable),
			strings.Join(unable, ", ")).On("Nodes")
	}
	return step.OK("all %d workers offer it", len(able)).On("Nodes")
}

// whyNoKVM returns why KubeVirt runs no virtual machine on the node, or "".
func whyNoKVM(n *corev1.Node) string {
	q := n.Status.Allocatable[kvmResource]
	switch {
	case q.Value() == 0:
		return fmt.Sprintf("no %s", kvmResource)
	case n.Labels[schedulableLabel] == "false":
		return schedulableLabel + "=false"
	}
	return ""
}

// withoutVirtualization reports whether Node Feature Discovery inspected the node's processor and found neither VT-x
// nor AMD-V.
func withoutVirtualization(n *corev1.Node) bool {
	if n.Labels[featureLabels+"cpu-cpuid.VMX"] == "true" || n.Labels[featureLabels+"cpu-cpuid.SVM"] == "true" {
		return false
	}
	for key := range n.Labels {
		if strings.HasPrefix(key, featureLabels+"cpu-") {
			return true
		}
	}
	return false
}
