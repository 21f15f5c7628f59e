package density

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

// StopReason is why a run stopped.
type StopReason struct {
	// Name is one of StopRules.
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	// Message contains the numbers.
	Message string `json:"message"`
	// Harm is set if the management cluster already suffers. Otherwise the next cluster would not fit.
	Harm bool `json:"harm"`
}

// evaluate returns the first rule that finds harm in a sample, or nil. errors is the number of failed requests
// within errorWindow.
func evaluate(s *Sample, b *Baseline, l Limits, errors int) *StopReason {
	for _, find := range []func(*Sample, *Baseline, Limits, int) (string, string){
		checkNodes, checkOperators, checkPods, checkAPI} {
		if name, message := find(s, b, l, errors); message != "" && !l.ignores(name) {
			return &StopReason{Name: name, At: s.At, Message: message, Harm: true}
		}
	}
	return nil
}

func checkNodes(s *Sample, b *Baseline, _ Limits, _ int) (name, message string) {
	var unready, pressed []string
	for _, n := range s.Nodes {
		if !n.Ready && !slices.Contains(b.Unready, n.Name) {
			unready = append(unready, n.Name)
		}
		if len(n.Pressure) > 0 && !slices.Contains(b.Pressed, n.Name) {
			pressed = append(pressed, n.Name+" ("+strings.Join(n.Pressure, ", ")+")")
		}
	}
	switch {
	case len(unready) > 0:
		return StopNodes, fmt.Sprintf("%d of %d nodes have become not ready: %s", len(unready), len(s.Nodes),
			strings.Join(unready, ", "))
	case len(pressed) > 0:
		return StopNodes, fmt.Sprintf("%d of %d nodes have come under pressure: %s", len(pressed), len(s.Nodes),
			strings.Join(pressed, ", "))
	}
	return StopNodes, ""
}

func checkOperators(s *Sample, b *Baseline, _ Limits, _ int) (name, message string) {
	for _, operator := range slices.Sorted(maps.Keys(s.Unwell)) {
		if !slices.Contains(b.Unwell, operator) {
			return StopOperators, fmt.Sprintf("ClusterOperator %s was healthy when the run began: %s",
				operator, s.Unwell[operator])
		}
	}
	return StopOperators, ""
}

func checkPods(s *Sample, b *Baseline, l Limits, _ int) (name, message string) {
	old := olderThan(s.Stalled, s.At, l.PendingGrace, b.Stalled)
	if len(old) <= l.MaxPending {
		return StopPending, ""
	}
	message = fmt.Sprintf("pods Pending for more than %s: %d, at most %d may be (%s); the oldest is %s, for %s",
		l.PendingGrace, len(old), l.MaxPending, hint.Flag("max-pending"), old[0].Pod,
		s.At.Sub(old[0].Since).Round(time.Second))
	if old[0].Why != "" {
		message += ": " + old[0].Why
	}
	return StopPending, message
}

func checkAPI(_ *Sample, _ *Baseline, l Limits, errors int) (name, message string) {
	if errors <= l.MaxErrors {
		return StopAPI, ""
	}
	return StopAPI, fmt.Sprintf("the API server has answered %d of hcctl's requests with 429 or 5xx within %s, %d may "+
		"be (%s)", errors, errorWindow, l.MaxErrors, hint.Flag("max-errors"))
}

// Need is what one cluster requests from the nodes.
type Need struct {
	ControlPlane, Machines capacity.Resources
	Copies                 int64
	// Measured is set if this run has measured the values. Otherwise they come from the sizing guidance.
	Measured bool
}

func (n Need) all() capacity.Resources { return n.ControlPlane.Plus(n.Machines) }

// source returns where the numbers come from, for messages.
func (n Need) source() string {
	if n.Measured {
		return "as measured"
	}
	return "by the sizing guidance"
}

// checkRoom returns why the next cluster does not fit: on the nodes, where clusters in progress will still
// request resources (reserved), in the load balancer's pools, or by the addon's limit. begun counts the clusters
// of the run; needsAddress is set if each takes an address.
func checkRoom(s *Sample, b *Baseline, l Limits, need Need, reserved capacity.Resources, begun int64,
	needsAddress bool) *StopReason {
	sign := func(name, format string, args ...any) *StopReason {
		if l.ignores(name) {
			return nil
		}
		return &StopReason{Name: name, At: s.At, Message: fmt.Sprintf(format, args...)}
	}
	if b.MaxClusters > 0 && b.HostedClusters+begun >= b.MaxClusters {
		if found := sign(StopAddon, "there were %s, and this run has begun %d: the hypershift addon counts %d "+
			"as full (hcMaxNumber)", plural.Count(int(b.HostedClusters), "hosted cluster"), begun,
			b.MaxClusters); found != nil {
			return found
		}
	}
	// A cluster in progress takes an address now or later; the pool's own count does not show later ones.
	if needsAddress && addressesLeft(s, b, begun) == 0 {
		if found := sign(StopAddresses, "%d of the load balancer's %d addresses were free before the run, %d are now, and "+
			"each hosted cluster takes one (begun: %d)",
			b.Addresses.Free, b.Addresses.All, s.Addresses.Free, begun); found != nil {
			return found
		}
	}
	if need.all() == (capacity.Resources{}) {
		return nil
	}
	rooms := nodeCapacities(s, reserved)
	if n, scarcest := capacity.Fitting(rooms, atLeast(need.Copies, need.ControlPlane), need.Machines, need.Copies); n < 1 {
		has, used := s.totals()
		return sign(StopCapacity, "no room for the next cluster, which requests %s (%s): free on %d nodes are %s, of which "+
			"clusters under way will take %s; what runs out first: %s",
			need.all(), need.source(), len(rooms), has.Minus(used), reserved, scarcest)
	}
	return nil
}

// addressesLeft returns the addresses for clusters that have not begun.
func addressesLeft(s *Sample, b *Baseline, begun int64) uint64 {
	left := b.Addresses.Free - min(b.Addresses.Free, uint64(max(begun, 0)))
	return min(left, s.Addresses.Free)
}

// atLeast keeps each copy's share above zero.
func atLeast(copies int64, r capacity.Resources) capacity.Resources {
	return r.Most(capacity.Resources{MilliCPU: copies, Memory: copies, Pods: copies})
}

// nodeCapacities returns the nodes after the reserved requests, spread in proportion to each node's free resources.
func nodeCapacities(s *Sample, reserved capacity.Resources) []capacity.Room {
	has, used := s.totals()
	free := has.Minus(used)
	share := func(own, all, part int64) int64 {
		if all <= 0 {
			return 0
		}
		return int64(float64(own) / float64(all) * float64(part))
	}
	var rooms []capacity.Room
	for _, n := range s.Nodes {
		if !n.Hosts {
			continue
		}
		left := n.Has.Minus(n.Used)
		rooms = append(rooms, capacity.Room{Node: n.Name, Has: n.Has, Used: n.Used.Plus(capacity.Resources{
			MilliCPU: share(left.MilliCPU, free.MilliCPU, reserved.MilliCPU),
			Memory:   share(left.Memory, free.Memory, reserved.Memory), Pods: share(left.Pods, free.Pods, reserved.Pods),
		})})
	}
	return rooms
}
