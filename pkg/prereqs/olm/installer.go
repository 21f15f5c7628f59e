package olm

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

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Timeout limits the installation of one operator: pulling its images takes most of the time.
const Timeout = 20 * time.Minute

// Installer installs an operator of the table through OLM (v0) and reports its progress.
type Installer struct{ op Operator }

// NewInstaller returns the installer of an operator, pinned or not.
func NewInstaller(op Operator) Installer { return Installer{op} }

// Subscription returns the operator's Subscription, or nil.
func (i Installer) Subscription(ctx context.Context, r kube.Reader) (*olmv1alpha1.Subscription, error) {
	return FindSubscription(ctx, r, i.op)
}

// Check reports the progress of the installation.
func (i Installer) Check(ctx context.Context, r kube.Reader) step.Finding {
	sub, err := FindSubscription(ctx, r, i.op)
	switch {
	case kube.IsKindMissing(err):
		return i.withoutLifecycleManager()
	case err != nil:
		return kube.Unknown(err).On("Subscriptions")
	case sub != nil:
		return i.follow(ctx, r, sub)
	}
	csv, err := unsubscribed(ctx, r, i.op)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ClusterServiceVersions in %s", i.op.Namespace)
	case csv != nil:
		return i.judgeInstalled(ctx, r, csv, nil, Stopped(ctx, r, i.op))
	}
	return i.wouldInstall(ctx, r)
}

// noLifecycleManager is the beginning of the finding about a cluster without OLM.
const noLifecycleManager = "the cluster has no Operator Lifecycle Manager (its Subscription API is not served)"

func (i Installer) withoutLifecycleManager() step.Finding {
	return step.Broken("%s, and hcctl installs %s through it", noLifecycleManager, i.op.Title).
		On("Package %s", i.op.Package).
		WithHint("if it is switched off on this OpenShift, enable the cluster capabilities marketplace and "+
			"OperatorLifecycleManager; else install %s by other means and run hcctl again", i.op.Title)
}

// follow reports the progress of a Subscription.
func (i Installer) follow(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription) step.Finding {
	if f := prereq.Deleting(olmv1alpha1.SubscriptionKind, sub); f != nil {
		return *f
	}
	if sub.Status.InstalledCSV != "" {
		return i.followInstalled(ctx, r, sub)
	}
	if f := i.otherPin(sub); f != nil {
		return *f
	}
	groups, err := operatorGroups(ctx, r, sub.Namespace)
	switch {
	case err != nil:
		return kube.Unknown(err).On("OperatorGroups in %s", sub.Namespace)
	case len(groups) == 0:
		return step.Missing("its namespace has no OperatorGroup, so OLM installs nothing there").
			On("Subscription %s", kube.Name(sub)).
			WithHint("%s makes one", hint.Run("bootstrap"))
	case len(groups) > 1:
		return tooManyGroups(groups)
	}
	plan, err := installPlan(ctx, r, sub)
	if err != nil {
		return kube.Unknown(err).On("InstallPlan of Subscription %s", kube.Name(sub))
	}
	if awaitsApproval(plan) {
		return i.followApproval(ctx, r, sub, plan)
	}
	return judgeSubscription(sub, plan, r.Now())
}

// followInstalled judges the version that a Subscription has installed.
func (i Installer) followInstalled(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription) step.Finding {
	csv := &olmv1alpha1.ClusterServiceVersion{}
	var stopped *step.Finding
	err := kube.Together(
		func() error {
			return r.Get(ctx, types.NamespacedName{Namespace: sub.Namespace, Name: sub.Status.InstalledCSV}, csv)
		},
		func() error { stopped = Stopped(ctx, r, i.op); return nil },
	)
	switch {
	case apierrors.IsNotFound(err):
		return step.Broken("it says %s is installed, but that ClusterServiceVersion was deleted; OLM does not bring it back",
			sub.Status.InstalledCSV).
			On("Subscription %s", kube.Name(sub)).
			WithHint("oc delete subscription.operators.coreos.com %s -n %s, then run hcctl again", sub.Name, sub.Namespace)
	case err != nil:
		return kube.Unknown(err).On("ClusterServiceVersion %s/%s", sub.Namespace, sub.Status.InstalledCSV)
	}
	return i.judgeInstalled(ctx, r, csv, sub, stopped)
}

// judgeInstalled judges a version. If it has not succeeded, the objects in its namespace explain why. sub is nil if the
// version has no Subscription; stopped is the result of Stopped.
func (i Installer) judgeInstalled(ctx context.Context, r kube.Reader, csv *olmv1alpha1.ClusterServiceVersion,
	sub *olmv1alpha1.Subscription, stopped *step.Finding) step.Finding {
	if csv = current(ctx, r, csv); csv.Status.Phase == olmv1alpha1.CSVPhaseSucceeded {
		f := judgeVersion(csv)
		if stopped != nil && f.State == step.StateOK {
			return *stopped
		}
		f.Message += i.remarks(csv, sub)
		return f
	}
	groups, err := operatorGroups(ctx, r, csv.Namespace)
	switch {
	case err != nil:
		return kube.Unknown(err).On("OperatorGroups in %s", csv.Namespace)
	case len(groups) == 0 && sub != nil:
		return step.Missing("%s (%s): its namespace has no OperatorGroup", csv.Status.Phase, csv.Status.Reason).
			On("ClusterServiceVersion %s", kube.Name(csv)).
			WithHint("%s makes one", hint.Run("bootstrap"))
	}
	if f := judgeMembership(csv, groups); f != nil {
		return *f
	}
	if sub == nil {
		return explained(ctx, r, csv)
	}
	plan, err := installPlan(ctx, r, sub)
	if err != nil {
		return kube.Unknown(err).On("InstallPlan of Subscription %s", kube.Name(sub))
	}
	if plan != nil && plan.Status.Phase == olmv1alpha1.InstallPlanPhaseFailed && carries(plan, csv.Name) {
		return JudgePlan(plan)
	}
	if csv.Status.Reason == olmv1alpha1.CSVReasonRequirementsNotMet {
		return judgeRequirements(csv, plan, r.Now())
	}
	if f := judgeReplaced(ctx, r, csv); f != nil {
		return *f
	}
	return explained(ctx, r, csv)
}

// Apply writes what the installation lacks: namespace, OperatorGroup, Subscription, or an approval.
func (i Installer) Apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	sub, err := FindSubscription(ctx, c, i.op)
	if err != nil {
		return "", err
	}
	if sub != nil {
		return i.applyTo(ctx, c, sub)
	}
	o, err := FindOffer(ctx, c, i.op)
	if err != nil {
		return "", fmt.Errorf("%s: %w", i.op.Title, err)
	}
	namespace, err := c.CreateOnce(ctx, newNamespace(o))
	if err != nil {
		return "", err
	}
	group, err := i.ensureGroup(ctx, c, o.Namespace, o.modes)
	if err != nil {
		return step.Join(namespace, group), err
	}
	subscription, err := c.CreateOnce(ctx, newSubscription(i.op.Package, o))
	return step.Join(namespace, group, subscription), err
}

// applyTo adds what an existing Subscription lacks: the OperatorGroup of its namespace, or the approval of a plan that
// hcctl requested.
func (i Installer) applyTo(ctx context.Context, c *kube.Client, sub *olmv1alpha1.Subscription) (step.Change, error) {
	plan, err := installPlan(ctx, c, sub)
	if err != nil {
		return "", err
	}
	if awaitsApproval(plan) {
		return i.approve(ctx, c, sub, plan)
	}
	groups, err := operatorGroups(ctx, c, sub.Namespace)
	if err != nil || len(groups) > 0 {
		return step.Unchanged, err
	}
	followed := i.op
	followed.Package, followed.Pin = sub.Spec.Package, Pin{Channel: sub.Spec.Channel,
		CatalogSource: sub.Spec.CatalogSource}
	o, err := FindOffer(ctx, c, followed)
	if err != nil {
		return "", fmt.Errorf("%s: %w", i.op.Title, err)
	}
	return i.ensureGroup(ctx, c, sub.Namespace, o.modes)
}

// ensureGroup creates the OperatorGroup of the namespace, or keeps the existing one.
func (i Installer) ensureGroup(ctx context.Context, c *kube.Client, namespace string,
	modes map[string]bool) (step.Change, error) {
	groups, err := operatorGroups(ctx, c, namespace)
	if err != nil {
		return "", err
	}
	if f := judgeGroups(groups, i.op.Title, modes); f != nil {
		return "", errors.New(f.Object + ": " + f.Message)
	}
	if len(groups) == 1 {
		return step.Unchanged, nil
	}
	return c.CreateOnce(ctx, newGroup(namespace, targets(modes, namespace)))
}

// nodeSelectorAnnotation is set to "" to disable the cluster's default node selector: DaemonSets of operators, such as
// those for disks and addresses, run on the nodes that their own objects select.
const nodeSelectorAnnotation = "openshift.io/node-selector"

// newNamespace returns the namespace of an operator. An existing one stays as it is.
func newNamespace(o Offer) *corev1.Namespace {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace,
		Annotations: map[string]string{nodeSelectorAnnotation: ""}}}
	if o.monitored || strings.HasPrefix(o.Namespace, "openshift-") {
		n.Labels = map[string]string{"openshift.io/cluster-monitoring": "true"}
	}
	return n
}

// Terminating describes what a namespace that is being deleted waits for: the remaining objects and finalizers.
func Terminating(n *corev1.Namespace) string {
	var left []string
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == corev1.NamespaceContentRemaining ||
			c.Type == corev1.NamespaceFinalizersRemaining) {
			left = append(left, c.Message)
		}
	}
	if len(left) == 0 {
		return "it is still being deleted"
	}
	return "it is still being deleted: " + strings.Join(left, "; ")
}
