package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// MaxPods is the prerequisite of this file.
const MaxPods step.ID = "cluster/max-pods"

// Limits of pods per node: OpenShift's default, and the recommendation of Red Hat's sizing guidance for hosted control
// planes.
const (
	usualMaxPods       = 250
	recommendedMaxPods = 500
)

// raiseMaxPods returns the command that raises the pod limit of a MachineConfigPool's nodes. It restarts them one after
// another.
func raiseMaxPods(pool string) string {
	return `oc create -f - <<< '{"apiVersion":"machineconfiguration.openshift.io/v1",` +
		`"kind":"KubeletConfig","metadata":{"name":"max-pods"},` +
		`"spec":{"machineConfigPoolSelector":{"matchLabels":{"pools.operator.machineconfiguration.openshift.io/` + pool +
		`":""}},"kubeletConfig":{"maxPods":500}}}' (restarts the nodes of the pool, one by one)`
}

// poolOf returns the MachineConfigPool of a worker. A node that is also a control plane node, as on a compact cluster,
// is in pool master (Machine Config Operator 4.12 to 4.21).
func poolOf(n *corev1.Node) string {
	if prereq.IsControlPlane(n) {
		return "master"
	}
	return "worker"
}

// maxPods checks the kubelets' limit of pods. The default is reported without a warning, because it is enough for a few
// hosted clusters, and cluster/capacity reports when it is too low.
type maxPods struct{}

func (s maxPods) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: MaxPods, Title: "pods a node takes", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ListNodes()}},
	}
}

func (s maxPods) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.Workers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeMaxPods(nodes)
}

func judgeMaxPods(nodes []corev1.Node) step.Finding {
	var lowest *corev1.Node
	for i := range nodes {
		n := &nodes[i]
		if prereq.TakesPods(n) && n.Status.Capacity.Pods().Value() > 0 &&
			(lowest == nil || n.Status.Capacity.Pods().Cmp(*lowest.Status.Capacity.Pods()) < 0) {
			lowest = n
		}
	}
	if lowest == nil {
		return step.Pending("no worker reports how many pods it takes yet").On("Nodes")
	}
	pods := lowest.Status.Capacity.Pods().Value()
	planes := pods / capacity.HighlyAvailable().Pods
	switch {
	case pods < usualMaxPods:
		return step.Missing("it takes %d pods, OpenShift's own default is %d, Red Hat recommends %d for hosting: that is "+
			"room for %d highly available control planes of %d pods on it",
			pods, usualMaxPods, recommendedMaxPods, planes, capacity.HighlyAvailable().
				Pods).On("Node %s", lowest.Name).WithHint("%s", raiseMaxPods(poolOf(lowest)))
	case pods < recommendedMaxPods:
		return step.OK("each worker takes %d or more, about %d highly available control planes of %d pods (Red Hat "+
			"recommends %d for more)", pods, planes, capacity.HighlyAvailable().Pods, recommendedMaxPods).On("Nodes")
	}
	return step.OK("each worker takes %d or more, about %d highly available control planes of %d pods", pods, planes,
		capacity.HighlyAvailable().Pods).On("Nodes")
}
