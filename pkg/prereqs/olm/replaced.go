package olm

import (
	"context"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// outgoing reports whether a version in this phase is being replaced or deleted.
func outgoing(phase olmv1alpha1.ClusterServiceVersionPhase) bool {
	return phase == olmv1alpha1.CSVPhaseReplacing || phase == olmv1alpha1.CSVPhaseDeleting
}

// Successor returns the version that finally replaces an outgoing one, or name itself. phases and next map the versions
// in its namespace to their phases and to the versions that replace them.
func Successor(name string, phases map[string]olmv1alpha1.ClusterServiceVersionPhase, next map[string]string) string {
	for range next { // a chain is no longer than that
		if next[name] == "" || !outgoing(phases[name]) {
			break
		}
		name = next[name]
	}
	return name
}

// current returns the version that replaces an outgoing one, if it exists and can be read: it decides the health of the
// operator.
func current(ctx context.Context, r kube.Reader,
	csv *olmv1alpha1.ClusterServiceVersion) *olmv1alpha1.ClusterServiceVersion {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if !outgoing(csv.Status.Phase) || r.List(ctx, list, client.InNamespace(csv.Namespace)) != nil {
		return csv
	}
	phases, next := map[string]olmv1alpha1.ClusterServiceVersionPhase{}, map[string]string{}
	for i := range list.Items {
		phases[list.Items[i].Name], next[list.Items[i].Spec.Replaces] = list.Items[i].Status.Phase, list.Items[i].Name
	}
	name := Successor(csv.Name, phases, next)
	for i := range list.Items {
		if list.Items[i].Name == name {
			return &list.Items[i]
		}
	}
	return csv
}

// judgeReplaced returns a finding about a version that OLM does not install because the one that it replaces has
// failed, else nil. OLM replaces only a version that has succeeded, unless its OperatorGroup has upgradeStrategy
// TechPreviewUnsafeFailForward. The new version reports only that its requirements are unknown.
func judgeReplaced(ctx context.Context, r kube.Reader, csv *olmv1alpha1.ClusterServiceVersion) *step.Finding {
	if csv.Spec.Replaces == "" || csv.Status.Phase != olmv1alpha1.CSVPhasePending {
		return nil
	}
	old := &olmv1alpha1.ClusterServiceVersion{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: csv.Namespace, Name: csv.Spec.Replaces}, old); err != nil ||
		old.Status.Phase != olmv1alpha1.CSVPhaseFailed {
		return nil
	}
	f := judgeVersion(old)
	f.Message += "; only once it has succeeded does OLM install " + csv.Name + ", which replaces it"
	remove := hint.New("remove it, and OLM installs the newer one: oc delete csv %s -n %s", old.Name, old.Namespace)
	if f.Hint.IsZero() {
		f.Hint = remove
	} else {
		f.Hint = hint.Join([]hint.Text{f.Hint, remove}, "; or ")
	}
	return &f
}
