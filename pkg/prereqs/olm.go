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

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// operatorTimeout bounds the installation of one operator: pulling its images takes most of it.
const operatorTimeout = 20 * time.Minute

// installer installs any operator of the table through OLM (v0) and says how far it is.
type installer struct {
	c  *kube.Client
	op operator
}

// newInstaller installs an operator, pinned or not.
func newInstaller(c *kube.Client, op operator) installer { return installer{c, op} }

// subscription is the one that asks for the operator, or nil.
func (i installer) subscription(ctx context.Context) (*olmv1alpha1.Subscription, error) {
	return findSubscription(ctx, i.c, i.op)
}

func (i installer) check(ctx context.Context) step.Finding {
	sub, err := findSubscription(ctx, i.c, i.op)
	switch {
	case kube.IsKindMissing(err):
		return i.withoutLifecycleManager()
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
		return i.judgeInstalled(ctx, csv, nil)
	}
	return i.wouldInstall(ctx)
}

// noLifecycleManager begins the finding about a cluster without OLM.
const noLifecycleManager = "the cluster has no Operator Lifecycle Manager (its Subscription API is not served)"

func (i installer) withoutLifecycleManager() step.Finding {
	return step.Stuck("%s, and hcctl installs %s through it", noLifecycleManager, i.op.title).On("Package %s", i.op.pkg).
		WithHint("if it is switched off on this OpenShift, enable the cluster capabilities marketplace and OperatorLifecycleManager; else install %s by other means and run hcctl again", i.op.title)
}

// follow says how far a Subscription is.
func (i installer) follow(ctx context.Context, sub *olmv1alpha1.Subscription) step.Finding {
	if sub.Status.InstalledCSV != "" {
		return i.followInstalled(ctx, sub)
	}
	if f := i.otherPin(sub); f != nil {
		return *f
	}
	groups, err := operatorGroups(ctx, i.c, sub.Namespace)
	switch {
	case err != nil:
		return kube.Unread(err).On("OperatorGroups in %s", sub.Namespace)
	case len(groups) == 0:
		return step.NotThere("its namespace has no OperatorGroup, so OLM installs nothing there").On("Subscription %s", kube.Name(sub)).
			WithHint("hcctl bootstrap makes one")
	case len(groups) > 1:
		return tooManyGroups(groups)
	}
	plan, err := installPlan(ctx, i.c, sub)
	if err != nil {
		return kube.Unread(err).On("InstallPlan of Subscription %s", kube.Name(sub))
	}
	if awaitsApproval(plan) {
		return i.followApproval(ctx, sub, plan)
	}
	return judgeSubscription(sub, plan)
}

// followInstalled says how the version is that a Subscription has brought.
func (i installer) followInstalled(ctx context.Context, sub *olmv1alpha1.Subscription) step.Finding {
	csv := &olmv1alpha1.ClusterServiceVersion{}
	err := i.c.Get(ctx, types.NamespacedName{Namespace: sub.Namespace, Name: sub.Status.InstalledCSV}, csv)
	switch {
	case apierrors.IsNotFound(err):
		return step.Stuck("it says %s is installed, but that ClusterServiceVersion was deleted; OLM does not bring it back", sub.Status.InstalledCSV).
			On("Subscription %s", kube.Name(sub)).
			WithHint("oc delete subscription.operators.coreos.com %s -n %s, then run hcctl again", sub.Name, sub.Namespace)
	case err != nil:
		return kube.Unread(err).On("ClusterServiceVersion %s/%s", sub.Namespace, sub.Status.InstalledCSV)
	}
	return i.judgeInstalled(ctx, csv, sub)
}

// judgeInstalled judges a version, and why it is not up with what else its namespace tells. sub is nil where no Subscription
// asks for it.
func (i installer) judgeInstalled(ctx context.Context, csv *olmv1alpha1.ClusterServiceVersion, sub *olmv1alpha1.Subscription) step.Finding {
	if csv.Status.Phase == olmv1alpha1.CSVPhaseSucceeded {
		f := judgeVersion(csv)
		f.Message += i.remarks(csv, sub)
		return f
	}
	groups, err := operatorGroups(ctx, i.c, csv.Namespace)
	switch {
	case err != nil:
		return kube.Unread(err).On("OperatorGroups in %s", csv.Namespace)
	case len(groups) == 0 && sub != nil:
		return step.NotThere("%s (%s): its namespace has no OperatorGroup", csv.Status.Phase, csv.Status.Reason).On("ClusterServiceVersion %s", kube.Name(csv)).
			WithHint("hcctl bootstrap makes one")
	}
	if f := judgeMembership(csv, groups); f != nil {
		return *f
	}
	if sub == nil {
		return judgeVersion(csv)
	}
	plan, err := installPlan(ctx, i.c, sub)
	if err != nil {
		return kube.Unread(err).On("InstallPlan of Subscription %s", kube.Name(sub))
	}
	if plan != nil && plan.Status.Phase == olmv1alpha1.InstallPlanPhaseFailed && carries(plan, csv.Name) {
		return judgePlan(plan)
	}
	if csv.Status.Reason == olmv1alpha1.CSVReasonRequirementsNotMet {
		return judgeRequirements(csv, plan, i.c.Now())
	}
	return judgeVersion(csv)
}

func (i installer) apply(ctx context.Context) (step.Change, error) {
	sub, err := findSubscription(ctx, i.c, i.op)
	if err != nil {
		return "", err
	}
	if sub != nil {
		return i.applyTo(ctx, sub)
	}
	o, err := findOffer(ctx, i.c, i.op)
	if err != nil {
		return "", fmt.Errorf("%s: %w", i.op.title, err)
	}
	namespace, err := i.c.CreateOnce(ctx, newNamespace(o))
	if err != nil {
		return "", err
	}
	group, err := i.ensureGroup(ctx, o.namespace, o.modes)
	if err != nil {
		return step.Join(namespace, group), err
	}
	subscription, err := i.c.CreateOnce(ctx, newSubscription(i.op.pkg, o))
	return step.Join(namespace, group, subscription), err
}

// applyTo does for a Subscription that is there what it lacks: the OperatorGroup of its namespace, or the approval of what
// hcctl asked for.
func (i installer) applyTo(ctx context.Context, sub *olmv1alpha1.Subscription) (step.Change, error) {
	plan, err := installPlan(ctx, i.c, sub)
	if err != nil {
		return "", err
	}
	if awaitsApproval(plan) {
		return i.approve(ctx, sub, plan)
	}
	groups, err := operatorGroups(ctx, i.c, sub.Namespace)
	if err != nil || len(groups) > 0 {
		return step.Unchanged, err
	}
	followed := i.op
	followed.pkg, followed.pin = sub.Spec.Package, OperatorOptions{Channel: sub.Spec.Channel, CatalogSource: sub.Spec.CatalogSource}
	o, err := findOffer(ctx, i.c, followed)
	if err != nil {
		return "", fmt.Errorf("%s: %w", i.op.title, err)
	}
	return i.ensureGroup(ctx, sub.Namespace, o.modes)
}

// ensureGroup makes the one OperatorGroup of the namespace, or keeps the one that is there.
func (i installer) ensureGroup(ctx context.Context, namespace string, modes map[string]bool) (step.Change, error) {
	groups, err := operatorGroups(ctx, i.c, namespace)
	if err != nil {
		return "", err
	}
	if f := judgeGroups(groups, i.op.title, modes); f != nil {
		return "", errors.New(f.Object + ": " + f.Message)
	}
	if len(groups) == 1 {
		return step.Unchanged, nil
	}
	return i.c.CreateOnce(ctx, newGroup(namespace, targets(modes, namespace)))
}

// newNamespace is created if absent and otherwise left as it is.
func newNamespace(o offer) *corev1.Namespace {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.namespace}}
	if o.monitored || strings.HasPrefix(o.namespace, "openshift-") {
		n.Labels = map[string]string{"openshift.io/cluster-monitoring": "true"}
	}
	return n
}

// terminating says what a namespace that is being deleted waits for: what is left in it, and the finalizers that keep it.
func terminating(n *corev1.Namespace) string {
	var left []string
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == corev1.NamespaceContentRemaining || c.Type == corev1.NamespaceFinalizersRemaining) {
			left = append(left, c.Message)
		}
	}
	if len(left) == 0 {
		return "it is still being deleted"
	}
	return "it is still being deleted: " + strings.Join(left, "; ")
}
