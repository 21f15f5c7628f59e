package schedule_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/fleet/schedule"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

var now = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

func valid() schedule.Options {
	return schedule.Options{Namespace: "clusters", Selector: "env=dev", Stop: "0 20 * * *", Start: "0 6 * * 1-5",
		TimeZone: "UTC", Image: "registry.example.com/tools/hcctl:1.0"}
}

func TestWrongOptions(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*schedule.Options)
		want   string
	}{
		"no clusters":      {func(o *schedule.Options) { o.Selector = "" }, "which hosted clusters?"},
		"no selector":      {func(o *schedule.Options) { o.Selector = "env in dev" }, "not a selector of labels"},
		"of the platform":  {func(o *schedule.Options) { o.Namespace = "openshift-config" }, "belongs to the platform"},
		"no times":         {func(o *schedule.Options) { o.Stop, o.Start = "", "" }, "when?"},
		"four fields":      {func(o *schedule.Options) { o.Stop = "0 20 * *" }, "expected exactly 5 fields"},
		"words":            {func(o *schedule.Options) { o.Start = "six * * * *" }, "one of its fields is no number"},
		"hour 25":          {func(o *schedule.Options) { o.Stop = "0 25 * * *" }, "above maximum (23)"},
		"31 February":      {func(o *schedule.Options) { o.Stop = "0 0 31 2 *" }, "there is no such day"},
		"a zone in times":  {func(o *schedule.Options) { o.Stop = "CRON_TZ=UTC 0 20 * * *" }, "give it as --time-zone"},
		"both at once":     {func(o *schedule.Options) { o.Start = o.Stop }, "at the same time"},
		"no zone":          {func(o *schedule.Options) { o.TimeZone = "" }, "--time-zone \"\""},
		"Local":            {func(o *schedule.Options) { o.TimeZone = "Local" }, "not the name of a time zone"},
		"an offset":        {func(o *schedule.Options) { o.TimeZone = "../etc/passwd" }, "not the name of a time zone"},
		"no image":         {func(o *schedule.Options) { o.Image = "" }, "--image: an image with hcctl"},
		"an image of lies": {func(o *schedule.Options) { o.Image = "hcctl; rm" }, "not an image reference"},
	} {
		o := valid()
		tc.change(&o)
		if _, err := schedule.New(o, now); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func find(t *testing.T, s *schedule.Schedule, kind, suffix string, into any) {
	t.Helper()
	all, err := s.Objects()
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range all {
		if u.GetKind() == kind && strings.HasSuffix(u.GetName(), suffix) {
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, into, true); err != nil {
				t.Fatalf("%s %s: %v", kind, u.GetName(), err)
			}
			return
		}
	}
	t.Fatalf("there is no %s …%s", kind, suffix)
}

// TestCronJob: it runs the one command as its own ServiceAccount, never twice at once, and its pod fits the PodSecurity
// level restricted.
func TestCronJob(t *testing.T) {
	s, err := schedule.New(valid(), now)
	if err != nil {
		t.Fatal(err)
	}
	var job batchv1.CronJob
	find(t, s, "CronJob", "-stop", &job)
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	container := pod.Containers[0]
	want := strings.Fields("hcctl stop --namespace clusters --selector env=dev --wait none --yes")
	if diff := cmp.Diff(want, container.Command); diff != "" {
		t.Error(diff)
	}
	var account corev1.ServiceAccount
	find(t, s, "ServiceAccount", "", &account)
	if job.Spec.Schedule != "0 20 * * *" || *job.Spec.TimeZone != "UTC" ||
		job.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent || pod.ServiceAccountName != account.Name {
		t.Errorf("%+v", job.Spec)
	}
	if !*pod.SecurityContext.RunAsNonRoot ||
		pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault ||
		*container.SecurityContext.AllowPrivilegeEscalation ||
		!slices.Equal(container.SecurityContext.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		t.Errorf("the pod is not restricted: %+v, %+v", pod.SecurityContext, container.SecurityContext)
	}
	if len(job.Name) > 52 {
		t.Errorf("%s is too long for a CronJob", job.Name)
	}
}

// TestRoleIsLeast: no Secret is read, and what is changed are NodePools alone, in the one namespace.
func TestRoleIsLeast(t *testing.T) {
	s, err := schedule.New(valid(), now)
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.Role
	var general rbacv1.ClusterRole
	find(t, s, "Role", "", &role)
	find(t, s, "ClusterRole", "", &general)
	changed := map[string]bool{}
	for _, r := range slices.Concat(role.Rules, general.Rules) {
		for _, resource := range r.Resources {
			if resource == "secrets" {
				t.Error("it reads Secrets")
			}
			for _, verb := range r.Verbs {
				if !slices.Contains([]string{"get", "list", "watch"}, verb) {
					changed[verb+" "+resource] = true
				}
			}
		}
	}
	if got := slices.Sorted(maps.Keys(changed)); !slices.Equal(got, []string{"patch nodepools"}) ||
		role.Namespace != "clusters" {
		t.Errorf("in %s: %q", role.Namespace, got)
	}
}

func TestNamesAreTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for _, selector := range []string{"env=dev", "env!=dev", "env-dev", "!env", "env in (dev,prod)",
		strings.Repeat("team", 15) + "=a", strings.Repeat("team", 15) + "=b"} {
		s, err := schedule.Find("clusters", selector)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[s.Name()]; taken {
			t.Errorf("%s and %s are both %s", selector, other, s.Name())
		}
		seen[s.Name()] = selector
	}
	one, _ := schedule.Find("clusters", "a=b,env=dev")
	other, _ := schedule.Find("clusters", "env=dev, a=b")
	if one.Name() != other.Name() {
		t.Errorf("the same clusters: %s and %s", one.Name(), other.Name())
	}
}

// TestDeleteExpired: its CronJob deletes what has expired and nothing else, with a role of its own that goes with it.
func TestDeleteExpired(t *testing.T) {
	w, o := newWorld(t), valid()
	o.Stop, o.Start, o.DeleteExpired = "", "", "0 * * * *"
	apply := func(want int) *schedule.Schedule {
		t.Helper()
		s, err := schedule.New(o, now)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := s.Steps(w.client)
		if r := w.run(t, steps, err); r.Err() != nil || r.Changed() != want {
			t.Errorf("%d changes (%v), want %d", r.Changed(), r.Err(), want)
		}
		return s
	}
	s := apply(len(objectsOf(t, o)))
	var job batchv1.CronJob
	find(t, s, "CronJob", "-clean", &job)
	want := strings.Fields("hcctl delete clusters --namespace clusters --selector env=dev --expired --timeout 50m --yes")
	if diff := cmp.Diff(want, job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Command); diff != "" {
		t.Error(diff)
	}
	if len(job.Name) > 52 {
		t.Errorf("%s is too long for a CronJob", job.Name)
	}
	apply(0)
	o.Stop = "0 20 * * *"
	apply(len(objectsOf(t, o)) - w.total(t))
	o.DeleteExpired = ""
	apply(w.total(t) - len(objectsOf(t, o)))
	steps, err := s.RemoveSteps(w.client)
	if r := w.run(t, steps, err); r.Err() != nil || w.total(t) != 0 {
		t.Errorf("%d objects are left: %v", w.total(t), r.Err())
	}
}

func TestNext(t *testing.T) {
	s, err := schedule.New(valid(), now)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"stop next at Tue 2026-11-24 20:00 UTC", "start next at Wed 2026-11-25 06:00 UTC"}
	if diff := cmp.Diff(want, s.Next(now)); diff != "" {
		t.Error(diff)
	}
}

// world are API servers of the kinds that a schedule has.
type world struct {
	client *kube.Client
	jobs   *kubetest.Server
	all    []*kubetest.Server
}

func newWorld(t *testing.T) world {
	t.Helper()
	const rbac = "rbac.authorization.k8s.io/v1"
	w := world{jobs: kubetest.New("batch/v1", "CronJob", "cronjobs")}
	w.all = []*kubetest.Server{w.jobs, kubetest.New("v1", "ServiceAccount", "serviceaccounts"),
		kubetest.New(rbac, "Role", "roles"), kubetest.New(rbac, "RoleBinding", "rolebindings"), kubetest.New(rbac, "ClusterRole", "clusterroles"),
		kubetest.New(rbac, "ClusterRoleBinding", "clusterrolebindings")}
	c, err := kube.New(kubetest.Together(w.all...))
	if err != nil {
		t.Fatal(err)
	}
	w.client = c
	return w
}

// run carries out steps and counts what changed.
func (w world) run(t *testing.T, steps []step.Step, err error) step.Report {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return g.Run(t.Context(), step.Options{})
}

func (w world) count(t *testing.T, kind kube.Kind) int {
	t.Helper()
	list := kind.NewList()
	if err := w.client.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}

// total is how many objects there are.
func (w world) total(t *testing.T) int {
	t.Helper()
	n := 0
	for _, kind := range []kube.Kind{kube.CronJob, kube.ServiceAccount, kube.Role, kube.RoleBinding, kube.ClusterRole,
		kube.ClusterRoleBinding} {
		n += w.count(t, kind)
	}
	return n
}

// objectsOf are those of a schedule with these options.
func objectsOf(t *testing.T, o schedule.Options) []*unstructured.Unstructured {
	t.Helper()
	s, err := schedule.New(o, now)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSteps: a second run changes nothing, other times change the CronJob, a time that is not given any more takes its
// CronJob away, and removal leaves nothing.
func TestSteps(t *testing.T) {
	w := newWorld(t)
	o := valid()
	apply := func(want int) {
		t.Helper()
		s, err := schedule.New(o, now)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := s.Steps(w.client)
		if r := w.run(t, steps, err); r.Err() != nil || r.Changed() != want {
			t.Errorf("%d changes (%v), want %d", r.Changed(), r.Err(), want)
		}
	}
	apply(7)
	apply(0)
	o.Stop = "0 21 * * *"
	apply(1)
	o.Start = ""
	apply(1)
	if got := w.count(t, kube.CronJob); got != 1 {
		t.Errorf("%d CronJobs, want the one that stops", got)
	}
	s, err := schedule.Find(o.Namespace, o.Selector)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := s.RemoveSteps(w.client)
	if r := w.run(t, steps, err); r.Err() != nil || r.Changed() != 6 {
		t.Errorf("%d changes (%v), want 6", r.Changed(), r.Err())
	}
	for _, kind := range []kube.Kind{kube.CronJob, kube.ServiceAccount, kube.Role, kube.RoleBinding, kube.ClusterRole,
		kube.ClusterRoleBinding} {
		if got := w.count(t, kind); got != 0 {
			t.Errorf("%d of kind %s are left", got, kind.Kind)
		}
	}
}

// TestNamesThatAreTaken: an object of that name without the schedule's label is neither changed nor deleted.
func TestNamesThatAreTaken(t *testing.T) {
	w := newWorld(t)
	s, err := schedule.New(valid(), now)
	if err != nil {
		t.Fatal(err)
	}
	foreign := &unstructured.Unstructured{Object: kubetest.Object{"apiVersion": "batch/v1", "kind": "CronJob",
		"metadata": kubetest.Object{"namespace": "clusters", "name": s.Name() + "-stop", "uid": "x",
			"labels": kubetest.Object{kube.ManagedByLabel: kube.FieldOwner}}}}
	version := w.jobs.Set(foreign.Object)
	write, errWrite := s.Steps(w.client)
	if r := w.run(t, write, errWrite); r.Err() == nil || !strings.Contains(r.Err().Error(), "is not of this schedule") {
		t.Errorf("apply: %v", r.Err())
	}
	remove, errRemove := s.RemoveSteps(w.client)
	if r := w.run(t, remove, errRemove); r.Err() == nil || !strings.Contains(r.Err().Error(), "is not of this schedule") {
		t.Errorf("remove: %v", r.Err())
	}
	list := kube.CronJob.NewList()
	if err := w.client.List(t.Context(), list); err != nil || len(list.Items) != 1 ||
		list.Items[0].GetResourceVersion() != version {
		t.Errorf("it was touched: %v, %v", list.Items, err)
	}
}
