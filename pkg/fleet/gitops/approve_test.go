package gitops_test

import (
	"cmp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/fleet/gitops"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

var planKind = schema.GroupVersionKind{Group: "operators.coreos.com", Version: "v1alpha1", Kind: "InstallPlan"}

// TestApproval approves the one plan of the pinned version, and leaves every other as it is.
func TestApproval(t *testing.T) {
	const wanted, newer = "op.v1.0.0", "op.v1.1.0"
	for name, tc := range map[string]struct {
		pinned, installed string
		plans             map[string][]any // by name: versions
		want              string           // of the finding
		approved          string           // the plan that is approved
		phase             string           // of the plans; RequiresApproval by default
	}{
		"the pinned one":            {pinned: wanted, plans: map[string][]any{"p": {wanted}}, want: "OLM is installing op.v1.0.0", approved: "p"},
		"and no newer one":          {pinned: wanted, plans: map[string][]any{"n": {newer}, "p": {wanted}}, approved: "p", want: "OLM is installing op.v1.0.0"},
		"only a newer one":          {pinned: wanted, plans: map[string][]any{"n": {newer}}, want: "no InstallPlan for op.v1.0.0"},
		"one with others":           {pinned: wanted, plans: map[string][]any{"p": {wanted, "other.v2.0.0"}}, want: "not op.v1.0.0 alone"},
		"failed, for good":          {pinned: wanted, phase: "Failed", plans: map[string][]any{"p": {wanted}}, want: "installing op.v1.0.0 failed: OLM has given up"},
		"another version is pinned": {pinned: newer, plans: map[string][]any{"p": {wanted}}, want: `wants "op.v1.1.0"`},
		"installed, a newer waits":  {pinned: wanted, installed: wanted, plans: map[string][]any{"n": {newer}}, want: "is installed"},
	} {
		t.Run(name, func(t *testing.T) {
			const olm = "operators.coreos.com/v1alpha1"
			subs, plans := kubetest.New(olm, "Subscription", "subscriptions"), kubetest.New(olm, "InstallPlan", "installplans")
			subs.Set(kubetest.Object{"metadata": object{"namespace": "ns", "name": "op"}, "spec": object{"startingCSV": tc.pinned},
				"status": object{"installedCSV": tc.installed}})
			for plan, versions := range tc.plans {
				plans.Set(kubetest.Object{"metadata": object{"namespace": "ns", "name": plan}, "spec": object{"approval": "Manual",
					"approved": false, "clusterServiceVersionNames": versions}, "status": object{"phase": cmp.Or(tc.phase, "RequiresApproval")}})
			}
			c, err := kube.New(kubetest.Together(subs, plans))
			if err != nil {
				t.Fatal(err)
			}
			one := gitops.Approval{Namespace: "ns", Subscription: "op", CSV: wanted}.Steps(c)[0]
			if f := one.Check(t.Context(), nil); f.State == step.StateMissing {
				if change, err := one.Apply(t.Context()); err != nil || change != step.Configured {
					t.Errorf("%s, %v", change, err)
				}
			}
			if f := one.Check(t.Context(), nil); !strings.Contains(f.Message, tc.want) {
				t.Errorf("%s: %s, want %q", f.State, f.Message, tc.want)
			}
			list := kube.Kind{GroupVersionKind: planKind, Plural: "installplans", Namespaced: true}.NewList()
			if err := c.List(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			for i := range list.Items {
				if u := &list.Items[i]; kube.Flag(u, "spec", "approved") != (u.GetName() == tc.approved) {
					t.Errorf("plan %s: approved is %t", u.GetName(), kube.Flag(u, "spec", "approved"))
				}
			}
		})
	}
}
