package maintenance

import (
	"errors"
	"fmt"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/management"
)

func TestOrdinaryPods(t *testing.T) {
	const pod = " x/web: "
	for name, tc := range map[string]struct {
		put  func(*scene)
		want []string
	}{
		"moves": {func(s *scene) { s.pod("a", "x/web", "web") }, []string{"clear" + pod + "moves", "= clear"}},
		"of a DaemonSet": {func(s *scene) { s.pod("a", "x/web", "web", ownedBy("DaemonSet"), requesting("64Gi")) },
			[]string{"clear" + pod + "stays", "= clear"}},
		"of the kubelet": {func(s *scene) {
			s.pod("a", "x/web", "web", func(p *corev1.Pod) {
				p.OwnerReferences = nil
				p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
			})
		}, []string{"clear" + pod + "stays", "= clear"}},
		"nobody's": {func(s *scene) { s.pod("a", "x/web", "web", func(p *corev1.Pod) { p.OwnerReferences = nil }) },
			[]string{"blocked" + pod + "lost no controller creates it again", "= blocked"}},
		"a budget lets none go": {func(s *scene) { s.pod("a", "x/web", "web"); s.budget("x", "web", 0) },
			[]string{"blocked" + pod + "waits PodDisruptionBudget web-0: it allows no disruption (3 of 3 pods healthy, 3 wanted)", "= blocked"}},
		"a budget lets one go": {func(s *scene) { s.pod("a", "x/web", "web"); s.budget("x", "web", 1) },
			[]string{"clear" + pod + "moves", "= clear"}},
		"a budget of another namespace": {func(s *scene) { s.pod("a", "x/web", "web"); s.budget("y", "web", 0) },
			[]string{"clear" + pod + "moves", "= clear"}},
		"a budget of others": {func(s *scene) { s.pod("a", "x/web", "web"); s.budget("x", "db", 0) },
			[]string{"clear" + pod + "moves", "= clear"}},
		"two budgets": {func(s *scene) { s.pod("a", "x/web", "web"); s.budget("x", "web", 1); s.budget("x", "web", 1) },
			[]string{"blocked" + pod + "waits two PodDisruptionBudgets select it, web-0 and web-1", "= blocked"}},
		"a budget that says nothing yet": {func(s *scene) {
			s.pod("a", "x/web", "web")
			s.budget("x", "web", 1).Metadata.Generation = 2
		}, []string{"unknown" + pod + "unknown the status of PodDisruptionBudget web-0 is not that of its latest change", "= unknown"}},
		"not ready, which may always go": {func(s *scene) {
			s.pod("a", "x/web", "web", notReady)
			s.budget("x", "web", 0).Spec.UnhealthyPodEvictionPolicy = ptr.To(policyv1.AlwaysAllow)
		}, []string{"clear" + pod + "moves", "= clear"}},
		"not ready, which may not go": {func(s *scene) { s.pod("a", "x/web", "web", notReady); s.budget("x", "web", 0) },
			[]string{"blocked" + pod + "waits", "= blocked"}},
		"budgets are not read": {func(s *scene) { s.pod("a", "x/web", "web"); s.w.budgets.Err = errors.New("no answer") },
			[]string{"unknown" + pod + "unknown PodDisruptionBudgets are not read: no answer", "= unknown"}},
		"a volume of this node": {func(s *scene) { s.pod("a", "x/web", "web", claiming("data")); s.volume("x", "data", "a") },
			[]string{"blocked" + pod + "lost its data is on this node alone: PersistentVolume pv-data, of claim data", "= blocked"}},
		"a volume of all nodes": {func(s *scene) { s.pod("a", "x/web", "web", claiming("data")); s.volume("x", "data", "") },
			[]string{"clear" + pod + "moves", "= clear"}},
		"a volume that nobody knows": {func(s *scene) { s.pod("a", "x/web", "web", claiming("data")) },
			[]string{"unknown" + pod + "unknown its PersistentVolumeClaim data does not exist", "= unknown"}},
		"a claim without a volume": {func(s *scene) {
			s.pod("a", "x/web", "web", claiming("data"))
			s.volume("x", "data", "")
			s.w.volumes.Items = nil
		}, []string{"unknown" + pod + "unknown its PersistentVolumeClaim data has no PersistentVolume", "= unknown"}},
		"claims are not read": {func(s *scene) {
			s.pod("a", "x/web", "web", claiming("data"))
			s.w.claims.Err = errors.New("no answer")
		}, []string{"unknown" + pod + "unknown PersistentVolumeClaims are not read: no answer", "= unknown"}},
		"volumes are not read, and it has none": {func(s *scene) {
			s.pod("a", "x/web", "web")
			s.w.volumes.Err = errors.New("no answer")
		}, []string{"clear" + pod + "moves", "= clear"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			tc.put(s)
			expect(t, s.plan(), tc.want...)
		})
	}
}

// More pods than a budget allows to go at once go one after the other.
func TestPodsOfOneBudget(t *testing.T) {
	s := stage(t)
	s.pod("a", "x/web-0", "web")
	s.pod("a", "x/web-1", "web")
	s.budget("x", "web", 1)
	expect(t, s.plan(), "clear x/web-0: moves", "clear x/web-1: moves after the ones before it are ready elsewhere", "= clear")
}

func TestRoomElsewhere(t *testing.T) {
	cordoned := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	away := func(n *corev1.Node) { n.Status.Conditions = nil }
	tainted := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "lab", Value: "x", Effect: corev1.TaintEffectNoSchedule}}
	}
	preferring := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "lab", Value: "x", Effect: corev1.TaintEffectPreferNoSchedule}}
	}
	tolerating := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "lab", Operator: corev1.TolerationOpExists}}
	}
	selecting := func(key string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: ""} }
	}
	needing := func(operator corev1.NodeSelectorOperator, values ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "kubernetes.io/hostname", Operator: operator,
						Values: values}}}}}}}
		}
	}
	const none = "blocked x/web: lost none of 2 other nodes may take it (labels, affinity or taints)"
	for name, tc := range map[string]struct {
		pod  []func(*corev1.Pod)
		b, c func(*corev1.Node)
		want string
	}{
		"fits":                  {[]func(*corev1.Pod){requesting("32Gi")}, nil, nil, "clear x/web: moves"},
		"too large":             {[]func(*corev1.Pod){requesting("33Gi")}, nil, nil, "blocked x/web: lost no room on 2 other nodes that may take it: it requests CPU 0.0, memory 33Gi and 1 pods"},
		"one cordoned":          {nil, cordoned, nil, "clear x/web: moves"},
		"cordoned and away":     {nil, cordoned, away, "blocked x/web: lost none of 0 other nodes may take it"},
		"tainted":               {nil, tainted, tainted, none},
		"tolerated":             {[]func(*corev1.Pod){tolerating}, tainted, tainted, "clear x/web: moves"},
		"tainted by preference": {nil, preferring, preferring, "clear x/web: moves"},
		"of another label":      {[]func(*corev1.Pod){selecting("gpu")}, nil, nil, none},
		"of a label":            {[]func(*corev1.Pod){selecting("node-role.kubernetes.io/worker")}, nil, nil, "clear x/web: moves"},
		"of this node alone":    {[]func(*corev1.Pod){needing(corev1.NodeSelectorOpIn, "a")}, nil, nil, none},
		"of any but this one":   {[]func(*corev1.Pod){needing(corev1.NodeSelectorOpNotIn, "a")}, nil, nil, "clear x/web: moves"},
		"of one that has it":    {[]func(*corev1.Pod){needing(corev1.NodeSelectorOpExists)}, nil, nil, "clear x/web: moves"},
		"of one that has not":   {[]func(*corev1.Pod){needing(corev1.NodeSelectorOpDoesNotExist)}, nil, nil, none},
		"of a larger number":    {[]func(*corev1.Pod){needing(corev1.NodeSelectorOpGt, "1")}, nil, nil, none},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			for node, edit := range map[string]func(*corev1.Node){"b": tc.b, "c": tc.c} {
				if edit != nil {
					edit(s.node(node))
				}
			}
			s.pod("a", "x/web", "web", tc.pod...)
			verdict := "= clear"
			if tc.want[0] == 'b' {
				verdict = "= blocked"
			}
			expect(t, s.plan(), tc.want, verdict)
		})
	}
}

// What is placed takes room, the largest first; what runs elsewhere has taken its own before.
func TestPodsShareTheRoom(t *testing.T) {
	s := stage(t)
	s.pod("b", "y/db", "db", requesting("24Gi"))
	s.pod("a", "x/small", "small", requesting("8Gi"))
	s.pod("a", "x/large", "large", requesting("32Gi"))
	expect(t, s.plan(), "clear x/large: moves", "clear x/small: moves", "= clear")
	s.pod("a", "x/more", "more", requesting("1Gi"))
	expect(t, s.plan(), "clear x/large: moves", "blocked x/more: lost no room on 2 other nodes", "clear x/small: moves",
		"= blocked")
	s = stage(t)
	s.node("b").Spec.Unschedulable = true
	s.node("c").Status.Allocatable[corev1.ResourcePods] = s.node("c").Status.Allocatable[corev1.ResourceCPU]
	for _, name := range []string{"x/0", "x/1", "x/2", "x/3", "x/4", "x/5", "x/6", "x/7", "x/8"} {
		s.pod("a", name, "web")
	}
	if p := s.plan(); p.Outcomes[Moves] != 8 || p.Outcomes[Lost] != 1 {
		t.Errorf("8 pods fit on a node of 8: %v", p.Outcomes)
	}
}

// Members that must be apart need a node without another one.
func TestAntiAffinity(t *testing.T) {
	s := stage(t)
	s.pod("a", "x/etcd-0", "etcd", apartFromItself)
	s.pod("b", "x/etcd-1", "etcd", apartFromItself)
	s.pod("c", "y/etcd-2", "etcd", apartFromItself)
	expect(t, s.plan(), "clear x/etcd-0: moves", "= clear")
	s.pod("c", "x/etcd-2", "etcd", apartFromItself)
	expect(t, s.plan(), "blocked x/etcd-0: lost none of 2 other nodes may take it", "= blocked")
}

func TestTheNode(t *testing.T) {
	master := func(s *scene, names ...string) {
		for _, name := range names {
			s.node(name).Labels["node-role.kubernetes.io/master"] = ""
		}
	}
	away := func(n *corev1.Node) { n.Status.Conditions = nil }
	for name, tc := range map[string]struct {
		put  func(*scene)
		want []string
	}{
		"a worker":  {func(*scene) {}, []string{"= clear"}},
		"cordoned":  {func(s *scene) { s.node("a").Spec.Unschedulable = true }, []string{"clear Node a: it is cordoned already", "= clear"}},
		"not ready": {func(s *scene) { away(s.node("a")) }, []string{"unknown Node a: it is not Ready", "= unknown"}},
		"control plane": {func(s *scene) { master(s, "a", "b", "c") },
			[]string{"clear Node a: the management cluster keeps its quorum: 2 of 3 control plane nodes are Ready elsewhere, 2", "= clear"}},
		"control plane without quorum": {func(s *scene) { master(s, "a", "b", "c"); away(s.node("b")) },
			[]string{"blocked Node a: it is a control plane node, of which 1 others are Ready and 2 of 3 are needed", "= blocked"}},
		"only control plane": {func(s *scene) { master(s, "a") }, []string{"blocked Node a: it is the only control plane node", "= blocked"}},
		"hosted clusters are not read": {func(s *scene) { s.w.hosted.Err = errors.New("no answer") },
			[]string{"unknown HostedClusters: not read: no answer", "= unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			tc.put(s)
			expect(t, s.plan(), tc.want...)
		})
	}
	s := stage(t)
	for name, want := range map[string]string{"d": "did you mean a? oc get nodes lists all",
		"another-node": "oc get nodes lists them"} {
		err := s.w.arrange(s.nodes, name)
		if err == nil || err.Error() != fmt.Sprintf("no node %q", name) || failure.Hint(err).String() != want {
			t.Errorf("%v: %s", err, failure.Hint(err))
		}
	}
}

func TestControlPlanes(t *testing.T) {
	const plane, hosted = " StatefulSet clusters-kv-00/etcd: ", " hosted cluster clusters/kv-00"
	etcd := func(s *scene, nodes ...string) {
		for i, node := range nodes {
			s.pod(node, "clusters-kv-00/etcd-"+string(rune('0'+i)), "etcd", ownedBy("StatefulSet"))
		}
	}
	for name, tc := range map[string]struct {
		put  func(*scene)
		want []string
	}{
		"quorum stays": {func(s *scene) { s.host(3); etcd(s, "a", "b", "c") }, []string{"clear" + hosted,
			"clear" + plane + "etcd keeps its quorum: 2 of 3 members are ready elsewhere, 2 are needed",
			"clear clusters-kv-00/etcd-0: moves", "= clear"}},
		"one is not ready elsewhere": {func(s *scene) {
			s.host(3)
			etcd(s, "a", "b")
			s.pod("c", "clusters-kv-00/etcd-2", "etcd", notReady)
		}, []string{"blocked" + hosted, "blocked" + plane + "etcd of hosted cluster clusters/kv-00 has 1 ready members " +
			"elsewhere and needs 2 of 3", "clear clusters-kv-00/etcd-0: moves", "= blocked"}},
		"two are here": {func(s *scene) { s.host(3); etcd(s, "a", "a", "c") }, []string{"blocked" + hosted,
			"blocked" + plane + "etcd of hosted cluster clusters/kv-00 has 1 ready members elsewhere and needs 2 of 3",
			"clear clusters-kv-00/etcd-0: moves", "clear clusters-kv-00/etcd-1: moves", "= blocked"}},
		"a single member": {func(s *scene) {
			s.host(1).Spec.ControllerAvailabilityPolicy = hyperv1.SingleReplica
			etcd(s, "a")
			s.pod("a", "clusters-kv-00/kube-apiserver-x", "kube-apiserver")
			s.budget("clusters-kv-00", "etcd", 0)
		}, []string{"blocked" + hosted, "blocked" + plane + "the only member of etcd of hosted cluster clusters/kv-00 is here",
			"blocked HostedCluster clusters/kv-00: no other node has a ready pod of its API server, which is unavailable while this one moves: its control plane has a single replica of everything",
			"blocked clusters-kv-00/etcd-0: waits PodDisruptionBudget etcd-0", "clear clusters-kv-00/kube-apiserver-x: moves",
			"= blocked"}},
		"the API server elsewhere": {func(s *scene) {
			s.host(3)
			s.pod("a", "clusters-kv-00/kube-apiserver-x", "kube-apiserver")
			s.pod("b", "clusters-kv-00/kube-apiserver-y", "kube-apiserver")
		}, []string{"clear" + hosted, "clear clusters-kv-00/kube-apiserver-x: moves", "= clear"}},
		"the API server elsewhere, not ready": {func(s *scene) {
			s.host(3)
			s.pod("a", "clusters-kv-00/kube-apiserver-x", "kube-apiserver")
			s.pod("b", "clusters-kv-00/kube-apiserver-y", "kube-apiserver", notReady)
			s.pod("b", "clusters-other/kube-apiserver-y", "kube-apiserver")
		}, []string{"blocked" + hosted, "blocked HostedCluster clusters/kv-00: no other node has a ready pod of its API server",
			"clear clusters-kv-00/kube-apiserver-x: moves", "= blocked"}},
		"members are not known": {func(s *scene) { s.host(3); s.w.etcds.Items = nil; etcd(s, "a", "b", "c") },
			[]string{"unknown" + hosted, "unknown" + plane + "how many members etcd of hosted cluster clusters/kv-00 has is " +
				"not known", "clear clusters-kv-00/etcd-0: moves", "= unknown"}},
		"members are not read": {func(s *scene) { s.host(3); s.w.etcds.Err = errors.New("no answer"); etcd(s, "a", "b", "c") },
			[]string{"unknown" + hosted, "unknown" + plane + "not read: no answer", "clear clusters-kv-00/etcd-0: moves",
				"= unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			tc.put(s)
			expect(t, s.plan(), tc.want...)
		})
	}
}

func TestCeph(t *testing.T) {
	const ceph = " CephCluster openshift-storage/ceph: "
	for name, tc := range map[string]struct {
		cluster string
		put     func(*scene)
		want    []string
	}{
		"well": {`"status":{"ceph":{"health":"HEALTH_OK"}}`, nil, []string{"clear" + ceph + "1 OSD of Ceph is on the node, unavailable while it is; Ceph is HEALTH_OK, and begins to copy their data elsewhere after 30 minutes"}},
		"longer": {`"spec":{"disruptionManagement":{"osdMaintenanceTimeout":45}},"status":{"ceph":{"health":"HEALTH_OK"}}`, nil,
			[]string{"clear" + ceph + "1 OSD of Ceph is on the node, unavailable while it is; Ceph is HEALTH_OK, and begins to copy " +
				"their data elsewhere after 45 minutes"}},
		"a warning": {`"status":{"ceph":{"health":"HEALTH_WARN"}}`, nil, []string{"blocked" + ceph}},
		"silent":    {`"status":{}`, nil, []string{"unknown" + ceph + `1 OSD of Ceph is on the node, and Ceph does not report`}},
		"another is down": {`"status":{"ceph":{"health":"HEALTH_OK"}}`, func(s *scene) {
			s.pod("b", "openshift-storage/osd-1", "rook-ceph-osd", notReady)
		}, []string{"blocked" + ceph + "1 OSD of Ceph is on the node, and 1 on other nodes are not ready"}},
		"no CephCluster":            {"", nil, []string{"unknown CephClusters in openshift-storage: 1 OSD of Ceph is on the node, and no"}},
		"CephClusters are not read": {"", func(s *scene) { s.w.ceph.Err = errors.New("no answer") }, []string{"unknown CephClusters in openshift-storage: not read"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			s.pod("a", "openshift-storage/osd-0", "rook-ceph-osd", claiming("disk"))
			s.volume("openshift-storage", "disk", "a")
			if tc.cluster != "" {
				s.w.ceph.Items = append(s.w.ceph.Items, parsed(t, `{"apiVersion":"ceph.rook.io/v1","kind":"CephCluster","metadata":{"name":"ceph",`+
					`"namespace":"openshift-storage"},`+
					tc.cluster+"}"))
			}
			if tc.put != nil {
				tc.put(s)
			}
			p := s.plan()
			expect(t, p, append(tc.want, "clear openshift-storage/osd-0: stays",
				"= "+management.Verdict(p.Findings[0].State).String())...)
		})
	}
	s := stage(t)
	s.pod("a", "openshift-storage/osd-0", "rook-ceph-osd")
	s.budget("openshift-storage", "rook-ceph-osd", 0)
	if p := s.plan(); p.Pods[0].Outcome != Waits {
		t.Errorf("Rook's budget does not count: %s", told(p))
	}
}
