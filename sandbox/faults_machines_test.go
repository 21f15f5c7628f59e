package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// faulty activates faults for one object.
func faulty[T client.Object](faults string) func(T) {
	return func(o T) { o.SetAnnotations(map[string]string{fault.Annotation: faults}) }
}

// --fault activates faults for all hosted clusters, an annotation for one.
func TestFaultsOfMachines(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "1",
		"--fault", "vm-no-capacity", "--fault", "guest-not-upgradeable")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9")
	crowded := h.pool("kv", "crowded", "4.19.9", 1)
	imageless := h.pool("kv", "imageless", "4.19.9", 1, faulty[*hyperv1.NodePool]("vm-image-import"))

	t.Run("no capacity", func(t *testing.T) {
		awaits(h, crowded, 2*time.Minute, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AllMachinesReady"); c.Reason != "Unschedulable" ||
				!strings.Contains(c.Message, "Insufficient memory") {
				return fmt.Sprintf("AllMachinesReady %+v", c)
			}
			return poolSays(np, "Ready", "False WaitingForAvailableMachines")
		})
		if vm := h.machines("kv", "crowded")[0]; vm.Status.PrintableStatus != kubevirtv1.VirtualMachineStatusUnschedulable {
			t.Errorf("the machine is %s", vm.Status.PrintableStatus)
		}
	})
	t.Run("image that cannot be pulled", func(t *testing.T) {
		awaits(h, imageless, time.Minute, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AllMachinesReady"); c.Reason != "DVImagePullFailed" ||
				!strings.Contains(c.Message, "failed to pull image") {
				return fmt.Sprintf("AllMachinesReady %+v", c)
			}
			return ""
		})
		vm := h.machines("kv", "imageless")[0]
		dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: vm.Namespace,
			Name: vm.Spec.DataVolumeTemplates[0].Name}}
		h.must(h.Get(t.Context(), client.ObjectKeyFromObject(dv), dv))
		if dv.Status.Phase != cdiv1.ImportInProgress ||
			vm.Status.PrintableStatus != kubevirtv1.VirtualMachineStatusDataVolumeError {
			t.Errorf("the volume is %s, the machine %s", dv.Status.Phase, vm.Status.PrintableStatus)
		}
		change(h, imageless, func(np *hyperv1.NodePool) { delete(np.Annotations, fault.Annotation) })
		awaits(h, imageless, time.Minute, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AllMachinesReady"); c.Reason != "Unschedulable" {
				return fmt.Sprintf("AllMachinesReady %+v", c)
			}
			return ""
		})
	})
	t.Run("without a node the cluster tells what it misses", func(*testing.T) {
		awaits(h, hc, time.Minute, func(hc *hyperv1.HostedCluster) string {
			return says(hc, hyperv1.ClusterVersionSucceeding, "False ClusterOperatorsNotAvailable")
		})
	})
}

func TestFaultsOfUpgrades(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "1",
		"--fault", "guest-not-upgradeable")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.3")
	np := h.pool("kv", "kv", "4.19.3", 1, faulty[*hyperv1.NodePool]("ignition-unreachable"))

	t.Run("ignition not reached", func(*testing.T) {
		awaits(h, np, 2*time.Minute, func(np *hyperv1.NodePool) string {
			if what := poolSays(np, "AllMachinesReady", "True AsExpected"); what != "" {
				return what
			}
			if what := poolSays(np, "ReachedIgnitionEndpoint", "False ignitionNotReached"); what != "" {
				return what
			}
			return poolSays(np, "AllNodesHealthy", "False NodeProvisioning")
		})
		change(h, np, func(np *hyperv1.NodePool) { delete(np.Annotations, fault.Annotation) })
		awaits(h, hc, time.Minute, completed("4.19.3"))
	})
	t.Run("not upgradeable", func(t *testing.T) {
		awaits(h, hc, 10*time.Second, func(hc *hyperv1.HostedCluster) string {
			return says(hc, hyperv1.ClusterVersionUpgradeable, "False IncompatibleOperatorsInstalled")
		})
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.19.9") })
		awaits(h, hc, time.Minute, completed("4.19.9")) // an upgrade to a patch is allowed
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.20.3") })
		awaits(h, hc, 10*time.Second, func(hc *hyperv1.HostedCluster) string {
			return says(hc, hyperv1.HostedClusterProgressing, "False Blocked")
		})
		if got := hc.Status.Version.Desired.Version; got != "4.19.9" {
			t.Errorf("a refused upgrade goes to %s", got)
		}
	})
	t.Run("forced, and stuck", func(t *testing.T) {
		change(h, hc, func(hc *hyperv1.HostedCluster) {
			hc.Annotations[hyperv1.ForceUpgradeToAnnotation] = hc.Spec.Release.Image
			hc.Annotations[fault.Annotation] = "upgrade-stuck"
		})
		awaits(h, hc, time.Minute, func(hc *hyperv1.HostedCluster) string {
			return says(hc, hyperv1.ClusterVersionSucceeding, "False ClusterOperatorDegraded")
		})
		v := hc.Status.Version
		if v.Desired.Version != "4.20.3" || v.History[0].State != configv1.PartialUpdate ||
			v.History[1].State != configv1.CompletedUpdate {
			t.Errorf("version is %+v", v)
		}
		operator := &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: "monitoring"}}
		h.must(h.guest("kv").Get(t.Context(), client.ObjectKeyFromObject(operator), operator))
		degraded := false
		for _, c := range operator.Status.Conditions {
			degraded = degraded || c.Type == configv1.OperatorDegraded && c.Status == configv1.ConditionTrue
		}
		if !degraded || operator.Status.Versions[0].Version != "4.19.9" {
			t.Errorf("monitoring: %+v", operator.Status)
		}
		change(h, hc, func(hc *hyperv1.HostedCluster) { delete(hc.Annotations, fault.Annotation) })
		awaits(h, hc, time.Minute, completed("4.20.3"))
	})
}
