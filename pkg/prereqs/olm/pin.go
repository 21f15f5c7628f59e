package olm

import (
	"fmt"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// otherPin returns a finding if hcctl's own Subscription, which has installed nothing yet, requests another version
// than the present pin. OLM reads startingCSV once, so changing it would do nothing. Nil means no conflict.
func (i Installer) otherPin(sub *olmv1alpha1.Subscription) *step.Finding {
	if !own(sub) || sub.Spec.StartingCSV == i.op.Pin.StartingCSV {
		return nil
	}
	asks, wanted := "the newest version", "the newest"
	if sub.Spec.StartingCSV != "" {
		asks = sub.Spec.StartingCSV
	}
	if i.op.Pin.StartingCSV != "" {
		wanted = i.op.Pin.StartingCSV
	}
	f := step.Broken("it asks for %s and %s is wanted now; nothing is installed yet", asks, wanted).
		On("Subscription %s", kube.Name(sub)).
		WithHint("oc delete subscription.operators.coreos.com %s -n %s, then run hcctl again", sub.Name, sub.Namespace)
	return &f
}

// remarks returns further facts about an installed and healthy version: its pin, its Subscription, and deprecations of
// its catalog. It begins with a semicolon, or is empty.
func (i Installer) remarks(csv *olmv1alpha1.ClusterServiceVersion, sub *olmv1alpha1.Subscription) string {
	var remarks []string
	pin := i.op.Pin.StartingCSV
	if sub != nil && sub.Spec.Package != i.op.Package {
		remarks = append(remarks, fmt.Sprintf("it is of package %s and is kept; hcctl does not exchange it for %s",
			sub.Spec.Package, i.op.Package))
		pin = ""
	}
	switch {
	case pin == "":
	case pin != csv.Name:
		remarks = append(remarks, fmt.Sprintf("not the pinned %s: hcctl installs versions, it does not change them; %s", pin,
			upgradeHint(pin, csv, sub)))
	case sub != nil && sub.Status.State == olmv1alpha1.SubscriptionStateUpgradePending:
		remarks = append(remarks, fmt.Sprintf("pinned, %s is not approved", sub.Status.CurrentCSV))
	case sub != nil && sub.Spec.InstallPlanApproval != olmv1alpha1.ApprovalManual:
		remarks = append(remarks, fmt.Sprintf("as pinned, but Subscription %s will upgrade it by itself: its "+
			"installPlanApproval is %s", kube.Name(sub), sub.Spec.InstallPlanApproval))
	default:
		remarks = append(remarks, "pinned")
	}
	if i.op.Pin.Approval == ApprovalManual && sub != nil && sub.Spec.InstallPlanApproval != olmv1alpha1.ApprovalManual {
		remarks = append(remarks, fmt.Sprintf("manual approval is asked for, and Subscription %s keeps %s", kube.Name(sub),
			sub.Spec.InstallPlanApproval))
	}
	if sub != nil {
		remarks = append(remarks, deprecations(sub)...)
	} else {
		remarks = append(remarks, "no Subscription asks for it, so it gets no updates")
	}
	if len(remarks) == 0 {
		return ""
	}
	return "; " + strings.Join(remarks, "; ")
}

// upgradeHint describes how a user gets from the installed version to the pinned one.
func upgradeHint(pin string, csv *olmv1alpha1.ClusterServiceVersion, sub *olmv1alpha1.Subscription) string {
	switch {
	case sub == nil:
		return "remove it, and hcctl installs the pinned one"
	case sub.Status.CurrentCSV == pin && sub.Status.InstallPlanRef != nil:
		return "to upgrade: " + Approval(sub.Namespace, sub.Status.InstallPlanRef.Name)
	default:
		return fmt.Sprintf("pin %s, or upgrade along channel %s by approving its InstallPlans (oc get installplan -n %s)",
			csv.Name, sub.Spec.Channel, sub.Namespace)
	}
}

// deprecations returns the catalog's deprecation messages about the package, channel or version of a Subscription (OLM
// of OpenShift 4.16 and later).
func deprecations(sub *olmv1alpha1.Subscription) []string {
	var remarks []string
	for _, t := range []olmv1alpha1.SubscriptionConditionType{
		olmv1alpha1.SubscriptionPackageDeprecated, olmv1alpha1.SubscriptionChannelDeprecated,
		olmv1alpha1.SubscriptionBundleDeprecated,
	} {
		if c := sub.Status.GetCondition(t); c.Status == corev1.ConditionTrue {
			remarks = append(remarks, "deprecated by its catalog: "+c.Message)
		}
	}
	return remarks
}
