// Package machineconfig simulates what the machine config operator does with mirror sets and with the cluster's pull
// secret: a new rendered configuration of each MachineConfigPool, and the nodes that get it one after another.
//
// The rules are those of openshift/machine-config-operator: pkg/controller/node/status.go (conditions and their
// messages), pkg/controller/drain (annotations of a node that is drained), pkg/daemon/update.go and drain.go (what
// drains: a change of /etc/containers/registries.conf that does more than add mirrors by digest; a new
// /var/lib/kubelet/config.json drains and restarts nothing).
package machineconfig

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// applyTime is the time of one node without its drain. A real one takes minutes where it drains.
	applyTime = 10 * time.Second
	// recheck is how soon a drain that a PodDisruptionBudget holds is tried again; a minute in reality.
	recheck = 5 * time.Second
	// digestSets is the first minor of OpenShift 4 that has mirror sets.
	digestSets = 13

	masterRole = "node-role.kubernetes.io/master"
	workerRole = "node-role.kubernetes.io/worker"

	currentConfig = "machineconfiguration.openshift.io/currentConfig"
	desiredConfig = "machineconfiguration.openshift.io/desiredConfig"
	stateOfNode   = "machineconfiguration.openshift.io/state"
	reasonOfNode  = "machineconfiguration.openshift.io/reason"
	desiredDrain  = "machineconfiguration.openshift.io/desiredDrain"
	lastDrain     = "machineconfiguration.openshift.io/lastAppliedDrain"

	// sourcesAnnotation of a pool has what its configuration was made of, and drainsAnnotation whether the change to it
	// drains nodes. Both stand for MachineConfigs, which the sandbox has none of.
	sourcesAnnotation = "sandbox.hcctl.dev/rendered-from"
	drainsAnnotation  = "sandbox.hcctl.dev/drains"
)

var (
	poolKind = schema.GroupVersionKind{Group: "machineconfiguration.openshift.io", Version: "v1",
		Kind: "MachineConfigPool"}
	byDigest = schema.GroupVersionKind{Group: "config.openshift.io", Version: "v1", Kind: "ImageDigestMirrorSet"}
	byTag    = schema.GroupVersionKind{Group: "config.openshift.io", Version: "v1", Kind: "ImageTagMirrorSet"}
)

// Operator is the operator with its controller and its daemons. It is part of OpenShift.
func Operator() operator.Operator {
	return operator.Operator{
		Name: "machine-config-operator",
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			m := &machineConfig{framework.NewRun(mgr, env)}
			pools := m.ToEach(framework.UnstructuredList(poolKind))
			secret := &metav1.PartialObjectMetadata{}
			secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
			b := m.NewController("machineconfigpool", framework.Unstructured(poolKind)).
				Watches(&corev1.Node{}, pools, framework.LabelsChanged()).
				Watches(&configv1.Scheduler{}, pools).
				Watches(secret, pools, builder.OnlyMetadata, framework.InNamespaces("openshift-config"))
			if env.Profile.Y() >= digestSets {
				b = b.Watches(framework.Unstructured(byDigest), pools).Watches(framework.Unstructured(byTag), pools)
			}
			return b.Complete(m.ForExisting(poolKind, m.reconcile))
		},
	}
}

type machineConfig struct{ *framework.Run }

// sources are what the configuration of nodes is made of here: mirrors as "SOURCE MIRROR", and the pull secret's hash.
type sources struct {
	ByDigest   []string `json:"byDigest,omitempty"`
	ByTag      []string `json:"byTag,omitempty"`
	PullSecret string   `json:"pullSecret,omitempty"`
}

// drains reports whether nodes are drained for the change: only more mirrors by digest are safe without.
func (s sources) drains(from sources) bool {
	gone := slices.ContainsFunc(from.ByDigest, func(m string) bool { return !slices.Contains(s.ByDigest, m) })
	return gone || !slices.Equal(s.ByTag, from.ByTag)
}

func (m *machineConfig) sources(ctx context.Context) (sources, error) {
	var s sources
	if m.Profile.Y() >= digestSets {
		for _, of := range []struct {
			kind  schema.GroupVersionKind
			field string
			into  *[]string
		}{{byDigest, "imageDigestMirrors", &s.ByDigest}, {byTag, "imageTagMirrors", &s.ByTag}} {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(of.kind.GroupVersion().WithKind(of.kind.Kind + "List"))
			if err := m.Client.List(ctx, list); err != nil {
				return s, err
			}
			for i := range list.Items {
				var mirrors []struct {
					Source  string
					Mirrors []string
				}
				if _, err := framework.Read(&list.Items[i], &mirrors, "spec", of.field); err != nil {
					return s, err
				}
				for _, one := range mirrors {
					for _, mirror := range one.Mirrors {
						*of.into = append(*of.into, one.Source+" "+mirror)
					}
				}
			}
			slices.Sort(*of.into)
		}
	}
	secret := &corev1.Secret{}
	err := m.Live.Get(ctx, types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}, secret)
	if err == nil {
		s.PullSecret = hash(secret.Data[corev1.DockerConfigJsonKey])
	}
	return s, client.IgnoreNotFound(err)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// reconcile renders the pool's configuration, gives it to one node more, and counts.
func (m *machineConfig) reconcile(ctx context.Context, pool *unstructured.Unstructured) (ctrl.Result, error) {
	if pool.GetName() == "master" {
		if err := m.schedule(ctx); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := m.render(ctx, pool); err != nil {
		return ctrl.Result{}, err
	}
	nodes, err := m.nodes(ctx, pool)
	if err != nil {
		return ctrl.Result{}, err
	}
	if settled(pool, nodes) {
		// What a test has written into its status stays.
		return ctrl.Result{}, framework.WriteStatus(ctx, m.Client, pool, func(pool *unstructured.Unstructured) {
			framework.Set(pool, pool.GetGeneration(), "status", "observedGeneration")
		})
	}
	paused, _, _ := unstructured.NestedBool(pool.Object, "spec", "paused")
	var wait time.Duration
	if !paused {
		if wait, err = m.next(ctx, pool, nodes); err != nil {
			return ctrl.Result{}, err
		}
	}
	return framework.RequeueAfter(wait), framework.WriteStatus(ctx, m.Client, pool,
		func(pool *unstructured.Unstructured) { count(pool, nodes, paused) })
}

// schedule makes workers of the control plane nodes, or takes that back, as Scheduler cluster says
// (pkg/controller/node/node_controller.go, reconcileMasters).
func (m *machineConfig) schedule(ctx context.Context) error {
	scheduler := &configv1.Scheduler{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	found, err := framework.Exists(ctx, m.Client, scheduler)
	masters := &corev1.NodeList{}
	if err == nil {
		err = m.Client.List(ctx, masters, client.HasLabels{masterRole})
	}
	if err != nil || !found {
		return err
	}
	for i := range masters.Items {
		if err := framework.Change(ctx, m.Client, &masters.Items[i], func(n *corev1.Node) {
			ofMasters := func(t corev1.Taint) bool { return t.Key == masterRole && t.Effect == corev1.TaintEffectNoSchedule }
			if scheduler.Spec.MastersSchedulable {
				n.Labels[workerRole] = ""
				n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, ofMasters)
				return
			}
			delete(n.Labels, workerRole)
			if !slices.ContainsFunc(n.Spec.Taints, ofMasters) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: masterRole, Effect: corev1.TaintEffectNoSchedule})
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// render names a new configuration where the sources differ. The first ones are those that the cluster was born with.
func (m *machineConfig) render(ctx context.Context, pool *unstructured.Unstructured) error {
	now, err := m.sources(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	before := pool.GetAnnotations()[sourcesAnnotation]
	if before == string(text) {
		return nil
	}
	return framework.Change(ctx, m.Client, pool, func(pool *unstructured.Unstructured) {
		annotations := pool.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		var from sources
		if json.Unmarshal([]byte(before), &from) == nil {
			annotations[drainsAnnotation] = fmt.Sprint(now.drains(from))
			framework.Set(pool, fmt.Sprintf("rendered-%s-%s", pool.GetName(), hash(text)), "spec", "configuration", "name")
		}
		annotations[sourcesAnnotation] = string(text)
		pool.SetAnnotations(annotations)
	})
}

// nodes are those of the pool. A node that is also of the control plane is in that pool alone.
func (m *machineConfig) nodes(ctx context.Context, pool *unstructured.Unstructured) ([]*corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := m.Client.List(ctx, list, client.HasLabels{"node-role.kubernetes.io/" + pool.GetName()}); err != nil {
		return nil, err
	}
	var out []*corev1.Node
	for i := range list.Items {
		_, master := list.Items[i].Labels[masterRole]
		if !master || pool.GetName() == "master" {
			out = append(out, &list.Items[i])
		}
	}
	return out, nil
}

func target(pool *unstructured.Unstructured) string {
	return framework.Text(pool, "spec", "configuration", "name")
}

// settled reports whether nothing has to be rolled out or counted.
func settled(pool *unstructured.Unstructured, nodes []*corev1.Node) bool {
	return framework.Text(pool, "status", "configuration", "name") == target(pool) &&
		!framework.ConditionIs(pool, "NodeDegraded", "True") &&
		!slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return !done(n, target(pool)) })
}

func done(n *corev1.Node, target string) bool {
	return n.Annotations[currentConfig] == target && n.Annotations[stateOfNode] == "Done"
}

// next takes one node further and returns when to look again; zero where all have the configuration, or none can go on.
func (m *machineConfig) next(ctx context.Context, pool *unstructured.Unstructured, nodes []*corev1.Node) (
	time.Duration, error) {
	config := target(pool)
	for _, n := range nodes {
		if done(n, config) {
			continue
		}
		if n.Annotations[stateOfNode] == "Degraded" {
			return 0, nil // nobody but a person goes on
		}
		key := n.Name + config
		drains := pool.GetAnnotations()[drainsAnnotation] == "true"
		if n.Annotations[desiredConfig] != config {
			m.Forget(key)
			if err := m.mark(ctx, n, drains, map[string]string{desiredConfig: config, stateOfNode: "Working"}); err != nil {
				return 0, err
			}
		}
		if drain := "drain-" + config; drains && n.Annotations[lastDrain] != drain {
			if n.Annotations[desiredDrain] != drain {
				if err := m.mark(ctx, n, true, map[string]string{desiredDrain: drain}); err != nil {
					return 0, err
				}
			}
			if held, err := m.held(ctx, n); err != nil || held {
				return m.Pace.Scale(recheck), err
			}
			if err := m.mark(ctx, n, true, map[string]string{lastDrain: drain}); err != nil {
				return 0, err
			}
		}
		if wait := m.Remaining(applyTime, key); wait > 0 {
			return wait, nil
		}
		changes := map[string]string{currentConfig: config, stateOfNode: "Done"}
		if drains {
			changes[desiredDrain], changes[lastDrain] = "uncordon-"+config, "uncordon-"+config
		}
		if err := m.mark(ctx, n, false, changes); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// mark writes annotations of a node, and whether it takes pods. Its pods stay: the sandbox drains for the sake of its
// marks.
func (m *machineConfig) mark(ctx context.Context, n *corev1.Node, cordoned bool, annotations map[string]string) error {
	return framework.Change(ctx, m.Client, n, func(n *corev1.Node) {
		n.Spec.Unschedulable = cordoned
		for name, value := range annotations {
			n.Annotations[name] = value
		}
	})
}

// held reports whether a PodDisruptionBudget keeps a pod on the node.
func (m *machineConfig) held(ctx context.Context, n *corev1.Node) (bool, error) {
	budgets, pods := &policyv1.PodDisruptionBudgetList{}, &corev1.PodList{}
	if err := m.Live.List(ctx, budgets); err != nil {
		return false, err
	}
	if err := m.Live.List(ctx, pods, client.MatchingFields{"spec.nodeName": n.Name}); err != nil {
		return false, err
	}
	for i := range budgets.Items {
		b := &budgets.Items[i]
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err != nil || b.Status.ExpectedPods == 0 || b.Status.DisruptionsAllowed > 0 {
			continue
		}
		if slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool {
			return p.Namespace == b.Namespace && selector.Matches(labels.Set(p.Labels))
		}) {
			return true, nil
		}
	}
	return false, nil
}

// count writes the status, with the conditions and messages of the node controller.
func count(pool *unstructured.Unstructured, nodes []*corev1.Node, paused bool) {
	config := target(pool)
	var updated, unavailable int64
	var degraded []string
	for _, n := range nodes {
		switch {
		case done(n, config) && !n.Spec.Unschedulable:
			updated++
		case n.Annotations[stateOfNode] == "Degraded":
			degraded = append(degraded, fmt.Sprintf("Node %s is reporting: %q", n.Name, n.Annotations[reasonOfNode]))
		case n.Annotations[stateOfNode] == "Working" || n.Spec.Unschedulable:
			unavailable++
		}
	}
	for field, n := range map[string]int64{"machineCount": int64(len(nodes)), "updatedMachineCount": updated,
		"readyMachineCount": updated, "unavailableMachineCount": unavailable, "degradedMachineCount": int64(len(degraded)),
		"observedGeneration": pool.GetGeneration()} {
		framework.Set(pool, n, "status", field)
	}
	condition := func(kind string, is bool, reason, message string) {
		status := "False"
		if is {
			status = "True"
		}
		framework.SetConditions(pool, framework.Plain, framework.Condition{Type: kind, Status: status, Reason: reason,
			Message: message})
	}
	all := updated == int64(len(nodes))
	switch {
	case all:
		framework.Set(pool, config, "status", "configuration", "name")
		condition("Updated", true, "", "All nodes are updated with MachineConfig "+config)
		condition("Updating", false, "", "")
	case paused:
		condition("Updated", false, "", "")
		condition("Updating", false, "", "Pool is paused; will not update to MachineConfig "+config)
	default:
		condition("Updated", false, "", "")
		condition("Updating", true, "", "All nodes are updating to MachineConfig "+config)
	}
	reason := ""
	if len(degraded) > 0 {
		reason = fmt.Sprintf("%d nodes are reporting degraded status on sync", len(degraded))
	}
	condition("NodeDegraded", len(degraded) > 0, reason, strings.Join(degraded, ", "))
	condition("Degraded", len(degraded) > 0, "", strings.Join(degraded, ", "))
}
