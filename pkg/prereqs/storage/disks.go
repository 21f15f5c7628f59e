package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// diskReports returns the discovered disks of the nodes that have reported, by name.
func diskReports(ctx context.Context, r kube.Reader) ([]disk.Report, error) {
	list := kube.LocalVolumeDiscoveryResult.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	return disk.Read(list.Items), nil
}

// withVolumes adds the class to each disk that already is a volume. Such a disk belongs to the owner of the volume.
func withVolumes(reports []disk.Report, volumes []localDisk, nodes []corev1.Node) []disk.Report {
	out := make([]disk.Report, 0, len(reports))
	for _, r := range reports {
		host := hostOf(nodes, r.Node)
		r.Disks = slices.Clone(r.Disks)
		for d := range r.Disks {
			if v := slices.IndexFunc(volumes, func(v localDisk) bool { return v.host == host && v.on(r.Disks[d]) }); v >= 0 {
				r.Disks[d].Class = volumes[v].class
			}
		}
		out = append(out, r)
	}
	return out
}

// hostOf returns a node's hostname label. For a node that does not exist it returns a value that no volume has.
func hostOf(nodes []corev1.Node, name string) string {
	i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
	if i < 0 {
		return "\x00"
	}
	return nodes[i].Labels[corev1.LabelHostname]
}

// diskFacts are the objects that a plan of disks is based on, and the plan.
type diskFacts struct {
	reports []disk.Report
	nodes   []corev1.Node
	plan    disk.Plan
	// offered lists the foreign classes of raw volumes that a user can name.
	offered []string
}

// diskFacts reads the facts and makes the plan.
func (s common) diskFacts(ctx context.Context, r kube.Reader, t taker) (diskFacts, error) {
	var f diskFacts
	reports, err := diskReports(ctx, r)
	if err != nil {
		return f, fmt.Errorf("LocalVolumeDiscoveryResults: %w", err)
	}
	if f.nodes, err = prereq.AllNodes(ctx, r); err != nil {
		return f, fmt.Errorf("listing nodes: %w", err)
	}
	volumes, err := localDisks(ctx, r)
	if err != nil {
		return f, fmt.Errorf("PersistentVolumes: %w", err)
	}
	others, err := diskTakers(ctx, r, t)
	if err != nil {
		return f, err
	}
	f.reports, f.offered = withVolumes(reports, volumes, f.nodes), offers(sourcesOfSets(others))
	f.plan = disk.New(f.reports, f.nodes, s.o.disks, t.held, disk.Claims(others)...)
	f.plan.For = t.title
	return f, nil
}

// diskTakers lists the objects that take disks, except the one that the taker makes.
func diskTakers(ctx context.Context, r kube.Reader, t taker) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	for _, kind := range []kube.Kind{kube.LocalVolumeSet, kube.LocalVolume, kube.LVMCluster} {
		list := kind.NewList()
		if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
			return nil, fmt.Errorf("%ss: %w", kind.Kind, err)
		}
		for i := range list.Items {
			if o := &list.Items[i]; o.GetDeletionTimestamp() == nil && !t.made(o) {
				out = append(out, *o)
			}
		}
	}
	return out, nil
}

// judgeDisks checks whether the discovered disks are enough, and whether the user approved them. If not, the finding is
// Broken, because waiting brings no more disks.
func (s common) judgeDisks(discovery *unstructured.Unstructured, f diskFacts, t taker) step.Finding {
	object := "LocalVolumeDiscovery " + kube.Name(discovery)
	if silent := unreported(f.reports, f.nodes); len(silent) > 0 {
		words := ""
		if conditions := kube.Conditions(discovery); len(conditions) > 0 {
			words = " (" + conditions[0].Describe() + ")"
		}
		found := step.Pending("the disks of %s are not reported yet%s", strings.Join(silent, ", "), words).On("%s", object)
		if kube.Text(discovery, "status", "phase") == "DiscoveryFailed" {
			found = found.WithTrouble().WithHint("oc describe localvolumediscovery %s -n %s; oc get nodes --show-labels",
				discovery.GetName(), discovery.GetNamespace())
		}
		return found
	}
	detail := strings.Join(f.plan.Lines(false), "\n")
	if bad := s.disagreement(f.plan); bad != nil {
		return bad.On("%s", object).WithDetail(detail)
	}
	if with := len(f.plan.Nodes()); with < t.minNodes {
		next := hint.New("add empty disks, choose others (%s), or give hosted clusters another StorageClass: %s",
			hint.Run("bootstrap", t.flags...).Flag("disk-media", "any"),
			hint.Run("bootstrap").Flag("default-storage-class", "NAME"))
		if len(f.offered) > 0 && t.sets {
			next = hint.New("if the volumes of class %s are for OpenShift Data Foundation: %s; else %s", fewOf(f.offered),
				hint.Run("bootstrap").Flag("disks", "class="+f.offered[0]), next)
		}
		return step.Broken("workers with a disk to take: %d of the %d that %s needs; %s", with, t.minNodes, t.title,
			strings.Join(f.nodesWithoutDisk(), "; ")).On("%s", object).WithDetail(detail).WithHint("%s", next)
	}
	return step.Missing("%s, are not used yet; digest %s", f.plan.Summary(), f.plan.Digest()).On("%s", object).
		WithDetail(detail)
}

// disagreement returns why the disks of the plan must not be taken as they are. Nil means that they may be taken, after
// the user has agreed if a question is due.
func (s common) disagreement(p disk.Plan) *step.Finding {
	var f step.Finding
	switch changes := s.o.disks.Since(p); {
	case len(p.Problems) > 0:
		f = step.Broken("the disks cannot be taken: %s", fewOf(p.Problems)).
			WithHint("%s shows the nodes' disks; name each by node=NAME,by-id=NAME", hint.Run("disks"))
		return &f
	case s.o.consent.decide(p) != consent.NeedsDisks:
		return nil
	case p.Request().Disks == consent.NotGiven:
		f = step.Broken("the disks need approval: %s", fewOf(p.Doubts()))
	case len(changes) > 0:
		f = step.Broken("these are not the disks of the approved plan: %s; nothing is taken", fewOf(changes))
	default:
		f = step.Broken("these are not the disks that were approved: the digest is %s, not %s; %s%s", p.Digest(),
			s.o.disks.Digest(), p.Summary(), lastChange(p))
	}
	f = f.WithHint("%s", p.Command())
	return &f
}

// lastChange returns where and when disks changed last, as part of a message.
func lastChange(p disk.Plan) string {
	if p.LastAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("; the last change was found on %s at %s", p.Last, p.LastAt.UTC().Format("2006-01-02 15:04:05 MST"))
}

// nodesWithoutDisk lists the nodes without a disk to take, each with the reason.
func (f diskFacts) nodesWithoutDisk() []string {
	var out []string
	taken := f.plan.Nodes()
	for _, r := range f.reports {
		if !slices.Contains(taken, r.Node) {
			out = append(out, whyNoDisk(r, f.plan))
		}
	}
	return out
}

// unreported returns the schedulable workers without discovered disks.
func unreported(reports []disk.Report, nodes []corev1.Node) []string {
	var silent []string
	for i := range nodes {
		known := slices.ContainsFunc(reports, func(r disk.Report) bool { return r.Node == nodes[i].Name })
		if !known && prereq.IsWorker(&nodes[i]) && prereq.TakesPods(&nodes[i]) {
			silent = append(silent, nodes[i].Name)
		}
	}
	return silent
}

// maxNamed is the number of disks that a message names.
const maxNamed = 12

// whyNoDisk returns why a node has no disk to take. The discovery (4.12 to 4.21) leaves out disks that have partitions
// or other children and read-only disks: of a disk with partitions it reports the partitions alone.
func whyNoDisk(r disk.Report, p disk.Plan) string {
	var why, parts []string
	for _, row := range p.Rows {
		switch {
		case row.Node != r.Node:
		case row.Type == "disk":
			why = append(why, row.Name()+" "+strings.TrimPrefix(strings.TrimPrefix(row.Why, "left: "), "it "))
		default:
			parts = append(parts, row.Name()+" ("+row.Type+")")
		}
	}
	switch {
	case len(why) == 1:
		return fmt.Sprintf("%s has 1 disk: %s", r.Node, why[0])
	case len(why) > 1:
		return fmt.Sprintf("%s has %d disks: %s", r.Node, len(why), fewOf(why))
	case len(parts) > 0:
		return fmt.Sprintf("%s has no disk without partitions: %s", r.Node, fewOf(parts))
	}
	return r.Node + " reports no disk (disks with partitions and read-only ones are not reported)"
}

// fewOf joins names, at most maxNamed of them.
func fewOf(names []string) string {
	return plural.Few(names, maxNamed)
}

// diskKinds returns the kinds that the checks of disks and volumes read.
func diskKinds() []kube.Kind {
	return []kube.Kind{kube.StorageCluster, kube.LVMCluster, kube.LocalVolumeSet, kube.LocalVolume,
		kube.LocalVolumeDiscovery, kube.LocalVolumeDiscoveryResult}
}

// PlanDisks returns the plan of the disks that a run with these options would take now. It fails if the nodes' disks
// are not discovered yet.
func PlanDisks(ctx context.Context, r kube.Reader, o Validated) (disk.Plan, error) {
	s := common{o: o}
	t, err := s.taker(ctx, r)
	if err != nil {
		return disk.Plan{}, err
	}
	f, err := s.diskFacts(ctx, r, t)
	if err == nil && len(f.reports) == 0 {
		err = failure.New(failure.Other, hint.New("%s has them looked for, and takes none that was not approved",
			hint.Run("bootstrap", t.flags...).Flag("only", LocalStorageOperator+","+t.step)),
			"the nodes' disks are not known yet: there is no LocalVolumeDiscoveryResult")
	}
	return f.plan, err
}
