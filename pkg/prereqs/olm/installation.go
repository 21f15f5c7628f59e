package olm

import (
	"context"
	"slices"
	"strings"

	olmv1 "github.com/operator-framework/api/pkg/operators/v1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
)

// installation is what there is of an operator.
type installation struct {
	// subscriptions and versions are those to remove: hcctl's own, and those they brought along.
	subscriptions []olmv1alpha1.Subscription
	versions      []olmv1alpha1.ClusterServiceVersion
	// kept is a Subscription of the operator that hcctl did not create.
	kept *olmv1alpha1.Subscription
	// group and namespace are hcctl's own, nil if not.
	group     *olmv1.OperatorGroup
	namespace *corev1.Namespace
	// webhook is the configuration that the operator leaves behind, nil if it is not there or not hcctl's to remove.
	webhook *unstructured.Unstructured
	// others are Subscriptions and ClusterServiceVersions of other operators in the namespace.
	others []string
}

func (r Removal) find(ctx context.Context, reader kube.Reader) (*installation, error) {
	i := &installation{}
	subs := &olmv1alpha1.SubscriptionList{}
	if err := reader.List(ctx, subs); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	home := r.op.Namespace
	for n := range subs.Items {
		sub := &subs.Items[n]
		switch {
		case sub.Spec == nil || sub.Spec.Package != r.op.Package:
		case removal.Ours(sub):
			home = sub.Namespace
			i.subscriptions = append(i.subscriptions, *sub)
		default:
			i.kept = sub
		}
	}
	if err := r.findVersions(ctx, reader, i, home); err != nil {
		return nil, err
	}
	for n := range subs.Items {
		sub := &subs.Items[n]
		if sub.Namespace != home || sub.Spec == nil || sub.Spec.Package == r.op.Package {
			continue
		}
		if len(i.subscriptions)+len(i.versions) > 0 && !removal.Ours(sub) && r.brought(sub.Status.InstalledCSV) {
			i.subscriptions = append(i.subscriptions, *sub)
		} else {
			i.others = append(i.others, "Subscription "+sub.Name)
		}
	}
	if err := r.findGround(ctx, reader, i, home); err != nil {
		return nil, err
	}
	return i, r.findWebhook(ctx, reader, i, home)
}

// findWebhook finds the webhook that the operator left behind: the operator is gone, its namespace or OperatorGroup is
// hcctl's own, and the webhook is for that namespace.
func (r Removal) findWebhook(ctx context.Context, reader kube.Reader, i *installation, home string) error {
	if r.op.webhook == "" || i.kept != nil || len(i.subscriptions)+len(i.versions) > 0 ||
		i.group == nil && i.namespace == nil {
		return nil
	}
	u := kube.MutatingWebhookConfiguration.New()
	err := reader.Get(ctx, types.NamespacedName{Name: r.op.webhook}, u)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	for _, hook := range kube.Maps(u, "webhooks") {
		named, _, _ := unstructured.NestedString(hook, "namespaceSelector", "matchLabels", corev1.LabelMetadataName)
		if named == home || slices.ContainsFunc(expressions(hook), func(values []string) bool {
			return slices.Equal(values, []string{home})
		}) {
			i.webhook = u
		}
	}
	return nil
}

// expressions are the values that the namespaceSelector of a webhook wants of the namespace's name.
func expressions(hook map[string]any) [][]string {
	var out [][]string
	list, _, _ := unstructured.NestedSlice(hook, "namespaceSelector", "matchExpressions")
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok || m["key"] != corev1.LabelMetadataName || m["operator"] != "In" {
			continue
		}
		values, _, _ := unstructured.NestedStringSlice(m, "values")
		out = append(out, values)
	}
	return out
}

// findVersions sorts the ClusterServiceVersions of a namespace: those of hcctl's own Subscriptions, or claimed for
// removal already, and those of others.
func (r Removal) findVersions(ctx context.Context, reader kube.Reader, i *installation, home string) error {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if err := reader.List(ctx, list, client.InNamespace(home)); err != nil && !kube.IsKindMissing(err) {
		return err
	}
	owned := slices.ContainsFunc(list.Items,
		func(csv olmv1alpha1.ClusterServiceVersion) bool { return removal.Ours(&csv) }) || len(i.subscriptions) > 0
	for n := range list.Items {
		csv := &list.Items[n]
		switch {
		case csv.IsCopied():
		case owned && (strings.HasPrefix(csv.Name, r.op.CSVPrefix) || r.brought(csv.Name)):
			i.versions = append(i.versions, *csv)
		default:
			i.others = append(i.others, "ClusterServiceVersion "+csv.Name)
		}
	}
	return nil
}

// brought tells the ClusterServiceVersions that the operator brings along.
func (r Removal) brought(csv string) bool {
	return slices.ContainsFunc(r.op.brings, func(prefix string) bool { return strings.HasPrefix(csv, prefix) })
}

// findGround finds the OperatorGroup and the namespace, if they are hcctl's own.
func (r Removal) findGround(ctx context.Context, reader kube.Reader, i *installation, home string) error {
	groups, err := operatorGroups(ctx, reader, home)
	if err != nil && !kube.IsKindMissing(err) {
		return err
	}
	for n := range groups {
		if removal.Ours(&groups[n]) {
			i.group = &groups[n]
		}
	}
	namespace := &corev1.Namespace{}
	err = reader.Get(ctx, types.NamespacedName{Name: home}, namespace)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case removal.Ours(namespace):
		i.namespace = namespace
	}
	return nil
}

// residue tells what an operator leaves in its namespace that goes by itself or is of no use without it: what others
// own, what OLM made, locks.
func (r Removal) residue(o *metav1.PartialObjectMetadata) bool {
	if slices.Contains(r.op.leaves, o.Kind+" "+o.Name) {
		return true
	}
	switch o.Kind {
	case "Lease", "InstallPlan", "OperatorCondition", "EndpointSlice", "Endpoints", "PodMetrics":
		return true
	}
	if len(o.OwnerReferences) > 0 {
		return true
	}
	for label := range o.Labels {
		if strings.HasPrefix(label, "olm.") || strings.HasPrefix(label, "operators.coreos.com/") {
			return true
		}
	}
	return false
}
