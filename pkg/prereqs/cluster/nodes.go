package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Nodes is the prerequisite of this file.
const Nodes step.ID = "cluster/nodes"

const (
	// minWorkers is the number that HyperShift's operator and a replicated storage cluster need.
	minWorkers = 3
)

// removeSchedulable makes the control plane nodes unschedulable again.
const removeSchedulable step.ID = "uninstall/masters-schedulable"

// clusterNodes checks that there are enough workers that take pods. Control plane nodes become workers only if the user
// requests it.
type clusterNodes struct{ takeOver prereq.TakeOver }

func (s clusterNodes) prerequisite() prereq.Prerequisite {
	p := prereq.Prerequisite{
		ID: Nodes, Title: "worker nodes",
		Check: s.check, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{
			Check: []access.Rule{prereq.ListNodes()},
			Apply: []access.Rule{readScheduler(), {Verbs: "patch", Resources: "schedulers.config.openshift.io",
				Names: "cluster", Features: []access.Feature{access.ControlPlaneNodes},
				Why: "lets control plane nodes take work, where that is taken over"}},
			Remove: []access.Rule{readScheduler(), {Verbs: "patch", Resources: "schedulers.config.openshift.io",
				Names: "cluster", Features: []access.Feature{access.ControlPlaneNodes},
				Why: "takes the work from control plane nodes, if hcctl gave it to them"}},
		},
		Effects: []prereq.Effect{{By: owner.Hcctl, Kind: kube.Scheduler, Name: "cluster",
			Field: []string{"spec", "mastersSchedulable"}, TakenBack: true,
			Does: "control planes and VMs of hosted clusters, and storage, run beside this cluster's etcd and API servers; " +
				"what is short of processors or disks there slows them all",
			Remove: `oc patch schedulers.config.openshift.io cluster --type=merge -p '{"spec":{"mastersSchedulable":false}}'`}},
		TakesOver: "lets control plane nodes take work where there are too few workers without them",
		Remove: []prereq.Removal{{ID: removeSchedulable, Title: "work on control plane nodes",
			Needs: []step.ID{prereq.NoHostedClusters, prereq.RemoveEngine, prereq.RemoveHyperConverged},
			Check: schedulableRemoval{}.check, Apply: schedulableRemoval{}.apply}},
	}
	if s.takeOver[Nodes] {
		p.Apply, p.Needs, p.Replaces = s.apply, prereq.Gates(), []string{"spec.mastersSchedulable"}
	}
	return p
}

// apply makes the control plane nodes schedulable. The machine config operator makes workers of them.
func (s clusterNodes) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	nodes, err := prereq.AllNodes(ctx, c)
	if err != nil {
		return "", err
	}
	if _, helps := masters(nodes); !helps {
		return step.Unchanged, nil
	}
	scheduler := &configv1.Scheduler{}
	if err := c.Get(ctx, types.NamespacedName{Name: "cluster"}, scheduler); err != nil {
		return "", fmt.Errorf("scheduler cluster: %w", err)
	}
	if scheduler.Spec.MastersSchedulable {
		return step.Unchanged, nil // set already; the nodes follow
	}
	return schedulable(ctx, c, true)
}

func schedulable(ctx context.Context, c *kube.Client, want bool) (step.Change, error) {
	return prereq.MergePatch(ctx, c, &configv1.Scheduler{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}},
		fmt.Sprintf(`{"spec":{"mastersSchedulable":%t}}`, want))
}

// schedulableRemoval makes the control plane nodes unschedulable, unless storage is on them.
type schedulableRemoval struct{}

func (schedulableRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	const object = "Scheduler cluster"
	scheduler := &configv1.Scheduler{}
	switch err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, scheduler); {
	case apierrors.IsNotFound(err) || kube.IsKindMissing(err):
		return step.OK("there is none").On(object)
	case err != nil:
		return kube.Unknown(err).On(object)
	case !scheduler.Spec.MastersSchedulable || !owner.ByHcctl(scheduler, "spec", "mastersSchedulable"):
		return step.OK("hcctl did not set its mastersSchedulable").On(object)
	}
	for _, kind := range []kube.Kind{kube.StorageCluster, kube.LVMCluster, kube.HostPathProvisioner} {
		list := kind.NewList()
		switch err := r.List(ctx, list); {
		case err != nil && !kube.IsKindMissing(err):
			return kube.Unknown(err).On("%ss", kind.Kind)
		case len(list.Items) > 0:
			return step.OK("left as it is: %s %s has its disks on these nodes", kind.Kind, kube.Name(&list.Items[0])).On(object)
		}
	}
	return step.Missing("its mastersSchedulable was set by hcctl").On(object)
}

func (schedulableRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return schedulable(ctx, c, false)
}

func (s clusterNodes) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.AllNodes(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	f := judgeWorkers(nodes)
	if _, helps := masters(nodes); s.takeOver[Nodes] && f.State == step.StateMissing && !helps {
		return step.Broken("%s", f.Message).On("%s", f.Object).WithHint("add workers")
	}
	return f
}

// masters counts the ready control plane nodes that are not workers. helps reports whether there are enough workers
// only with them.
func masters(nodes []corev1.Node) (n int, helps bool) {
	workers := 0
	for i := range nodes {
		switch node := &nodes[i]; {
		case !prereq.IsWorker(node):
			if prereq.IsControlPlane(node) && health.NodeReady(node) {
				n++
			}
		case prereq.TakesPods(node):
			workers++
		}
	}
	return n, workers < minWorkers && workers+n >= minWorkers
}

// judgeWorkers judges the workers. It gets all nodes, because the hint depends on those of the control plane.
func judgeWorkers(nodes []corev1.Node) step.Finding {
	ready, unready, unschedulable := 0, []string{}, []string{}
	for i := range nodes {
		switch n := &nodes[i]; {
		case !prereq.IsWorker(n):
		case !prereq.TakesPods(n):
			unschedulable = append(unschedulable, n.Name)
		case !health.NodeReady(n):
			unready = append(unready, n.Name)
		default:
			ready++
		}
	}
	switch {
	case ready >= minWorkers:
		return step.OK("%d workers are ready", ready).On("Nodes")
	case ready+len(unready) >= minWorkers:
		return step.Pending("%d of the %d needed workers are ready; not ready: %s", ready, minWorkers,
			strings.Join(unready, ", ")).On("Nodes").
			WithHint("oc describe node %s", unready[0])
	}
	f := step.Missing("%s can be scheduled on, %d are needed", plural.Count(ready+len(unready), "worker"), minWorkers).
		On("Nodes")
	free, helps := masters(nodes)
	switch {
	case len(unschedulable) > 0:
		f.Message += fmt.Sprintf("; these workers take no pods (cordoned or tainted): %s", strings.Join(unschedulable, ", "))
		return f.WithHint("oc adm uncordon %s, or remove the taint", unschedulable[0])
	case helps:
		return f.WithHint("add workers, or let the %d control plane nodes take work: %s", free,
			hint.Run("bootstrap").Flag("take-over", Nodes))
	}
	return f.WithHint("add workers")
}
