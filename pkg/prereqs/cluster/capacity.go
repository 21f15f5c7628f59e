package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Capacity is the prerequisite of this file.
const Capacity step.ID = "cluster/capacity"

// defaultMaxClusters is the number of hosted clusters at which the hypershift addon reports a management cluster as
// full, unless its AddOnDeploymentConfig sets hcMaxNumber.
const defaultMaxClusters = 80

// clusterCapacity checks that at least one more hosted cluster fits.
type clusterCapacity struct {
	// wanted is the demand of a cluster that is about to be created. Nil counts how many of the default size fit.
	wanted *capacity.Demand
}

func (s clusterCapacity) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Capacity, Title: "capacity", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{
			Check: []access.Rule{prereq.ListNodes(), readScheduler(), prereq.ListPods(), prereq.ListHosted("hostedclusters"),
				prereq.ListEngine(), prereq.ReadAddonConfig()},
		},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return !w.Elsewhere }, Check: s.checkRoom,
			Required: true},
	}
}

func (s clusterCapacity) check(ctx context.Context, r kube.Reader) step.Finding {
	have, where, err := countRoom(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("%s", where)
	}
	var f step.Finding
	if s.wanted != nil {
		f = judgeRoom(*s.wanted, have.rooms, have.clusters, have.maxClusters)
	} else {
		f = judgeCapacity(have.rooms, have.unscheduled, have.clusters, have.maxClusters)
	}
	return have.addExcluded(f)
}

// addExcluded adds the workers that are not counted, with the reason. The hint is to uncordon cordoned ones.
func (c roomCount) addExcluded(f step.Finding) step.Finding {
	why := c.excluded.String()
	if f.State == step.StateOK || why == "" || c.clusters >= c.maxClusters {
		return f
	}
	f.Message += "; not counted: " + why
	if len(c.excluded.Cordoned) > 0 {
		f = f.WithHint("oc adm uncordon %s", strings.Join(c.excluded.Cordoned, " "))
	}
	return f
}

// roomCount holds what limits the number of hosted clusters.
type roomCount struct {
	rooms                 []capacity.Room
	unscheduled           int
	clusters, maxClusters int64
	// excluded are the workers that are not counted.
	excluded fit.Tally
}

// countRoom reads everything in parallel. where names what could not be read.
func countRoom(ctx context.Context, r kube.Reader) (have roomCount, where string, err error) {
	var nodes []corev1.Node
	var used map[string]capacity.Resources
	var unscheduled int
	var clusters []kube.HostedName
	var maxClusters int64
	var noNodes, noPods, noClusters, noConfig error
	_ = kube.Together(
		func() error { nodes, noNodes = hostingWorkers(ctx, r); return nil },
		func() error { used, unscheduled, noPods = capacity.Used(ctx, r); return nil },
		func() error { clusters, noClusters = kube.HostedClusters(ctx, r); return nil },
		func() error { maxClusters, noConfig = MaxClusters(ctx, r); return nil },
	)
	switch {
	case noNodes != nil:
		return have, "Nodes", noNodes
	case noPods != nil:
		return have, "Pods", noPods
	case noClusters != nil && !kube.IsKindMissing(noClusters):
		return have, "HostedClusters", noClusters
	case noConfig != nil:
		return have, "AddOnDeploymentConfig", noConfig
	}
	excluded := fit.Count((&fit.Usage{}).Free(nodes), prereq.AnyPod())
	return roomCount{roomsOf(nodes, used), unscheduled, int64(len(clusters)), maxClusters, excluded}, "", nil
}

// fits returns how many more hosted clusters of the default size fit, and the resource that runs out first for the
// highly available ones.
func (c roomCount) fits() (highly, single int64, scarcest string) {
	highly, scarcest = capacity.Fitting(c.rooms, capacity.HighlyAvailable(), capacity.UsualMachines(), 3)
	single, _ = capacity.Fitting(c.rooms, capacity.SingleReplica(), capacity.UsualMachines(), 1)
	left := max(c.maxClusters-c.clusters, 0)
	if left < highly {
		highly, scarcest = left, "addon"
	}
	return highly, min(single, left), scarcest
}

// Fits returns how many more hosted clusters of the default size fit, as the check of capacity counts them: with a
// highly available control plane, and with a single replica.
func Fits(ctx context.Context, r kube.Reader) (highly, single int64, err error) {
	have, where, err := countRoom(ctx, r)
	if err != nil {
		return 0, 0, fmt.Errorf("count the room for hosted clusters: %s: %w", where, err)
	}
	highly, single, _ = have.fits()
	return highly, single, nil
}

// checkRoom returns the capacity check for hosted clusters that are about to be created.
func (s clusterCapacity) checkRoom(w prereq.Wanted) kube.Check {
	wanted := Demand(w)
	return clusterCapacity{wanted: &wanted}.check
}

// Demand returns the resource requests of such clusters on the management cluster's nodes, by the sizing guidance of
// docs/scale.md. Workers that run elsewhere request nothing.
func Demand(w prereq.Wanted) capacity.Demand {
	plane, copies := capacity.ControlPlane(w.HighlyAvailable)
	machines := capacity.Machines(w.Workers, w.Cores, w.Memory)
	if w.Elsewhere {
		machines = capacity.Resources{}
	}
	return capacity.Demand{Clusters: w.Clusters, Workers: w.Workers, Plane: plane, Machines: machines, Copies: copies}
}

// roomsOf returns the ready workers that take pods.
func roomsOf(nodes []corev1.Node, used map[string]capacity.Resources) []capacity.Room {
	var rooms []capacity.Room
	for i := range nodes {
		n := &nodes[i]
		if prereq.TakesPods(n) && health.NodeReady(n) {
			rooms = append(rooms, capacity.Room{Node: n.Name, Has: capacity.Allocatable(n), Used: used[n.Name]})
		}
	}
	return rooms
}

// MaxClusters returns the addon's limit of hosted clusters.
func MaxClusters(ctx context.Context, r kube.Reader) (int64, error) {
	mce, err := prereq.Engine(ctx, r)
	if err != nil || mce == nil {
		return defaultMaxClusters, err
	}
	config := &addonv1alpha1.AddOnDeploymentConfig{}
	err = r.Get(ctx, types.NamespacedName{Namespace: prereq.EngineNamespace(mce), Name: prereq.AddonConfigName}, config)
	if err != nil && !apierrors.IsNotFound(err) {
		return 0, err
	}
	for _, v := range config.Spec.CustomizedVariables {
		if n, err := strconv.ParseInt(v.Value, 10, 64); err == nil && v.Name == "hcMaxNumber" {
			return n, nil
		}
	}
	return defaultMaxClusters, nil
}

func judgeCapacity(rooms []capacity.Room, unscheduled int, existing, maxClusters int64) step.Finding {
	if len(rooms) == 0 {
		return step.Missing("no ready worker takes pods, so there is room for no hosted cluster").On("Nodes")
	}
	count := roomCount{rooms: rooms, unscheduled: unscheduled, clusters: existing, maxClusters: maxClusters}
	highly, single, scarcest := count.fits()
	message := fmt.Sprintf("room for %d more highly available or %d more single-replica hosted clusters, each with %d "+
		"workers of %d cores and %s", highly, single, capacity.UsualWorkers, capacity.UsualCores,
		capacity.Gibibytes(capacity.UsualMemory))
	message += "; " + arithmetic(rooms)
	if scarcest == "nodes" {
		message += "; a control plane takes a third of that on each of 3 nodes, which leaves fewer"
	}
	if existing > 0 || scarcest == "addon" {
		message += fmt.Sprintf("; hosted clusters: %d, and the hypershift addon counts %d as full", existing, maxClusters)
	}
	if unscheduled > 0 {
		message += fmt.Sprintf("; not counting %s without a node", plural.Count(unscheduled, "pod"))
	}
	if highly > 0 {
		return step.OK("%s", message).On("Nodes")
	}
	return step.Missing("%s", message).On("Nodes").WithHint("%s", moreRoom(scarcest, single))
}

// arithmetic shows for each resource what is free, the total, what one cluster requests, and how often that fits.
func arithmetic(rooms []capacity.Room) string {
	var has, free capacity.Resources
	for _, r := range rooms {
		has, free = has.Plus(r.Has), free.Plus(r.Free())
	}
	one := capacity.HighlyAvailable().Plus(capacity.UsualMachines())
	line := func(what, free, has, one string, n int64) string {
		return fmt.Sprintf("%s %s free of %s / %s = %d", what, free, has, one, n)
	}
	return fmt.Sprintf("on %s, by requests: ", plural.Count(len(rooms), "worker")) +
		line("CPU", capacity.Cores(free.MilliCPU), capacity.Cores(has.MilliCPU), capacity.Cores(one.MilliCPU),
			max(free.MilliCPU, 0)/one.MilliCPU) + ", " +
		line("memory", capacity.Gibibytes(free.Memory), capacity.Gibibytes(has.Memory), capacity.Gibibytes(one.Memory),
			max(free.Memory, 0)/one.Memory) + ", " +
		line("pods", strconv.FormatInt(free.Pods, 10), strconv.FormatInt(has.Pods, 10), strconv.FormatInt(one.Pods, 10),
			max(free.Pods, 0)/one.Pods)
}

// moreRoom returns the hint about the resource that runs out.
func moreRoom(scarcest string, single int64) string {
	switch {
	case scarcest == "addon":
		return "delete a hosted cluster, or raise hcMaxNumber in AddOnDeploymentConfig " + prereq.AddonConfigName
	case scarcest == "pods":
		return "let the workers take more pods: " + raiseMaxPods("worker") + "; where the control plane nodes are the " +
			"workers, select the pool master instead"
	case scarcest == "nodes" && single > 0:
		return "a highly available control plane needs 3 workers with room; add one, or use a single-replica control plane"
	default:
		return "add workers, or move other work off them: oc adm top nodes"
	}
}

// judgeRoom judges the capacity for one hosted cluster that is about to be created, or several equal ones.
func judgeRoom(d capacity.Demand, rooms []capacity.Room, existing, maxClusters int64) step.Finding {
	clusters := max(1, d.Clusters)
	switch {
	case clusters > 1 && existing+clusters > maxClusters:
		return step.Missing("hosted clusters: %d, and %d to be created; the hypershift addon counts %d as full",
			existing, clusters, maxClusters).
			On("AddOnDeploymentConfig %s", prereq.AddonConfigName).WithHint("%s", moreRoom("addon", 0))
	case existing >= maxClusters:
		return step.Missing("hosted clusters: %d, and the hypershift addon counts %d as full", existing, maxClusters).
			On("AddOnDeploymentConfig %s", prereq.AddonConfigName).
			WithHint("%s", moreRoom("addon", 0))
	}
	n, scarcest := capacity.Fitting(rooms, d.Plane, d.Machines, d.Copies)
	var free capacity.Resources
	for _, r := range rooms {
		free = free.Plus(r.Free())
	}
	one := d.Plane.Plus(d.Machines)
	left := fmt.Sprintf("free on %s, by requests: CPU %s, memory %s, %d pods", plural.Count(len(rooms), "worker"),
		capacity.Cores(free.MilliCPU), capacity.Gibibytes(free.Memory), free.Pods)
	message := fmt.Sprintf("it requests %s (control plane and %s); %s", one, plural.Count(int(d.Workers), "worker"), left)
	if clusters > 1 {
		message = fmt.Sprintf("of %d clusters, each with about %s, %d fit: each requests about %s; %s",
			clusters, plural.Count(int(d.Workers), "worker"), n, one, left)
	}
	if n >= clusters {
		return step.OK("%s", message).On("Nodes")
	}
	if scarcest == "nodes" {
		message += fmt.Sprintf("; its control plane takes a third of what it requests on each of %d nodes", d.Copies)
	}
	return step.Missing("no room: %s", message).On("Nodes").WithHint("%s", moreRoom(scarcest, 1))
}
