package olm

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestWhatSomebodyElseInstalledStays: an operator that hcctl's own would bring along stays where hcctl has none.
func TestWhatSomebodyElseInstalledStays(t *testing.T) {
	somebodys := `
---
{apiVersion: v1, kind: Namespace, metadata: {name: openshift-storage, ` + ours + `}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: ocs, namespace: openshift-storage},
  spec: {name: ocs-operator}, status: {installedCSV: ocs-operator.v4.20.1}}
`
	version := `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion,
  metadata: {name: ocs-operator.v4.20.1, namespace: openshift-storage}}
`
	prereqtest.Run(t, installs(DataFoundation()), map[string]prereqtest.Case{
		"its Subscription": {Objects: []string{somebodys}, ID: testRemoval, State: step.StateOK,
			Says: []string{"left as it is: there is more in it: Subscription ocs"}},
		"and its version": {Objects: []string{somebodys, version}, ID: testRemoval, State: step.StateOK,
			Says: []string{"there is more in it: ClusterServiceVersion ocs-operator.v4.20.1, Subscription ocs"}},
	})
}

// TestTerminating: of a namespace that is being deleted it says what is left, and nothing of what is done.
func TestTerminating(t *testing.T) {
	n := &corev1.Namespace{}
	n.Status.Conditions = []corev1.NamespaceCondition{
		{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionTrue, Message: "no discovery"},
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "pods. has 2 resource instances"},
		{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, Message: "a/b in 1 resource instances"},
	}
	for _, want := range []string{
		"it is still being deleted: pods. has 2 resource instances; a/b in 1 resource instances",
		"it is still being deleted: a/b in 1 resource instances",
		"it is still being deleted",
	} {
		if got := Terminating(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for i := range n.Status.Conditions {
			if c := &n.Status.Conditions[i]; i > 0 && c.Status == corev1.ConditionTrue {
				c.Status = corev1.ConditionFalse
				break
			}
		}
	}
}
