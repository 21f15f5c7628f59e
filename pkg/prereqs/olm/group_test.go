package olm

import (
	"slices"
	"strings"
	"testing"

	olmv1 "github.com/operator-framework/api/pkg/operators/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

func modes(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

func TestTargetsFollowInstallModes(t *testing.T) {
	for name, tc := range map[string]struct {
		modes map[string]bool
		want  []string
	}{
		"own":          {modes("OwnNamespace", "SingleNamespace"), []string{"ns"}},
		"own and all":  {modes("OwnNamespace", "AllNamespaces"), []string{"ns"}},
		"only for all": {modes("AllNamespaces"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := newGroup("ns", targets(tc.modes, "ns")).Spec.TargetNamespaces; !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestJudgeGroups(t *testing.T) {
	group := func(name string, targets ...string) olmv1.OperatorGroup {
		return olmv1.OperatorGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name},
			Spec: olmv1.OperatorGroupSpec{TargetNamespaces: targets}}
	}
	selecting := group("sel")
	selecting.Spec.Selector = &metav1.LabelSelector{}
	selecting.Status.Namespaces = []string{"ns"}
	for name, tc := range map[string]struct {
		groups []olmv1.OperatorGroup
		modes  map[string]bool
		want   []string
	}{
		"none":                       {nil, modes("OwnNamespace"), nil},
		"the same by another name":   {[]olmv1.OperatorGroup{group("console-x7", "ns")}, modes("OwnNamespace"), nil},
		"all for one that can":       {[]olmv1.OperatorGroup{group("g")}, modes("OwnNamespace", "AllNamespaces"), nil},
		"selector that comes to own": {[]olmv1.OperatorGroup{selecting}, modes("OwnNamespace"), nil},
		"all for one that cannot": {[]olmv1.OperatorGroup{group("g")}, modes("OwnNamespace"),
			[]string{"OperatorGroup ns/g", "all namespaces", "OwnNamespace"}},
		"own for one for all": {[]olmv1.OperatorGroup{group("g", "ns")}, modes("AllNamespaces"),
			[]string{"OperatorGroup ns/g", "namespaces ns"}},
		"another namespace": {[]olmv1.OperatorGroup{group("g", "elsewhere")},
			modes("OwnNamespace", "SingleNamespace"), []string{"elsewhere"}},
		"two": {[]olmv1.OperatorGroup{group("a", "ns"), group("b", "ns")}, modes("OwnNamespace"),
			[]string{"Namespace ns", "a, b"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeGroups(tc.groups, "X", tc.modes)
			if (f != nil) != (tc.want != nil) {
				t.Fatalf("got %+v", f)
			}
			for _, w := range tc.want {
				if f.State != step.StateBroken || !strings.Contains(f.Object+" "+f.Message, w) {
					t.Errorf("got %+v, want broken with %q", f, w)
				}
			}
		})
	}
}
