package prereqs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// writes reports whether rules change something.
func writes(rules []access.Rule) bool {
	return slices.ContainsFunc(rules, func(r access.Rule) bool {
		return slices.ContainsFunc(strings.Fields(r.Verbs), func(v string) bool {
			return slices.Contains([]string{"create", "patch", "update", "delete"}, v)
		})
	})
}

func TestEachPrerequisiteIsWhole(t *testing.T) {
	// With ranges the pool is written too, with a directory the mirrors, which is the most that options can bring.
	all := prerequisites(valid(Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.0/28"}},
		Mirrors:  cluster.MirrorOptions{Resources: "cluster-resources", PullSecret: "pull-secret.json"},
		TakeOver: []string{"cluster/nodes"}}), nil)
	for _, p := range everyPrerequisite() {
		if !slices.ContainsFunc(all, func(q prereq.Prerequisite) bool { return q.ID == p.ID }) {
			all = append(all, p)
		}
	}
	byID := map[step.ID]prereq.Prerequisite{}
	for _, p := range all {
		byID[p.ID] = p
	}
	for _, p := range all {
		if p.Title == "" || p.Check == nil || p.ID.Group() == "" {
			t.Errorf("%s lacks a title, a check or a group", p.ID)
		}
		page, err := os.ReadFile(filepath.Join("..", "..", p.Page()))
		if err != nil || !strings.HasPrefix(string(page), "# "+string(p.ID)+"\n") {
			t.Errorf("%s: its page does not begin with its ID: %v", p.ID, err)
		}
		// Reviews of one's own rights need no right.
		if len(p.Rights.Check) == 0 && p.ID != prereq.ClusterPermissions {
			t.Errorf("%s reads without rights", p.ID)
		}
		if writes(p.Rights.Check) {
			t.Errorf("%s: a check writes nothing", p.ID)
		}
		removes := len(p.Remove) > 0 || len(byID[p.RemovedWith].Remove) > 0
		if written := p.Apply != nil; written != writes(p.Rights.Apply) || written != removes {
			t.Errorf("%s: it applies something: %t, has rights for that: %t, and a removal: %t", p.ID, written,
				writes(p.Rights.Apply), removes)
		}
		if (len(p.Remove) > 0) != writes(p.Rights.Remove) {
			t.Errorf("%s: its removal and the rights for it do not fit", p.ID)
		}
	}
}

// A prerequisite that is only checked needs a file and a line in a list; all else follows.
func TestAllIsDerivedFromTheList(t *testing.T) {
	const id, kind = step.ID("cluster/new"), "news.example.com"
	all := append(everyPrerequisite(), prereq.Prerequisite{
		ID: id, Title: "something new", Check: func(context.Context, kube.Reader) step.Finding { return step.OK("") },
		Rights:    prereq.Rights{Check: []access.Rule{{Verbs: "list", Resources: kind, Why: "what is new"}}},
		Preflight: &prereq.Preflight{Required: true},
	})
	named := func(s step.Step) bool {
		return s.ID == id && s.Group == "cluster" && s.Docs == "docs/checks/cluster-new.md"
	}
	graph, err := step.New(stepsOf(nil, all)...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(graph.Steps(), named) {
		t.Error("it is not in the graph")
	}
	if !slices.ContainsFunc(preflightOf(nil, all, prereq.Wanted{}), named) {
		t.Error("it is not in the preflight")
	}
	rights := rightsOf(all)
	has := func(rules []access.Rule, verb string) bool {
		return slices.ContainsFunc(rules, func(r access.Rule) bool {
			return allows(r, prereqtest.Request{Verb: verb, Resource: kind})
		})
	}
	if !has(rights.Check, "list") || !has(rights.Bootstrap, "watch") || has(rights.Uninstall, "list") {
		t.Errorf("its rights are missing, or where they should not be: %v", rights)
	}
}
