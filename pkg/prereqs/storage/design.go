package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/design"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// impossible is the finding of every step towards a new StorageCluster where the settings cannot be met: nothing is
// installed, and no disk taken, for one that cannot be had. Nil means that nothing speaks against them.
func (s common) impossible(ctx context.Context, r kube.Reader) *step.Finding {
	o := s.o.Design
	if o == (design.Options{}) {
		return nil
	}
	if clusters, err := storageClusters(ctx, r); err != nil || len(clusters) > 0 {
		return nil // the settings are for a new one
	}
	var bad []string
	if version, err := s.operator(olm.DataFoundation()).Foreseen(ctx, r); err == nil {
		bad = o.Impossible(version)
	}
	if o.Spread == design.OverZones {
		workers, err := prereq.Workers(ctx, r)
		if err != nil {
			return unread(err, "Nodes")
		}
		if n := zoneCount(workers); n < zoneReplicas {
			bad = append(bad, fmt.Sprintf("spread over zones: the workers are in %d zones (label %s), and %d are needed", n,
				corev1.LabelTopologyZone, zoneReplicas))
		}
	}
	if len(bad) == 0 && (o.Spread == design.OverZones || o.DeviceSets > 0) {
		if sources, err := diskSources(ctx, r); err == nil && chosen(sources) == nil {
			if _, _, err := s.foreseenDisks(ctx, r); err != nil {
				bad = append(bad, err.Error())
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	f := step.Broken("the settings of Data Foundation cannot be met: %s", strings.Join(bad, "; ")).
		On("StorageCluster %s", storageClusterName).WithHint("change storage.dataFoundation (--odf-...)")
	return &f
}

func zoneCount(nodes []corev1.Node) int {
	zones := map[string]bool{}
	for i := range nodes {
		if zone := nodes[i].Labels[corev1.LabelTopologyZone]; zone != "" {
			zones[zone] = true
		}
	}
	return len(zones)
}

// spreadAs spreads the disks as the settings say.
func spreadAs(o design.Options, zones nodeZones, disks []localDisk) (spread, error) {
	over := zones.spread(disks)
	switch {
	case o.Spread == design.OverZones && over.flexible:
		return over, errors.New("the storage cannot be spread over zones: that takes three zones of storage nodes, and free " +
			"disks in each")
	case o.Spread == design.OverNodes:
		over = spread{flexible: true, count: int64(len(disks)), replica: 1}
	}
	if o.DeviceSets == 0 {
		return over, nil
	}
	least := int64(1)
	if over.flexible {
		least = leastStorageNodes
	}
	wanted := int64(o.DeviceSets)
	if wanted > over.count || wanted < least {
		return over, fmt.Errorf("the device set can have a count of %d to %d with the free disks, not %d", least, over.count,
			wanted)
	}
	over.count = wanted
	return over, nil
}

// foresee is the finding where no StorageCluster is there: what a new one is going to request.
func (s storageCluster) foresee(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.impossible(ctx, r); f != nil {
		return *f
	}
	f := judgeStorageClusters(nil, r.Now())
	version, err := s.operator(olm.DataFoundation()).Foreseen(ctx, r)
	if err != nil {
		return f // the operator's own step says why
	}
	disks, hosts, err := s.foreseenDisks(ctx, r)
	if err != nil {
		return step.Broken("%s", err).On("%s", f.Object)
	}
	o := s.o.Design
	daemons := o.Daemons(version, disks)
	sum := design.Sum(daemons)
	f.Message += fmt.Sprintf("; one of OpenShift Data Foundation %d.%d requests %s", version.Major(), version.Minor(),
		cpuAndMemory(sum))
	if disks > 0 {
		f.Message += fmt.Sprintf(" with %d disks", disks)
	} else {
		f.Message += fmt.Sprintf(", and %s more for each disk", cpuAndMemory(o.Disk(version)))
	}
	if free, n, err := freeOn(ctx, r, hosts); err == nil && n > 0 {
		f.Message += fmt.Sprintf("; %d storage nodes have %s free", n, cpuAndMemory(free))
		if sum.MilliCPU > free.MilliCPU || sum.Memory > free.Memory {
			f.Message += ", which is not enough"
		}
	}
	return f.WithDetail(strings.Join(design.Lines(daemons), "\n"))
}

func cpuAndMemory(r capacity.Resources) string {
	return fmt.Sprintf("CPU %s and memory %s", capacity.Cores(r.MilliCPU), capacity.Gibibytes(r.Memory))
}

// foreseenDisks is how many disks a new StorageCluster is going to have, and on which hosts: those of the free volumes,
// else those that would be taken now. Zero means that nobody knows yet. It fails where the settings cannot be met.
func (s common) foreseenDisks(ctx context.Context, r kube.Reader) (int64, map[string]bool, error) {
	hosts := map[string]bool{}
	class, err := diskClassOf(ctx, r)
	if err != nil {
		return 0, hosts, nil
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return 0, hosts, nil
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return 0, hosts, nil
	}
	free, _ := disksOf(volumes, class, "")
	if len(free) == 0 {
		facts, err := s.diskFacts(ctx, r, disk.Held{})
		if err != nil {
			return 0, hosts, nil
		}
		for _, row := range facts.plan.Rows {
			if row.Taken {
				free = append(free, localDisk{host: hostOf(nodes, row.Node), class: class})
			}
		}
	}
	if len(free) == 0 {
		return 0, hosts, nil
	}
	for _, d := range free {
		hosts[d.host] = true
	}
	over, err := spreadAs(s.o.Design, zonesOf(nodes), free)
	return over.count * over.replica, hosts, err
}

// freeOn is what the nodes of these hosts have free in all, and how many of them take pods. Without hosts it is about
// the workers.
func freeOn(ctx context.Context, r kube.Reader, hosts map[string]bool) (capacity.Resources, int, error) {
	var free capacity.Resources
	workers, err := prereq.Workers(ctx, r)
	if err != nil {
		return free, 0, err
	}
	used, _, err := capacity.Used(ctx, r)
	if err != nil {
		return free, 0, err
	}
	n := 0
	for i := range workers {
		w := &workers[i]
		if !prereq.TakesPods(w) || len(hosts) > 0 && !hosts[w.Labels[corev1.LabelHostname]] {
			continue
		}
		n++
		free = free.Plus(capacity.Allocatable(w).Minus(used[w.Name]))
	}
	return free, n, nil
}
