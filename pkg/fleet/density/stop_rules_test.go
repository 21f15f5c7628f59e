package density

import (
	"regexp"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
)

const gib = int64(1) << 30

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// three are workers of 16 cores, 64Gi and 250 pods each, of which a quarter is requested.
func three() *Sample {
	s := &Sample{At: noon, Addresses: loadbalancer.Addresses{Free: 10, All: 12}, Namespaces: map[string]capacity.Resources{}}
	for _, name := range []string{"w1", "w2", "w3"} {
		s.Nodes = append(s.Nodes, Node{
			Name: name, Hosts: true, Ready: true, Has: capacity.Resources{MilliCPU: 16000, Memory: 64 * gib, Pods: 250},
			Used: capacity.Resources{MilliCPU: 4000, Memory: 16 * gib, Pods: 62},
		})
	}
	return s
}

func pendingSince(minutes int, uid string) Stalled {
	return Stalled{Pod: "clusters-density-000/" + uid, UID: uid, Since: noon.Add(-time.Duration(minutes) * time.Minute),
		Why: "Unschedulable: 0/3 nodes are available"}
}

func TestHarm(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Sample, *Limits)
		errors int
		sign   string
		says   string
	}{
		{name: "all is well", change: func(*Sample, *Limits) {}},
		{name: "a pod that is young", change: func(s *Sample, _ *Limits) { s.Stalled = []Stalled{pendingSince(4, "a")} }},
		{
			name:   "pods that are old",
			change: func(s *Sample, _ *Limits) { s.Stalled = []Stalled{pendingSince(6, "a"), pendingSince(9, "b")} },
			sign:   StopPending,
			says:   `^pods Pending for more than 5m0s: 2, at most 0 may be .*the oldest is clusters-density-000/b, for 9m0s: Unschedulable: 0/3`,
		},
		{name: "as many as may be", change: func(s *Sample, l *Limits) {
			s.Stalled, l.MaxPending = []Stalled{pendingSince(6, "a")}, 1
		}},
		{name: "one that was pending before", change: func(s *Sample, _ *Limits) {
			s.Stalled = []Stalled{pendingSince(60, "old")}
		}},
		{name: "the sign is left out", change: func(s *Sample, l *Limits) {
			s.Stalled, l.Ignore = []Stalled{pendingSince(6, "a")}, []string{StopPending}
		}},
		{name: "a node is gone", change: func(s *Sample, _ *Limits) { s.Nodes[1].Ready = false }, sign: StopNodes,
			says: "^1 of 3 nodes have become not ready: w2$"},
		{name: "a node that was gone before", change: func(s *Sample, _ *Limits) { s.Nodes[0].Ready = false }},
		{
			name: "pressure", change: func(s *Sample, _ *Limits) { s.Nodes[2].Pressure = []string{"MemoryPressure"} },
			sign: StopNodes, says: `^1 of 3 nodes have come under pressure: w3 \(MemoryPressure\)$`,
		},
		{
			name: "an operator", change: func(s *Sample, _ *Limits) {
				s.Unwell = map[string]string{"etcd": "Degraded True: slow"}
			},
			sign: StopOperators, says: "^ClusterOperator etcd was healthy when the run began: Degraded True: slow$",
		},
		{name: "an operator that was sick before", change: func(s *Sample, _ *Limits) {
			s.Unwell = map[string]string{"insights": "Degraded True"}
		}},
		{name: "some errors", change: func(*Sample, *Limits) {}, errors: 10},
		{name: "many errors", change: func(*Sample, *Limits) {}, errors: 11, sign: StopAPI,
			says: "has answered 11 of hcctl's requests with 429 or 5xx within 1m0s, 10 may be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, l := three(), DefaultLimits()
			tt.change(s, &l)
			b := &Baseline{Stalled: []string{"old"}, Unready: []string{"w1"}, Unwell: []string{"insights"}}
			got := evaluate(s, b, l, tt.errors)
			expect(t, got, tt.sign, tt.says)
			if got != nil && !got.Harm {
				t.Error("it is harm that is there")
			}
		})
	}
}

func expect(t *testing.T, got *StopReason, name, says string) {
	t.Helper()
	switch {
	case got == nil && name == "":
	case got == nil:
		t.Errorf("no sign, want %s", name)
	case got.Name != name:
		t.Errorf("sign %s (%s), want %q", got.Name, got.Message, name)
	case !regexp.MustCompile(says).MatchString(got.Message):
		t.Errorf("%q does not match %q", got.Message, says)
	}
}

func TestRoom(t *testing.T) {
	one := Need{ControlPlane: capacity.Resources{MilliCPU: 5000, Memory: 18 * gib, Pods: 75},
		Machines: capacity.Resources{MilliCPU: 400, Memory: 17 * gib, Pods: 2}, Copies: 3}
	for _, tt := range []struct {
		name     string
		change   func(*Sample, *Baseline, *Limits)
		reserved capacity.Resources
		begun    int64
		sign     string
		says     string
	}{
		{name: "there is"},
		{
			name: "those under way take it", reserved: capacity.Resources{Memory: 120 * gib}, begun: 4,
			sign: StopCapacity,
			says: `^no room for the next cluster, which requests CPU 5.4, memory 35Gi and 77 pods \(by the sizing guidance\): free on 3 nodes are CPU 36.0, memory 144Gi and 564 pods, of which clusters under way will take CPU 0.0, memory 120Gi and 0 pods; what runs out first: memory$`,
		},
		{
			name: "a control plane's copies need three nodes", change: func(s *Sample, _ *Baseline, _ *Limits) {
				s.Nodes[1].Hosts = false
			},
			sign: StopCapacity, says: "what runs out first: nodes$",
		},
		{name: "it is left out", change: func(s *Sample, _ *Baseline, l *Limits) {
			s.Nodes[1].Hosts, l.Ignore = false, []string{StopCapacity}
		}},
		{name: "no address", begun: 10, sign: StopAddresses, says: "^10 of the load balancer's 12 addresses were free " +
			"before the run, 10 are now, and each hosted cluster takes one .begun: 10"},
		{name: "the last address", begun: 9},
		{name: "somebody else took them", change: func(s *Sample, _ *Baseline, _ *Limits) { s.Addresses.Free = 0 }, begun: 1,
			sign: StopAddresses, says: "0 are now"},
		{
			name: "the addon is full", change: func(_ *Sample, b *Baseline, _ *Limits) { b.HostedClusters = 75 }, begun: 5,
			sign: StopAddon,
			says: "^there were 75 hosted clusters, and this run has begun 5: the hypershift addon counts 80 as full",
		},
		{name: "the addon's last", change: func(_ *Sample, b *Baseline, _ *Limits) { b.HostedClusters = 75 }, begun: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, b, l := three(), &Baseline{Addresses: loadbalancer.Addresses{Free: 10, All: 12}, MaxClusters: 80}, DefaultLimits()
			if tt.change != nil {
				tt.change(s, b, &l)
			}
			got := checkRoom(s, b, l, one, tt.reserved, tt.begun, true)
			expect(t, got, tt.sign, tt.says)
			if got != nil && got.Harm {
				t.Error("nothing is harmed yet")
			}
		})
	}
	if got := checkRoom(three(), &Baseline{}, DefaultLimits(), one, capacity.Resources{}, 3, false); got != nil {
		t.Errorf("clusters that take no address, without the addon: %s", got.Message)
	}
}
