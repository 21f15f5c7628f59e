package design

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

// Daemon is one kind of daemon that a StorageCluster runs.
type Daemon struct {
	Name  string
	Count int64
	// Each is the request of one of them.
	Each capacity.Resources
}

// Daemons returns the daemons of Ceph and of the object gateways on this number of disks. The operators, the CSI
// drivers and small helpers are not counted.
func (o Options) Daemons(version *semver.Version, disks int64) []Daemon {
	per, managers := requests(version, o.Profile), int64(2)
	if before(version, 15) {
		managers = 1
	}
	out := []Daemon{
		{"mon", 3, per["mon"]}, {"mgr", managers, per["mgr"]}, {"mds", 2, per["mds"]}, {"osd", disks, per["osd"]},
	}
	if o.rados() {
		out = append(out, Daemon{"rgw", 1, per["rgw"]})
	}
	if o.multicloud() {
		databases := int64(1)
		if !before(version, 19) {
			databases = 2
		}
		out = append(out, Daemon{"noobaa-core", 1, of(999, 4*1024)}, Daemon{"noobaa-db", databases, of(500, 4*1024)},
			Daemon{"noobaa-endpoint", 1, of(999, 2*1024)})
	}
	return out
}

// Sum returns the total of their requests.
func Sum(daemons []Daemon) capacity.Resources {
	var sum capacity.Resources
	for _, d := range daemons {
		sum = sum.Plus(capacity.Resources{MilliCPU: d.Count * d.Each.MilliCPU, Memory: d.Count * d.Each.Memory,
			Pods: d.Count})
	}
	return sum
}

// Disk returns the requests of one more disk.
func (o Options) Disk(version *semver.Version) capacity.Resources {
	return requests(version, o.Profile)["osd"]
}

// Lines describes the daemons, for messages.
func Lines(daemons []Daemon) []string {
	lines := make([]string, 0, len(daemons))
	for _, d := range daemons {
		lines = append(lines, fmt.Sprintf("%-15s %d x CPU %.3g, memory %s", d.Name, d.Count,
			float64(d.Each.MilliCPU)/1000, capacity.Gibibytes(d.Each.Memory)))
	}
	return lines
}

// requests returns the requests of Ceph's daemons. Releases before 4.15 have one set of them, and no profiles.
func requests(version *semver.Version, profile string) map[string]capacity.Resources {
	if before(version, 15) {
		return map[string]capacity.Resources{"mon": of(1000, 2048), "mgr": of(1000, 3072), "mds": of(3000, 8192),
			"osd": of(2000, 5120), "rgw": of(2000, 4096)}
	}
	var out map[string]capacity.Resources
	switch profile {
	case Lean:
		out = map[string]capacity.Resources{"mon": of(500, 1024), "mgr": of(500, 1024), "mds": of(1000, 2048),
			"osd": of(1500, 3072), "rgw": of(1000, 1024)}
	case Performance:
		out = map[string]capacity.Resources{"mon": of(1500, 3072), "mgr": of(1500, 2048), "mds": of(3000, 8192),
			"osd": of(4000, 8192), "rgw": of(2000, 4096)}
	default:
		out = map[string]capacity.Resources{"mon": of(1000, 2048), "mgr": of(1000, 1536), "mds": of(2000, 6144),
			"osd": of(2000, 5120), "rgw": of(2000, 2048)}
	}
	return out
}

func of(milliCPU, mebibytes int64) capacity.Resources {
	return capacity.Resources{MilliCPU: milliCPU, Memory: mebibytes << 20}
}
