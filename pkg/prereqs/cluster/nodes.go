package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Nodes is the prerequisite of this file.
const Nodes step.ID = "cluster/nodes"

const (
	// minWorkers is what HyperShift's operator and a replicated storage cluster need.
	minWorkers = 3
)

// clusterNodes checks that there are enough workers that accept pods.
type clusterNodes struct{}

func (s clusterNodes) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Nodes, Title: "worker nodes",
		Check: s.check, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ListNodes()}},
	}
}

func (s clusterNodes) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeWorkers(nodes)
}

// judgeWorkers takes all nodes: those of the control plane decide what to advise.
func judgeWorkers(nodes []corev1.Node) step.Finding {
	ready, unready, closed, masters := 0, []string{}, []string{}, 0
	for i := range nodes {
		switch n := &nodes[i]; {
		case !prereq.IsWorker(n):
			if prereq.IsControlPlane(n) && health.NodeReady(n) {
				masters++
			}
		case !prereq.TakesPods(n):
			closed = append(closed, n.Name)
		case !health.NodeReady(n):
			unready = append(unready, n.Name)
		default:
			ready++
		}
	}
	switch {
	case ready >= minWorkers:
		return step.OK("%d workers are ready", ready).On("Nodes")
	case ready+len(unready) >= minWorkers:
		return step.Pending("%d of the %d needed workers are ready; not ready: %s", ready, minWorkers,
			strings.Join(unready, ", ")).On("Nodes").
			WithHint("oc describe node %s", unready[0])
	}
	f := step.Missing("%s can be scheduled on, %d are needed", plural.Count(ready+len(unready), "worker"), minWorkers).
		On("Nodes")
	switch {
	case len(closed) > 0:
		f.Message += fmt.Sprintf("; these workers take no pods (cordoned or tainted): %s", strings.Join(closed, ", "))
		return f.WithHint("oc adm uncordon %s, or remove the taint", closed[0])
	case ready+len(unready)+masters >= minWorkers:
		return f.WithHint(`add workers, or let the %d control plane nodes take work: oc patch `+
			`schedulers.config.openshift.io cluster --type=merge -p '{"spec":{"mastersSchedulable":true}}'`, masters)
	}
	return f.WithHint("add workers")
}
