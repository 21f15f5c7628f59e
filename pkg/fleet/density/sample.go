package density

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Sample is the state of the management cluster at one time.
type Sample struct {
	At time.Time
	// Nodes are all nodes, sorted by name.
	Nodes []Node
	// Stalled are the stalled pods of all namespaces.
	Stalled []Stalled
	// Namespaces has the requests of the pods by namespace.
	Namespaces map[string]capacity.Resources
	Addresses  loadbalancer.Addresses
	// Unwell has the messages of cluster operators that are degraded or unavailable.
	Unwell map[string]string
}

// Node is one node at one time.
type Node struct {
	Name string `json:"name"`
	// Hosts is set for a node that runs hosted clusters: a ready, schedulable worker.
	Hosts bool `json:"hosts"`
	Ready bool `json:"ready"`
	// Pressure lists the pressure conditions that are True.
	Pressure []string           `json:"pressure,omitempty"`
	Has      capacity.Resources `json:"allocatable"`
	Used     capacity.Resources `json:"requested"`
}

// takeSample reads pods page by page and keeps only sums, because a watch would keep every pod in memory.
func takeSample(ctx context.Context, r kube.Reader) (*Sample, error) {
	s := &Sample{At: time.Now().UTC(), Namespaces: map[string]capacity.Resources{}}
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return nil, fmt.Errorf("list Nodes: %w", err)
	}
	used := map[string]capacity.Resources{}
	pods := &corev1.PodList{}
	err := r.ListPages(ctx, pods, func() {
		for i := range pods.Items {
			pod := &pods.Items[i]
			if stuck, yes := stalled(pod); yes {
				s.Stalled = append(s.Stalled, stuck)
			}
			one := capacity.Requests(pod)
			s.Namespaces[pod.Namespace] = s.Namespaces[pod.Namespace].Plus(one)
			if pod.Spec.NodeName != "" {
				used[pod.Spec.NodeName] = used[pod.Spec.NodeName].Plus(one)
			}
		}
	}, client.MatchingFieldsSelector{Selector: fields.AndSelectors(
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)))})
	if err != nil {
		return nil, fmt.Errorf("list Pods: %w", err)
	}
	for i := range nodes.Items {
		s.Nodes = append(s.Nodes, nodeOf(&nodes.Items[i], used[nodes.Items[i].Name]))
	}
	slices.SortFunc(s.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	if s.Addresses, err = loadbalancer.CountFreeAddresses(ctx, r); err != nil {
		return nil, fmt.Errorf("count the load balancer's addresses: %w", err)
	}
	if s.Unwell, err = cluster.Unwell(ctx, r); err != nil {
		return nil, fmt.Errorf("list ClusterOperators: %w", err)
	}
	return s, nil
}

func nodeOf(n *corev1.Node, used capacity.Resources) Node {
	out := Node{Name: n.Name, Hosts: prereq.Hosts(n), Ready: health.NodeReady(n), Has: capacity.Allocatable(n), Used: used}
	for _, c := range n.Status.Conditions {
		if strings.HasSuffix(string(c.Type), "Pressure") && c.Status == corev1.ConditionTrue {
			out.Pressure = append(out.Pressure, string(c.Type))
		}
	}
	return out
}

// totals sums up the nodes that host clusters.
func (s *Sample) totals() (has, used capacity.Resources) {
	for _, n := range s.Nodes {
		if n.Hosts {
			has, used = has.Plus(n.Has), used.Plus(n.Used)
		}
	}
	return has, used
}

// Baseline is the state before the run. Problems from before do not stop it.
type Baseline struct {
	At time.Time `json:"at"`
	// Stalled are the UIDs of stalled pods.
	Stalled []string `json:"stalledPods"`
	// Unready are nodes that were not ready, Pressed nodes under pressure, Unwell degraded or unavailable
	// cluster operators.
	Unready        []string               `json:"unreadyNodes"`
	Pressed        []string               `json:"pressedNodes"`
	Unwell         []string               `json:"unwellOperators"`
	Addresses      loadbalancer.Addresses `json:"addresses"`
	HostedClusters int64                  `json:"hostedClusters"`
	// MaxClusters is the limit of the hypershift addon.
	MaxClusters int64              `json:"mostHostedClusters"`
	Allocatable capacity.Resources `json:"allocatable"`
	Requested   capacity.Resources `json:"requested"`
}

func baselineOf(s *Sample, clusters, maxClusters int64) *Baseline {
	b := &Baseline{At: s.At, Stalled: []string{}, Unready: []string{}, Pressed: []string{}, Unwell: []string{},
		Addresses: s.Addresses, HostedClusters: clusters, MaxClusters: maxClusters}
	for _, p := range s.Stalled {
		b.Stalled = append(b.Stalled, p.UID)
	}
	for _, n := range s.Nodes {
		if !n.Ready {
			b.Unready = append(b.Unready, n.Name)
		}
		if len(n.Pressure) > 0 {
			b.Pressed = append(b.Pressed, n.Name)
		}
	}
	for name := range s.Unwell {
		b.Unwell = append(b.Unwell, name)
	}
	slices.Sort(b.Unwell)
	b.Allocatable, b.Requested = s.totals()
	return b
}
