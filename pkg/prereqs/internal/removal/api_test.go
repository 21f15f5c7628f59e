package removal

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removeMetalLB step.ID = "uninstall/metallb"
	resource      string  = "metallbs.metallb.io"
)

// removes makes a step of the removal of a MetalLB.
func removes(o Object) []prereq.Prerequisite {
	o.Kind = kube.MetalLB
	return []prereq.Prerequisite{{ID: "load-balancer/metallb",
		Remove: []prereq.Removal{o.Removal(removeMetalLB, "MetalLB")}}}
}

// metal is a MetalLB; metadata and status are more YAML.
func metal(name, metadata, status string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: %s, namespace: ns, %s}, status: {%s}}
`, name, metadata, status)
}

// event is a Warning about an object.
func event(uid string, age time.Duration) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Event, metadata: {name: of-%s, namespace: ns}, type: Warning, reason: ErrUninstall, lastTimestamp: %q,
  message: %[1]s is in use, involvedObject: {kind: MetalLB, name: metallb, namespace: ns, uid: %[1]s}}
`, uid, time.Now().Add(-age).UTC().Format(time.RFC3339))
}

func TestObject(t *testing.T) {
	const ours = "labels: {app.kubernetes.io/managed-by: hcctl}"
	const theirs = "labels: {app.kubernetes.io/managed-by: helm}"
	const going = ours + `, deletionTimestamp: "2026-01-01T00:00:00Z"`
	own, foreign := metal("metallb", ours, ""), metal("other", theirs, "")
	blocks := func(_ context.Context, _ kube.Reader, u *unstructured.Unstructured) *step.Finding {
		f := step.Broken("%s is in use", u.GetName())
		return &f
	}
	passes := func(context.Context, kube.Reader, *unstructured.Unstructured) *step.Finding { return nil }
	before := func(fails error) func(context.Context, *kube.Client, *unstructured.Unstructured) (step.Change, error) {
		return func(context.Context, *kube.Client, *unstructured.Unstructured) (step.Change, error) {
			return step.Configured, fails
		}
	}
	named := Object{Name: "metallb", Loss: "with all data"}
	blocked, passed, first, fails := named, named, named, named
	blocked.Blocked, passed.Blocked = blocks, passes
	first.Before, fails.Before = before(nil), before(context.Canceled)
	const deletes = "delete " + resource + " ns/metallb"
	cases := map[string]prereqtest.Case{
		"not registered": {State: step.StateOK, Says: []string{"MetalLB metallb", "there is none"}},
		"none":           {Kinds: []kube.Kind{kube.MetalLB}, State: step.StateOK, Says: []string{"there is none"}},
		"own": {Objects: []string{foreign, own}, State: step.StateMissing,
			Says: []string{"MetalLB ns/metallb", "created by hcctl and still there with all data"}},
		"somebody's": {Objects: []string{foreign, metal("second", "", "")}, State: step.StateOK,
			Says: []string{"MetalLB ns/other", "left as it is"}},
		"own, of another name": {Objects: []string{metal("mine", ours, "")}, State: step.StateOK,
			Says: []string{"MetalLB ns/mine", "left as it is"}},
		"own, of any name": {Objects: []string{metal("mine", ours, ""), metal("mine2", ours, "")},
			Of:    removes(Object{}),
			State: step.StateMissing, Says: []string{"MetalLB ns/mine:", "created by hcctl and still there"}},
		"blocked": {Objects: []string{own}, Of: removes(blocked), State: step.StateBroken,
			Says: []string{"metallb is in use"}},
		"not blocked": {Objects: []string{own}, Of: removes(passed), State: step.StateMissing},
		"it goes, whatever blocks": {Objects: []string{metal("metallb", going, "phase: Deleting")}, Of: removes(blocked),
			State: step.StatePending, Says: []string{"being deleted, Deleting"}},
		"it goes, with its operator's words": {Objects: []string{metal("metallb", going+", finalizers: [a, b]",
			`conditions: [{type: Upgradeable, status: "False"}, {type: Available, status: "False", reason: Why},
			{type: Degraded, status: "False"}]`)}, State: step.StatePending,
			Says: []string{"being deleted; Available False (Why); finalizers: a, b"}},
		"it goes in stages": {Objects: []string{metal("metallb", going+", finalizers: [a]",
			`conditions: [{type: Available, status: "False", reason: Why}, {type: Progressing, status: "False",
			reason: WaitingForResource, message: Waiting for x to terminate.}]`)}, State: step.StatePending,
			Says: []string{"being deleted; Progressing False (WaitingForResource): Waiting for x to terminate.; finalizers: a"}},
		"it goes, and an event says why not": {Objects: []string{metal("metallb", going+", finalizers: [a]", ""),
			event("uid-of-metallb", time.Minute), event("uid-of-other", 0)}, State: step.StatePending,
			Says: []string{"being deleted; ErrUninstall: uid-of-metallb is in use; finalizers: a"}},
		"it goes, and an event said why not": {Objects: []string{metal("metallb", going+", finalizers: [a]", ""),
			event("uid-of-metallb", time.Hour)}, State: step.StatePending, Says: []string{"being deleted; finalizers: a"}},
		"it goes, and is degraded": {Objects: []string{metal("metallb", going,
			`conditions: [{type: Available, status: "True"}, {type: Degraded, status: "True", reason: Why}]`)},
			State: step.StatePending, Says: []string{"being deleted; Degraded True (Why)"}},
		"it goes in silence": {Objects: []string{metal("metallb", going,
			`conditions: [{type: Other, status: "True"}, {type: Degraded, status: "False"}]`)}, State: step.StatePending,
			Says: []string{"MetalLB ns/metallb: being deleted ("}},
		"no permission": {Refused: map[string]int{resource: 403}, Says: []string{"MetalLBs", "not allowed"}},
		"server fails":  {Refused: map[string]int{resource: 500}, Says: []string{"MetalLBs"}},

		"delete": {Objects: []string{foreign, own}, Change: step.Deleted,
			Writes: []string{deletes}, Sends: []string{`"uid":"uid-of-metallb"`}},
		"delete none":       {Objects: []string{foreign}, Change: step.Unchanged},
		"delete after more": {Objects: []string{own}, Of: removes(first), Change: step.Deleted, Writes: []string{deletes}},
		"more fails":        {Objects: []string{own}, Of: removes(fails), Fails: "canceled"},
		"delete: no permission": {Objects: []string{own}, Refused: map[string]int{"delete " + resource: 403},
			Fails: "MetalLB ns/metallb: Forbidden", Writes: []string{deletes}},
		"delete: it is another by now": {Objects: []string{own}, Refused: map[string]int{"delete " + resource: 409},
			Fails: "MetalLB ns/metallb: Conflict", Writes: []string{deletes}},
		"delete: not to be read": {Refused: map[string]int{resource: 403}, Fails: "Forbidden"},
	}
	for name, c := range cases {
		c.ID = removeMetalLB
		cases[name] = c
	}
	prereqtest.Run(t, removes(named), cases)
}

// An object that loses hcctl's label between the read and the deletion stays.
func TestRemovalOfWhatIsNoLongerOurs(t *testing.T) {
	api := prereqtest.Serve(t, metal("metallb", "labels: {app.kubernetes.io/managed-by: hcctl}", ""))
	api.Before("delete metallbs.metallb.io", func() { api.Put(t, metal("metallb", "", "")) })
	if _, err := (Object{Kind: kube.MetalLB}).Apply(t.Context(), api.Client); !kube.IsTransient(err) {
		t.Errorf("%v", err)
	}
	if change, err := (Object{Kind: kube.MetalLB}).Apply(t.Context(), api.Client); change != step.Unchanged || err != nil {
		t.Errorf("%s, %v", change, err)
	}
	if writes := api.Writes(); len(writes) != 1 {
		t.Errorf("%v", writes)
	}
}

// TestTakenOver has objects that hcctl made and that a tool looks after now: to delete them would bring them back.
func TestTakenOver(t *testing.T) {
	const label = "labels: {app.kubernetes.io/managed-by: hcctl"
	for meta, want := range map[string]string{
		label + "}, annotations: {argocd.argoproj.io/tracking-id: 'lb:metallb.io/MetalLB:ns/metallb'}": "Argo CD (application lb) looks after it",
		label + ", kustomize.toolkit.fluxcd.io/name: lb}":                                              "Flux (Kustomization lb) looks after it",
	} {
		prereqtest.Run(t, removes(Object{}), map[string]prereqtest.Case{
			meta:             {Objects: []string{metal("metallb", meta, "")}, ID: removeMetalLB, State: step.StateOK, Says: []string{want}},
			"delete " + meta: {Objects: []string{metal("metallb", meta, "")}, ID: removeMetalLB, Change: step.Unchanged},
		})
	}
}
