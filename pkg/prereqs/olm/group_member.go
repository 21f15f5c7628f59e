package olm

import (
	"fmt"

	olmv1 "github.com/operator-framework/api/pkg/operators/v1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeMembership returns a finding about the OperatorGroup if that keeps a version from being installed, else nil.
func judgeMembership(csv *olmv1alpha1.ClusterServiceVersion, groups []olmv1.OperatorGroup) *step.Finding {
	var f step.Finding
	switch {
	case csv.Status.Reason == olmv1alpha1.CSVReasonTooManyOperatorGroups && len(groups) > 1:
		f = tooManyGroups(groups)
	case csv.Status.Reason == olmv1alpha1.CSVReasonUnsupportedOperatorGroup && len(groups) == 1:
		g := &groups[0]
		f = step.Broken("it targets %s, but %s supports %s", describeTargets(g), csv.Name, describeModes(modesOf(csv))).
			On("OperatorGroup %s", kube.Name(g)).
			WithHint("%s, unless another operator in the namespace needs it as it is: then this one has to go to a namespace "+
				"of its own", regroup(g, modesOf(csv)))
	default:
		return nil
	}
	f.Message += " (" + string(csv.Status.Reason) + ")"
	return &f
}

// regroup returns the command that makes a group fit an operator with these install modes.
func regroup(g *olmv1.OperatorGroup, modes map[string]bool) string {
	change := `{"spec":{"targetNamespaces":null,"selector":null}}`
	if t := targets(modes, g.Namespace); len(t) > 0 {
		change = `{"spec":{"targetNamespaces":["` + t[0] + `"],"selector":null}}`
	}
	return fmt.Sprintf("oc patch operatorgroup %s -n %s --type=merge -p '%s'", g.Name, g.Namespace, change)
}

func modesOf(csv *olmv1alpha1.ClusterServiceVersion) map[string]bool {
	modes := map[string]bool{}
	for _, m := range csv.Spec.InstallModes {
		modes[string(m.Type)] = m.Supported
	}
	return modes
}
