package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// impossible returns a finding if the settings for a new StorageCluster cannot be met, else nil. Every step towards the
// StorageCluster reports it, so that nothing is installed and no disk is taken in vain.
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
		if err := s.unspreadable(ctx, r); err != nil {
			bad = append(bad, err.Error())
		}
	}
	if len(bad) == 0 {
		return nil
	}
	f := step.Broken("the settings of Data Foundation cannot be met: %s", strings.Join(bad, "; ")).
		On("StorageCluster %s", storageClusterName).WithHint("change storage.dataFoundation (%s-...)", hint.Flag("odf"))
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

// spreadAs spreads the disks as the settings request.
func spreadAs(o design.Options, zones nodeZones, disks []localDisk) (spread, error) {
	over := zones.spread(disks)
	switch {
	case o.Spread == design.OverZones && over.flexible:
		return over, errors.New("the storage cannot be spread over zones: that takes three zones of storage nodes, and " +
			"free disks in each")
	case o.Spread == design.OverNodes:
		over = spread{flexible: true, count: int64(len(disks)), replica: 1}
	}
	if o.DeviceSets == 0 {
		return over, nil
	}
	minCount := int64(1)
	if over.flexible {
		minCount = minStorageNodes
	}
	wanted := int64(o.DeviceSets)
	if wanted > over.count || wanted < minCount {
		return over, fmt.Errorf("the device set can have a count of %d to %d with the free disks, not %d", minCount,
			over.count, wanted)
	}
	over.count = wanted
	return over, nil
}

// foresee returns the finding for a missing StorageCluster, with the resources that a new one will request.
func (s storageCluster) foresee(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.impossible(ctx, r); f != nil {
		return *f
	}
	f := judgeStorageClusters(nil, r.Now())
	version, err := s.operator(olm.DataFoundation()).Foreseen(ctx, r)
	if err != nil {
		return f // the operator's own step says why
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return f // what it costs is not known
	}
	found, err := s.foreseenDisks(ctx, r, nodes)
	if err != nil {
		return f // the same
	}
	disks, o := int64(0), s.o.Design
	if len(found) > 0 {
		over, err := spreadAs(o, zonesOf(nodes), found)
		if err != nil {
			return step.Broken("%s", err).On("%s", f.Object)
		}
		disks = over.count * over.replica
	}
	daemons := o.Daemons(version, disks)
	sum := design.Sum(daemons)
	f.Message += fmt.Sprintf("; one of OpenShift Data Foundation %d.%d requests %s", version.Major(), version.Minor(),
		cpuAndMemory(sum))
	if disks > 0 {
		f.Message += " with " + plural.Count(int(disks), "disk")
	} else {
		f.Message += fmt.Sprintf(", and %s more for each disk", cpuAndMemory(o.Disk(version)))
	}
	lines := append(design.Lines(daemons), "in all: "+cpuAndMemory(sum))
	if free, n, err := freeOn(ctx, r, nodes, found); err == nil && n > 0 {
		f.Message += fmt.Sprintf("; free on %s: %s", plural.Count(n, "storage node"), cpuAndMemory(free))
		lines = append(lines, "free: "+cpuAndMemory(free))
		if sum.MilliCPU > free.MilliCPU || sum.Memory > free.Memory {
			f.Message += ", which is not enough"
		}
	}
	return f.WithDetail(strings.Join(lines, "\n"))
}

func cpuAndMemory(r capacity.Resources) string {
	return fmt.Sprintf("CPU %s and memory %s", capacity.Cores(r.MilliCPU), capacity.Gibibytes(r.Memory))
}

// foreseenDisks returns the disks for a new StorageCluster: the free volumes, or else the disks that a run would take
// now. It returns none if no disk is known yet.
func (s common) foreseenDisks(ctx context.Context, r kube.Reader, nodes []corev1.Node) ([]localDisk, error) {
	class, err := s.diskClassOf(ctx, r)
	if err != nil {
		return nil, err
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return nil, err
	}
	if free, _ := disksOf(volumes, class, ""); len(free) > 0 {
		return free, nil
	}
	facts, err := s.diskFacts(ctx, r, foundationTaker(disk.Held{}))
	if err != nil {
		return nil, err
	}
	var taken []localDisk
	for _, row := range facts.plan.Taken() {
		taken = append(taken, localDisk{host: hostOf(nodes, row.Node), class: class})
	}
	return taken, nil
}

// unspreadable returns an error if the disks that a run would take now cannot be spread as the settings request. It
// applies only before the first volume is made, because volumes appear one by one.
func (s common) unspreadable(ctx context.Context, r kube.Reader) error {
	sources, err := diskSources(ctx, r)
	if err != nil || s.chosen(sources) != nil {
		return nil //nolint:nilerr // the step that lists them says so
	}
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return nil //nolint:nilerr // the same
	}
	disks, err := s.foreseenDisks(ctx, r, nodes)
	if err != nil || len(disks) == 0 {
		return nil //nolint:nilerr // the same
	}
	_, err = spreadAs(s.o.Design, zonesOf(nodes), disks)
	return err
}

// freeOn returns the free resources of the schedulable workers with these disks, and the number of these nodes. Without
// disks it covers all workers.
func freeOn(ctx context.Context, r kube.Reader, nodes []corev1.Node, disks []localDisk) (free capacity.Resources,
	count int, err error) {
	used, _, err := capacity.Used(ctx, r)
	if err != nil {
		return free, 0, err
	}
	for i := range nodes {
		n := &nodes[i]
		with := len(disks) == 0 || slices.ContainsFunc(disks,
			func(d localDisk) bool { return d.host == n.Labels[corev1.LabelHostname] })
		if with && prereq.IsWorker(n) && prereq.TakesPods(n) {
			count++
			free = free.Plus(capacity.Allocatable(n).Minus(used[n.Name]))
		}
	}
	return free, count, nil
}
