package prereqs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// operatorTimeout bounds the installation of one operator: pulling its images takes most of it.
const operatorTimeout = 20 * time.Minute

// catalogGrace is how long after a catalog's becoming ready its packages may not be listed yet.
const catalogGrace = time.Minute

// installer installs any operator of the table through OLM (v0) and says how far it is.
type installer struct {
	c  *kube.Client
	op operator
}

func (i installer) check(ctx context.Context) step.Finding {
	sub, err := findSubscription(ctx, i.c, i.op)
	switch {
	case kube.IsKindMissing(err):
		return step.Stuck("the cluster has no Operator Lifecycle Manager: its Subscription API is not served").
			WithHint("oc get clusteroperator operator-lifecycle-manager")
	case err != nil:
		return kube.Unread(err).On("Subscriptions")
	case sub != nil:
		return i.follow(ctx, sub)
	}
	csv, err := unsubscribed(ctx, i.c, i.op)
	switch {
	case err != nil:
		return kube.Unread(err).On("ClusterServiceVersions in %s", i.op.namespace)
	case csv != nil:
		return judgeVersion(csv)
	}
	return i.wouldInstall(ctx)
}

// follow says how far a Subscription is.
func (i installer) follow(ctx context.Context, sub *olmv1alpha1.Subscription) step.Finding {
	if name := sub.Status.InstalledCSV; name != "" {
		csv := &olmv1alpha1.ClusterServiceVersion{}
		err := i.c.Get(ctx, types.NamespacedName{Namespace: sub.Namespace, Name: name}, csv)
		switch {
		case apierrors.IsNotFound(err):
			return step.Stuck("it says %s is installed, but that ClusterServiceVersion was deleted; OLM does not bring it back", name).On("Subscription %s", kube.Name(sub)).
				WithHint("oc delete subscription.operators.coreos.com %s -n %s, then run hcctl again", sub.Name, sub.Namespace)
		case err != nil:
			return kube.Unread(err).On("ClusterServiceVersion %s/%s", sub.Namespace, name)
		}
		return judgeVersion(csv)
	}
	groups, err := operatorGroups(ctx, i.c, sub.Namespace)
	switch {
	case err != nil:
		return kube.Unread(err)
	case len(groups) == 0:
		return step.NotThere("its namespace has no OperatorGroup, so OLM installs nothing there").On("Subscription %s", kube.Name(sub))
	case len(groups) > 1:
		return tooManyGroups(groups)
	}
	plan, err := installPlan(ctx, i.c, sub)
	if err != nil {
		return kube.Unread(err)
	}
	return judgeSubscription(sub, plan)
}

// wouldInstall says what apply would do, or why it cannot.
func (i installer) wouldInstall(ctx context.Context) step.Finding {
	o, err := findOffer(ctx, i.c, i.op)
	var channel *channelError
	switch {
	case errors.Is(err, errNotOffered), kube.IsKindMissing(err):
		return i.notOffered(ctx)
	case errors.As(err, &channel):
		return step.Stuck("%v", err).WithHint("mirror the channel into the catalog, or install %s by hand", i.op.title)
	case err != nil:
		return kube.Unread(err)
	}
	namespace := &corev1.Namespace{}
	err = i.c.Get(ctx, types.NamespacedName{Name: o.namespace}, namespace)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return kube.Unread(err).On("Namespace %s", o.namespace)
	case err == nil && namespace.DeletionTimestamp != nil:
		return step.Waiting("%s", terminating(namespace)).On("Namespace %s", o.namespace).WithHint("oc get namespace %s -o yaml", o.namespace)
	}
	groups, err := operatorGroups(ctx, i.c, o.namespace)
	if err != nil {
		return kube.Unread(err)
	}
	if f := judgeGroups(groups, i.op.title, o.modes); f != nil {
		return *f
	}
	return step.NotThere("%s is not installed (catalog %s offers %s in channel %s)", i.op.title, o.catalog, o.csv, o.channel).On("Namespace %s", o.namespace).WithHint("hcctl bootstrap installs it")
}

// notOffered tells a catalog that is not ready yet from one that does not have the package.
func (i installer) notOffered(ctx context.Context) step.Finding {
	list := &olmv1alpha1.CatalogSourceList{}
	if err := i.c.List(ctx, list, client.InNamespace(marketplace)); err != nil {
		return kube.Unread(err).On("CatalogSources in %s", marketplace)
	}
	var names []string
	for _, catalog := range list.Items {
		names = append(names, catalog.Name)
		state := catalog.Status.GRPCConnectionState
		switch {
		case state == nil || state.LastObservedState != "READY":
			observed := "not connected"
			if state != nil && state.LastObservedState != "" {
				observed = state.LastObservedState
			}
			return step.Waiting("package %s is not on offer, and catalog %s is %s", i.op.pkg, catalog.Name, observed).On("CatalogSource %s", kube.Name(&catalog))
		case time.Since(state.LastConnectTime.Time) < catalogGrace:
			return step.Waiting("package %s is not on offer yet; catalog %s has just become ready", i.op.pkg, catalog.Name).On("CatalogSource %s", kube.Name(&catalog)).Again(5 * time.Second)
		}
	}
	return step.Stuck("no catalog offers package %s (catalogs in %s: %s)", i.op.pkg, marketplace, listed(names)).
		WithHint("add a CatalogSource that has %s, or enable the default catalogs: oc edit operatorhub cluster", i.op.title)
}

func (i installer) apply(ctx context.Context) (step.Change, error) {
	o, err := findOffer(ctx, i.c, i.op)
	if err != nil {
		return "", fmt.Errorf("%s: %w", i.op.title, err)
	}
	sub, err := findSubscription(ctx, i.c, i.op)
	if err != nil {
		return "", err
	}
	if sub != nil {
		o.namespace = sub.Namespace
	}
	namespace, err := i.c.CreateOnce(ctx, newNamespace(o))
	if err != nil {
		return "", err
	}
	group, err := i.ensureGroup(ctx, o)
	if err != nil || sub != nil {
		return step.Join(namespace, group), err
	}
	subscription, err := i.c.CreateOnce(ctx, newSubscription(i.op.pkg, o))
	return step.Join(namespace, group, subscription), err
}

// ensureGroup makes the one OperatorGroup of the namespace, or keeps the one that is there.
func (i installer) ensureGroup(ctx context.Context, o offer) (step.Change, error) {
	groups, err := operatorGroups(ctx, i.c, o.namespace)
	if err != nil {
		return "", err
	}
	if f := judgeGroups(groups, i.op.title, o.modes); f != nil {
		return "", fmt.Errorf("%s: %s", f.Object, f.Message)
	}
	if len(groups) == 1 {
		return step.Unchanged, nil
	}
	return i.c.CreateOnce(ctx, newGroup(o.namespace, targets(o.modes, o.namespace)))
}

// newNamespace is created if absent and otherwise left as it is.
func newNamespace(o offer) *corev1.Namespace {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.namespace}}
	if o.monitored || strings.HasPrefix(o.namespace, "openshift-") {
		n.Labels = map[string]string{"openshift.io/cluster-monitoring": "true"}
	}
	return n
}

// terminating says what a namespace that is being deleted waits for.
func terminating(n *corev1.Namespace) string {
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == corev1.NamespaceContentRemaining || c.Type == corev1.NamespaceFinalizersRemaining) {
			return "it is still being deleted: " + c.Message
		}
	}
	return "it is still being deleted"
}
