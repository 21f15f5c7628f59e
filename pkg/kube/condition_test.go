package kube

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestConditionsThatAreNotCurrent has objects as their operators write them.
func TestConditionsThatAreNotCurrent(t *testing.T) {
	const (
		hyperConverged = "{apiVersion: hco.kubevirt.io/v1beta1, kind: HyperConverged, "
		storageCluster = "{apiVersion: ocs.openshift.io/v1, kind: StorageCluster, metadata: {generation: 2}, "
		failed         = `{type: ReconcileComplete, status: "False", reason: ReconcileFailed, message: "Not enough nodes found"}`
		available      = `{type: Available, status: "True", reason: ReconcileCompleted}`
	)
	for name, tc := range map[string]struct{ object, want string }{
		"OpenShift Virtualization, of this generation": {hyperConverged + `metadata: {generation: 2}, status: {
			observedGeneration: 2, conditions: [{type: Available, status: "True", observedGeneration: 2}]}}`, "Available"},
		"its status is of an older one": {hyperConverged + `metadata: {generation: 3}, status: {observedGeneration: 2,
			conditions: [{type: Available, status: "True", observedGeneration: 2}]}}`, "Available outdated, not observed"},
		"its conditions alone say so": {hyperConverged + `metadata: {generation: 3}, status: {
			conditions: [{type: Available, status: "True", observedGeneration: 2}]}}`, "Available outdated, not observed"},
		"one of its conditions is of an older one": {hyperConverged + `metadata: {generation: 3}, status: {
			conditions: [{type: Available, status: "True", observedGeneration: 2},
			{type: Degraded, status: "False", observedGeneration: 3}]}}`, "Available outdated, Degraded"},
		"a deletion is no change": {hyperConverged + `metadata: {generation: 3, deletionTimestamp: "2026-08-01T10:00:00Z"},
			status: {observedGeneration: 2, conditions: [{type: Available, status: "True", observedGeneration: 2}]}}`,
			"Available"},
		"its pass failed": {hyperConverged + `metadata: {generation: 2}, status: {observedGeneration: 2, conditions: [` +
			failed + `, {type: Available, status: Unknown}, {type: Degraded, status: "True"}]}}`,
			"ReconcileComplete, Available left, Degraded left"},
		"Data Foundation failed": {storageCluster + "status: {phase: Error, conditions: [" + failed + ", " + available +
			"]}}", "ReconcileComplete, Available left"},
		"and waits now, with the phase alone": {storageCluster + "status: {phase: Progressing, conditions: [" + failed +
			", " + available + "]}}", "ReconcileComplete left, Available left"},
		"it skipped classes": {storageCluster + "status: {phase: Progressing, conditions: [" + strings.Replace(failed,
			"Not enough nodes found", "Some StorageClasses were skipped while waiting for pre-requisites to be met", 1) + "]}}",
			"ReconcileComplete"},
		"multicluster engine reports no generation": {`{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine,
			metadata: {generation: 9}, status: {phase: Available, conditions: [{type: Available, status: "True"}]}}`,
			"Available"},
	} {
		u := &unstructured.Unstructured{}
		raw, err := yaml.YAMLToJSON([]byte(strings.ReplaceAll(tc.object, "\t", " ")))
		if err == nil {
			err = u.UnmarshalJSON(raw)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var words []string
		for _, c := range Conditions(u) {
			switch c.Doubt {
			case Outdated:
				words = append(words, c.Type+" outdated")
			case Left:
				words = append(words, c.Type+" left")
			default:
				words = append(words, c.Type)
			}
			if c.Doubt != "" && (c.True() || c.False() || !strings.HasSuffix(c.Describe(), " ("+string(c.Doubt)+")")) {
				t.Errorf("%s: %s is believed", name, c.Describe())
			}
		}
		if !Observed(u) {
			words = append(words, "not observed")
		}
		if got := strings.Join(words, ", "); got != tc.want {
			t.Errorf("%s: %s, not %s", name, got, tc.want)
		}
	}
	typed := &metav1.ObjectMeta{Generation: 2}
	c := ConditionOf(typed, []metav1.Condition{{Type: "Admitted", Status: "True", ObservedGeneration: 1}}, "Admitted")
	if c.Doubt != Outdated || c.True() {
		t.Errorf("%+v", c)
	}
}

// TestUnsettled: a change of the spec makes what was written before it not final, for a while.
func TestUnsettled(t *testing.T) {
	changed := time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)
	entry := func(subresource, fields string, at time.Time) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Subresource: subresource, Time: &metav1.Time{Time: at},
			FieldsV1: metav1.NewFieldsV1(fields)}
	}
	o := &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		entry("", `{"f:spec":{"f:channel":{}}}`, changed),
		entry("", `{"f:metadata":{"f:labels":{}}}`, changed.Add(time.Hour)),
		entry("status", `{"f:status":{}}`, changed.Add(time.Hour)), {},
	}}
	for name, tc := range map[string]struct {
		written, now time.Time
		want         time.Duration
	}{
		"written before, and just changed": {changed.Add(-time.Hour), changed.Add(settleDelay / 4), settleDelay * 3 / 4},
		"written before, and long changed": {changed.Add(-time.Hour), changed.Add(settleDelay), 0},
		"written since":                    {changed.Add(time.Second), changed.Add(settleDelay / 4), 0},
		"written in the same second":       {changed, changed.Add(settleDelay / 4), 0},
	} {
		if got := Unsettled(o, tc.written, tc.now); got != tc.want {
			t.Errorf("%s: %s, not %s", name, got, tc.want)
		}
	}
	if got := Unsettled(&metav1.ObjectMeta{}, time.Time{}, changed); got != 0 {
		t.Errorf("nothing is known of changes: %s", got)
	}
}
