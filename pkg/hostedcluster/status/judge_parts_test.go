package status

import (
	stdcmp "cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// at is a time so long before now.
func at(before time.Duration) metav1.Time { return metav1.NewTime(now.Add(-before)) }

// partOf is a part and those in it, in few words.
func partOf(p Part) string {
	r := &Report{HostedCluster: p, Health: p.Health}
	_, parts, _ := strings.Cut(outline(r), "\n")
	return strings.ReplaceAll(parts, "\n  ", "\n")
}

// What is under way counts as failing after an hour, and not a moment earlier.
// TestWhatMoves has what changes while a cluster runs: the hosts of its VMs, and the volumes plugged into them.
func TestWhatMoves(t *testing.T) {
	node := corev1.Node{}
	node.Name, node.Labels = "kv-00-a", map[string]string{"topology.hcctl.dev/host": "n1"}
	pod := func(host string, phase corev1.PodPhase) corev1.Pod {
		p := corev1.Pod{}
		p.Labels = map[string]string{kubevirtv1.DeprecatedVirtualMachineNameLabel: "kv-00-a"}
		if host == "n2" {
			p.Labels = map[string]string{kubevirtv1.VirtualMachineInstanceIDLabel: "kv-00-a"}
		}
		p.Spec.NodeName, p.Status.Phase = host, phase
		return p
	}
	for want, pods := range map[string][]corev1.Pod{
		"":   {pod("n1", corev1.PodRunning), pod("n2", corev1.PodRunning)},
		"n1": {pod("n1", corev1.PodSucceeded), pod("n2", corev1.PodRunning)},
		"n3": {pod("n1", corev1.PodRunning)},
	} {
		v := &snapshot{}
		v.launchers.items = pods
		node.Labels["topology.hcctl.dev/host"] = stdcmp.Or(want, "n1")
		if got := v.movedFrom(&node); got != want {
			t.Errorf("moved from %q, want %q", got, want)
		}
	}
	v := &snapshot{}
	if v.movedFrom(&node) != "" || v.volumes() != "" {
		t.Error("something is said where nothing is known")
	}
	vm := kubevirtv1.VirtualMachine{}
	vm.Spec.Template = &kubevirtv1.VirtualMachineInstanceTemplateSpec{}
	vm.Spec.Template.Spec.Volumes = []kubevirtv1.Volume{
		{VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: "root"}}},
		{VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: "a", Hotpluggable: true}}},
	}
	v.vms.items = []kubevirtv1.VirtualMachine{vm}
	if got := v.volumes(); got != "1 volume plugged in" {
		t.Errorf("%q", got)
	}
	v.vms.items[0].Status.VolumeRequests = []kubevirtv1.VirtualMachineVolumeRequest{
		{AddVolumeOptions: &kubevirtv1.AddVolumeOptions{Name: "b"}}}
	if got := v.volumes(); got != "1 volume plugged in, 1 asked for" {
		t.Errorf("%q", got)
	}
}

func TestPatience(t *testing.T) {
	v := healthy(t)
	for name, tc := range map[string]struct {
		began time.Time
		want  Health
	}{
		"just now": {now, Progressing}, "an hour ago": {now.Add(-time.Hour), Progressing},
		"longer ago": {now.Add(-time.Hour - 1), Failing}, "never": {time.Time{}, Progressing},
		"a day ago": {now.Add(-24 * time.Hour), Failing}, "soon": {now.Add(time.Minute), Progressing},
	} {
		if got := v.underWay(tc.began); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	if got := ago(now, now.Add(time.Minute)); got != "0s" {
		t.Errorf("a clock that is ahead: %s", got)
	}
}

func TestPhases(t *testing.T) {
	history := func(v *snapshot, states ...configv1.UpdateState) {
		v.hc.Status.Version.History = nil
		for _, s := range states {
			v.hc.Status.Version.History = append(v.hc.Status.Version.History,
				configv1.UpdateHistory{State: s, Version: "4.20.3", Image: "x"})
		}
	}
	size := func(v *snapshot, n int32) { *v.pools.items[0].Spec.Replicas = n }
	for name, tc := range map[string]struct {
		change           func(*snapshot)
		want             Phase
		version, desired string
	}{
		"ready":     {func(*snapshot) {}, Ready, "4.20.3", ""},
		"no status": {func(v *snapshot) { v.hc.Status.Version = nil }, Creating, "", ""},
		"none completed": {func(v *snapshot) { history(v, configv1.PartialUpdate) }, Creating, "",
			"4.20.3"},
		"no history": {func(v *snapshot) { history(v) }, Creating, "", "4.20.3"},
		"same version": {func(v *snapshot) { history(v, configv1.PartialUpdate, configv1.CompletedUpdate) }, Upgrading,
			"4.20.3",
			""},
		"another version": {func(v *snapshot) { v.hc.Status.Version.Desired.Version = "4.20.4" }, Upgrading, "4.20.3",
			"4.20.4"},
		"the control plane's components alone": {func(v *snapshot) {
			v.rollout = hostedcluster.ControlPlaneVersion{Desired: "4.20.4", Completed: "4.20.3"}
		}, Upgrading, "4.20.3", "4.20.4"},
		"the control plane's components as before": {func(v *snapshot) {
			v.rollout = hostedcluster.ControlPlaneVersion{Desired: "4.20.3", Completed: "4.20.3"}
		}, Ready, "4.20.3", ""},
		"paused": {func(v *snapshot) { v.hc.Spec.PausedUntil = ptr.To("true") }, Paused, "4.20.3", ""},
		"was paused": {func(v *snapshot) { v.hc.Spec.PausedUntil = ptr.To(now.Add(-time.Hour).Format(time.RFC3339)) }, Ready,
			"4.20.3", ""},
		"deleting": {func(v *snapshot) { v.hc.DeletionTimestamp, v.hc.Spec.PausedUntil = &fresh, ptr.To("true") }, Deleting,
			"4.20.3", ""},
		"no workers": {func(v *snapshot) { size(v, 0) }, NoWorkers, "4.20.3", ""},
		"no workers, not available": {func(v *snapshot) {
			size(v, 0)
			v.conditions(t, long, "Available False X")
		}, Ready, "4.20.3", ""},
		"workers that may not be read": {func(v *snapshot) { v.pools = result[hyperv1.NodePool]{err: errors.New("no")} },
			Ready,
			"4.20.3", ""},
	} {
		v := healthy(t)
		tc.change(v)
		got := v.brief()
		if got.Phase != tc.want || got.Version != tc.version || got.Desired != tc.desired ||
			got.ControlPlaneVersion != v.rollout.Completed {
			t.Errorf("%s: %s, %q, %q, %q", name, got.Phase, got.Version, got.Desired, got.ControlPlaneVersion)
		}
	}
}

func TestReportsSayWhereTheAPIIs(t *testing.T) {
	v := healthy(t)
	if r := v.brief(); r.API != "192.168.216.40:6443" {
		t.Errorf("%q", r.API)
	}
	v.hc.Status.ControlPlaneEndpoint.Host = ""
	if r := v.brief(); r.API != "" {
		t.Errorf("%q", r.API)
	}
}

func TestNodePoolsAreJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*hyperv1.NodePool)
		want   string
	}{
		"scales itself": {func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 1, Max: 3}
		}, "ok 2/2: 2 nodes, scales from 1 to 3, 4.20.3"},
		"scales itself, has too few": {func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 3, Max: 5}
		}, "failing 2/3: 2 nodes, scales from 3 to 5, 4.20.3"},
		"scales itself, has too many": {func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 1, Max: 1}
		}, "ok 2/1: 2 nodes, scales from 1 to 1, 4.20.3"},
		"no version": {func(np *hyperv1.NodePool) { np.Status.Version = "" }, "ok 2/2: 2 of 2 nodes"},
		"has more":   {func(np *hyperv1.NodePool) { *np.Spec.Replicas = 1 }, "ok 2/1: 2 of 1 nodes, 4.20.3"},
		"has fewer": {func(np *hyperv1.NodePool) { np.Status.Replicas, np.CreationTimestamp = 1, fresh },
			"progressing 1/2: 1 of 2 nodes, 4.20.3"},
		"says nothing": {func(np *hyperv1.NodePool) { np.Status.Conditions, np.CreationTimestamp = nil, fresh },
			"progressing 2/2: 2 of 2 nodes, 4.20.3"},
		"goes": {func(np *hyperv1.NodePool) { np.DeletionTimestamp = &fresh },
			"progressing 2/2: 2 of 2 nodes, 4.20.3, being deleted for 60s"},
		"paused": {func(np *hyperv1.NodePool) {
			np.Spec.PausedUntil = ptr.To("true")
			np.Status.Conditions = []hyperv1.NodePoolCondition{{Type: "ReconciliationActive", Status: "False",
				Reason: "ReconciliationPaused"}}
		}, "warning 2/2: 2 of 2 nodes, 4.20.3, paused until it is resumed"},
		"not ready": {func(np *hyperv1.NodePool) {
			np.Status.Conditions = []hyperv1.NodePoolCondition{{Type: "Ready", Status: "False", Reason: "Bad",
				LastTransitionTime: fresh}}
		}, "progressing 2/2: 2 of 2 nodes, 4.20.3\nprogressing Condition Ready: Ready False (Bad)"},
		"paused, and not ready": {func(np *hyperv1.NodePool) {
			np.Spec.PausedUntil = ptr.To("true")
			np.Status.Conditions = []hyperv1.NodePoolCondition{{Type: "Ready", Status: "False", Reason: "Bad",
				LastTransitionTime: long}}
		}, "failing 2/2: 2 of 2 nodes, 4.20.3, paused until it is resumed\nfailing Condition Ready: Ready False (Bad)"},
	} {
		v := healthy(t)
		tc.change(&v.pools.items[0])
		p := v.nodePools(v.phase()).Parts[0]
		got := fmt.Sprintf("%s %d/%d: %s", p.Health, *p.Ready, *p.Total, p.Message)
		for _, c := range p.Parts {
			got += fmt.Sprintf("\n%s %s %s: %s", c.Health, c.Kind, c.Name, c.Message)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPodsAreJudged(t *testing.T) {
	waiting := func(name, reason string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "some\nwords"}}}
	}
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   string
	}{
		"ready": {func(p *corev1.Pod) {
			p.Status.Conditions[0].Status = corev1.ConditionTrue
		}, ""},
		"not ready": {func(*corev1.Pod) {}, "failing Pod p: it is Running and not ready"},
		"not ready, says why": {func(p *corev1.Pod) { p.Status.Conditions[0].Message = "no\nprobe" },
			"failing Pod p: it is Running and not ready: no probe"},
		"says nothing": {func(p *corev1.Pod) { p.Status.Conditions = nil }, "failing Pod p: it is Running and not ready"},
		"a reason": {func(p *corev1.Pod) { p.Status.Reason, p.Status.Message = "NodeLost", "away" },
			"failing Pod p: it is Running and not ready: NodeLost: away"},
		"scheduled": {func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled,
				Status: corev1.ConditionTrue, Reason: "R"})
		}, "failing Pod p: it is Running and not ready"},
		"another condition": {func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodInitialized,
				Status: corev1.ConditionFalse, Reason: "R", Message: "m"})
		}, "failing Pod p: it is Running and not ready"},
		"creating": {container(waiting("c", "ContainerCreating")), "failing Pod p: container c has not been created for more than " +
			"5m: its volumes, its network or its image are not there"},
		"initializing": {container(waiting("c", "PodInitializing")), "failing Pod p: it is Running and not ready"},
		"no reason":    {container(waiting("c", "")), "failing Pod p: it is Running and not ready"},
		"no image": {container(waiting("c", "ErrImagePull")),
			"failing Pod p: container c: ErrImagePull: some words"},
		"an init container first": {func(p *corev1.Pod) {
			container(waiting("c", "ErrImagePull"))(p)
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{waiting("i", "Bad")}
		}, "failing Pod p: container i: Bad: some words"},
		"goes":          {func(p *corev1.Pod) { p.DeletionTimestamp = &fresh }, "progressing Pod p: it is being deleted"},
		"goes for long": {func(p *corev1.Pod) { p.DeletionTimestamp = &long }, "failing Pod p: it is being deleted"},
	} {
		v := healthy(t)
		p := pod("p", corev1.PodRunning, corev1.ConditionFalse)
		tc.change(&p)
		v.pods.items = []corev1.Pod{p}
		got := v.controlPlane(Ready)
		if _, inner, _ := strings.Cut(partOf(got), "\n"); strings.TrimSpace(inner) != tc.want {
			t.Errorf("%s: %q, want %q", name, strings.TrimSpace(inner), tc.want)
		}
	}
	for phase, want := range map[Phase]Health{Creating: Progressing, Upgrading: Progressing, Ready: Failing,
		Paused:    Failing,
		NoWorkers: Failing, Stopped: Failing, Deleting: Progressing} {
		v := healthy(t)
		p := pod("p", corev1.PodPending, corev1.ConditionFalse)
		p.CreationTimestamp = fresh
		if got := v.podHealth(&p, health.Of(&p, now), phase); got != want {
			t.Errorf("a new pod, %s: %s, want %s", phase, got, want)
		}
		p.Status.Reason = "x"
		p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("c", "Bad")}
		if got := v.podHealth(&p, health.Of(&p, now), phase); got != Failing {
			t.Errorf("a pod with a trouble, %s: %s", phase, got)
		}
	}
	v := healthy(t)
	v.pods.items, v.deployments.items, v.statefulSets.items = nil, nil, nil
	v.hc.CreationTimestamp = fresh
	if p := v.controlPlane(Deleting); p.Health != OK || p.Message != "" {
		t.Errorf("no pods of one that goes: %+v", p)
	}
	if p := v.controlPlane(Creating); p.Health != Progressing || p.Message != "no pod yet" {
		t.Errorf("no pods: %+v", p)
	}
}

func container(s corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{s} }
}

func TestMachinesAreJudged(t *testing.T) {
	for status, want := range map[kubevirtv1.VirtualMachinePrintableStatus]Health{
		kubevirtv1.VirtualMachineStatusUnschedulable: Failing, kubevirtv1.VirtualMachineStatusErrImagePull: Failing,
		kubevirtv1.VirtualMachineStatusCrashLoopBackOff: Failing, kubevirtv1.VirtualMachineStatusStopped: Failing,
		kubevirtv1.VirtualMachineStatusStarting: Progressing, kubevirtv1.VirtualMachineStatusProvisioning: Progressing,
		kubevirtv1.VirtualMachineStatusRunning: Progressing,
	} {
		v := healthy(t)
		v.vms.items[0] = machine("kv-00-a", false, status)
		if p := v.machines(Ready); p.Health != want || *p.Ready != 1 || *p.Total != 2 {
			t.Errorf("%s: %s, %d of %d, want %s", status, p.Health, *p.Ready, *p.Total, want)
		}
	}
	for name, tc := range map[string]struct {
		change func(*snapshot)
		phase  Phase
		want   string
	}{
		"all there": {func(*snapshot) {}, Ready, ""},
		"starting for long": {func(v *snapshot) {
			v.vms.items[0] = machine("a", false, kubevirtv1.VirtualMachineStatusStarting)
			v.vms.items[0].CreationTimestamp = long
		}, Ready, "failing VirtualMachines 1/2\n  failing VirtualMachine a: Starting"},
		"goes, ready as it is": {func(v *snapshot) { v.vms.items[0].DeletionTimestamp = &fresh }, Ready,
			"progressing VirtualMachines 1/2\n  progressing VirtualMachine kv-00-a: it is being deleted"},
		"goes for long": {func(v *snapshot) { v.vms.items[0].DeletionTimestamp = &long }, Ready,
			"failing VirtualMachines 1/2\n  failing VirtualMachine kv-00-a: it is being deleted"},
		"one missing": {func(v *snapshot) { v.vms.items = v.vms.items[:1] }, Ready,
			"failing VirtualMachines 1/2: 1 not created yet"},
		"one missing, upgrading": {func(v *snapshot) { v.vms.items = v.vms.items[:1] }, Upgrading,
			"progressing VirtualMachines 1/2: 1 not created yet"},
		"one missing, the pool grows": {func(v *snapshot) {
			v.vms.items, v.pools.items[0].Status.Replicas = v.vms.items[:1], 1
			v.pools.items[0].CreationTimestamp = fresh
		}, Ready, "progressing VirtualMachines 1/2: 1 not created yet"},
		"one missing, deleting": {func(v *snapshot) { v.vms.items = v.vms.items[:1] }, Deleting, ""},
		"one more":              {func(v *snapshot) { *v.pools.items[0].Spec.Replicas = 1 }, Ready, ""},
		"one fails and one is missing": {func(v *snapshot) {
			v.vms.items = v.vms.items[:1]
			v.vms.items[0] = machine("a", false, kubevirtv1.VirtualMachineStatusStopped)
		}, Upgrading, "failing VirtualMachines 0/2: 1 not created yet\n  failing VirtualMachine a: it is stopped, and its runStrategy is Halted"},
	} {
		v := healthy(t)
		tc.change(v)
		if diff := cmp.Diff(tc.want, strings.TrimSpace(partOf(v.machines(tc.phase)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestNodesAreJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		created metav1.Time
		goes    bool
		phase   Phase
		want    Health
	}{
		"was ready once":           {long, false, Ready, Failing},
		"has just joined":          {at(10*time.Minute - 1), false, Ready, Progressing},
		"has joined long ago":      {at(10 * time.Minute), false, Ready, Failing},
		"creating":                 {at(30 * time.Minute), false, Creating, Progressing},
		"creating for long":        {long, false, Creating, Failing},
		"goes":                     {at(30 * time.Minute), true, Ready, Progressing},
		"has just joined, upgrade": {fresh, false, Upgrading, Progressing},
	} {
		v := healthy(t)
		n := node("n", corev1.ConditionFalse)
		n.CreationTimestamp = tc.created
		if tc.goes {
			n.DeletionTimestamp = &fresh
		}
		v.nodes.items = []corev1.Node{node("a", corev1.ConditionTrue), n}
		says := " Node n: Ready False (Kubelet): kubelet says so"
		if tc.goes {
			says = " Node n: it is being deleted"
		}
		want := tc.want.String() + " Nodes 1/2\n  " + tc.want.String() + says
		if diff := cmp.Diff(want, strings.TrimSpace(partOf(v.guestNodes(tc.phase)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	v := healthy(t)
	v.nodes.items = []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n", CreationTimestamp: long}}}
	v.nodes.items[0].Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeDiskPressure,
		Status: corev1.ConditionTrue}}
	if got := strings.TrimSpace(partOf(v.guestNodes(Ready))); got !=
		"failing Nodes 0/2: 1 not joined\n  failing Node n: its kubelet has not reported yet" {
		t.Error(got)
	}
}

func TestOperatorsAreJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		o     configv1.ClusterOperator
		phase Phase
		want  string
	}{
		"not available": {operator("o", "False", "True", "True"), Ready,
			"failing ClusterOperator o: Degraded True (R): its words"},
		"degraded": {operator("o", "True", "True", "True"), Ready,
			"failing ClusterOperator o: Degraded True (R): its words"},
		"at work": {operator("o", "True", "False", "True"), Ready,
			"progressing ClusterOperator o: Progressing True (R): its words"},
		"well": {operator("o", "True", "False", "False"), Ready, ""},
		"says nothing": {operator("o", "", "False", "False"), Ready,
			"progressing ClusterOperator o: it has not reported yet"},
		"not yet, creating": {operator("o", "False", "False", "False"), Creating,
			"failing ClusterOperator o: Available False (R): its words"},
		"at work, creating": {operator("o", "True", "False", "True"), Creating,
			"progressing ClusterOperator o: Progressing True (R): its words"},
		"at work, without worker": {operator("o", "True", "False", "True"), NoWorkers,
			"warning ClusterOperator o: Progressing True (R): its words (there are no workers)"},
	} {
		v := healthy(t)
		v.operators.items = []configv1.ClusterOperator{tc.o}
		_, got, _ := strings.Cut(partOf(v.guestOperators(tc.phase)), "\n")
		if strings.TrimSpace(got) != tc.want {
			t.Errorf("%s: %q, want %q", name, strings.TrimSpace(got), tc.want)
		}
	}
	young := operator("o", "False", "False", "False")
	young.CreationTimestamp = fresh
	v := healthy(t)
	v.operators.items = []configv1.ClusterOperator{young}
	if creating, ready := v.guestOperators(Creating).Health, v.guestOperators(Ready).Health; creating != Progressing ||
		ready != Failing {
		t.Errorf("a new operator: %s while creating, %s when ready", creating, ready)
	}
}

// An empty list is no sign of health.
func TestAGuestWithoutNodesOrOperators(t *testing.T) {
	for name, tc := range map[string]struct {
		created          metav1.Time
		phase            Phase
		nodes, operators string
	}{
		"creating": {fresh, Creating, "progressing none has joined yet", "progressing none has reported yet"},
		"for long": {long, Creating, "failing none has joined yet", "failing none has reported yet"},
		"stopped":  {long, Stopped, "ok none are wanted", "failing none has reported yet"},
	} {
		v := healthy(t)
		v.hc.CreationTimestamp, v.nodes.items, v.operators.items = tc.created, nil, nil
		for want, p := range map[string]Part{tc.nodes: v.guestNodes(tc.phase), tc.operators: v.guestOperators(tc.phase)} {
			if got := p.Health.String() + " " + p.Message; got != want || p.Ready != nil {
				t.Errorf("%s: %q (%v), want %q", name, got, p.Ready, want)
			}
		}
	}
}

func TestAGuestThatCannotBeAsked(t *testing.T) {
	missing := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "config.openshift.io", Kind: "ClusterOperator"}}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", errors.New("no"))
	away := apierrors.NewServiceUnavailable("away")
	for name, tc := range map[string]struct {
		err    error
		phase  Phase
		health Health
		words  string
		hint   string
	}{
		"kind unknown":           {missing, Ready, Warning, "does not know ClusterOperators", ""},
		"kind unknown, creating": {missing, Creating, Progressing, "none has reported yet", ""},
		"deleting":               {away, Deleting, Progressing, "no longer asked", ""},
		"no kubeconfig":          {guest.ErrNoKubeconfig, Ready, Unknown, "the hosted API server cannot be asked: ", ""},
		"no kubeconfig, new":     {guest.ErrNoKubeconfig, Creating, Failing, "the hosted API server cannot be asked: ", ""},
		"not ready":              {away, Ready, Unknown, "answers 503", "hcctl logs kv-00 kube-apiserver"},
		"expired": {apierrors.NewUnauthorized("no"), Ready, Unknown, "answers 401",
			"its operator renews that kubeconfig; hcctl logs kv-00 kube-apiserver says why it is refused"},
		"away": {&url.Error{Op: "Get", URL: "https://x:6443/api", Err: syscall.ECONNREFUSED}, Ready, Unknown,
			"does not answer", "nothing listens at x:6443: hcctl status kv-00 says whether its pods run"},
		"no way": {&url.Error{Op: "Get", URL: "https://x:6443/api", Err: syscall.EHOSTUNREACH}, Ready, Unknown,
			"does not answer", "x:6443 has to be reachable from this machine: curl -k https://x:6443/readyz"},
		"not allowed": {forbidden, Ready, Unknown, "not allowed",
			"a role that may: hcctl rbac --for login --namespace clusters --cluster-name kv-00"},
		"anything else": {errors.New("odd"), Ready, Unknown, "could not be asked: odd", ""},
	} {
		v := healthy(t)
		v.operators = result[configv1.ClusterOperator]{err: tc.err}
		p := v.guestOperators(tc.phase)
		if p.Health != tc.health || !strings.Contains(p.Message,
			tc.words) || p.Hint.String() != tc.hint || p.Kind != operatorsKind {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestWhatADeletedClusterWaitsFor(t *testing.T) {
	emptied := step.Pending("being emptied, left: PersistentVolumeClaim data").On("Namespace clusters-kv-00")
	for name, tc := range map[string]struct {
		blocked step.Finding
		began   metav1.Time
		want    string
	}{
		"nothing is known": {step.Finding{}, fresh, ""},
		"a namespace": {emptied, fresh,
			"progressing Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data"},
		"for long": {emptied, long, "failing Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data"},
		"a NodePool": {step.Pending("3 VMs left").On("NodePool clusters/kv-00"), fresh,
			"progressing NodePool kv-00: 3 VMs left"},
		"not for this user": {step.Unknown("not permitted").On("Namespace clusters-kv-00"), fresh,
			"unknown Namespace clusters-kv-00: not permitted"},
	} {
		v := healthy(t)
		v.hc.DeletionTimestamp, v.blocked = &tc.began, tc.blocked
		p := v.hostedCluster(Deleting)
		_, got, _ := strings.Cut(partOf(p), "\n")
		if strings.TrimSpace(got) != tc.want || !strings.HasPrefix(p.Message, "being deleted for ") {
			t.Errorf("%s: %q, want %q (%s)", name, strings.TrimSpace(got), tc.want, p.Message)
		}
	}
}

// The control plane's components say why there is no pod.
func TestComponentsThatCannotBeCreated(t *testing.T) {
	for created, want := range map[metav1.Time]string{fresh: "progressing", long: "failing"} {
		v := healthy(t)
		c := hyperv1.ControlPlaneComponent{ObjectMeta: metav1.ObjectMeta{Name: "packageserver"}}
		c.Status.Conditions = []metav1.Condition{{Type: "RolloutComplete", Status: metav1.ConditionFalse,
			Reason: "ReconciliationError", Message: "no image"}}
		v.hc.CreationTimestamp, v.components.items = created, []hyperv1.ControlPlaneComponent{c}
		_, got, _ := strings.Cut(partOf(v.controlPlane(Creating)), "\n")
		if strings.TrimSpace(got) != want+" ControlPlaneComponent packageserver: no image" {
			t.Errorf("%q, want %s", strings.TrimSpace(got), want)
		}
	}
}

// Pods that a roll-out replaces are no failure; without a roll-out they are.
func TestDegradedByARollout(t *testing.T) {
	for name, tc := range map[string]struct {
		phase       Phase
		progressing string
		reason      string
		want        Health
	}{
		"upgrading":       {Upgrading, "False", "UnavailableReplicas", Progressing},
		"just begun":      {Ready, "True", "UnavailableReplicas", Progressing},
		"no roll-out":     {Ready, "False", "UnavailableReplicas", Failing},
		"another problem": {Upgrading, "True", "Other", Failing},
	} {
		v := healthy(t)
		v.conditions(t, fresh, "Progressing "+tc.progressing+" AsExpected", "Degraded True "+tc.reason+" [a, b]")
		for _, p := range v.hostedCluster(tc.phase).Parts {
			if p.Name == "Degraded" && p.Health != tc.want {
				t.Errorf("%s: %s, want %s", name, p.Health, tc.want)
			}
		}
		if len(v.hostedCluster(tc.phase).Parts) == 0 {
			t.Errorf("%s: nothing is reported", name)
		}
	}
}

// A message that two conditions share is told once, unless one of them is past all hope.
func TestConditionsThatSayTheSame(t *testing.T) {
	v := healthy(t)
	v.conditions(t, long, "Degraded True X same words", "Available False Y same words", "EtcdAvailable False Z")
	p := v.hostedCluster(Ready)
	if len(p.Parts) != 2 || *p.Ready != 4 || *p.Total != 7 {
		t.Errorf("%d parts, %d of %d: %+v", len(p.Parts), *p.Ready, *p.Total, p.Parts)
	}
	v.conditions(t, long, "Degraded True X words", "ValidReleaseImage False InvalidImage words")
	broken := false
	for _, part := range v.hostedCluster(Ready).Parts {
		broken = broken || part.Health == Broken
	}
	if !broken {
		t.Error("a condition past all hope is left out as told already")
	}
}

func TestHintsComeFromTheGravest(t *testing.T) {
	r := &Report{Health: Failing,
		HostedCluster: Part{Kind: clusterKind, Health: Warning, Hint: hint.New("warned")},
		ControlPlane: Part{Kind: podsKind, Health: Failing, Parts: []Part{{Health: Progressing, Hint: hint.New("wait")},
			{Health: Failing, Hint: hint.New("look here")}}},
		NodePools: Part{Kind: poolsKind, Health: Failing, Hint: hint.New("later")},
	}
	if got := r.Hint().String(); got != "look here" {
		t.Errorf("%q", got)
	}
	r.ControlPlane.Parts[1].Hint = hint.Text{}
	if got := r.Hint().String(); got != "later" {
		t.Errorf("without it: %q", got)
	}
	r.ControlPlane.Hint = hint.New("here")
	if got := r.Hint().String(); got != "here" {
		t.Errorf("of the part itself: %q", got)
	}
	if got := (&Report{Health: Broken}).Hint().String(); got != "" {
		t.Errorf("nothing to say: %q", got)
	}
}

func TestTheWorseOfTwo(t *testing.T) {
	for _, tc := range []struct{ a, b, want Health }{
		{OK, Warning, Warning}, {Warning, OK, Warning}, {Unknown, Progressing, Progressing}, {Broken, Failing, Broken},
		{OK, Health(0), Unknown}, {Failing, Unknown, Failing},
	} {
		if got := Worse(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s: %s, want %s", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestNamesOfResources(t *testing.T) {
	r := NodePools()
	u := &unstructured.Unstructured{Object: object{"metadata": object{"name": "kv-00"}}}
	if got := r.FullName(u); got != "nodepool.hypershift.openshift.io/kv-00" || r.Nouns() != "node pools" {
		t.Errorf("%s, %s", got, r.Nouns())
	}
}

func TestTablesOfNamesAndOfWhatCannotBeRead(t *testing.T) {
	own := cluster("clusters", "a", "1", nil)
	f := &fake{t: t, answers: map[string]any{clustersPath: []any{own}, clustersPath + "/a": own,
		allPath: http.StatusForbidden, poolsPath: []any{nodePool("x", "one", object{}, nil),
			nodePool("y", "two", object{}, nil)}}}
	tabulate := func(q Query) ([]string, error) {
		table, err := Tabulate(t.Context(), f.client(), q, View{Now: time.Now})
		if table == nil {
			return nil, err
		}
		var names []string
		for _, row := range table.Rows {
			names = append(names, row[0])
		}
		return names, err
	}
	got, err := tabulate(Query{Resource: HostedClusters(), Namespace: "clusters", Names: []string{"a"}})
	if diff := cmp.Diff([]string{"a"}, got); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	if got, err := tabulate(Query{Resource: HostedClusters()}); err == nil || got != nil ||
		!strings.Contains(err.Error(), "list HostedClusters: ") {
		t.Errorf("forbidden: %v, %v", got, err)
	}
	got, err = tabulate(Query{Resource: NodePools(), Namespace: "clusters", Cluster: "two"})
	if diff := cmp.Diff([]string{"y"}, got); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
}

// What is left of a cluster that is gone can be removed.
func TestTheHintOfRemains(t *testing.T) {
	f := management(t, "")
	delete(f.answers, clustersPath+"/kv-00")
	_, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if failure.Hint(err).String() != "hcctl delete cluster kv-00 removes what is left" {
		t.Errorf("%v", err)
	}
}

func TestOfAClusterThatGoes(t *testing.T) {
	f := management(t, "")
	goes := running()
	goes["metadata"].(object)["deletionTimestamp"] = fresh
	f.answers[clustersPath+"/kv-00"] = goes
	f.answers["/api/v1/namespaces/clusters-kv-00"] = object{"apiVersion": "v1", "kind": "Namespace",
		"metadata": object{"name": "clusters-kv-00", "deletionTimestamp": fresh},
		"status":   object{"conditions": said("NamespaceContentRemaining True X 1 left")}}
	r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if err != nil || r.Phase != Deleting || len(r.HostedCluster.Parts) != 1 ||
		r.HostedCluster.Parts[0].Message != "its operator has not begun with it" {
		t.Errorf("%+v, %v", r, err)
	}
	if r.Nodes.Message != "no longer asked: the cluster is being deleted" {
		t.Errorf("its nodes: %+v", r.Nodes)
	}
}

// Machines that are no VMs of this cluster are named as not judged, and nothing waits for them or counts them.
func TestOtherPlatforms(t *testing.T) {
	for platform, counts := range map[hyperv1.PlatformType]bool{
		hyperv1.AgentPlatform: true, hyperv1.NonePlatform: false,
	} {
		v := healthy(t)
		v.hc.Spec.Platform.Type, v.pools.items[0].Spec.Platform.Type = platform, platform
		v.vms = result[kubevirtv1.VirtualMachine]{err: &meta.NoKindMatchError{}}
		if platform == hyperv1.NonePlatform {
			// HyperShift counts no nodes there, and finds no Machine.
			v.pools.items[0].Status.Replicas = 0
			v.pools.items[0].Status.Conditions[1].Status, v.pools.items[0].Status.Conditions[1].Reason = "False", "NotFound"
		}
		want := fmt.Sprintf("platform %s: its machines are not judged", platform)
		for name, r := range map[string]*Report{"detail": v.whole(), "list": v.brief()} {
			if r.Health != OK || r.Phase != Ready || r.Message != want {
				t.Errorf("%s, %s: %s, %s: %s", platform, name, r.Health, r.Phase, r.Message)
			}
			if m := r.Machines; m.Health != OK || !m.NotJudged || m.Ready != nil || m.Message != want {
				t.Errorf("%s, %s: %+v", platform, name, m)
			}
			if counted := r.NodePools.Ready != nil; counted != counts {
				t.Errorf("%s, %s: %+v", platform, name, r.NodePools)
			}
		}
		v.nodes.items[0].Status.Conditions[0].Status = corev1.ConditionFalse
		if r := v.whole(); r.Health != Failing {
			t.Errorf("%s: its own nodes are judged, and it is %s", platform, r.Health)
		}
		v.pools.items = nil
		if r := v.brief(); platform == hyperv1.NonePlatform && (r.Health != OK || r.Phase != Ready) {
			t.Errorf("%s without NodePools: %s, %s: %s", platform, r.Health, r.Phase, r.Message)
		}
	}
}

// TestWhichKeyTheDataNeeds: while etcd's data is encrypted anew, that is the key before the one that the spec names.
func TestWhichKeyTheDataNeeds(t *testing.T) {
	v := healthy(t)
	if got := v.brief().EncryptionKey; got != "" {
		t.Errorf("not encrypted: %q", got)
	}
	v.hc.Spec.SecretEncryption = &hyperv1.SecretEncryptionSpec{Type: hyperv1.AESCBC, AESCBC: &hyperv1.AESCBCSpec{}}
	v.hc.Spec.SecretEncryption.AESCBC.ActiveKey.Name = "new"
	if got := v.brief().EncryptionKey; got != "new" {
		t.Errorf("encrypted: %q", got)
	}
	v.conditions(t, long, "EtcdDataEncryptionUpToDate False ReEncryptionInProgress")
	for want, e := range map[string]hostedcluster.Encryption{
		"; until then the data needs the key of Secret old, and new data that of new": {Active: "old", Target: "new",
			State: "Migrating"},
		"; until then all data has the key of Secret old": {Active: "old", Target: "new", State: "ReadOnlyDeploy"},
		"; the key in Secret old was replaced, and the data still needs the one before: put it back, a backup has it": {
			Active: "old", Target: "old", State: "ReadOnlyDeploy"},
	} {
		v.encryption = e
		r := v.brief()
		i := slices.IndexFunc(r.HostedCluster.Parts, func(p Part) bool { return p.Name == "EtcdDataEncryptionUpToDate" })
		if r.EncryptionKey != "old" || i < 0 || !strings.HasSuffix(r.HostedCluster.Parts[i].Message, want) {
			t.Errorf("%q, %+v, want %s", r.EncryptionKey, r.HostedCluster, want)
		}
	}
}
