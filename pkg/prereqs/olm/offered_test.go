package olm

import (
	"strings"
	"testing"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestWhatNoCatalogHas(t *testing.T) {
	f := judgeAbsent("metallb-operator", "stable", "registry.redhat.io/redhat/redhat-operator-index:v4.20",
		[]string{"cs-redhat-operator-index-v4-20"}, true)
	prereqtest.Expect(t, f, step.StateBroken, "no catalog offers package metallb-operator (catalogs in "+
		"openshift-marketplace: cs-redhat-operator-index-v4-20)")
	if !strings.Contains(f.Hint.String(), "mirror package metallb-operator, channel stable, from "+
		"registry.redhat.io/redhat/redhat-operator-index:v4.20") {
		t.Errorf("hint %q", f.Hint.String())
	}
	f = judgeAbsent("metallb-operator", "stable", "x:v4.20", nil, false)
	if f.State != step.StateBroken || strings.Contains(f.Hint.String(), "mirror") || !strings.Contains(f.Message,
		"none") {
		t.Errorf("connected: %+v", f)
	}
}

func TestLikelyCatalogs(t *testing.T) {
	catalogs := func(names ...string) (all []olmv1alpha1.CatalogSource) {
		for _, n := range names {
			all = append(all, olmv1alpha1.CatalogSource{ObjectMeta: metav1.ObjectMeta{Name: n}})
		}
		return all
	}
	for name, tc := range map[string]struct {
		op   Operator
		pin  string
		all  []olmv1alpha1.CatalogSource
		want string
	}{
		"red hat's": {MetalLB(), "", catalogs("certified-operators", "community-operators", "redhat-operators"),
			"redhat-operators"},
		"a mirror of it": {MetalLB(), "", catalogs("certified-operators", "cs-redhat-operator-index-v4-20"),
			"cs-redhat-operator-index-v4-20"},
		"the community's": {CommunityVirtualization(), "", catalogs("community-operators", "redhat-operators"),
			"community-operators"},
		"the pinned one": {MetalLB(), "mine", catalogs("mine", "redhat-operators"), "mine"},
		"nobody knows":   {MetalLB(), "", catalogs("a", "b"), "a, b"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.op.Pin.CatalogSource = tc.pin
			var got []string
			for _, c := range (Installer{op: tc.op}).likely(tc.all) {
				got = append(got, c.Name)
			}
			if prereq.Listed(got) != tc.want {
				t.Errorf("got %s, want %s", prereq.Listed(got), tc.want)
			}
		})
	}
}
