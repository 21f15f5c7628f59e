package virtualization

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestHandlersGetTwoMinutes: two workers without devices, and how long the virt-handlers there are ready.
func TestHandlersGetTwoMinutes(t *testing.T) {
	for name, tc := range map[string]struct {
		ready   []time.Duration
		want    step.State
		recheck time.Duration
	}{
		"none":                       {nil, step.StatePending, 0},
		"just now":                   {[]time.Duration{0, 0}, step.StatePending, 2 * time.Minute},
		"the later one counts":       {[]time.Duration{90 * time.Second, 30 * time.Second}, step.StatePending, 90 * time.Second},
		"in either order":            {[]time.Duration{30 * time.Second, 90 * time.Second}, step.StatePending, 90 * time.Second},
		"one alone":                  {[]time.Duration{30 * time.Second}, step.StatePending, 90 * time.Second},
		"one alone, long ago":        {[]time.Duration{time.Hour}, step.StatePending, 0},
		"almost two minutes":         {[]time.Duration{time.Hour, 119 * time.Second}, step.StatePending, time.Second},
		"two minutes":                {[]time.Duration{time.Hour, 2 * time.Minute}, step.StateBroken, 0},
		"a clock ahead of this one":  {[]time.Duration{-time.Second, time.Minute}, step.StatePending, 0},
		"both by such a clock ahead": {[]time.Duration{-time.Hour, -time.Hour}, step.StatePending, 0},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
			since := map[string]time.Time{}
			for i, age := range tc.ready {
				since[string(rune('a'+i))] = now.Add(-age)
			}
			nodes := []corev1.Node{prereqtest.Worker("a", true, nil), prereqtest.Worker("b", true, nil)}
			if f := judgeKVM(nodes, since, now); f.State != tc.want || f.Recheck != tc.recheck {
				t.Errorf("%s, again after %s; want %s, after %s", f.State, f.Recheck, tc.want, tc.recheck)
			}
		})
	}
}

// TestWorkersThatTakeNoPods: virtual machines do not run there, so it does not matter what they offer.
func TestWorkersThatTakeNoPods(t *testing.T) {
	offers := func(n *corev1.Node) {
		n.Status.Allocatable = corev1.ResourceList{kvmResource: resource.MustParse("1000")}
	}
	closed := func(n *corev1.Node) { offers(n); n.Spec.Unschedulable = true }
	f := judgeKVM([]corev1.Node{prereqtest.Worker("a", true, closed)}, nil, time.Now())
	prereqtest.Expect(t, f, step.StatePending, "there is no worker that takes pods")
	f = judgeKVM([]corev1.Node{prereqtest.Worker("a", true, closed), prereqtest.Worker("b", true, offers)}, nil, time.Now())
	if f.State != step.StateOK || f.Message != "all 1 workers offer it" {
		t.Errorf("%s: %s", f.State, f.Message)
	}
}

// TestHyperConvergedByItsName: another one beside it, which its operator ignores, says nothing.
func TestHyperConvergedByItsName(t *testing.T) {
	good := hyper("v1beta1", "True")
	other := strings.Replace(hyper("v1beta1", "False"), "{name: kubevirt-hyperconverged,", "{name: a,", 1)
	for name, tc := range map[string]struct {
		object, want string
		state        step.State
	}{
		"healthy": {strings.Replace(good, "status: {", "status: {systemHealthStatus: healthy, ", 1),
			"Available, version 4.20.1", step.StateOK},
		"not healthy": {strings.Replace(good, "status: {", "status: {systemHealthStatus: error, ", 1),
			"Available, version 4.20.1; systemHealthStatus error: see its alerts", step.StateOK},
		"no version":     {strings.Replace(good, "name: operator,", "name: other,", 1), "Available", step.StateOK},
		"beside another": {other + good, "Available, version 4.20.1", step.StateOK},
		"another alone":  {other, "its operator accepts the name kubevirt-hyperconverged only", step.StateBroken},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.object)
			f := prereqtest.Check(t, api.Client, with(Options{}), prereq.HyperConverged)
			if f.State != tc.state || f.Message != tc.want {
				t.Errorf("%s: %s\nwant %s: %s", f.State, f.Message, tc.state, tc.want)
			}
		})
	}
}

// TestManifestsWithTheUsualSource: the default source may be written down beside a directory of manifests.
func TestManifestsWithTheUsualSource(t *testing.T) {
	for _, source := range []string{"", "redhat"} {
		if err := (Options{Source: source, Manifests: "x"}).Validate(); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}
