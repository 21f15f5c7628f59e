package maintenance

import (
	"context"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// Outcome is what happens to a pod or VM when the node is drained. The values are a contract with scripts.
type Outcome string

// Values of Outcome.
const (
	// Moves means that the pod is evicted and recreated on another node.
	Moves Outcome = "moves"
	// Migrates means that the VM is migrated live.
	Migrates Outcome = "migrates"
	// Restarts means that the VM is shut down and starts on another node.
	Restarts Outcome = "restarts"
	// Stays means that a drain leaves the pod alone.
	Stays Outcome = "stays"
	// Waits means that the drain waits for it, possibly forever.
	Waits Outcome = "waits"
	// Lost means that it is unavailable while the node is away, or lost forever.
	Lost Outcome = "lost"
	// Untold means that the outcome is unknown.
	Untold Outcome = "unknown"
)

// state reports whether the outcome blocks a maintenance.
func (o Outcome) state() step.State {
	switch o {
	case Moves, Migrates, Restarts, Stays:
		return step.StateOK
	case Waits, Lost:
		return step.StateFailing
	case Untold:
	}
	return step.StateUnknown
}

// Item is a pod or a VM on the node.
type Item struct {
	// Kind is Pod or VirtualMachineInstance.
	Kind      string             `json:"kind"`
	Namespace string             `json:"namespace"`
	Name      string             `json:"name"`
	NodePool  string             `json:"nodePool,omitempty"`
	Outcome   Outcome            `json:"outcome"`
	Verdict   management.Verdict `json:"verdict"`
	Message   string             `json:"message,omitempty"`
	Hint      hint.Text          `json:"hint,omitzero"`
}

// HostedCluster lists what a hosted cluster has on the node.
type HostedCluster struct {
	Namespace string             `json:"namespace"`
	Name      string             `json:"name"`
	Verdict   management.Verdict `json:"verdict"`
	// Findings concern the control plane as a whole, such as the quorum of its etcd.
	Findings management.Findings `json:"findings"`
	// Etcd is omitted if no member is on the node.
	Etcd *Etcd `json:"etcd,omitempty"`
	// Pods belong to the control plane. Machines are the VMs of its workers.
	Pods     []Item `json:"pods"`
	Machines []Item `json:"machines"`
}

// Etcd counts the members of a hosted cluster's etcd.
type Etcd struct {
	// Members is the desired number. Here are on this node, ReadyElsewhere are ready on other nodes, and Quorum of them
	// are needed.
	Members        int `json:"members"`
	Here           int `json:"here"`
	ReadyElsewhere int `json:"readyElsewhere"`
	Quorum         int `json:"quorum"`
}

// Plan describes the effect of a node's maintenance; its JSON is described in docs/schema/node-maintenance.json.
type Plan struct {
	step.TypeMeta
	Node    string             `json:"node"`
	Verdict management.Verdict `json:"verdict"`
	// Findings concern the node itself, the storage on it, and what could not be read.
	Findings       management.Findings `json:"findings"`
	HostedClusters []HostedCluster     `json:"hostedClusters"`
	// Machines are VMs that are not workers of a hosted cluster.
	Machines []Item `json:"machines"`
	// Pods are all other pods.
	Pods []Item `json:"pods"`
	// Outcomes counts pods and VMs by outcome.
	Outcomes map[Outcome]int `json:"outcomes"`
}

// Of plans the maintenance of a node. It fails if the node does not exist, or if nodes or pods cannot be read; other
// read errors become findings. It sends ten requests, more if lists have more pages.
func Of(ctx context.Context, c *kube.Client, node string) (*Plan, error) {
	w, err := read(ctx, c, node)
	if err != nil {
		return nil, err
	}
	return w.plan(), nil
}

func (w *snapshot) plan() *Plan {
	p := &Plan{TypeMeta: step.NewTypeMeta("NodeMaintenance"), Node: w.node.Name,
		Findings: w.judgeNode(), HostedClusters: []HostedCluster{}, Machines: []Item{}, Pods: []Item{},
		Outcomes: map[Outcome]int{}}
	w.place()
	p.Findings = append(p.Findings, w.judgeStorage()...)
	planes := map[string]*HostedCluster{}
	for _, pod := range w.here {
		item := w.item(pod)
		p.Outcomes[item.Outcome]++
		hc := w.planes[pod.Namespace]
		switch {
		case hc == nil && isLauncher(pod):
			p.Machines = append(p.Machines, item)
			continue
		case hc == nil:
			p.Pods = append(p.Pods, item)
			continue
		}
		own := planes[pod.Namespace]
		if own == nil {
			own = &HostedCluster{Namespace: hc.Namespace, Name: hc.Name, Findings: []step.Finding{}, Pods: []Item{},
				Machines: []Item{}}
			own.Findings, own.Etcd = w.judgePlane(pod.Namespace, hc)
			planes[pod.Namespace] = own
		}
		if isLauncher(pod) {
			own.Machines = append(own.Machines, item)
		} else {
			own.Pods = append(own.Pods, item)
		}
	}
	for _, namespace := range w.namespaces() {
		if own := planes[namespace]; own != nil {
			own.Verdict = Gravest(own.Findings, own.Pods, own.Machines)
			p.HostedClusters = append(p.HostedClusters, *own)
		}
	}
	step.GravestFirst(p.Findings)
	gravest := step.State(Gravest(p.Findings, p.Machines, p.Pods))
	for i := range p.HostedClusters {
		gravest = step.Worse(gravest, step.State(p.HostedClusters[i].Verdict))
	}
	p.Verdict = management.Verdict(gravest)
	return p
}

// Gravest returns the most severe verdict of findings, pods and VMs.
func Gravest(findings []step.Finding, items ...[]Item) management.Verdict {
	gravest := step.Gravest(findings)
	for _, list := range items {
		for i := range list {
			gravest = step.Worse(gravest, step.State(list[i].Verdict))
		}
	}
	return management.Verdict(gravest)
}
