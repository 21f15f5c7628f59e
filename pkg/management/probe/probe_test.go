package probe

import (
	"strings"
	"testing"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// made is a namespace as begin creates it.
func made(name string, change func(*corev1.Namespace)) *corev1.Namespace {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), Labels: map[string]string{kube.ManagedByLabel: kube.FieldOwner,
			probeLabel: "pull"},
		Annotations:   map[string]string{runAnnotation: "abc", heartbeatAnnotation: "3"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: kube.FieldOwner}},
	}}
	if change != nil {
		change(ns)
	}
	return ns
}

func TestOursIsNameMarkAndManager(t *testing.T) {
	const name = "hcctl-probe-pull-a1b2c3d4"
	if !ownedByHcctl(made(name, nil)) {
		t.Fatal("a namespace of a probe is not recognized")
	}
	for what, ns := range map[string]*corev1.Namespace{
		"somebody else's name":    made("production", nil),
		"a name that begins so":   made("hcctl-probe-pull-a1b2c3d4-mine", nil),
		"an unknown probe":        made("hcctl-probe-mine-a1b2c3d4", func(n *corev1.Namespace) { n.Labels[probeLabel] = "mine" }),
		"the label of another":    made(name, func(n *corev1.Namespace) { n.Labels[probeLabel] = "wildcard" }),
		"no label":                made(name, func(n *corev1.Namespace) { delete(n.Labels, probeLabel) }),
		"managed by another":      made(name, func(n *corev1.Namespace) { n.Labels[kube.ManagedByLabel] = "helm" }),
		"no run":                  made(name, func(n *corev1.Namespace) { delete(n.Annotations, runAnnotation) }),
		"written by another tool": made(name, func(n *corev1.Namespace) { n.ManagedFields[0].Manager = "kubectl" }),
	} {
		if ownedByHcctl(ns) {
			t.Errorf("%s: taken for a probe's namespace", what)
		}
	}
}

func TestDeadIsWithoutHeartbeat(t *testing.T) {
	beat := func(name, n string) corev1.Namespace {
		return *made(name, func(ns *corev1.Namespace) { ns.Annotations[heartbeatAnnotation] = n })
	}
	got := dead([]corev1.Namespace{beat("silent", "3"), beat("alive", "3"), beat("gone", "1")},
		[]corev1.Namespace{beat("silent", "3"), beat("alive", "4"), beat("new", "0")})
	if names(got) != "silent" {
		t.Errorf("dead: %s, want silent", names(got))
	}
}

func TestParseLatency(t *testing.T) {
	line := func(slow int, n int) string {
		words := []string{"dd"}
		for i := range n {
			if i < slow {
				words = append(words, "15000")
			} else {
				words = append(words, "900")
			}
		}
		return strings.Join(words, " ") + "\n"
	}
	for words, want := range map[string]measurement{
		"fio 2310144\n":     {2310144 * time.Nanosecond, "fio"},
		line(2, syncWrites): {900 * time.Microsecond, "dd"},
		line(3, syncWrites): {15 * time.Millisecond, "dd"},
	} {
		if got, err := parseLatency(words); err != nil || got != want {
			t.Errorf("%.40q: %v, %v, want %v", words, got, err, want)
		}
	}
	for _, words := range []string{"", "fio", "fio -1", "fio 1\nfio 2", "dd", "dd 1 2", line(0, syncWrites-1),
		"fio 1; rm", "fio 99999999999999999999"} {
		if m, err := parseLatency(words); err == nil {
			t.Errorf("%.40q is taken for %v", words, m)
		}
	}
}

func TestLatencyLimit(t *testing.T) {
	for m, want := range map[measurement]step.State{
		{syncLimit - time.Nanosecond, "fio"}: step.StateOK, {syncLimit, "fio"}: step.StateBroken,
		{syncLimit - time.Nanosecond, "dd"}: step.StateOK, {syncLimit, "dd"}: step.StateBroken,
	} {
		if f := m.judge(); f.State != want {
			t.Errorf("%v: %s, want %s", m, f.State, want)
		}
	}
}

// restricted is what the restricted PodSecurity standard demands of a pod that mounts no host path.
func restricted(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	c := pod.Spec.Containers[0].SecurityContext
	switch {
	case !*pod.Spec.SecurityContext.RunAsNonRoot, *c.AllowPrivilegeEscalation, c.Privileged != nil,
		pod.Spec.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault,
		len(c.Capabilities.Drop) != 1, c.Capabilities.Drop[0] != "ALL", len(c.Capabilities.Add) > 0,
		pod.Spec.HostNetwork, pod.Spec.HostPID, pod.Spec.HostIPC:
		t.Errorf("pod %s is not restricted", pod.Name)
	case *pod.Spec.AutomountServiceAccountToken:
		t.Errorf("pod %s has a token", pod.Name)
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil && v.ConfigMap == nil && v.Secret == nil && v.EmptyDir == nil {
			t.Errorf("pod %s: volume %s is of a kind that restricted does not allow", pod.Name, v.Name)
		}
	}
}

func TestPodsAreRestricted(t *testing.T) {
	s := &session{run: &run{}, namespace: "n"}
	writer := s.pod("writer", "image", writeScript(corev1.PersistentVolumeBlock, "token"))
	s.use(writer, corev1.PersistentVolumeBlock)
	puller := s.pod("pull", "image", pullScript("image", true))
	around := pullSettings{mirrored: true, trusted: true, certified: true, proxied: []string{"HTTPS_PROXY"}}
	around.equip(puller, "secret")
	for _, pod := range []*corev1.Pod{writer, puller, s.server("image")} {
		restricted(t, pod)
	}
	env := puller.Spec.Containers[0].Env
	if env := env[len(env)-1]; env.Name != "HTTPS_PROXY" || env.Value != "" || env.ValueFrom.SecretKeyRef == nil {
		t.Errorf("the proxy's address, which may have a password, is in the pod itself: %v", env)
	}
}

func TestAddressOfIsAllowListed(t *testing.T) {
	service := func(ip, host string) *corev1.Service {
		s := &corev1.Service{}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: ip, Hostname: host}}
		return s
	}
	for _, c := range []struct{ ip, host, want string }{
		{"192.0.2.7", "", "192.0.2.7"}, {"2001:db8::7", "", "2001:db8::7"}, {"", "lb.example.com", "lb.example.com"},
		{"", "", ""}, {"1.2.3.4; reboot", "", ""}, {"", "$(reboot)", ""}, {"", "a b", ""}, {"", "lb.example.com\n", ""},
	} {
		if got := addressOf(service(c.ip, c.host)); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.ip, c.host, got, c.want)
		}
	}
}

func TestJudgeAdmission(t *testing.T) {
	entry := func(router string, status corev1.ConditionStatus) routev1.RouteIngress {
		return routev1.RouteIngress{RouterName: router, Conditions: []routev1.RouteIngressCondition{{
			Type: routev1.RouteAdmitted, Status: status, Reason: "RouteNotAdmitted", Message: "not allowed"}}}
	}
	ic, private, selective := &kube.DefaultIngress{}, &kube.DefaultIngress{}, &kube.DefaultIngress{}
	private.Status.EndpointPublishingStrategy.Type = kube.PrivateStrategy
	selective.Spec.NamespaceSelector = &metav1.LabelSelector{}
	for what, c := range map[string]struct {
		ingress []routev1.RouteIngress
		ic      *kube.DefaultIngress
		state   step.State
		words   string
	}{
		"nobody":    {nil, ic, step.StatePending, "says nothing"},
		"selector":  {nil, selective, step.StatePending, "namespaceSelector"},
		"admitted":  {[]routev1.RouteIngress{entry("default", "True")}, ic, step.StateOK, "is admitted"},
		"private":   {[]routev1.RouteIngress{entry("default", "True")}, private, step.StateOK, "Private"},
		"refused":   {[]routev1.RouteIngress{entry("default", "False")}, ic, step.StateBroken, "(RouteNotAdmitted): not allowed"},
		"a shard":   {[]routev1.RouteIngress{entry("blue", "True")}, ic, step.StatePending, "only shard blue"},
		"not blue":  {[]routev1.RouteIngress{entry("blue", "False"), entry("default", "True")}, ic, step.StateOK, "is admitted"},
		"and blue":  {[]routev1.RouteIngress{entry("default", "True"), entry("blue", "True")}, ic, step.StateOK, "shard blue as well"},
		"only blue": {[]routev1.RouteIngress{entry("default", "False"), entry("blue", "True")}, ic, step.StateBroken, "not allowed"},
	} {
		route := &routev1.Route{}
		route.Status.Ingress = c.ingress
		if f := judgeAdmission(route, c.ic, time.Time{}); f.State != c.state || !strings.Contains(f.Message, c.words) {
			t.Errorf("%s: %s %q, want %s with %q", what, f.State, f.Message, c.state, c.words)
		}
	}
}

func TestJudgeMigration(t *testing.T) {
	for _, c := range []struct {
		phase kubevirtv1.VirtualMachineInstanceMigrationPhase
		node  string
		want  step.State
	}{
		{kubevirtv1.MigrationPhaseUnset, "a", step.StatePending}, {kubevirtv1.MigrationRunning, "a", step.StatePending},
		{kubevirtv1.MigrationFailed, "a", step.StateBroken}, {kubevirtv1.MigrationSucceeded, "a", step.StatePending},
		{kubevirtv1.MigrationSucceeded, "b", step.StateOK},
	} {
		m, vmi := &kubevirtv1.VirtualMachineInstanceMigration{}, &kubevirtv1.VirtualMachineInstance{}
		m.Status.Phase, vmi.Status.NodeName = c.phase, c.node
		if f := judgeMigration(m, vmi, "a", time.Now()); f.State != c.want {
			t.Errorf("%s on %s: %s, want %s", c.phase, c.node, f.State, c.want)
		}
	}
}

func TestMissingIsSkipped(t *testing.T) {
	found := func(outcome step.Outcome) Options {
		return Options{Found: func(step.ID) (step.Result, bool) {
			return step.Result{Outcome: outcome, Finding: step.Missing("none")}, true
		}}
	}
	p := loadBalancer()
	if f := p.missing(found(step.OutcomeMissing)); f == nil || f.State != step.StateSkipped ||
		!strings.Contains(f.Message, "load-balancer/pool, which is missing") {
		t.Errorf("without a pool: %v", f)
	}
	if f := p.missing(found(step.OutcomeDone)); f != nil {
		t.Errorf("with a pool: %v", f)
	}
	if f := p.missing(Options{}); f != nil {
		t.Errorf("without checks before: %v", f)
	}
}

func TestRemainsAreNoSuccess(t *testing.T) {
	if f := withRemains(step.OK("fine"), errNotGone); f.State != step.StateBroken || !strings.Contains(f.Message, "fine; but") {
		t.Errorf("%v", f)
	}
	if f := withRemains(step.Broken("bad"), errNotGone); f.State != step.StateBroken || !strings.Contains(f.Message, "bad; and") {
		t.Errorf("%v", f)
	}
}
