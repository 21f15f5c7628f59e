package olm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite that the tests make of an operator, and its removal.
const (
	testOperator step.ID = "test/operator"
	testRemoval  step.ID = "uninstall/test-operator"
)

// installs makes a prerequisite of an operator, whose work is MetalLBs.
func installs(op Operator) []prereq.Prerequisite {
	i := NewInstaller(op)
	return []prereq.Prerequisite{{ID: testOperator, Check: i.Check, Apply: i.Apply,
		Remove: []prereq.Removal{NewRemoval(op, kube.MetalLB).Removal(testRemoval)}}}
}

// pinned is MetalLB's operator with a pin.
func pinned(p Pin) []prereq.Prerequisite {
	op := MetalLB()
	op.Pin = p
	return installs(op)
}

func runMetalLB(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	for name, c := range cases {
		c.ID = testOperator
		cases[name] = c
	}
	prereqtest.Run(t, installs(MetalLB()), cases)
}

const (
	subscriptions = "subscriptions.operators.coreos.com"
	groups        = "operatorgroups.operators.coreos.com"
	plans         = "installplans.operators.coreos.com"
	csvs          = "clusterserviceversions.operators.coreos.com"
	manifests     = "packagemanifests.packages.operators.coreos.com"
	catalogs      = "catalogsources.operators.coreos.com"
	csvName       = "metallb-operator.v4.20.1"
)

func offered() string {
	return prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("metallb-operator", "metallb-system", "stable", csvName)
}

// offeredWith is a package whose one channel has more fields and annotations, as YAML.
func offeredWith(channel, description, annotations string) string {
	return prereqtest.ClusterVersion("4.20.3") + fmt.Sprintf(`
---
{apiVersion: packages.operators.coreos.com/v1, kind: PackageManifest,
  metadata: {name: metallb-operator, namespace: openshift-marketplace},
  status: {packageName: metallb-operator, catalogSource: redhat-operators, defaultChannel: stable, channels: [
    {name: stable, currentCSV: metallb-operator.v4.20.1, %s currentCSVDesc: {%s annotations: {%s},
      installModes: [{type: AllNamespaces, supported: true}]}}]}}
`, channel, description, annotations)
}

// csv is a ClusterServiceVersion in metallb-system; metadata is more YAML of its metadata.
func csv(name, phase, reason, metadata string) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion,
  metadata: {name: %s, namespace: metallb-system, %s}, spec: {version: 4.20.1, installModes: [
    {type: AllNamespaces, supported: true}]}, status: {phase: %s, reason: %s, message: words}}
`, name, metadata, phase, reason)
}

const (
	ours    = "labels: {app.kubernetes.io/managed-by: hcctl}"
	planned = "installPlanRef: {name: install-1, namespace: metallb-system}"
	group   = `
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: metallb-system, namespace: metallb-system}}
`
)

// subscription is a Subscription in metallb-system; metadata, spec and status are more YAML.
func subscription(metadata, spec, status string) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription,
  metadata: {name: metallb-operator, namespace: metallb-system, %s},
  spec: {name: metallb-operator, channel: stable, source: redhat-operators, %s}, status: {%s}}
`, metadata, spec, status)
}

// plan is an InstallPlan of some age for versions.
func plan(phase, versions string, age time.Duration) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan,
  metadata: {name: install-1, namespace: metallb-system, creationTimestamp: %q},
  spec: {approved: false, clusterServiceVersionNames: [%s]}, status: {phase: %s}}
`, ago(age), versions, phase)
}

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }

func TestNothingOfItIsThere(t *testing.T) {
	namespace := func(metadata string) string {
		return `
---
{apiVersion: v1, kind: Namespace, metadata: {name: metallb-system, ` + metadata + `}, status: {conditions: [
  {type: NamespaceFinalizersRemaining, status: "True", message: a finalizer remains},
  {type: NamespaceContentRemaining, status: "False", message: nothing}]}}
`
	}
	catalog := func(name, state, connected string) string {
		return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: %s, namespace: openshift-marketplace},
  status: {connectionState: {lastObservedState: %q, lastConnect: %q}}}
`, name, state, connected)
	}
	version := prereqtest.ClusterVersion("4.20.3")
	off := `
---
{apiVersion: config.openshift.io/v1, kind: OperatorHub, metadata: {name: cluster},
  spec: {disableAllDefaultSources: true}}
`
	wrongGroup := `
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: metallb-system},
  spec: {targetNamespaces: [other]}}
`
	kubernetes := func(v string) map[string]string {
		return map[string]string{"/version": `{"gitVersion":"` + v + `"}`}
	}
	demanding := offeredWith("", "minKubeVersion: 1.33.0,", "")
	runMetalLB(t, map[string]prereqtest.Case{
		"on offer": {Objects: []string{offered()}, State: step.StateMissing, Says: []string{
			"catalog redhat-operators offers metallb-operator.v4.20.1 in channel stable", "hcctl bootstrap installs it"}},
		"deprecated": {Objects: []string{offeredWith("deprecation: {message: use another},", "", "")},
			State: step.StateMissing, Says: []string{"the catalog calls it deprecated: use another"}},
		"new Kubernetes needed, and there": {Objects: []string{demanding}, Answers: kubernetes("v1.33.0-rc.1"),
			State: step.StateMissing},
		"new Kubernetes needed": {Objects: []string{demanding}, Answers: kubernetes("v1.32.9"), State: step.StateBroken,
			Says: []string{"needs Kubernetes 1.33.0, and this is v1.32.9"}},
		"new Kubernetes needed, but a version is pinned": {Objects: []string{demanding}, Answers: kubernetes("v1.32.9"),
			Of: pinned(Pin{StartingCSV: csvName}), State: step.StateMissing},
		"Kubernetes does not tell":  {Objects: []string{demanding}, Says: []string{"API server's version"}},
		"Kubernetes tells nonsense": {Objects: []string{demanding}, Answers: kubernetes("new"), State: step.StateMissing},
		"not the pinned channel": {Objects: []string{offered()}, Of: pinned(Pin{Channel: "x"}), State: step.StateBroken,
			Says: []string{"in catalog redhat-operators: it has no channel x; it has stable", "oc get packagemanifest"}},
		"its namespace goes": {Objects: []string{offered(), namespace(`deletionTimestamp: "2026-01-01T00:00:00Z"`)},
			State: step.StatePending, Says: []string{"Namespace metallb-system", "still being deleted: a finalizer remains"},
			Trouble: true},
		"its namespace is there": {Objects: []string{offered(), namespace("")}, State: step.StateMissing},
		"its namespace not to be read": {Objects: []string{offered()}, Refused: prereqtest.Forbidden("namespaces"),
			Says: []string{"Namespace metallb-system", "not allowed"}},
		"its group is for others": {Objects: []string{offered(), wrongGroup}, State: step.StateBroken,
			Says: []string{"it targets namespaces other"}},
		"groups not to be read": {Objects: []string{offered()}, Refused: prereqtest.Forbidden(groups),
			Says: []string{"OperatorGroups in metallb-system", "not allowed"}},
		"Subscriptions not to be read": {Refused: prereqtest.Forbidden(subscriptions),
			Says: []string{"Subscriptions", "not allowed"}},
		"server fails": {Refused: map[string]int{subscriptions: 500}, Says: []string{"Subscriptions"}},
		"no OLM": {Refused: map[string]int{subscriptions: 404}, State: step.StateBroken,
			Says: []string{"no Operator Lifecycle Manager"}},
		"versions not to be read": {Refused: prereqtest.Forbidden(csvs),
			Says: []string{"ClusterServiceVersions in metallb-system", "not allowed"}},
		"catalogs' offer not to be read": {Refused: prereqtest.Forbidden(manifests),
			Says: []string{"PackageManifest metallb-operator", "not allowed"}},
		"OpenShift's version not known": {Objects: []string{prereqtest.Offered("metallb-operator", "metallb-system", "stable",
			csvName)}, Says: []string{"PackageManifest"}},

		"not on offer": {Objects: []string{version}, State: step.StateBroken,
			Says: []string{"no catalog offers package metallb-operator (catalogs in openshift-marketplace: none)",
				"registry.redhat.io/redhat/redhat-operator-index:v4.20"}},
		"from a catalog that does not exist": {Objects: []string{version, offered()}, Of: pinned(Pin{CatalogSource: "nope"}),
			State: step.StateBroken, Says: []string{"CatalogSource nope, which package metallb-operator is to come from, does " +
				"not exist in openshift-marketplace; there are: none"}},
		"not on offer, catalogs off": {Objects: []string{version, off}, State: step.StateBroken,
			Says: []string{"mirror package metallb-operator, channel stable"}},
		"not on offer, of the community": {Objects: []string{version}, Of: installs(CommunityVirtualization()),
			State: step.StateBroken, Says: []string{"community-operator-index:v4.20"}},
		"not on offer, with a channel of its own": {Objects: []string{version}, Of: installs(DataFoundation()),
			State: step.StateBroken, Says: []string{"channel stable-4.20"}},
		"not on offer, with a pinned channel": {Objects: []string{version}, Of: pinned(Pin{Channel: "mine"}),
			State: step.StateBroken, Says: []string{"channel mine"}},
		"no packages at all": {Objects: []string{version}, Refused: map[string]int{manifests: 404}, State: step.StateBroken,
			Says: []string{"no catalog offers package"}},
		"its catalog is not connected": {Objects: []string{version, catalog("redhat-operators", "CONNECTING", ago(0))},
			State: step.StatePending, Says: []string{"the catalog is CONNECTING"}, Trouble: true},
		"its catalog says nothing": {Objects: []string{version, catalog("redhat-operators", "", ago(0))},
			State: step.StatePending, Says: []string{"the catalog is not connected yet"}},
		"its catalog is new": {Objects: []string{version, catalog("redhat-operators", "READY", ago(time.Second))},
			State: step.StatePending, Says: []string{"has just become ready"}, Recheck: 5 * time.Second},
		"its catalog is ready": {Objects: []string{version, catalog("redhat-operators", "READY", ago(time.Hour))},
			State: step.StateBroken, Says: []string{"catalogs in openshift-marketplace: redhat-operators"}},
		"another catalog is not connected": {Objects: []string{version, catalog("redhat-operators", "READY", ago(time.Hour)),
			catalog("mine", "CONNECTING", ago(0))}, State: step.StateBroken},
		"catalogs not to be read": {Objects: []string{version}, Refused: prereqtest.Forbidden(catalogs),
			Says: []string{"CatalogSources in openshift-marketplace", "not allowed"}},
		"not on offer, version not known": {Says: []string{"ClusterVersion version"}},
		"not on offer, hub not to be read": {Objects: []string{version},
			Refused: prereqtest.Forbidden("operatorhubs.config.openshift.io"),
			Says:    []string{"not allowed"}},
	})
}

func TestASubscriptionIsFollowed(t *testing.T) {
	manual := subscription(ours, "", planned+", currentCSV: "+csvName)
	second := `
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: second, namespace: metallb-system}}
`
	failed := `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: install-1, namespace: metallb-system},
  spec: {clusterServiceVersionNames: [metallb-operator.v4.20.1]}, status: {phase: Failed, message: no more}}
`
	const controller = `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller-manager, namespace: metallb-system, generation: 1,
    labels: {olm.owner: metallb-operator.v4.20.1, olm.owner.kind: ClusterServiceVersion}}, spec: {replicas: 1},
  status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions: []}}
`
	const unpulled = `
---
{apiVersion: v1, kind: Pod, metadata: {name: controller-manager-7c-x, namespace: metallb-system, labels: {pod-template-hash: 7c},
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: controller-manager-7c, uid: u}]}, spec: {containers: [{name: manager}]},
  status: {phase: Pending, containerStatuses: [{name: manager, state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}}
`
	next := func(phase, reason, replaces string) string {
		return strings.Replace(csv("metallb-operator.v4.20.2", phase, reason, ""), "spec: {", "spec: {replaces: "+replaces+", ", 1)
	}
	installed := func(phase, reason string) string {
		return subscription(ours, "", planned+", installedCSV: "+csvName) + csv(csvName, phase, reason, "")
	}
	runMetalLB(t, map[string]prereqtest.Case{
		"new": {Objects: []string{subscription(ours, "", ""), group}, State: step.StatePending,
			Says: []string{"OLM is resolving it"}},
		"a catalog is not healthy": {Objects: []string{subscription(ours, "", `conditions: [
			{type: CatalogSourcesUnhealthy, status: "True", reason: UnhealthyCatalogSourceFound, message: targeted}],
			catalogHealth: [{catalogSourceRef: {name: good, namespace: m}, healthy: true},
			{catalogSourceRef: {name: bad, namespace: m}, healthy: false}, {healthy: false}]`), group},
			State: step.StatePending, Says: []string{"(UnhealthyCatalogSourceFound): m/bad ("}, Trouble: true},
		"of another pin": {Objects: []string{subscription(ours, "startingCSV: "+csvName, ""), group},
			State: step.StateBroken, Says: []string{"it asks for metallb-operator.v4.20.1 and the newest is wanted now"}},
		"without a group": {Objects: []string{subscription(ours, "", "")}, State: step.StateMissing,
			Says: []string{"its namespace has no OperatorGroup"}},
		"with two groups": {Objects: []string{subscription(ours, "", ""), group, second}, State: step.StateBroken,
			Says: []string{"2 OperatorGroups are in the namespace", "metallb-system, second"}},
		"groups not to be read": {Objects: []string{subscription(ours, "", "")}, Refused: prereqtest.Forbidden(groups),
			Says: []string{"OperatorGroups in metallb-system", "not allowed"}},
		"its plan is not to be read": {Objects: []string{manual, group}, Refused: prereqtest.Forbidden(plans),
			Says: []string{"InstallPlan of Subscription metallb-system/metallb-operator", "not allowed"}},
		"its plan is gone": {Objects: []string{manual, group}, State: step.StatePending, Says: []string{"resolving"}},
		"its plan waits for us": {Objects: []string{manual, group, plan("RequiresApproval", csvName, time.Hour)},
			State: step.StateMissing, Says: []string{"it waits for approval to install " + csvName + ", as hcctl asked"}},
		"its plan waits for us, and has more": {Objects: []string{manual, group,
			plan("RequiresApproval", csvName+", other.v1.0.0", time.Hour)}, State: step.StateBroken,
			Says: []string{"it would install other.v1.0.0 too"}},
		"its plan waits for approval": {Objects: []string{subscription("", "", planned), group,
			plan("RequiresApproval", csvName, time.Hour)}, State: step.StateBroken,
			Says: []string{"waits for manual approval", "oc patch installplan install-1"}},
		"its plan waits for approval, for a moment": {Objects: []string{subscription("", "", planned), group,
			plan("RequiresApproval", csvName, 20*time.Second)}, State: step.StatePending, Recheck: 40 * time.Second},
		"its plan is under way": {Objects: []string{manual, group, plan("Installing", csvName, time.Hour)},
			State: step.StatePending, Says: []string{"OLM is installing " + csvName}},

		"installed": {Objects: []string{installed("Succeeded", "InstallSucceeded")}, State: step.StateOK,
			Says: []string{csvName + " is installed"}},
		"installed, not as pinned": {Objects: []string{installed("Succeeded", "InstallSucceeded")},
			Of: pinned(Pin{StartingCSV: "metallb-operator.v4.19.0"}), State: step.StateOK,
			Says: []string{"not the pinned metallb-operator.v4.19.0"}},
		"its version was deleted": {Objects: []string{subscription(ours, "", "installedCSV: "+csvName)},
			State: step.StateBroken, Says: []string{"that ClusterServiceVersion was deleted"}},
		"its version is not to be read": {Objects: []string{subscription(ours, "", "installedCSV: "+csvName)},
			Refused: prereqtest.Forbidden(csvs), Says: []string{"ClusterServiceVersion metallb-system/" + csvName,
				"not allowed"}},
		"installing": {Objects: []string{installed("Installing", "InstallWaiting"), group}, State: step.StatePending,
			Says: []string{"its Deployments are not available yet"}},
		"its image cannot be pulled": {Objects: []string{installed("Installing", "InstallWaiting"), group, controller, unpulled},
			State: step.StatePending, Trouble: true, Says: []string{"Pod metallb-system/controller-manager-7c-x: container manager: " +
				"ImagePullBackOff: no such image", "; so ClusterServiceVersion metallb-system/" + csvName + ": Installing (InstallWaiting): its " +
				"Deployments are not available yet", "oc describe pod controller-manager-7c-x -n metallb-system"}},
		"its image cannot be pulled, and OLM has given up": {Objects: []string{installed("Failed", "InstallCheckFailed"), group,
			strings.Replace(controller, "conditions: []", "conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]", 1),
			unpulled}, State: step.StatePending, Trouble: true, Says: []string{"Pod metallb-system/controller-manager-7c-x: container manager: ImagePullBackOff",
			"Failed (InstallCheckFailed)"}},
		"its pod only starts": {Objects: []string{installed("Installing", "InstallWaiting"), group, controller}, State: step.StatePending,
			Says: []string{"ClusterServiceVersion metallb-system/" + csvName, "Installing (InstallWaiting)"}},
		"installing without a group": {Objects: []string{installed("Failed", "NoOperatorGroup")}, State: step.StateMissing,
			Says: []string{"Failed (NoOperatorGroup): its namespace has no OperatorGroup"}},
		"installing with two groups": {Objects: []string{installed("Failed", "TooManyOperatorGroups"), group, second},
			State: step.StateBroken, Says: []string{"2 OperatorGroups", "(TooManyOperatorGroups)"}},
		"too many groups, one is left": {Objects: []string{installed("Failed", "TooManyOperatorGroups"), group},
			State: step.StateBroken, Says: []string{"its namespace has more than one OperatorGroup"}},
		"a group that does not fit": {Objects: []string{installed("Failed", "UnsupportedOperatorGroup"), `
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: metallb-system},
  spec: {targetNamespaces: [metallb-system]}}
`}, State: step.StateBroken, Says: []string{
			"it targets namespaces metallb-system, but " + csvName + " supports install modes AllNamespaces",
			`--type=merge -p '{"spec":{"targetNamespaces":null,"selector":null}}'`, "(UnsupportedOperatorGroup)"}},
		"installing, groups not to be read": {Objects: []string{installed("Installing", "InstallWaiting")},
			Refused: prereqtest.Forbidden(groups), Says: []string{"OperatorGroups in metallb-system", "not allowed"}},
		"installing, plan not to be read": {Objects: []string{installed("Installing", "InstallWaiting"), group},
			Refused: prereqtest.Forbidden(plans), Says: []string{"InstallPlan of Subscription", "not allowed"}},
		"its plan failed": {Objects: []string{installed("Pending", "RequirementsNotMet"), group, failed},
			State: step.StateBroken, Says: []string{"installing " + csvName + " failed"}},
		"requirements are not met": {Objects: []string{installed("Pending", "RequirementsNotMet"), group},
			State: step.StatePending, Says: []string{"Pending (RequirementsNotMet): words"}},

		"its replacement is not up": {Objects: []string{subscription(ours, "", planned+", installedCSV: "+csvName), group,
			csv(csvName, "Replacing", "BeingReplaced", ""), next("Failed", "InstallCheckFailed", csvName)}, State: step.StatePending,
			Trouble: true, Says: []string{"ClusterServiceVersion metallb-system/metallb-operator.v4.20.2", "Failed (InstallCheckFailed): " +
				"its Deployments have not become available"}},
		"it is replaced": {Objects: []string{subscription(ours, "", planned+", installedCSV: "+csvName), group,
			csv(csvName, "Deleting", "Replaced", ""), next("Succeeded", "InstallSucceeded", csvName)}, State: step.StateOK,
			Says: []string{"metallb-operator.v4.20.2 is installed"}},
		"its replacement has not come": {Objects: []string{installed("Replacing", "BeingReplaced"), group}, State: step.StatePending,
			Says: []string{"Replacing (BeingReplaced): a newer version is taking its place"}},
		"it waits for what it replaces": {Objects: []string{subscription(ours, "", planned+", installedCSV: metallb-operator.v4.20.2"),
			group, csv(csvName, "Failed", "ComponentUnhealthy", ""), next("Pending", "RequirementsUnknown", csvName)},
			State: step.StatePending, Trouble: true, Says: []string{"ClusterServiceVersion metallb-system/" + csvName,
				"Failed (ComponentUnhealthy): a part of it was up and is not any more; OLM installs it again: words; only once it has " +
					"succeeded does OLM install metallb-operator.v4.20.2", "oc get pods,events -n metallb-system; or remove it, and OLM " +
					"installs the newer one: oc delete csv " + csvName + " -n metallb-system"}},
		"it waits for what it replaces, which leaves": {Objects: []string{subscription(ours, "", planned+", installedCSV: "+
			"metallb-operator.v4.20.2"), group, csv(csvName, "Replacing", "BeingReplaced", ""), next("Pending", "RequirementsUnknown",
			csvName)}, State: step.StatePending, Says: []string{"Pending (RequirementsUnknown): OLM has not checked its requirements yet"}},
		"Succeeded, and a requirement is gone": {Objects: []string{subscription(ours, "", "installedCSV: "+csvName), strings.Replace(
			csv(csvName, "Succeeded", "InstallSucceeded", ""), "message: words", `message: words, requirementStatus: [{kind: `+
				`CustomResourceDefinition, name: metallbs.metallb.io, status: NotPresent, message: CRD is not present}]`, 1)},
			State: step.StatePending, Trouble: true, Says: []string{csvName + " is installed, and lacks CustomResourceDefinition " +
				"metallbs.metallb.io (NotPresent: CRD is not present)", "oc describe csv"}},
		"a permission is not met": {Objects: []string{subscription(ours, "", "installedCSV: "+csvName), group, `
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion,
  metadata: {name: metallb-operator.v4.20.1, namespace: metallb-system}, status: {phase: Pending,
    reason: RequirementsNotMet, requirementStatus: [{kind: ServiceAccount, name: sa, status: PresentNotSatisfied,
      message: policy, dependents: [{kind: PolicyRule, status: Satisfied, message: good},
        {kind: PolicyRule, status: NotSatisfied, message: bad}, {kind: PolicyRule, status: NotSatisfied, message: worse}]}]}}
`}, State: step.StatePending, Says: []string{"ServiceAccount sa (PresentNotSatisfied: policy: bad)"}},
		"without a Subscription": {Objects: []string{csv(csvName, "Succeeded", "InstallSucceeded", "")},
			State: step.StateOK, Says: []string{csvName + " is installed"}},
		"without a Subscription, not up": {Objects: []string{csv(csvName, "Installing", "InstallWaiting", "")},
			State: step.StatePending, Says: []string{"its Deployments are not available yet"}},
		"a version that is being replaced is none": {Objects: []string{offered(),
			csv(csvName, "Replacing", "BeingReplaced", "")}, State: step.StateMissing},
		"a version that has been replaced is none": {Objects: []string{offered(),
			csv(csvName, "Deleting", "Replaced", "")}, State: step.StateMissing},
		"another operator's version is none": {Objects: []string{offered(),
			csv("other.v1.0.0", "Succeeded", "InstallSucceeded", "")}, State: step.StateMissing},
		"a copied version is none": {Objects: []string{offered(),
			csv(csvName, "Succeeded", "Copied", "labels: {olm.copiedFrom: other}")}, State: step.StateMissing},
	})
}

func TestOfSeveralSubscriptionsTheInstalledOneCounts(t *testing.T) {
	other := `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: a, namespace: a},
  spec: {name: metallb-operator}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: b, namespace: a}, spec: {name: x},
  status: {installedCSV: x.v1.0.0}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: c, namespace: a}}
`
	installed := prereqtest.Installed("metallb-operator", "metallb-system", csvName)
	runMetalLB(t, map[string]prereqtest.Case{
		"the installed one": {Objects: []string{other, installed}, State: step.StateOK, Says: []string{csvName}},
		"the first":         {Objects: []string{other}, State: step.StateMissing, Says: []string{"Subscription a/a"}},
		"an alias": {Objects: []string{prereqtest.Installed("community-kubevirt-hyperconverged", "kv",
			"kubevirt-hyperconverged-operator.v1.16.0")}, Of: installs(Virtualization()), State: step.StateOK,
			Says: []string{"it is of package community-kubevirt-hyperconverged and is kept"}},
	})
}

func TestApply(t *testing.T) {
	create := func(what ...string) []string {
		var out []string
		for _, w := range what {
			out = append(out, "create "+w)
		}
		return out
	}
	all := create("namespaces", groups+" metallb-system/", subscriptions+" metallb-system/")
	manual := subscription(ours, "", planned+", currentCSV: "+csvName)
	const patchPlan = "patch " + plans + " metallb-system/install-1"
	wrong := `
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: metallb-system},
  spec: {targetNamespaces: [other]}}
`
	runMetalLB(t, map[string]prereqtest.Case{
		"all of it": {Objects: []string{offered()}, Change: step.Created, Writes: all, Sends: []string{
			`"targetNamespaces":["metallb-system"]`, `"installPlanApproval":"Automatic"`, `"source":"redhat-operators"`,
			`"sourceNamespace":"openshift-marketplace"`, `"name":"metallb-operator"`}},
		"for all namespaces": {Objects: []string{offeredWith("", "", "operatorframework.io/cluster-monitoring: 'true'")},
			Change: step.Created, Writes: all, Sends: []string{`"openshift.io/cluster-monitoring":"true"`, `"spec":{}`}},
		"in a namespace of OpenShift's": {Objects: []string{offeredWith("", "",
			"operatorframework.io/suggested-namespace: openshift-x")}, Change: step.Created, Writes: create("namespaces",
			groups+" openshift-x/", subscriptions+" openshift-x/"), Sends: []string{`"openshift.io/cluster-monitoring":"true"`}},
		"a pinned version": {Objects: []string{offered()}, Of: pinned(Pin{StartingCSV: csvName}), Change: step.Created,
			Writes: all, Sends: []string{`"installPlanApproval":"Manual"`, `"startingCSV":"` + csvName + `"`}},
		"beside a group": {Objects: []string{offeredWith("", "", ""), group}, Change: step.Created,
			Writes: create("namespaces", subscriptions+" metallb-system/")},
		"beside a group that does not fit": {Objects: []string{offered(), wrong}, Fails: "it targets namespaces other",
			Writes: create("namespaces")},
		"not on offer": {Objects: []string{prereqtest.ClusterVersion("4.20.3")},
			Fails: "MetalLB Operator: no catalog offers it"},
		"Subscriptions not to be read": {Refused: prereqtest.Forbidden(subscriptions), Fails: "Forbidden"},
		"a namespace not to be made": {Objects: []string{offered()}, Refused: prereqtest.Forbidden("namespaces"),
			Fails: "Namespace metallb-system", Writes: create("namespaces")},
		"groups not to be read": {Objects: []string{offered()}, Refused: prereqtest.Forbidden(groups), Fails: "Forbidden",
			Writes: create("namespaces")},

		"nothing to do": {Objects: []string{prereqtest.Subscription("metallb-operator", "metallb-system", "")},
			Change: step.Unchanged},
		"a group": {Objects: []string{offered(), subscription("", "", "")}, Change: step.Created,
			Writes: create(groups + " metallb-system/"), Sends: []string{`"targetNamespaces":["metallb-system"]`}},
		"a group, for a catalog that is gone": {Objects: []string{offered(), `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: m, namespace: metallb-system},
  spec: {name: metallb-operator, channel: stable, source: gone}}
`}, Fails: "it does not offer the package; these do: redhat-operators"},
		"a group, for a channel that is gone": {Objects: []string{offered(), `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: m, namespace: metallb-system},
  spec: {name: metallb-operator, channel: gone, source: redhat-operators}}
`}, Fails: "it has no channel gone"},
		"a group: groups not to be read": {Objects: []string{offered(), subscription("", "", "")},
			Refused: prereqtest.Forbidden(groups), Fails: "Forbidden"},
		"an approval": {Objects: []string{manual, group, plan("RequiresApproval", csvName, time.Hour)},
			Change: step.Configured, Writes: []string{patchPlan}, Sends: []string{`{"spec":{"approved":true}}`}},
		"an approval of the pinned version": {Objects: []string{subscription(ours, "startingCSV: "+csvName, planned), group,
			plan("RequiresApproval", csvName, time.Hour)}, Of: pinned(Pin{StartingCSV: csvName}), Change: step.Configured,
			Writes: []string{patchPlan}},
		"no approval of more": {Objects: []string{manual, group, plan("RequiresApproval", csvName+", other.v1.0.0", 0)},
			Change: step.Unchanged},
		"no approval of an upgrade": {Objects: []string{subscription(ours, "", planned+", currentCSV: "+csvName+
			", installedCSV: metallb-operator.v4.19.0"), group, plan("RequiresApproval", csvName, time.Hour)},
			Change: step.Unchanged},
		"no approval for somebody": {Objects: []string{subscription("", "", planned+", currentCSV: "+csvName), group,
			plan("RequiresApproval", csvName, time.Hour)}, Change: step.Unchanged},
		"no approval of what another namespace asks": {Objects: []string{manual, group, `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: o, namespace: other,
  labels: {app.kubernetes.io/managed-by: hcctl}}, spec: {name: other}, status: {currentCSV: other.v1.0.0}}
`, plan("RequiresApproval", csvName+", other.v1.0.0", time.Hour)}, Change: step.Unchanged},
		"an approval of two of ours": {Objects: []string{manual, group, `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: o, namespace: metallb-system,
  labels: {app.kubernetes.io/managed-by: hcctl}}, spec: {name: other}, status: {currentCSV: other.v1.0.0}}
`, plan("RequiresApproval", csvName+", other.v1.0.0", time.Hour)}, Change: step.Configured,
			Writes: []string{patchPlan}},
		"plans not to be read": {Objects: []string{manual}, Refused: prereqtest.Forbidden(plans), Fails: "Forbidden"},
	})
}

func TestInstalled(t *testing.T) {
	installed := prereqtest.Installed("metallb-operator", "somewhere", csvName)
	for name, tc := range map[string]struct {
		objects, refused string
		version, home    string
		absent, fails    bool
	}{
		"by a Subscription":      {installed, "", "4.20.1", "somewhere", false, false},
		"without a Subscription": {csv(csvName, "Succeeded", "R", ""), "", "4.20.1", "metallb-system", false, false},
		"not yet":                {subscription("", "", ""), "", "", "metallb-system", true, false},
		"not at all":             {"", "", "", "metallb-system", true, false},
		"not to be read":         {"", subscriptions, "", "", false, true},
		"version not to be read": {installed, csvs, "", "", false, true},
		"version gone":           {prereqtest.Subscription("metallb-operator", "a", csvName), "", "", "", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects)
			if tc.refused != "" {
				api.Refuse(tc.refused, 403)
			}
			i := NewInstaller(MetalLB())
			namespace, version, err := i.Installed(t.Context(), api.Client)
			if errors.Is(err, ErrNotInstalled) != tc.absent || (err != nil) != (tc.absent || tc.fails) {
				t.Errorf("got %v", err)
			}
			if err == nil && (version.String() != tc.version || namespace != tc.home) {
				t.Errorf("got %s in %s", version, namespace)
			}
			if home, err := i.Home(t.Context(), api.Client); home != tc.home || (err != nil) != tc.fails {
				t.Errorf("home %q, %v", home, err)
			}
		})
	}
}

func TestRemoval(t *testing.T) {
	namespace := func(metadata string) string {
		return `
---
{apiVersion: v1, kind: Namespace, metadata: {name: metallb-system, ` + metadata + `}}
`
	}
	ownGroup := `
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup,
  metadata: {name: metallb-system, namespace: metallb-system, ` + ours + `}}
`
	metalLB := `
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: ns}}
`
	brought := `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: ocs, namespace: openshift-storage},
  spec: {name: ocs-operator}, status: {installedCSV: ocs-operator.v4.20.1}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion,
  metadata: {name: ocs-operator.v4.20.1, namespace: openshift-storage}}
`
	secret := `
---
{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: metallb-system}}
`
	copied := csv("elsewhere.v1.0.0", "Succeeded", "Copied", "labels: {olm.copiedFrom: other}")
	good := csv(csvName, "Succeeded", "R", "")
	own := subscription(ours, "", "installedCSV: "+csvName)
	whole := own + good + ownGroup + namespace(ours)
	foundation := prereqtest.Installed("odf-operator", "openshift-storage", "odf-operator.v4.20.1")
	const (
		deleteCSV   = "delete " + csvs + " metallb-system/" + csvName
		patchCSV    = "patch " + csvs + " metallb-system/" + csvName
		deleteSub   = "delete " + subscriptions + " metallb-system/metallb-operator"
		deleteGroup = "delete " + groups + " metallb-system/metallb-system"
	)
	cases := map[string]prereqtest.Case{
		"nothing": {State: step.StateOK, Says: []string{"there is nothing of it that hcctl created"}},
		"installed": {Objects: []string{whole}, State: step.StateMissing,
			Says: []string{"Subscription metallb-system/metallb-operator", "installed by hcctl"}},
		"installed in another namespace": {Objects: []string{prereqtest.Installed("metallb-operator", "mine", csvName)},
			State: step.StateMissing, Says: []string{"Subscription mine/metallb-operator"}},
		"needed by somebody": {Objects: []string{whole, metalLB}, State: step.StateOK,
			Says: []string{"left as it is: MetalLB ns/metallb, which hcctl did not create, needs it"}},
		"who needs it is not to be read": {Objects: []string{whole}, Refused: prereqtest.Forbidden("metallbs.metallb.io"),
			Says: []string{"MetalLBs", "not allowed"}},
		"somebody's": {Objects: []string{subscription("", "", "installedCSV: "+csvName), good, group, namespace("")},
			State: step.StateOK, Says: []string{"left as it is: hcctl did not create it"}},
		"its version is left": {Objects: []string{csv(csvName, "Succeeded", "R", ours), ownGroup, namespace(ours)},
			State: step.StateMissing, Says: []string{"its Subscription is gone, and it is not yet"}},
		"its version goes": {Objects: []string{csv(csvName, "Deleting", "R", ours+`, finalizers: [f.example.com],
			deletionTimestamp: "2026-01-01T00:00:00Z"`)}, State: step.StatePending,
			Says: []string{"being deleted; finalizers: f.example.com"}},
		"somebody's version without a Subscription": {Objects: []string{good, namespace(ours)}, State: step.StateOK,
			Says: []string{"there is more in it: ClusterServiceVersion " + csvName}},
		"its group is left": {Objects: []string{ownGroup, namespace(ours), copied}, State: step.StateMissing,
			Says: []string{"OperatorGroup metallb-system/metallb-system", "for no operator any more"}},
		"its group has another operator": {Objects: []string{ownGroup, namespace(ours),
			csv("other.v1.0.0", "Succeeded", "R", "")}, State: step.StateOK,
			Says: []string{"there is more in it: ClusterServiceVersion other.v1.0.0"}},
		"its namespace is left": {Objects: []string{namespace(ours), copied}, State: step.StateMissing,
			Says: []string{"Namespace metallb-system", "created by hcctl and empty now"}},
		"its namespace is somebody's": {Objects: []string{namespace("")}, State: step.StateOK,
			Says: []string{"there is nothing of it"}},
		"its namespace goes": {Objects: []string{namespace(ours + `, deletionTimestamp: "2026-01-01T00:00:00Z"`)},
			State: step.StatePending, Says: []string{"it is still being deleted"}},
		"its namespace has more": {Objects: []string{namespace(ours), secret}, State: step.StateOK,
			Says: []string{"there is more in it: Secret s", "oc delete namespace metallb-system"}},
		"its namespace has another's Subscription": {Objects: []string{namespace(ours), `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: o, namespace: metallb-system},
  spec: {name: other}}
`}, State: step.StateOK, Says: []string{"there is more in it: Subscription o"}},
		"without OLM": {Refused: map[string]int{subscriptions: 404, csvs: 404, groups: 404},
			State: step.StateOK},
		"Subscriptions not to be read": {Refused: prereqtest.Forbidden(subscriptions),
			Says: []string{"Subscriptions", "not allowed"}},
		"versions not to be read":   {Refused: prereqtest.Forbidden(csvs), Says: []string{"not allowed"}},
		"groups not to be read":     {Refused: prereqtest.Forbidden(groups), Says: []string{"not allowed"}},
		"namespaces not to be read": {Refused: prereqtest.Forbidden("namespaces"), Says: []string{"not allowed"}},

		"remove": {Objects: []string{whole}, Change: step.Deleted, Writes: []string{patchCSV, deleteSub, deleteCSV},
			Sends: []string{`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"hcctl"}}}`}},
		"remove what is claimed already": {Objects: []string{own, csv(csvName, "Succeeded", "R", ours)},
			Change: step.Deleted, Writes: []string{deleteSub, deleteCSV}},
		"remove what it brought along": {Objects: []string{foundation, brought}, Of: installs(DataFoundation()),
			Change: step.Deleted, Writes: []string{"patch " + csvs + " openshift-storage/ocs-operator.v4.20.1",
				"patch " + csvs + " openshift-storage/odf-operator.v4.20.1",
				"delete " + subscriptions + " openshift-storage/odf-operator",
				"delete " + subscriptions + " openshift-storage/ocs",
				"delete " + csvs + " openshift-storage/ocs-operator.v4.20.1",
				"delete " + csvs + " openshift-storage/odf-operator.v4.20.1"}},
		"remove the group": {Objects: []string{ownGroup, namespace(ours)}, Change: step.Deleted,
			Writes: []string{deleteGroup}},
		"remove the namespace": {Objects: []string{namespace(ours)}, Change: step.Deleted,
			Writes: []string{"delete namespaces metallb-system"}},
		"remove no namespace that has more by now": {Objects: []string{namespace(ours), secret}, Change: step.Unchanged},
		"remove nothing":         {Change: step.Unchanged},
		"remove: not to be read": {Refused: prereqtest.Forbidden(subscriptions), Fails: "Forbidden"},
		"remove: version not to be labelled": {Objects: []string{whole}, Refused: prereqtest.Forbidden("patch " + csvs),
			Fails: "ClusterServiceVersion", Writes: []string{patchCSV}},
		"remove: Subscription not to be deleted": {Objects: []string{whole},
			Refused: prereqtest.Forbidden("delete " + subscriptions),
			Fails:   "Subscription metallb-system/metallb-operator", Writes: []string{patchCSV, deleteSub}},
		"remove: version not to be deleted": {Objects: []string{whole}, Refused: prereqtest.Forbidden("delete " + csvs),
			Fails: "ClusterServiceVersion", Writes: []string{patchCSV, deleteSub, deleteCSV}},
	}
	for name, c := range cases {
		c.ID = testRemoval
		cases[name] = c
	}
	prereqtest.Run(t, installs(MetalLB()), cases)
}

func TestOrHealthy(t *testing.T) {
	metalLB := `
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: ns}}
`
	missing := step.Missing("it is not installed")
	noOLM := step.Broken("%s, and more", noLifecycleManager)
	for name, tc := range map[string]struct {
		f       step.Finding
		objects string
		code    int
		well    bool
		want    step.State
	}{
		"well":                       {missing, metalLB, 0, true, step.StateOK},
		"well, without OLM":          {noOLM, metalLB, 0, true, step.StateOK},
		"not well":                   {missing, metalLB, 0, false, step.StateMissing},
		"kind is missing":            {missing, "", 0, true, step.StateMissing},
		"not to be read":             {missing, metalLB, 403, true, step.StateUnknown},
		"broken for another reason":  {step.Broken("x"), metalLB, 0, true, step.StateBroken},
		"pending is pending already": {step.Pending(noLifecycleManager), metalLB, 0, true, step.StatePending},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects)
			if tc.code != 0 {
				api.Refuse("metallbs.metallb.io", tc.code)
			}
			f := OrHealthy(t.Context(), api.Client, tc.f, kube.MetalLB, func(all []unstructured.Unstructured) step.Finding {
				if tc.well && len(all) == 1 {
					return step.OK("Available").On("MetalLB metallb")
				}
				return step.Pending("x")
			})
			prereqtest.Expect(t, f, tc.want, "")
			if tc.want == step.StateOK && f.Message != "installed by other means than a Subscription: Available" {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestForesee(t *testing.T) {
	sub := func(spec map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "operators.coreos.com/v1alpha1",
			"kind": "Subscription", "metadata": map[string]any{"name": "s", "namespace": "ns"}, "spec": spec}}
		return u
	}
	follows := map[string]any{"name": "metallb-operator", "source": "redhat-operators", "channel": "stable"}
	elsewhere := map[string]any{"name": "metallb-operator", "source": "other", "channel": "stable"}
	other := map[string]any{"name": "metallb-operator", "source": "redhat-operators", "channel": "other"}
	for name, tc := range map[string]struct {
		spec    map[string]any
		refused bool
		want    string
	}{
		"the newest of the channel": {follows, false, csvName},
		"the version it starts with": {map[string]any{"startingCSV": "metallb-operator.v4.19.0"}, true,
			"metallb-operator.v4.19.0"},
		"of another catalog": {elsewhere, false, ""}, "of another channel": {other, false, ""},
		"not to be read": {follows, true, ""}, "no version": {map[string]any{"startingCSV": "odd"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, offered())
			if tc.refused {
				api.Refuse(manifests, 403)
			}
			got := Foresee(t.Context(), api.Client, sub(tc.spec))
			if tc.want == "" {
				if got != nil {
					t.Errorf("got %v", got)
				}
				return
			}
			if len(got) != 2 || got[0].GetName() != tc.want || got[0].GetNamespace() != "ns" ||
				kube.Text(got[0], "status", "phase") != "Succeeded" ||
				"metallb-operator.v"+kube.Text(got[0], "spec", "version") != tc.want ||
				kube.Text(got[1], "status", "installedCSV") != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
