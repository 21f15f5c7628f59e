package olm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Updates says whether OLM can resolve the Subscriptions of operators that are installed, whether an update waits or is
// stuck, and whether their versions fit OpenShift. One that it cannot resolve works on, but gets no update, and nothing
// else is installed in its namespace.
func Updates(ctx context.Context, r kube.Reader) step.Finding {
	list, catalogs := &olmv1alpha1.SubscriptionList{}, &olmv1alpha1.CatalogSourceList{}
	switch err := kube.Together(
		func() error { return r.List(ctx, list) },
		func() error { return r.List(ctx, catalogs) },
	); {
	case kube.IsKindMissing(err):
		return step.OK("there is no Operator Lifecycle Manager").On("Subscriptions")
	case err != nil:
		return kube.Unknown(err).On("Subscriptions and CatalogSources")
	}
	count, others, first := 0, []string{}, step.Finding{}
	for i := range list.Items {
		sub := &list.Items[i]
		if !installsOurs(sub) || sub.Status.InstalledCSV == "" {
			continue
		}
		count++
		f := noUpdates(sub)
		if f == nil {
			f = silentCatalog(ctx, r, sub, catalogs.Items)
		}
		switch {
		case f == nil:
		case first.Message == "":
			first = *f
		default:
			others = append(others, kube.Name(sub))
		}
	}
	switch {
	case first.Message == "":
		if f := withoutSubscription(ctx, r, list.Items); f != nil {
			return *f
		}
		if f := updatesDue(ctx, r, list.Items); f != nil {
			return *f
		}
		return step.OK("OLM resolves the Subscriptions of %d operators", count).On("Subscriptions")
	case len(others) > 0:
		first.Message += fmt.Sprintf(" (so it is for %s)", strings.Join(others, ", "))
	}
	return first
}

// noUpdates is the finding about an operator that is installed and gets no updates; nil if it does.
func noUpdates(sub *olmv1alpha1.Subscription) *step.Finding {
	f := catalogGone(sub)
	if c, failed := resolutionFailed(sub); f == nil && failed {
		resolution := withoutUpdates(sub, c)
		return &resolution
	}
	if f != nil {
		*f = worksOn(sub, *f)
	}
	return f
}

// silentCatalog is the finding about an operator that is installed and whose catalog refuses connections, or has not
// been connected for longer than a registry pod takes to be replaced; nil if it answers. OLM tells of that in
// Subscriptions once it resolves them again.
func silentCatalog(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription,
	catalogs []olmv1alpha1.CatalogSource) *step.Finding {
	for i := range catalogs {
		c := &catalogs[i]
		since, refuses := c.CreationTimestamp.Time, false
		if state := c.Status.GRPCConnectionState; state != nil {
			since, refuses = state.LastConnectTime.Time, state.LastObservedState == "TRANSIENT_FAILURE"
		}
		if c.Name != sub.Spec.CatalogSource || c.Namespace != sub.Spec.CatalogSourceNamespace ||
			!refuses && r.Now().Sub(since) < catalogGrace {
			continue
		}
		if f := NotServing(ctx, r, c); f != nil {
			silent := worksOn(sub, *f)
			return &silent
		}
	}
	return nil
}

// worksOn is what is wrong with the Subscription of an operator that is installed.
func worksOn(sub *olmv1alpha1.Subscription, f step.Finding) step.Finding {
	f.State, f.Trouble = step.StateMissing, false
	f.Message = fmt.Sprintf("%s is installed and works on, but gets no updates: %s", sub.Status.InstalledCSV, f.Message)
	return f
}

// withoutUpdates is the finding about an operator that is installed and that OLM does not resolve.
func withoutUpdates(sub *olmv1alpha1.Subscription, c olmv1alpha1.SubscriptionCondition) step.Finding {
	f := worksOn(sub, judgeResolution(sub, c))
	if m := accused.FindStringSubmatch(c.Message); m != nil && m[2] == sub.Name {
		// To delete the Subscription, as one that has installed nothing, would help no more than to correct it.
		f.Hint = hint.New("correct spec.channel and spec.source: oc edit subscription.operators.coreos.com %s -n %s; what "+
			"there is: oc get packagemanifest -n %s", sub.Name, sub.Namespace, Marketplace)
	}
	return f
}

// withoutSubscription is the finding about an operator that is installed and that no Subscription asks for any more: it
// works on and gets no updates. OLM does not take it over into a new Subscription, so it has to be installed again,
// which leaves what it runs alone. Nil if there is none, or if it cannot be read.
func withoutSubscription(ctx context.Context, r kube.Reader, subs []olmv1alpha1.Subscription) *step.Finding {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(olmv1alpha1.SchemeGroupVersion.WithKind(olmv1alpha1.ClusterServiceVersionKind + "List"))
	var found *step.Finding
	err := r.ListPages(ctx, list, func() {
		for i := range list.Items {
			if f := judgeOrphan(ctx, r, &list.Items[i], subs); f != nil && found == nil {
				found = f
			}
		}
	}, client.MatchingLabelsSelector{Selector: originals()})
	if err != nil {
		return nil
	}
	return found
}

// originals selects ClusterServiceVersions that are no copies in other namespaces.
func originals() labels.Selector {
	none, err := labels.NewRequirement(olmv1alpha1.CopiedLabelKey, selection.DoesNotExist, nil)
	if err != nil {
		return labels.Everything() // never: the key is a constant
	}
	return labels.NewSelector().Add(*none)
}

// judgeOrphan judges a version by its name: nil if it is no operator of hcctl's, or a Subscription asks for it.
func judgeOrphan(ctx context.Context, r kube.Reader, csv *metav1.PartialObjectMetadata,
	subs []olmv1alpha1.Subscription) *step.Finding {
	all := Operators()
	i := slices.IndexFunc(all, func(op Operator) bool { return strings.HasPrefix(csv.Name, op.CSVPrefix) })
	if i < 0 || slices.ContainsFunc(subs, func(s olmv1alpha1.Subscription) bool {
		return s.Status.InstalledCSV == csv.Name || s.Spec != nil && (s.Spec.Package == all[i].Package ||
			slices.Contains(all[i].aliases, s.Spec.Package))
	}) {
		return nil
	}
	f := step.Missing("%s is installed and works on, but no Subscription asks for it, so it gets no updates", csv.Name).
		On("ClusterServiceVersion %s", kube.Name(csv))
	before, whole := "", &olmv1alpha1.ClusterServiceVersion{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(csv), whole); err == nil && whole.Spec.Cleanup.Enabled {
		// OLM would delete the operator's custom resources with it.
		before = fmt.Sprintf(`oc patch csv %s -n %s --type=merge -p '{"spec":{"cleanup":{"enabled":false}}}', then `,
			csv.Name,
			csv.Namespace)
	}
	f = f.WithHint("%soc delete csv %s -n %s, then %s: OLM installs the operator again, and what it runs stays", before,
		csv.Name, csv.Namespace, hint.Run("bootstrap"))
	return &f
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
	return []access.Rule{listOperators(), prereq.ReadVersion(), ListCatalogs(), prereq.ListPods(),
		{Verbs: "get", Resources: "installplans.operators.coreos.com", Why: "what an update installs along with it"},
		{Verbs: "get list", Resources: versions, Why: "whether operators are installed, and in which version"}}
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
