package maintenance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
)

// scene is a cluster of the nodes a, b and c, of which a is to be maintained.
type scene struct {
	t     *testing.T
	w     *snapshot
	nodes []corev1.Node
}

func stage(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, w: &snapshot{now: time.Now()}}
	for _, name := range []string{"a", "b", "c"} {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "node-role.kubernetes.io/worker": ""}}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"),
			corev1.ResourceMemory: resource.MustParse("32Gi"), corev1.ResourcePods: resource.MustParse("250")}
		s.nodes = append(s.nodes, n)
	}
	return s
}

// node is one of the nodes, to be changed.
func (s *scene) node(name string) *corev1.Node {
	for i := range s.nodes {
		if s.nodes[i].Name == name {
			return &s.nodes[i]
		}
	}
	s.t.Fatalf("no node %s", name)
	return nil
}

// pod puts a pod that is ready on a node: "namespace/name" with label app.
func (s *scene) pod(node, name, app string, edits ...func(*corev1.Pod)) *corev1.Pod {
	namespace, own, _ := strings.Cut(name, "/")
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: own, Labels: map[string]string{"app": app}}}
	p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: app, Controller: ptr.To(true)}}
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{}}
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	for _, edit := range edits {
		edit(p)
	}
	if node == "a" {
		s.w.here = append(s.w.here, p)
	} else {
		s.w.elsewhere = append(s.w.elsewhere, otherPod{namespace, node, p.Labels, fit.Requests(&p.Spec), health.PodReady(p)})
	}
	return p
}

func requesting(memory string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	}
}

func notReady(p *corev1.Pod) { p.Status.Conditions = nil }

func ownedBy(kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.OwnerReferences[0].Kind = kind }
}

func claiming(claim string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
}

// apartFromItself has a required anti-affinity to pods of its label app.
func apartFromItself(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "kubernetes.io/hostname",
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}}}}}
}

// volume is a bound claim of a namespace; node is the only one that reaches it, "" for all.
func (s *scene) volume(namespace, claim, node string) {
	pv := corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-" + claim}}
	if node != "" {
		pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}}
	}
	pvc := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: claim}}
	pvc.Spec.VolumeName = pv.Name
	s.w.volumes.Items, s.w.claims.Items = append(s.w.volumes.Items, pv), append(s.w.claims.Items, pvc)
}

// budget is a PodDisruptionBudget for the pods of a label app.
func (s *scene) budget(namespace, app string, allowed int32) *management.Budget {
	b := management.Budget{Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{
		MatchLabels: map[string]string{"app": app}}}}
	b.Metadata.Namespace, b.Metadata.Name = namespace, fmt.Sprintf("%s-%d", app, len(s.w.budgets.Items))
	b.Status.DisruptionsAllowed, b.Status.ExpectedPods, b.Status.CurrentHealthy = allowed, 3, 3
	b.Status.DesiredHealthy = 3 - allowed
	s.w.budgets.Items = append(s.w.budgets.Items, b)
	return &s.w.budgets.Items[len(s.w.budgets.Items)-1]
}

// host adds hosted cluster clusters/kv-00, with so many members of etcd.
func (s *scene) host(members int32) *hyperv1.HostedCluster {
	s.w.hosted.Items = append(s.w.hosted.Items, hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{
		Namespace: "clusters", Name: "kv-00"}})
	s.w.etcds.Items = append(s.w.etcds.Items, appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: "clusters-kv-00", Name: "etcd"}, Spec: appsv1.StatefulSetSpec{Replicas: &members}})
	return &s.w.hosted.Items[0]
}

// vm puts a VM on node a, with its pod; said are its conditions, as TYPE=STATUS.
func (s *scene) vm(name string, strategy kubevirtv1.EvictionStrategy, said string, edits ...func(*corev1.Pod)) *machine {
	namespace, own, _ := strings.Cut(name, "/")
	s.pod("a", namespace+"/virt-launcher-"+own, "", append(edits, func(p *corev1.Pod) {
		p.Labels = map[string]string{kubevirtv1.AppLabel: "virt-launcher"}
		p.Annotations = map[string]string{kubevirtv1.DomainAnnotation: own}
	})...)
	m := machine{}
	m.Metadata.Namespace, m.Metadata.Name, m.Status.NodeName = namespace, own, "a"
	m.Metadata.Labels = map[string]string{hyperv1.NodePoolNameLabel: "pool"}
	if strategy != "" {
		m.Spec.EvictionStrategy = &strategy
	}
	for _, c := range strings.Fields(said) {
		kind, status, _ := strings.Cut(c, "=")
		m.Status.Conditions = append(m.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
			Type: kubevirtv1.VirtualMachineInstanceConditionType(kind), Status: corev1.ConditionStatus(status),
			Reason: "R", Message: "why"})
	}
	s.w.machines.Items = append(s.w.machines.Items, m)
	return &s.w.machines.Items[len(s.w.machines.Items)-1]
}

// plan is the plan for node a.
func (s *scene) plan() *Plan {
	s.t.Helper()
	if err := s.w.arrange(s.nodes, "a"); err != nil {
		s.t.Fatal(err)
	}
	return s.w.plan()
}

// told is a plan as lines.
func told(p *Plan) string {
	var lines []string
	items := func(list []Item) {
		for _, i := range list {
			lines = append(lines, fmt.Sprintf("%s %s/%s: %s %s", i.Verdict, i.Namespace, i.Name, i.Outcome, i.Message))
		}
	}
	for _, f := range p.Findings {
		lines = append(lines, management.Verdict(f.State).String()+" "+f.Object+": "+f.Message)
	}
	for _, hc := range p.HostedClusters {
		lines = append(lines, fmt.Sprintf("%s hosted cluster %s/%s", hc.Verdict, hc.Namespace, hc.Name))
		for _, f := range hc.Findings {
			lines = append(lines, management.Verdict(f.State).String()+" "+f.Object+": "+f.Message)
		}
		items(hc.Pods)
		items(hc.Machines)
	}
	items(p.Machines)
	items(p.Pods)
	return strings.Join(append(lines, "= "+p.Verdict.String()), "\n")
}

// expect compares a plan with lines, of which each is the beginning of one.
func expect(t *testing.T, p *Plan, want ...string) {
	t.Helper()
	lines := strings.Split(told(p), "\n")
	if len(lines) != len(want) {
		t.Errorf("got:\n%s\nwant:\n%s", told(p), strings.Join(want, "\n"))
		return
	}
	for i := range lines {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("got  %s\nwant %s", lines[i], want[i])
		}
	}
}

// parsed is an object out of JSON.
func parsed(t *testing.T, text string) unstructured.Unstructured {
	t.Helper()
	var u unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}
