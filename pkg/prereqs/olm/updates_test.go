package olm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// unresolvable is a Subscription that OLM cannot resolve. installed is what it has brought, or "".
func unresolvable(name, pkg, namespace, installed, reason, message string) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: %s, namespace: %s},
  spec: {name: %s, source: redhat-operators, sourceNamespace: openshift-marketplace}, status: {installedCSV: %q,
  conditions: [{type: ResolutionFailed, status: "True", reason: %s, message: %q}]}}
`, name, namespace, pkg, installed, reason, message)
}

const noChannel = "constraints not satisfiable: no operators found in channel odd of package metallb-operator in the catalog " +
	"referenced by subscription metallb, subscription metallb exists"

// catalog is the catalog of the Subscriptions here, in a state since some time, and its pod, whose container waits.
func catalog(state, since, waits string) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: redhat-operators, namespace: openshift-marketplace},
  status: {connectionState: {lastObservedState: %s, lastConnect: %q}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: redhat-operators-x, namespace: openshift-marketplace,
  labels: {olm.catalogSource: redhat-operators}}, status: {phase: Pending, containerStatuses: [
  {name: registry-server, state: {waiting: {reason: %s, message: words}}}]}}
`, state, since, waits)
}

func TestUpdates(t *testing.T) {
	ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }
	const csv = "metallb-operator.v4.20.1"
	well := prereqtest.Installed("local-storage-operator", "lso", "local-storage-operator.v4.20.1")
	own := unresolvable("metallb", "metallb-operator", "lb", csv, "ConstraintsNotSatisfiable", noChannel)
	for name, tc := range map[string]struct {
		objects []string
		refused int
		want    step.State
		says    []string
	}{
		"well":           {[]string{well}, 0, step.StateOK, []string{"of 1 operators"}},
		"no OLM":         {nil, 404, step.StateOK, []string{"no Operator Lifecycle Manager"}},
		"not to be read": {[]string{well}, 403, step.StateUnknown, nil},
		"its own fault": {[]string{well, own}, 0, step.StateMissing, []string{csv + " is installed and works on, but gets no updates",
			"in channel odd", "Subscription lb/metallb", "oc edit subscription.operators.coreos.com metallb -n lb"}},
		"another's fault": {[]string{unresolvable("mine", "metallb-operator", "lb", csv, "ConstraintsNotSatisfiable", noChannel)}, 0,
			step.StateMissing, []string{"because of another Subscription there, metallb"}},
		"a catalog's fault": {[]string{unresolvable("metallb", "metallb-operator", "lb", csv, "ErrorPreventedResolution", "no")}, 0,
			step.StateMissing, []string{"gets no updates: OLM cannot resolve it now"}},
		"its catalog is gone": {[]string{strings.Replace(unresolvable("metallb", "metallb-operator", "lb", csv, "UnhealthyCatalogSourceFound",
			"targeted catalogsource openshift-marketplace/redhat-operators missing"), "ResolutionFailed", "CatalogSourcesUnhealthy", 1)}, 0,
			step.StateMissing, []string{csv + " is installed and works on, but gets no updates: catalog openshift-marketplace/" +
				"redhat-operators, which it should come from, does not exist", "oc get catalogsource -A; then correct spec.source"}},
		"another catalog is not well": {[]string{strings.Replace(unresolvable("metallb", "metallb-operator", "lb", csv,
			"UnhealthyCatalogSourceFound", "catalog x is not healthy"), "ResolutionFailed", "CatalogSourcesUnhealthy", 1)}, 0, step.StateOK, nil},
		"its catalog does not answer": {[]string{well, catalog("TRANSIENT_FAILURE", ago(time.Second), "ContainerCreating")}, 0,
			step.StateMissing, []string{"local-storage-operator.v4.20.1 is installed and works on, but gets no updates: the catalog is " +
				"TRANSIENT_FAILURE", "CatalogSource openshift-marketplace/redhat-operators",
				"oc get pods -n openshift-marketplace -l olm.catalogSource=redhat-operators"}},
		"its catalog's pod cannot run": {[]string{well, catalog("CONNECTING", ago(time.Hour), "ImagePullBackOff")}, 0,
			step.StateMissing, []string{"Pod openshift-marketplace/redhat-operators-x", "ImagePullBackOff: words; so CatalogSource " +
				"openshift-marketplace/redhat-operators: the catalog is CONNECTING"}},
		"its catalog is being replaced": {[]string{well, catalog("CONNECTING", ago(time.Second), "ContainerCreating")}, 0,
			step.StateOK, nil},
		"its catalog answers": {[]string{well, catalog("READY", ago(time.Hour), "ContainerCreating")}, 0, step.StateOK, nil},
		"two": {[]string{own, unresolvable("odf", "odf-operator", "storage", "odf-operator.v4.20.1", "ConstraintsNotSatisfiable", "no")},
			0, step.StateMissing, []string{"(so it is for storage/odf)"}},
		"not installed yet": {[]string{unresolvable("metallb", "metallb-operator", "lb", "", "ConstraintsNotSatisfiable", noChannel)}, 0,
			step.StateOK, []string{"of 0 operators"}},
		"an operator of no concern": {[]string{unresolvable("a", "other", "lb", "other.v1", "ConstraintsNotSatisfiable", noChannel)}, 0,
			step.StateOK, nil},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects...)
			if tc.refused != 0 {
				api.Refuse("subscriptions.operators.coreos.com", tc.refused)
			}
			f := olm.Updates(t.Context(), api.Client)
			steptest.Expect(t, f, tc.want, tc.says...)
			if f.Trouble || strings.Contains(f.Hint.String(), "oc delete") {
				t.Errorf("an operator that works is not to be deleted: %+v", f)
			}
		})
	}
}

// TestCatalogsThatAreNotReadAreNotWell: the Subscription alone says that all is well.
func TestCatalogsThatAreNotReadAreNotWell(t *testing.T) {
	api := prereqtest.Serve(t)
	api.Refuse("catalogsources.operators.coreos.com", 403)
	steptest.Expect(t, olm.Updates(t.Context(), api.Client), step.StateUnknown, "CatalogSources: not allowed")
}

// TestUpdatesDue: what waits, is stuck or does not fit is told in the order in which to update.
func TestUpdatesDue(t *testing.T) {
	sub := func(name, installed, current, state, approval, failed string) string {
		return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: %[1]s, namespace: ns},
  spec: {name: %[1]s, source: redhat-operators, sourceNamespace: openshift-marketplace, installPlanApproval: %[5]s},
  status: {installedCSV: %[2]s, currentCSV: %[3]s, state: %[4]s, installPlanRef: {name: install-1, namespace: ns},
  conditions: [{type: InstallPlanFailed, status: "%[6]s", reason: InstallComponentFailed, message: no way}]}}
`, name, installed, current, state, approval, failed)
	}
	const version = `
---
{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {desired: {version: 4.20.3},
  history: [{state: Completed, version: 4.20.3}]}}
`
	pending := sub("metallb-operator", "metallb-operator.v4.20.0", "metallb-operator.v4.20.1", "UpgradePending", "Manual", "False")
	old := sub("kubevirt-hyperconverged", "kubevirt-hyperconverged-operator.v4.19.1", "kubevirt-hyperconverged-operator.v4.19.1",
		"AtLatestKnown", "Automatic", "False")
	engine := sub("multicluster-engine", "multicluster-engine.v2.5.1", "multicluster-engine.v2.5.1", "AtLatestKnown", "Automatic",
		"False")
	for name, tc := range map[string]struct {
		objects []string
		want    step.State
		says    []string
	}{
		"waits": {[]string{version, pending}, step.StateMissing, []string{
			"1. MetalLB Operator (metallb-operator.v4.20.0): metallb-operator.v4.20.1 waits for approval",
			"to approve the first: oc patch installplan install-1 -n ns", "hcctl upgrade management --plan"}},
		"waits, with another": {[]string{version, pending, `
{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: install-1, namespace: ns}, spec: {approved: false,
  clusterServiceVersionNames: [metallb-operator.v4.20.1, other.v2.0.0, mine.v1.1.0]}, status: {phase: RequiresApproval}}
`}, step.StateMissing, []string{"to approve the first, and with it other.v2.0.0, mine.v1.1.0: oc patch installplan install-1 -n ns"}},
		"comes by itself": {[]string{version, sub("metallb-operator", "metallb-operator.v4.20.0", "metallb-operator.v4.20.1",
			"UpgradePending", "Automatic", "False")}, step.StateOK, nil},
		"stuck": {[]string{version, sub("odf-operator", "odf-operator.v4.20.0", "odf-operator.v4.20.1", "UpgradePending",
			"Automatic", "True")}, step.StateMissing, []string{"is stuck on the way to odf-operator.v4.20.1: InstallComponentFailed no way"}},
		"in their order": {[]string{version, old, pending, engine}, step.StateMissing, []string{
			"1. multicluster engine (multicluster-engine.v2.5.1) is too old for OpenShift 4.20.3", "; 2. MetalLB Operator",
			"; 3. OpenShift Virtualization (kubevirt-hyperconverged-operator.v4.19.1) is too old for OpenShift 4.20.3, which goes with 4.20"}},
		"the community's numbers": {[]string{version, sub("metallb-operator", "metallb-operator.v0.15.2",
			"metallb-operator.v0.15.2", "AtLatestKnown", "Automatic", "False")}, step.StateOK, nil},
		"OpenShift not known": {[]string{old}, step.StateOK, nil},
	} {
		t.Run(name, func(t *testing.T) {
			steptest.Expect(t, olm.Updates(t.Context(), prereqtest.Serve(t, tc.objects...).Client), tc.want, tc.says...)
		})
	}
}

// TestEachOperatorIsHeldToOpenShift: a version that does not go with OpenShift is told, of whichever operator, and what
// would. 4.23 and 5.0 are one release under two numbers.
func TestEachOperatorIsHeldToOpenShift(t *testing.T) {
	for _, tc := range []struct {
		openShift      string
		op             olm.Operator
		old, fits, new string
		wants          string
	}{
		{"4.20.3", olm.Virtualization(), "4.19.9", "4.20.0", "4.21.0", "4.20"},
		{"4.20.3", olm.DataFoundation(), "4.19.9-rhodf", "4.20.1-rhodf", "4.21.0-rhodf", "4.20"},
		{"4.20.3", olm.LocalStorage(), "4.18.0-202501010000", "4.20.0-202511181227", "4.21.0-202602020000", "4.20"},
		{"4.20.3", olm.LVMStorage(), "4.19.0", "4.20.0", "4.21.0", "4.20"},
		{"4.20.3", olm.MetalLB(), "4.19.0-202501010000", "4.20.0-202510212154", "4.21.0-202602020000", "4.20"},
		{"4.20.3", olm.MulticlusterEngine(), "2.9.1", "2.10.1", "2.18.0", "2.10 to 2.17"},
		{"4.23.1", olm.LocalStorage(), "4.22.9", "5.0.0", "5.1.0", "4.23 or 5.0"},
		{"4.23.1", olm.MetalLB(), "4.22.9", "5.0.0-202610010000", "5.1.0", "4.23 or 5.0"},
		{"5.0.2", olm.Virtualization(), "4.22.3", "4.23.1", "5.1.0", "4.23 or 5.0"},
		{"5.0.2", olm.DataFoundation(), "4.22.3-rhodf", "4.23.1-rhodf", "5.1.0-rhodf", "4.23 or 5.0"},
		{"5.1.0", olm.LVMStorage(), "4.23.0", "5.1.0", "5.2.0", "5.1"},
		{"5.1.0", olm.MulticlusterEngine(), "5.0.3", "5.1.0", "", "5.1 and later"},
	} {
		for v, says := range map[string]string{tc.old: "too old", tc.fits: "", tc.new: "too new"} {
			if v == "" {
				continue // none is known to be too new
			}
			csv := tc.op.CSVPrefix + v
			f := olm.Updates(t.Context(), prereqtest.Serve(t, prereqtest.ClusterVersion(tc.openShift), prereqtest.Installed(tc.op.Package, "ns", csv)).Client)
			if says == "" {
				steptest.Expect(t, f, step.StateOK)
				continue
			}
			steptest.Expect(t, f, step.StateMissing,
				fmt.Sprintf("1. %s (%s) is %s for OpenShift %s, which goes with %s", tc.op.Title, csv, says, tc.openShift, tc.wants))
		}
	}
}

func TestUnhealthy(t *testing.T) {
	version := func(name, phase, reason, copied string) string {
		return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: %s, namespace: ns, labels: {%s}},
  status: {phase: %s, reason: %s, message: broken}}
`, name, copied, phase, reason)
	}
	for name, tc := range map[string]struct {
		object string
		want   step.State
	}{
		"well":             {version("ocs-operator.v4", "Succeeded", "InstallSucceeded", ""), step.StateOK},
		"being installed":  {version("ocs-operator.v4", "Installing", "InstallWaiting", ""), step.StatePending},
		"broken":           {version("ocs-operator.v4", "Failed", "TooManyOperatorGroups", ""), step.StateBroken},
		"of no concern":    {version("recipe.v4", "Failed", "TooManyOperatorGroups", ""), step.StateOK},
		"being replaced":   {version("ocs-operator.v4", "Replacing", "BeingReplaced", ""), step.StateOK},
		"to be deleted":    {version("ocs-operator.v4", "Deleting", "Replaced", ""), step.StateOK},
		"another's copies": {version("ocs-operator.v4", "Failed", "Copied", "olm.copiedFrom: other"), step.StateOK},
	} {
		t.Run(name, func(t *testing.T) {
			f := olm.Unhealthy(t.Context(), prereqtest.Serve(t, tc.object).Client, "ns", "ocs-operator.v")
			switch {
			case f == nil && tc.want != step.StateOK:
				t.Error("nothing found")
			case f != nil:
				steptest.Expect(t, *f, tc.want, "ClusterServiceVersion ns/ocs-operator.v4")
			}
		})
	}
	api := prereqtest.Serve(t)
	api.Refuse("clusterserviceversions.operators.coreos.com", 403)
	if f := olm.Unhealthy(t.Context(), api.Client, "ns", "x"); f == nil || f.State != step.StateUnknown {
		t.Errorf("got %+v", f)
	}
}
