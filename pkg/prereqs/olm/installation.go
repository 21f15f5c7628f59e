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

// installation lists what exists of an operator.
type installation struct {
	// subscriptions and versions are removed: hcctl's own, and those of the dependencies.
	subscriptions []olmv1alpha1.Subscription
	versions      []olmv1alpha1.ClusterServiceVersion
	// foreign is a Subscription of the operator that hcctl did not create.
	foreign *olmv1alpha1.Subscription
	// group and namespace are set if hcctl owns them.
	group     *olmv1.OperatorGroup
	namespace *corev1.Namespace
	// webhook is the configuration that the operator leaves behind. It is nil if it does not exist or is not hcctl's to
	// remove.
	webhook *unstructured.Unstructured
	// others lists Subscriptions and ClusterServiceVersions of other operators in the namespace.
	others []string
}

func (r Removal) find(ctx context.Context, reader kube.Reader) (*installation, error) {
	i := &installation{}
	subs := &olmv1alpha1.SubscriptionList{}
	if err := reader.List(ctx, subs); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	namespaceName := r.op.Namespace
	for n := range subs.Items {
		sub := &subs.Items[n]
		switch {
		case sub.Spec == nil || sub.Spec.Package != r.op.Package:
		case removal.Owned(sub):
			namespaceName = sub.Namespace
			i.subscriptions = append(i.subscriptions, *sub)
		default:
			i.foreign = sub
		}
	}
	if err := r.findVersions(ctx, reader, i, namespaceName); err != nil {
		return nil, err
	}
	for n := range subs.Items {
		sub := &subs.Items[n]
		if sub.Namespace != namespaceName || sub.Spec == nil || sub.Spec.Package == r.op.Package {
			continue
		}
		if len(i.subscriptions)+len(i.versions) > 0 && !removal.Owned(sub) && r.isDependency(sub.Status.InstalledCSV) {
			i.subscriptions = append(i.subscriptions, *sub)
		} else {
			i.others = append(i.others, "Subscription "+sub.Name)
		}
	}
	if err := r.findNamespace(ctx, reader, i, namespaceName); err != nil {
		return nil, err
	}
	return i, r.findWebhook(ctx, reader, i, namespaceName)
}

// findWebhook finds the webhook that the operator left behind. The operator must be gone, hcctl must own its namespace
// or OperatorGroup, and the webhook must be for that namespace.
func (r Removal) findWebhook(ctx context.Context, reader kube.Reader, i *installation, namespaceName string) error {
	if r.op.webhook == "" || i.foreign != nil || len(i.subscriptions)+len(i.versions) > 0 ||
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
		if named == namespaceName || slices.ContainsFunc(expressions(hook), func(values []string) bool {
			return slices.Equal(values, []string{namespaceName})
		}) {
			i.webhook = u
		}
	}
	return nil
}

// expressions returns the namespace names that the namespaceSelector of a webhook lists.
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

// findVersions sorts the ClusterServiceVersions of a namespace: those of hcctl's own Subscriptions or labelled for
// removal, and those of others.
func (r Removal) findVersions(ctx context.Context, reader kube.Reader, i *installation, namespaceName string) error {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if err := reader.List(ctx, list, client.InNamespace(namespaceName)); err != nil && !kube.IsKindMissing(err) {
		return err
	}
	owned := slices.ContainsFunc(list.Items,
		func(csv olmv1alpha1.ClusterServiceVersion) bool { return removal.Owned(&csv) }) || len(i.subscriptions) > 0
	for n := range list.Items {
		csv := &list.Items[n]
		switch {
		case csv.IsCopied():
		case owned && (strings.HasPrefix(csv.Name, r.op.CSVPrefix) || r.isDependency(csv.Name)):
			i.versions = append(i.versions, *csv)
		default:
			i.others = append(i.others, "ClusterServiceVersion "+csv.Name)
		}
	}
	return nil
}

// isDependency reports whether a ClusterServiceVersion is a known dependency of the operator.
func (r Removal) isDependency(csv string) bool {
	return slices.ContainsFunc(r.op.brings, func(prefix string) bool { return strings.HasPrefix(csv, prefix) })
}

// findNamespace finds the OperatorGroup and the namespace if hcctl owns them.
func (r Removal) findNamespace(ctx context.Context, reader kube.Reader, i *installation, namespaceName string) error {
	groups, err := operatorGroups(ctx, reader, namespaceName)
	if err != nil && !kube.IsKindMissing(err) {
		return err
	}
	for n := range groups {
		if removal.Owned(&groups[n]) {
			i.group = &groups[n]
		}
	}
	namespace := &corev1.Namespace{}
	err = reader.Get(ctx, types.NamespacedName{Name: namespaceName}, namespace)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case removal.Owned(namespace):
		i.namespace = namespace
	}
	return nil
}

// residue reports whether an object in the operator's namespace needs no consideration: it has an owner, OLM made it,
// it is a lock, or it is useless without the operator.
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
