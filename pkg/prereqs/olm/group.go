package olm

import (
	"context"
	"slices"
	"strings"

	olmv1 "github.com/operator-framework/api/pkg/operators/v1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// operatorGroups lists the OperatorGroups of a namespace. OLM requires exactly one.
func operatorGroups(ctx context.Context, r kube.Reader, namespace string) ([]olmv1.OperatorGroup, error) {
	list := &olmv1.OperatorGroupList{}
	if err := r.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// targets returns the namespaces that an operator with these install modes has to watch: its own if it supports that,
// else nil for all namespaces.
func targets(modes map[string]bool, namespace string) []string {
	if modes[string(olmv1alpha1.InstallModeTypeOwnNamespace)] {
		return []string{namespace}
	}
	return nil
}

// newGroup returns the OperatorGroup for a namespace that has none. Its name is fixed, so that two concurrent runs
// cannot create two.
func newGroup(namespace string, targets []string) *olmv1.OperatorGroup {
	return &olmv1.OperatorGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: namespace},
		Spec:       olmv1.OperatorGroupSpec{TargetNamespaces: targets},
	}
}

// groupFits reports whether an operator with these install modes works with the existing group.
func groupFits(g *olmv1.OperatorGroup, modes map[string]bool) bool {
	selected := g.Spec.TargetNamespaces
	if g.Spec.Selector != nil && len(selected) == 0 {
		// OLM writes the namespaces of a selector into the status; one empty name stands for all namespaces.
		selected = slices.DeleteFunc(slices.Clone(g.Status.Namespaces), func(n string) bool { return n == "" })
	}
	switch {
	case len(selected) == 0:
		return modes[string(olmv1alpha1.InstallModeTypeAllNamespaces)]
	case len(selected) == 1 && selected[0] == g.Namespace:
		return modes[string(olmv1alpha1.InstallModeTypeOwnNamespace)]
	default:
		return false
	}
}

// judgeGroups returns why nothing can be installed into a namespace with these groups, or nil.
func judgeGroups(groups []olmv1.OperatorGroup, title string, modes map[string]bool) *step.Finding {
	switch {
	case len(groups) == 0:
		return nil
	case len(groups) > 1:
		f := tooManyGroups(groups)
		return &f
	case groupFits(&groups[0], modes):
		return nil
	}
	g := &groups[0]
	f := step.Broken("it targets %s, but %s supports %s", describeTargets(g), title, describeModes(modes)).
		On("OperatorGroup %s", kube.Name(g)).
		WithHint("a namespace has one OperatorGroup: change or remove this one (oc edit operatorgroup %s -n %s), unless "+
			"another operator needs it", g.Name, g.Namespace)
	return &f
}

func tooManyGroups(groups []olmv1.OperatorGroup) step.Finding {
	names := make([]string, 0, len(groups))
	for i := range groups {
		names = append(names, groups[i].Name)
	}
	return step.Broken("%d OperatorGroups are in the namespace, so OLM installs nothing there: %s", len(groups),
		strings.Join(names, ", ")).
		On("Namespace %s", groups[0].Namespace).
		WithHint("remove all but one: oc delete operatorgroup NAME -n %s", groups[0].Namespace)
}

func describeTargets(g *olmv1.OperatorGroup) string {
	if len(g.Spec.TargetNamespaces) == 0 && g.Spec.Selector == nil {
		return "all namespaces"
	}
	if len(g.Spec.TargetNamespaces) == 0 {
		return "the namespaces of its selector"
	}
	return "namespaces " + strings.Join(g.Spec.TargetNamespaces, ", ")
}

func describeModes(modes map[string]bool) string {
	var names []string
	for mode, supported := range modes {
		if supported {
			names = append(names, mode)
		}
	}
	slices.Sort(names)
	return "install modes " + prereq.Listed(names)
}
