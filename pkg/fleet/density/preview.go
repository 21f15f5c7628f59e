package density

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/step"
)

// Preview compares what a run would need with what the management cluster has.
type Preview struct {
	step.TypeMeta
	Run string `json:"run"`
	// Count is the number of clusters. Existing is how many of them exist already.
	Count     int    `json:"count"`
	Existing  int    `json:"existing"`
	Parallel  int    `json:"parallel"`
	First     string `json:"first"`
	Last      string `json:"last"`
	Namespace string `json:"namespace"`
	// Each is what one cluster requests by the sizing guidance, All what the missing ones request together. Free
	// and Has are the resources of the workers that host clusters.
	Each  capacity.Resources `json:"each"`
	All   capacity.Resources `json:"all"`
	Free  capacity.Resources `json:"free"`
	Has   capacity.Resources `json:"allocatable"`
	Nodes int                `json:"nodes"`
	// Fits is the number of further clusters that fit by requests. Scarcest is the resource that runs out first.
	Fits     int64  `json:"fits"`
	Scarcest string `json:"scarcest"`
	// NeedsAddresses is the number of load balancer addresses that the missing clusters take.
	NeedsAddresses uint64                 `json:"needsAddresses"`
	Addresses      loadbalancer.Addresses `json:"addresses"`
	// HostedClusters counts clusters outside of the run. MaxClusters is the limit of the hypershift addon.
	HostedClusters int64 `json:"hostedClusters"`
	MaxClusters    int64 `json:"mostHostedClusters"`
	// Enough is set if all clusters fit. Short lists what does not.
	Enough bool     `json:"enough"`
	Short  []string `json:"short"`
}

// Preview returns what the run would need. Call Prepare first.
func (r *Run) Preview() Preview {
	existing := len(r.Remaining())
	return previewOf(r.opt, r.record.Run, existing, r.last, r.record.Baseline, r.need, r.needsAddress)
}

func previewOf(o Options, run string, existing int, s *Sample, b *Baseline, need Need, needsAddress bool) Preview {
	p := Preview{
		TypeMeta: step.NewTypeMeta("DensityPlan"), Run: run, Count: o.Count, Existing: existing, Parallel: o.Parallel,
		First: NameOf(o.Name, 0), Last: NameOf(o.Name, o.Count-1),
		Namespace: o.Template.Namespace, Each: need.all(), Addresses: s.Addresses, HostedClusters: b.HostedClusters,
		MaxClusters: b.MaxClusters, Short: []string{},
	}
	missing := int64(o.Count - existing)
	p.All = capacity.Resources{MilliCPU: p.Each.MilliCPU * missing, Memory: p.Each.Memory * missing,
		Pods: p.Each.Pods * missing}
	rooms := nodeCapacities(s, capacity.Resources{})
	has, used := s.totals()
	p.Has, p.Free, p.Nodes = has, has.Minus(used), len(rooms)
	p.Fits, p.Scarcest = capacity.Fitting(rooms, atLeast(need.Copies, need.ControlPlane), need.Machines, need.Copies)
	if needsAddress {
		p.NeedsAddresses = uint64(max(missing, 0))
	}
	short := func(format string, args ...any) { p.Short = append(p.Short, fmt.Sprintf(format, args...)) }
	if p.Fits < missing {
		short("%d of %d fit by requests; what runs out first: %s", p.Fits, missing, p.Scarcest)
	}
	if p.NeedsAddresses > p.Addresses.Free {
		short("%d of the load balancer's %d addresses are free, %d are needed", p.Addresses.Free, p.Addresses.All,
			p.NeedsAddresses)
	}
	if total := b.HostedClusters + int64(o.Count); b.MaxClusters > 0 && total > b.MaxClusters {
		short("there would be %s, and the hypershift addon counts %d as full",
			plural.Count(int(total), "hosted cluster"), b.MaxClusters)
	}
	p.Enough = len(p.Short) == 0
	return p
}
