package prereqs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func allSteps(t *testing.T, o Options) []step.Step {
	t.Helper()
	c, err := kube.New(&rest.Config{Host: "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return Steps(c, valid)
}

func TestStepsMakeAGraph(t *testing.T) {
	if _, err := step.New(allSteps(t, Options{})...); err != nil {
		t.Fatal(err)
	}
}

func TestEveryStepHasAGroupATitleAndAPage(t *testing.T) {
	steps := allSteps(t, Options{})
	for _, mode := range loadbalancer.Modes() {
		steps = append(steps, allSteps(t, Options{LoadBalancer: loadbalancer.Options{Mode: mode}})...)
	}
	for _, s := range steps {
		group, _, ok := strings.Cut(string(s.ID), "/")
		if !ok || s.Group != strings.ReplaceAll(group, "-", " ") || s.Title == "" {
			t.Errorf("%s: group %q, title %q", s.ID, s.Group, s.Title)
		}
		page, err := os.ReadFile(filepath.Join("..", "..", s.Docs))
		if err != nil {
			t.Errorf("%s: %v", s.ID, err)
		} else if !strings.HasPrefix(string(page), "# "+string(s.ID)+"\n") {
			t.Errorf("%s does not begin with the step's ID", s.Docs)
		}
	}
}

func TestPoolIsAppliedOnlyWithARange(t *testing.T) {
	for _, tc := range []struct {
		o    Options
		want bool
	}{{Options{}, false}, {Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.0/28"}}}, true}} {
		for _, s := range allSteps(t, tc.o) {
			if s.ID == loadbalancer.Pool && (s.Apply != nil) != tc.want {
				t.Errorf("with %v: apply %t", tc.o.LoadBalancer.MetalLBRanges, s.Apply != nil)
			}
		}
	}
}

func TestNothingIsWrittenBeforeTheClusterIsKnownToFit(t *testing.T) {
	needs := map[step.ID][]step.ID{}
	for _, s := range allSteps(t, Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.0/28"}}}) {
		needs[s.ID] = s.Needs
	}
	var reaches func(from, to step.ID) bool
	reaches = func(from, to step.ID) bool {
		for _, n := range needs[from] {
			if n == to || reaches(n, to) {
				return true
			}
		}
		return false
	}
	for _, s := range allSteps(t, Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.0/28"}}}) {
		for _, gate := range prereq.Gates() {
			if s.Apply != nil && !reaches(s.ID, gate) {
				t.Errorf("%s writes without needing %s", s.ID, gate)
			}
		}
	}
}

func TestBadRangesStopARunBeforeItWrites(t *testing.T) {
	given := Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.0/28"}}}
	for _, o := range []Options{given, {}} {
		for _, s := range allSteps(t, o) {
			if guarded := slices.Contains(s.Needs, loadbalancer.Overlap); s.Apply != nil &&
				guarded != (len(o.LoadBalancer.MetalLBRanges) > 0) {
				t.Errorf("with %v, %s is guarded %t", o.LoadBalancer.MetalLBRanges, s.ID, guarded)
			}
		}
	}
}
