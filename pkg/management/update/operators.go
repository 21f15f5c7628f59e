package update

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// operator is one of hcctl's operators that is installed on the cluster.
type operator struct {
	olm.Operator
	// subscription is nil if it was installed without one. bundle is nil if it is not installed yet.
	subscription *olmv1alpha1.Subscription
	bundle       *bundle
	version      *semver.Version
	// hub is the Subscription of Advanced Cluster Management, which installs the engine itself, or nil.
	hub *olmv1alpha1.Subscription
	// unread is the error if the installed version cannot be read.
	unread error
}

// isEngine reports whether it must fit the new OpenShift before the update. The other operators come from the catalog
// of the new OpenShift and follow it.
func (o *operator) isEngine() bool { return o.Package == olm.MulticlusterEngine().Package }

// hubPackage is the package of Advanced Cluster Management.
const hubPackage = "advanced-cluster-management"

// installedOperators returns the operators with versions tied to OpenShift's that are installed or cannot be read. The
// engine comes first.
func (w *snapshot) installedOperators() []operator {
	var out []operator
	hub := w.subscriptionTo(hubPackage)
	for _, row := range []olm.Operator{olm.MulticlusterEngine(), olm.LocalStorage(), olm.DataFoundation(),
		olm.LVMStorage(), olm.MetalLB(), olm.Virtualization()} {
		o := operator{Operator: row, subscription: w.subscriptionTo(row.Package)}
		if o.isEngine() {
			o.hub = hub
		}
		switch {
		case w.subscriptions.Err != nil && !kube.IsKindMissing(w.subscriptions.Err):
			o.unread = w.subscriptions.Err
		case w.bundles.Err != nil && !kube.IsKindMissing(w.bundles.Err):
			o.unread = w.bundles.Err
		}
		o.bundle = w.bundleOf(o)
		if o.bundle != nil {
			if v, err := semver.NewVersion(o.bundle.Spec.Version); err == nil {
				o.version = semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
			}
		}
		if o.subscription != nil || o.bundle != nil || o.unread != nil {
			out = append(out, o)
		}
	}
	return out
}

func (w *snapshot) subscriptionTo(name string) *olmv1alpha1.Subscription {
	for i := range w.subscriptions.Items {
		if s := &w.subscriptions.Items[i]; s.Spec != nil && s.Spec.Package == name {
			return s
		}
	}
	return nil
}

// bundleOf returns the ClusterServiceVersion that the Subscription has installed, or that of an operator without a
// Subscription.
func (w *snapshot) bundleOf(o operator) *bundle {
	for i := range w.bundles.Items {
		b := &w.bundles.Items[i]
		if o.subscription != nil {
			if b.Metadata.Namespace == o.subscription.Namespace && b.Metadata.Name == o.subscription.Status.InstalledCSV {
				return w.current(b)
			}
			continue
		}
		if strings.HasPrefix(b.Metadata.Name, o.CSVPrefix) {
			return w.current(b)
		}
	}
	return nil
}

// current returns the version that replaces an outgoing one, if it exists.
func (w *snapshot) current(b *bundle) *bundle {
	phases, next := map[string]olmv1alpha1.ClusterServiceVersionPhase{}, map[string]string{}
	at := map[string]*bundle{b.Metadata.Name: b}
	for i := range w.bundles.Items {
		if o := &w.bundles.Items[i]; o.Metadata.Namespace == b.Metadata.Namespace {
			at[o.Metadata.Name], phases[o.Metadata.Name], next[o.Spec.Replaces] = o, o.Status.Phase, o.Metadata.Name
		}
	}
	return at[olm.Successor(b.Metadata.Name, phases, next)]
}

// judgeOperators reports which of hcctl's operators must be updated before OpenShift, and which follow it.
func judgeOperators(operators []operator, r route) []step.Finding {
	out := make([]step.Finding, 0, len(operators))
	for i := range operators {
		out = append(out, operators[i].judge(r))
	}
	if len(out) == 0 {
		out = append(out, step.OK("none is for an operator of hosted clusters").On("Subscriptions"))
	}
	return out
}

func (o *operator) judge(r route) step.Finding {
	object := o.object()
	switch {
	case o.unread != nil:
		return management.Unread(o.Title, o.unread)
	case o.bundle == nil:
		return step.Failing("%s is subscribed to and not installed (state %q)", o.Title,
			o.subscription.Status.State).On("%s", object).WithHint("%s says what it waits for", hint.Run("check"))
	case o.bundle.Status.Phase != olmv1alpha1.CSVPhaseSucceeded:
		return step.Failing("%s is not healthy: phase %s: %s", o.Title,
			o.bundle.Status.Phase, o.bundle.Status.Message).On("ClusterServiceVersion %s", o.bundle.name()).
			WithHint("%s says more", hint.Run("check"))
	case o.version == nil:
		return step.Unknown("the version of %s cannot be read: %q", o.Title,
			o.bundle.Spec.Version).On("ClusterServiceVersion %s", o.bundle.name())
	case o.isEngine():
		return o.judgeEngine(r)
	}
	switch fit, wants := o.Fit(o.version, number(r.from)); {
	case fit == olm.TooOld:
		return step.Failing("%s %s is behind OpenShift %s already, which it follows minor by minor", o.Title,
			o.version, r.from.MinorName()).On("%s", object).WithHint("%s", o.move(wants, o.ChannelFor(number(r.from))))
	case !r.known || r.minors() == 0:
		return step.OK("%s %s stays%s", o.Title, o.version, o.pending()).On("%s", object)
	}
	if fit, _ := o.Fit(o.version, number(r.to)); fit != olm.TooOld {
		return step.OK("%s %s is not older than OpenShift %s%s", o.Title, o.version, r.to.MinorName(),
			o.pending()).On("%s", object)
	}
	return step.OK("%s %s follows once OpenShift is at %s%s%s", o.Title, o.version,
		r.first().MinorName(), o.toChannel(r), o.pending()).On("%s", object)
}

// judgeEngine judges multicluster engine, which must work on both versions of OpenShift.
func (o *operator) judgeEngine(r route) step.Finding {
	object := o.object()
	if fit, wants := o.Fit(o.version, number(r.from)); fit != olm.Fits {
		return step.Failing("%s %s is %s for OpenShift %s, which takes %s", o.Title, o.version, fit,
			r.from.MinorName(), wants).On("%s", object).WithHint("%s says what to do",
			hint.Run("check").Flag("only", "multicluster/version"))
	}
	if !r.known || r.minors() == 0 {
		return step.OK("%s %s stays%s", o.Title, o.version, o.pending()).On("%s", object)
	}
	fit, wants := o.Fit(o.version, number(r.first()))
	switch common := olm.CommonEngine(number(r.from), number(r.first())); {
	case fit == olm.TooOld && common == "":
		return step.Unknown("%s %s is too old for OpenShift %s, which takes %s, and none is known that works "+
			"on %s too", o.Title, o.version, r.first().MinorName(), wants, r.from.MinorName()).On("%s", object).
			WithHint("ask the vendor's support for the order; hosted clusters are not managed in between")
	case fit == olm.TooOld:
		return step.Failing("%s %s is too old for OpenShift %s, which takes %s", o.Title, o.version,
			r.first().MinorName(), wants).On("%s", object).WithHint("%s", o.move(common+" first",
			o.ChannelFor(number(r.first()))))
	case fit == olm.TooNew:
		return step.Failing("%s %s is too new for OpenShift %s, which takes %s", o.Title, o.version,
			r.first().MinorName(), wants).On("%s", object).
			WithHint("multicluster engine cannot be downgraded: upgrade OpenShift")
	}
	return step.OK("%s %s works on OpenShift %s too%s", o.Title, o.version, r.first().MinorName(),
		o.pending()).On("%s", object)
}

// object returns the Subscription, or the ClusterServiceVersion of an operator without one.
func (o *operator) object() string {
	if o.subscription != nil {
		return "Subscription " + kube.Name(o.subscription)
	}
	if o.bundle != nil {
		return "ClusterServiceVersion " + o.bundle.name()
	}
	return o.Title
}

// move describes how to bring the operator to another version.
func (o *operator) move(version, channel string) string {
	switch {
	case o.hub != nil:
		return fmt.Sprintf("bring it to %s through Advanced Cluster Management, which brings it: the channel of "+
			"Subscription %s", version, kube.Name(o.hub))
	case o.subscription == nil:
		return fmt.Sprintf("bring it to %s as it was installed", version)
	case channel == "":
		return fmt.Sprintf("bring it to %s: oc get subscription.operators.coreos.com,installplan -n %s", version,
			o.subscription.Namespace)
	}
	return fmt.Sprintf("bring it to %s: move spec.channel of Subscription %s from %s to %s, one minor after the other",
		version, kube.Name(o.subscription), o.subscription.Spec.Channel, channel)
}

// toChannel returns the channel that it needs after the update, if that differs from the present one.
func (o *operator) toChannel(r route) string {
	want := o.ChannelFor(number(r.first()))
	if o.subscription == nil || want == "" || slices.Contains(strings.Split(want, " or "), o.subscription.Spec.Channel) {
		return ""
	}
	return fmt.Sprintf(", in channel %s (now %s)", want, o.subscription.Spec.Channel)
}

// pending describes waiting updates of the Subscription, and whether they need approval.
func (o *operator) pending() string {
	if o.subscription == nil {
		return "; no Subscription updates it"
	}
	s := ""
	if o.subscription.Status.State == olmv1alpha1.SubscriptionStateUpgradePending {
		s = "; an update to " + o.subscription.Status.CurrentCSV + " waits"
	}
	if o.subscription.Spec.InstallPlanApproval == olmv1alpha1.ApprovalManual {
		s += "; its updates wait for your approval"
	}
	return s
}
