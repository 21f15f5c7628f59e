package main_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NodePools scale up and down, roll out with the required number of nodes, apply labels without a roll-out, pause, and
// are deleted. The cluster below them is upgraded.
func TestNodePools(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9")
	a := h.pool("kv", "a", "4.19.9", 2)
	awaits(h, hc, time.Minute, completed("4.19.9"))
	settled := func(replicas int32, version string) func(*hyperv1.NodePool) string {
		return func(np *hyperv1.NodePool) string {
			if np.Status.Replicas != replicas || np.Status.Version != version {
				return fmt.Sprintf("%d replicas of %s: %+v", np.Status.Replicas, np.Status.Version, np.Status.Conditions)
			}
			for _, kind := range []string{"UpdatingVersion", "UpdatingConfig", "UpdatingPlatformMachineTemplate"} {
				if what := poolSays(np, kind, "False AsExpected"); what != "" {
					return what
				}
			}
			if n := len(h.machines("kv", np.Name)); n != int(replicas) {
				return fmt.Sprintf("%d machines", n)
			}
			return poolSays(np, "AllNodesHealthy", "True AsExpected")
		}
	}
	awaits(h, a, time.Minute, settled(2, "4.19.9"))
	guest := h.guest("kv")
	isLean(h, "clusters-kv")

	b := h.pool("kv", "b", "4.19.9", 0, func(np *hyperv1.NodePool) {
		np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 1, Max: 3}
	})
	awaits(h, b, time.Minute, settled(1, "4.19.9"))

	t.Run("scale", func(t *testing.T) {
		change(h, a, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](3) })
		awaits(h, a, time.Minute, settled(3, "4.19.9"))
		change(h, a, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](1) })
		awaits(h, a, time.Minute, settled(1, "4.19.9"))
		eventually(t, 10*time.Second, func() error {
			nodes, err := nodesOf(t.Context(), guest, "a")
			if err == nil && len(nodes) != 1 {
				err = fmt.Errorf("the guest has %d nodes", len(nodes))
			}
			return err
		})
	})
	t.Run("labels and taints reach nodes that join later", func(t *testing.T) {
		was := h.machines("kv", "a")[0].Name
		change(h, a, func(np *hyperv1.NodePool) {
			np.Spec.NodeLabels = map[string]string{"tier": "gold"}
			np.Spec.Taints = []hyperv1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
		})
		change(h, a, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](2) })
		awaits(h, a, time.Minute, settled(2, "4.19.9"))
		eventually(t, 10*time.Second, func() error {
			nodes, err := nodesOf(t.Context(), guest, "a")
			if err == nil && len(nodes) != 2 {
				err = fmt.Errorf("the guest has %d nodes", len(nodes))
			}
			for i := range nodes {
				later := nodes[i].Name != was
				if later != (nodes[i].Labels["tier"] == "gold") || later != (len(nodes[i].Spec.Taints) > 0) {
					err = errors.Join(err, fmt.Errorf("node %s, new: %t, %+v %+v", nodes[i].Name, later, nodes[i].Labels,
						nodes[i].Spec.Taints))
				}
			}
			return err
		})
		change(h, a, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](1) })
		awaits(h, a, time.Minute, settled(1, "4.19.9"))
	})
	t.Run("another size replaces machines, the new before the old", func(t *testing.T) {
		was := h.machines("kv", "a")[0].Name
		change(h, a, func(np *hyperv1.NodePool) {
			np.Spec.Platform.Kubevirt.Compute.Memory = ptr.To(resource.MustParse("8Gi"))
		})
		awaits(h, a, 10*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "UpdatingPlatformMachineTemplate", "True AsExpected")
		})
		awaits(h, a, time.Minute, func(np *hyperv1.NodePool) string {
			if np.Status.Replicas < 1 {
				t.Error("the pool was without a node")
			}
			return settled(1, "4.19.9")(np)
		})
		if now := h.machines("kv", "a"); len(now) != 1 || now[0].Name == was {
			t.Errorf("machines are %d, was %s", len(now), was)
		}
	})
	t.Run("a paused pool does nothing", func(t *testing.T) {
		change(h, b, func(np *hyperv1.NodePool) { np.Spec.PausedUntil = ptr.To("true") })
		awaits(h, b, 10*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "ReconciliationActive", "False ReconciliationPaused")
		})
		change(h, b, func(np *hyperv1.NodePool) { np.Spec.AutoScaling.Min = 2 })
		awaits(h, b, 10*time.Second, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AutoscalingEnabled"); c.Message != "Maximum nodes: 3, Minimum nodes: 2" {
				return c.Message
			}
			return ""
		})
		if n := len(h.machines("kv", "b")); n != 1 {
			t.Errorf("%d machines", n)
		}
		change(h, b, func(np *hyperv1.NodePool) { np.Spec.PausedUntil = nil })
		awaits(h, b, time.Minute, settled(2, "4.19.9"))
	})
	t.Run("upgrade", func(t *testing.T) {
		change(h, b, func(np *hyperv1.NodePool) { np.Spec.Release = releaseOf("4.20.3") })
		awaits(h, b, 10*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "ValidReleaseImage", "False ValidationFailed")
		})
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.20.3") })
		awaits(h, hc, time.Minute, completed("4.20.3"))
		if got := len(hc.Status.Version.History); got != 2 {
			t.Errorf("%d entries in the history", got)
		}
		awaits(h, b, time.Minute, settled(2, "4.20.3"))
		eventually(t, 10*time.Second, func() error {
			nodes, err := nodesOf(t.Context(), guest, "b")
			if err != nil || len(nodes) != 2 || slices.ContainsFunc(nodes, func(n corev1.Node) bool {
				return n.Status.NodeInfo.KubeletVersion != "v1.33.5"
			}) {
				return fmt.Errorf("%d nodes %+v: %w", len(nodes), nodes, err)
			}
			return nil
		})
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.19.9") })
		awaits(h, hc, 10*time.Second, func(hc *hyperv1.HostedCluster) string {
			return says(hc, "ValidReleaseImage", "False InvalidImage")
		})
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.20.3") })
	})
	t.Run("the guest tells its version and what it can be updated to", func(t *testing.T) {
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Channel = "stable-4.20" })
		awaits(h, hc, 10*time.Second, func(hc *hyperv1.HostedCluster) string {
			v := hc.Status.Version
			if len(v.AvailableUpdates) == 0 || v.AvailableUpdates[0].Version != "4.20.9" || len(v.ConditionalUpdates) != 1 ||
				v.ConditionalUpdates[0].Release.Version != "4.20.6" {
				return fmt.Sprintf("available %+v, conditional %+v", v.AvailableUpdates, v.ConditionalUpdates)
			}
			return says(hc, hyperv1.ClusterVersionSucceeding, "True FromClusterVersion")
		})
		cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
		h.must(guest.Get(t.Context(), client.ObjectKeyFromObject(cv), cv))
		if cv.Status.Desired.Version != "4.20.3" || len(cv.Status.History) != 2 ||
			cv.Status.History[0].State != configv1.CompletedUpdate ||
			len(cv.Status.AvailableUpdates) == 0 || cv.Spec.Channel != "stable-4.20" {
			t.Errorf("ClusterVersion: %+v", cv.Status)
		}
		operators := &configv1.ClusterOperatorList{}
		h.must(guest.List(t.Context(), operators))
		for _, o := range operators.Items {
			if len(o.Status.Versions) != 1 || o.Status.Versions[0].Version != "4.20.3" || len(o.Status.Conditions) != 4 {
				t.Errorf("ClusterOperator %s: %+v", o.Name, o.Status)
			}
		}
		if len(operators.Items) < 20 {
			t.Errorf("%d ClusterOperators", len(operators.Items))
		}
	})
	t.Run("in place", func(t *testing.T) {
		c := h.pool("kv", "c", "4.19.9", 2, func(np *hyperv1.NodePool) {
			np.Spec.Management.UpgradeType = hyperv1.UpgradeTypeInPlace
		})
		awaits(h, c, time.Minute, settled(2, "4.19.9"))
		was := h.machines("kv", "c")
		change(h, c, func(np *hyperv1.NodePool) { np.Spec.Release = releaseOf("4.20.3") })
		awaits(h, c, time.Minute, settled(2, "4.20.3"))
		now := h.machines("kv", "c")
		if len(now) != 2 || now[0].UID != was[0].UID || now[1].UID != was[1].UID {
			t.Error("machines were replaced")
		}
	})
	t.Run("delete", func(t *testing.T) {
		h.must(h.Delete(t.Context(), b))
		eventually(t, time.Minute, func() error {
			if err := h.Get(t.Context(), client.ObjectKeyFromObject(b), b); client.IgnoreNotFound(err) != nil || err == nil {
				return fmt.Errorf("pool b is still there: %w", err)
			}
			if nodes, err := nodesOf(t.Context(), guest, "b"); err != nil || len(nodes) > 0 {
				return fmt.Errorf("nodes of pool b: %d, %w", len(nodes), err)
			}
			return nil
		})
	})
}

// isLean holds a control plane to the three pods that --lean promises.
func isLean(h *host, namespace string) {
	h.t.Helper()
	pods := &corev1.PodList{}
	h.must(h.List(h.t.Context(), pods, client.InNamespace(namespace)))
	var names []string
	for _, pod := range pods.Items {
		if !strings.HasPrefix(pod.Name, "virt-launcher-") {
			names = append(names, pod.Name)
		}
	}
	if len(names) != 3 {
		h.t.Errorf("%s has the pods %v, want three", namespace, names)
	}
}
