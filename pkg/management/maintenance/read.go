package maintenance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
)

// snapshot is what was read of the management cluster.
type snapshot struct {
	node *corev1.Node
	// now is the time of the API server.
	now time.Time
	// others are all nodes except the one in maintenance.
	others []corev1.Node
	// here are the running pods on the node, by namespace and name. elsewhere holds what is needed of all others.
	here      []*corev1.Pod
	elsewhere []otherPod
	machines  management.List[machine]
	claims    management.List[corev1.PersistentVolumeClaim]
	volumes   management.List[corev1.PersistentVolume]
	budgets   management.List[management.Budget]
	hosted    management.List[hyperv1.HostedCluster]
	// etcds are the StatefulSets with the name etcdName.
	etcds management.List[appsv1.StatefulSet]
	ceph  management.List[unstructured.Unstructured]
	// virtualization are the HyperConvergeds, with the default eviction strategy of VMs.
	virtualization management.List[unstructured.Unstructured]

	// planes maps namespaces of control planes to hosted clusters.
	planes map[string]*hyperv1.HostedCluster
	// unplaceable maps pods of here to the reason why no other node takes them.
	unplaceable map[*corev1.Pod]string
	// evicted counts the pods of here by the budget of their eviction.
	evicted map[*management.Budget]int
}

// otherPod holds what is needed of a pod on another node.
type otherPod struct {
	namespace, node string
	labels          map[string]string
	requests        fit.Resources
	ready           bool
}

// etcdName names the StatefulSet of a hosted cluster's etcd, and is the value of label app of its pods.
const etcdName = "etcd"

// read reads everything in parallel. It fails if nodes or pods cannot be read, or the node does not exist.
func read(ctx context.Context, c *kube.Client, name string) (*snapshot, error) {
	w := &snapshot{}
	var nodes management.List[corev1.Node]
	var pods error
	var wg sync.WaitGroup
	wg.Go(func() {
		nodes = management.Pages(ctx, c, &corev1.NodeList{}, func(l *corev1.NodeList) []corev1.Node { return l.Items })
	})
	wg.Go(func() { pods = w.readPods(ctx, c, name) })
	wg.Go(func() { w.machines = management.Decoded[machine](ctx, c, kube.VirtualMachineInstance) })
	wg.Go(func() {
		w.claims = management.Pages(ctx, c, &corev1.PersistentVolumeClaimList{},
			func(l *corev1.PersistentVolumeClaimList) []corev1.PersistentVolumeClaim { return l.Items })
	})
	wg.Go(func() {
		w.volumes = management.Pages(ctx, c, &corev1.PersistentVolumeList{},
			func(l *corev1.PersistentVolumeList) []corev1.PersistentVolume { return l.Items })
	})
	wg.Go(func() { w.budgets = management.Budgets(ctx, c) })
	wg.Go(func() { w.hosted = management.Hosted(ctx, c) })
	wg.Go(func() {
		w.etcds = management.Pages(ctx, c, &appsv1.StatefulSetList{},
			func(l *appsv1.StatefulSetList) []appsv1.StatefulSet { return l.Items },
			client.MatchingFields{"metadata.name": etcdName})
	})
	wg.Go(func() { w.ceph = objects(ctx, c, kube.CephCluster) })
	wg.Go(func() {
		kind, err := kube.Stored(ctx, c, kube.HyperConverged)
		if err != nil && !kube.IsNotPermitted(err) {
			w.virtualization.Err = err
			return
		}
		w.virtualization = objects(ctx, c, kind)
	})
	wg.Wait()
	switch {
	case nodes.Err != nil:
		return nil, fmt.Errorf("list Nodes: %w", nodes.Err)
	case pods != nil:
		return nil, fmt.Errorf("list Pods: %w", pods)
	}
	w.now = c.Now()
	return w, w.arrange(nodes.Items, name)
}

// objects lists the objects of a kind. The list is empty if the kind is not registered.
func objects(ctx context.Context, c *kube.Client, kind kube.Kind) management.List[unstructured.Unstructured] {
	l := management.Pages(ctx, c, kind.NewList(),
		func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items })
	if kube.IsKindMissing(l.Err) {
		l.Err = nil
	}
	return l
}

// readPods stores the pods of the node, and what is needed of the others.
func (w *snapshot) readPods(ctx context.Context, c *kube.Client, node string) error {
	list := &corev1.PodList{}
	return c.ListPages(ctx, list, func() {
		for i := range list.Items {
			pod := &list.Items[i]
			switch {
			case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
			case pod.Spec.NodeName == node && node != "":
				w.here = append(w.here, pod.DeepCopy())
			case pod.Spec.NodeName != "":
				w.elsewhere = append(w.elsewhere, otherPod{pod.Namespace, pod.Spec.NodeName, pod.Labels,
					fit.Requests(&pod.Spec), health.PodReady(pod)})
			}
		}
	})
}

// arrange finds the node, and sorts what was read.
func (w *snapshot) arrange(nodes []corev1.Node, name string) error {
	var names []string
	w.others = nil
	for i := range nodes {
		names = append(names, nodes[i].Name)
		if nodes[i].Name == name {
			w.node = &nodes[i]
		} else {
			w.others = append(w.others, nodes[i])
		}
	}
	if w.node == nil {
		next := hint.New("oc get nodes lists them")
		if meant := suggest.Words(name, names); len(meant) > 0 {
			next = hint.New("did you mean %s? oc get nodes lists all", meant[0])
		}
		return failure.New(failure.Other, next, "no node %q", name)
	}
	slices.SortFunc(w.here, func(a, b *corev1.Pod) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	w.planes = management.Planes(w.hosted.Items)
	w.evicted = map[*management.Budget]int{}
	return nil
}

// namespaces returns the namespaces of the pods on the node, sorted.
func (w *snapshot) namespaces() []string {
	var all []string
	for _, pod := range w.here {
		all = append(all, pod.Namespace)
	}
	return slices.Compact(all)
}
