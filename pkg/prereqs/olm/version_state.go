package olm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// meaning explains a reason of OLM to users.
type meaning struct {
	// says is the cause. OLM's own message is appended to it.
	says string
	// trouble means that something is wrong and may recover.
	trouble bool
	// final means that OLM does not retry: a user has to act.
	final bool
	// next is the hint, with {name} and {namespace} of the object. It is "" if the user can only wait.
	next string
}

// Hints that several meanings share.
const (
	describeVersion = "oc describe csv {name} -n {namespace}"
	lookAtPods      = "oc get pods,events -n {namespace}"
	anotherVersion  = "the bundle itself is at fault: remove it (oc delete csv {name} -n {namespace}, and its " +
		"Subscription) and pin another version"
	// tryAgain changes ServiceAccounts: OLM retries when a ServiceAccount, Role or RoleBinding changes (OLM v0.46).
	tryAgain = "take away what refuses it (a quota, an admission webhook, rights of the OperatorGroup's service " +
		"account), then have OLM try again: oc annotate serviceaccounts --all -n {namespace} --overwrite retried-for={name}"
)

// refused reports whether OLM's message is about a write that authorization, a quota or an admission webhook denied.
// OLM calls all of these insufficient permissions.
func refused(message string) bool {
	return strings.Contains(message, " is forbidden: ") || strings.Contains(message, "denied the request")
}

// failedBefore returns why OLM's last attempt failed to write a part of a version, while the next attempt begins, or
// "". OLM appends conditions, so the newest is the last.
func failedBefore(csv *olmv1alpha1.ClusterServiceVersion) string {
	if csv.Status.Phase != olmv1alpha1.CSVPhasePending && csv.Status.Phase != olmv1alpha1.CSVPhaseInstallReady {
		return ""
	}
	for _, c := range slices.Backward(csv.Status.Conditions) {
		switch c.Phase {
		case olmv1alpha1.CSVPhaseFailed:
			if c.Reason != olmv1alpha1.CSVReasonComponentFailed && c.Reason != olmv1alpha1.CSVReasonComponentFailedNoRetry {
				return ""
			}
			return fmt.Sprintf("%s (%s): %s", c.Phase, c.Reason, c.Message)
		case olmv1alpha1.CSVPhaseInstalling, olmv1alpha1.CSVPhaseSucceeded:
			return ""
		}
	}
	return ""
}

// versionMeanings explains the reasons of a ClusterServiceVersion, from OLM v0's controller. OLM leaves Failed by
// itself when the cause is gone, so missing parts recover; problems of OperatorGroups, ownership and invalid bundles
// need a user. judgeRequirements decides on RequirementsNotMet.
func versionMeanings() map[olmv1alpha1.ConditionReason]meaning {
	return map[olmv1alpha1.ConditionReason]meaning{
		olmv1alpha1.CSVReasonRequirementsUnknown: {says: "OLM has not checked its requirements yet"},
		olmv1alpha1.CSVReasonRequirementsNotMet: {says: "something it requires is not there",
			trouble: true, next: describeVersion},
		olmv1alpha1.CSVReasonRequirementsMet: {says: "its requirements are met, and OLM begins " +
			"to install it"},
		olmv1alpha1.CSVReasonOwnerConflict: {says: "another operator in its namespace owns " +
			"the same API", final: true, next: "find the other with oc get csv -n {namespace}, and remove one of the two with " +
			"its Subscription"},
		olmv1alpha1.CSVReasonComponentFailed: {says: "OLM could not create a part of it, and " +
			"tries again", trouble: true, next: describeVersion},
		olmv1alpha1.CSVReasonComponentFailedNoRetry: {says: "the API server refuses a part of it as " +
			"invalid, and OLM does not try again", final: true, next: anotherVersion},
		olmv1alpha1.CSVReasonInvalidStrategy: {says: "OLM cannot read how it is to be installed",
			final: true, next: anotherVersion},
		olmv1alpha1.CSVReasonWaiting: {says: "its Deployments are not available yet",
			next: lookAtPods},
		olmv1alpha1.CSVReasonInstallSuccessful: {says: "its Deployments are written and not " +
			"available yet", next: lookAtPods},
		olmv1alpha1.CSVReasonInstallCheckFailed: {says: "its Deployments have not become available within OLM's 5 minutes; " +
			"OLM keeps trying", trouble: true, next: lookAtPods},
		olmv1alpha1.CSVReasonComponentUnhealthy: {says: "a part of it was up and is not any more; OLM installs it " +
			"again", trouble: true, next: lookAtPods},
		olmv1alpha1.CSVReasonBeingReplaced: {says: "a newer version is taking its place"},
		olmv1alpha1.CSVReasonReplaced:      {says: "a newer version has taken its place"},
		olmv1alpha1.CSVReasonNeedsReinstall: {says: "a part of it was changed or lost; OLM " +
			"installs it again"},
		olmv1alpha1.CSVReasonNeedsCertRotation: {says: "OLM renews its certificates"},
		olmv1alpha1.CSVReasonAPIServiceResourceIssue: {says: "the backend of its API service was changed or " +
			"lost", trouble: true, next: describeVersion},
		olmv1alpha1.CSVReasonAPIServiceResourcesNeedReinstall: {says: "OLM creates the backend of its API service again"},
		olmv1alpha1.CSVReasonAPIServiceInstallFailed: {says: "OLM could not set up its API service, and tries " +
			"again", trouble: true, next: describeVersion},
		olmv1alpha1.CSVReasonCopied: {says: "it is OLM's copy of an operator that " +
			"lives in another namespace"},
		olmv1alpha1.CSVReasonInvalidInstallModes: {says: "its list of install modes contradicts itself", final: true,
			next: anotherVersion},
		olmv1alpha1.CSVReasonNoTargetNamespaces: {says: "the OperatorGroup of its namespace " +
			"selects no namespace", final: true, next: "oc get operatorgroup -n {namespace} -o yaml, and label a namespace " +
			"for its selector or name the namespaces"},
		olmv1alpha1.CSVReasonUnsupportedOperatorGroup: {says: "it does not support the namespaces that " +
			"the OperatorGroup of its namespace targets", final: true, next: "oc get operatorgroup -n {namespace} -o yaml"},
		olmv1alpha1.CSVReasonNoOperatorGroup: {says: "its namespace has no OperatorGroup",
			final: true, next: "oc get operatorgroup -n {namespace}"},
		olmv1alpha1.CSVReasonTooManyOperatorGroups: {says: "its namespace has more than one " +
			"OperatorGroup", final: true, next: "remove all but the right one: oc delete operatorgroup NAME -n {namespace}"},
		olmv1alpha1.CSVReasonInterOperatorGroupOwnerConflict: {says: "an operator in another namespace, whose " +
			"OperatorGroup targets the same namespaces, provides the same APIs", final: true,
			next: "find the other with oc get csv -A, and remove one of the two with its Subscription"},
		olmv1alpha1.CSVReasonCannotModifyStaticOperatorGroupProvidedAPIs: {says: "the OperatorGroup of its namespace has a " +
			"fixed list of APIs, without those of this operator", final: true,
			next: "oc edit operatorgroup -n {namespace}: add the APIs to its annotation olm.providedAPIs, or set " +
				"staticProvidedAPIs to false"},
		olmv1alpha1.CSVReasonDetectedClusterChange: {says: "something in the cluster has changed, " +
			"and OLM tries again"},
		olmv1alpha1.CSVReasonInvalidWebhookDescription: {says: "its webhooks are described wrongly",
			final: true, next: anotherVersion},
		olmv1alpha1.CSVReasonOperatorConditionNotUpgradeable: {says: "the version that is installed does not " +
			"let itself be upgraded now", trouble: true, next: "oc get operatorcondition -n {namespace} -o yaml"},
		olmv1alpha1.CSVReasonWaitingForCleanupToComplete: {says: "it is being deleted and waits for its " +
			"custom resources to be gone", next: describeVersion},
	}
}

// judgeVersion judges the phase and reason of a ClusterServiceVersion. A reason of a newer OLM that is not in the table
// counts as temporary.
func judgeVersion(csv *olmv1alpha1.ClusterServiceVersion) step.Finding {
	object := "ClusterServiceVersion " + kube.Name(csv)
	status := csv.Status
	if f := prereq.Deleting(olmv1alpha1.ClusterServiceVersionKind, csv); f != nil {
		return *f
	}
	switch status.Phase {
	case olmv1alpha1.CSVPhaseSucceeded:
		if lacking := lackingRequirements(csv); len(lacking) > 0 {
			return step.Pending("%s is installed, and lacks %s", csv.Name, strings.Join(lacking, "; ")).On("%s", object).
				WithTrouble().WithHint("oc describe csv %s -n %s", csv.Name, csv.Namespace)
		}
		return step.OK("%s is installed", csv.Name).On("%s", object)
	case olmv1alpha1.CSVPhaseNone:
		return step.Pending("OLM has not processed it yet").On("%s", object)
	}
	m := versionMeanings()[status.Reason]
	if status.Reason == olmv1alpha1.CSVReasonComponentFailedNoRetry && refused(status.Message) {
		m.says, m.next = "the API server does not let OLM write a part of it, and OLM does not try again", tryAgain
	}
	message := fmt.Sprintf("%s (%s): %s: %s", status.Phase, status.Reason, cmp.Or(m.says, "OLM says"),
		cmp.Or(status.Message, "without a message"))
	f := step.Pending("%s", message)
	f.Trouble = m.trouble
	if failed := failedBefore(csv); failed != "" {
		f.Message, f.Trouble, m.next = f.Message+"; the attempt before: "+failed, true, describeVersion
	}
	if m.final {
		f = step.Broken("%s", message)
	}
	if m.next != "" {
		f.Hint = hint.Plain(strings.NewReplacer("{name}", csv.Name, "{namespace}", csv.Namespace).Replace(m.next))
	}
	return f.On("%s", object)
}
