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

// Updates checks whether OLM can resolve the Subscriptions of installed operators, whether an update waits or is stuck,
// and whether the versions fit OpenShift. An operator that cannot be resolved keeps running, but gets no update, and
// blocks installations in its namespace.
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
		if !knownPackage(sub) || sub.Status.InstalledCSV == "" {
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

// noUpdates returns a finding about an installed operator that gets no updates, else nil.
func noUpdates(sub *olmv1alpha1.Subscription) *step.Finding {
	f := catalogGone(sub)
	if c, failed := resolutionFailed(sub); f == nil && failed {
		resolution := withoutUpdates(sub, c)
		return &resolution
	}
	if f != nil {
		*f = gettingNoUpdates(sub, *f)
	}
	return f
}

// silentCatalog returns a finding if the catalog of an installed operator refuses connections, or has not been
// connected for longer than a registry pod takes to be replaced, else nil. OLM reports that in Subscriptions only when
// it resolves them again.
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
			silent := gettingNoUpdates(sub, *f)
			return &silent
		}
	}
	return nil
}

// gettingNoUpdates adds to a finding that the operator is installed and keeps running.
func gettingNoUpdates(sub *olmv1alpha1.Subscription, f step.Finding) step.Finding {
	f.State, f.Trouble = step.StateMissing, false
	f.Message = fmt.Sprintf("%s is installed and works on, but gets no updates: %s", sub.Status.InstalledCSV, f.Message)
	return f
}

// withoutUpdates returns the finding about an installed operator that OLM cannot resolve.
func withoutUpdates(sub *olmv1alpha1.Subscription, c olmv1alpha1.SubscriptionCondition) step.Finding {
	f := gettingNoUpdates(sub, judgeResolution(sub, c))
	if m := unsatisfiable.FindStringSubmatch(c.Message); m != nil && m[2] == sub.Name {
		// Unlike a Subscription that has installed nothing, this one must be corrected, not deleted.
		f.Hint = hint.New("correct spec.channel and spec.source: oc edit subscription.operators.coreos.com %s -n %s; what "+
			"there is: oc get packagemanifest -n %s", sub.Name, sub.Namespace, Marketplace)
	}
	return f
}

// withoutSubscription returns a finding about an installed operator without a Subscription, or nil if there is none or
// it cannot be read. It keeps running and gets no updates. OLM does not adopt it into a new Subscription, so it has to
// be installed again; its objects stay.
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

// originals selects ClusterServiceVersions that are not copies in other namespaces.
func originals() labels.Selector {
	none, err := labels.NewRequirement(olmv1alpha1.CopiedLabelKey, selection.DoesNotExist, nil)
	if err != nil {
		return labels.Everything() // never: the key is a constant
	}
	return labels.NewSelector().Add(*none)
}

// judgeOrphan judges a version by its name. It returns nil if hcctl does not know the operator, or a Subscription
// covers it.
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
	before, full := "", &olmv1alpha1.ClusterServiceVersion{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(csv), full); err == nil && full.Spec.Cleanup.Enabled {
		// Otherwise OLM deletes the operator's custom resources with it.
		before = fmt.Sprintf(`oc patch csv %s -n %s --type=merge -p '{"spec":{"cleanup":{"enabled":false}}}', then `,
			csv.Name,
			csv.Namespace)
	}
	f = f.WithHint("%soc delete csv %s -n %s, then %s: OLM installs the operator again, and what it runs stays", before,
		csv.Name, csv.Namespace, hint.Run("bootstrap"))
	return &f
}

// knownPackage reports whether the Subscription is for an operator that hcctl installs.
func knownPackage(sub *olmv1alpha1.Subscription) bool {
	return sub.Spec != nil && slices.ContainsFunc(Operators(),
		func(op Operator) bool { return op.Package == sub.Spec.Package })
}

// resolutionFailed returns the condition with which OLM reports that it cannot resolve a Subscription.
func resolutionFailed(sub *olmv1alpha1.Subscription) (c olmv1alpha1.SubscriptionCondition, failed bool) {
	c = sub.Status.GetCondition(olmv1alpha1.SubscriptionResolutionFailed)
	return c, c.Status == corev1.ConditionTrue
}

// RightsUpdates returns the rights of Updates.
func RightsUpdates() []access.Rule {
	return []access.Rule{listOperators(), prereq.ReadVersion(), ListCatalogs(), prereq.ListPods(),
		{Verbs: "get", Resources: "installplans.operators.coreos.com", Why: "what an update installs along with it"},
		{Verbs: "get list", Resources: versions, Why: "whether operators are installed, and in which version"}}
}

// unresolved returns a finding if OLM installs nothing new in a namespace because it cannot resolve the present
// Subscriptions, else nil.
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
