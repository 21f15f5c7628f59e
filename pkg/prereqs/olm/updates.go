package olm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Updates says whether OLM can resolve the Subscriptions of operators that are installed, whether an update waits or is
// stuck, and whether their versions fit OpenShift. One that it cannot resolve works on, but gets no update, and nothing
// else is installed in its namespace.
func Updates(ctx context.Context, r kube.Reader) step.Finding {
	list := &olmv1alpha1.SubscriptionList{}
	switch err := r.List(ctx, list); {
	case kube.IsKindMissing(err):
		return step.OK("there is no Operator Lifecycle Manager").On("Subscriptions")
	case err != nil:
		return kube.Unknown(err).On("Subscriptions")
	}
	count, others, first := 0, []string{}, step.Finding{}
	for i := range list.Items {
		sub := &list.Items[i]
		if !installsOurs(sub) || sub.Status.InstalledCSV == "" {
			continue
		}
		count++
		c, failed := resolutionFailed(sub)
		switch {
		case !failed:
		case first.Message == "":
			first = withoutUpdates(sub, c)
		default:
			others = append(others, kube.Name(sub))
		}
	}
	switch {
	case first.Message == "":
		if f := updatesDue(ctx, r, list.Items); f != nil {
			return *f
		}
		return step.OK("OLM resolves the Subscriptions of %d operators", count).On("Subscriptions")
	case len(others) > 0:
		first.Message += fmt.Sprintf(" (so it is for %s)", strings.Join(others, ", "))
	}
	return first
}

// withoutUpdates is the finding about an operator that is installed.
func withoutUpdates(sub *olmv1alpha1.Subscription, c olmv1alpha1.SubscriptionCondition) step.Finding {
	f := judgeResolution(sub, c)
	f.State, f.Trouble = step.StateMissing, false
	f.Message = fmt.Sprintf("%s is installed and works on, but gets no updates: %s", sub.Status.InstalledCSV, f.Message)
	if m := accused.FindStringSubmatch(c.Message); m != nil && m[2] == sub.Name {
		// To delete the Subscription, as one that has installed nothing, would help no more than to correct it.
		f.Hint = hint.New("correct spec.channel and spec.source: oc edit subscription.operators.coreos.com %s -n %s; what "+
			"there is: oc get packagemanifest -n %s", sub.Name, sub.Namespace, Marketplace)
	}
	return f
}

// installsOurs tells the Subscriptions of operators that hcctl knows.
func installsOurs(sub *olmv1alpha1.Subscription) bool {
	return sub.Spec != nil && slices.ContainsFunc(Operators(),
		func(op Operator) bool { return op.Package == sub.Spec.Package })
}

// resolutionFailed is the condition by which OLM says that it cannot resolve a Subscription.
func resolutionFailed(sub *olmv1alpha1.Subscription) (c olmv1alpha1.SubscriptionCondition, failed bool) {
	c = sub.Status.GetCondition(olmv1alpha1.SubscriptionResolutionFailed)
	return c, c.Status == corev1.ConditionTrue
}

// RightsUpdates are the rights of Updates.
func RightsUpdates() []access.Rule {
	return []access.Rule{listOperators(), prereq.ReadVersion()}
}

// unresolved says that nothing new is installed in a namespace, because OLM cannot resolve what is there; nil where it
// can.
func unresolved(ctx context.Context, r kube.Reader, namespace string) *step.Finding {
	list := &olmv1alpha1.SubscriptionList{}
	if err := r.List(ctx, list); err != nil {
		f := kube.Unknown(err).On("Subscriptions")
		return &f
	}
	for i := range list.Items {
		sub := &list.Items[i]
		c, failed := resolutionFailed(sub)
		if sub.Namespace != namespace || sub.Spec == nil || !failed || c.Reason != constraintsNotSatisfiable {
			continue
		}
		f := judgeResolution(sub, c)
		f.State = step.StateBroken
		f.Message = fmt.Sprintf("OLM would install nothing in namespace %s: %s", namespace, f.Message)
		if sub.Status.InstalledCSV != "" {
			f.Hint = withoutUpdates(sub, c).Hint
		}
		return &f
	}
	return nil
}
