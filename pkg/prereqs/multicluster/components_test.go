package multicluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestComponentsChangeTheirEntryOnly(t *testing.T) {
	before := components{
		{"name": "discovery", "enabled": false, "configOverrides": map[string]any{"x": "y"}},
		{"name": "hypershift-preview", "enabled": false, "configOverrides": map[string]any{"a": "b"}},
	}
	want := components{
		{"name": "discovery", "enabled": false, "configOverrides": map[string]any{"x": "y"}},
		{"name": "hypershift-preview", "enabled": true, "configOverrides": map[string]any{"a": "b"}},
		{"name": "local-cluster", "enabled": true},
	}
	got := before.with("hypershift-preview", "local-cluster")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if on, _ := before.enabled("hypershift-preview"); on {
		t.Error("the list it came from was changed")
	}
}

func mce(version, phase string, list ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"kind":     "MultiClusterEngine",
		"metadata": map[string]any{"name": "mce"},
		"spec":     map[string]any{"overrides": map[string]any{"components": list}},
		"status":   map[string]any{"currentVersion": version, "phase": phase},
	}}
}

func component(name string, enabled bool) any {
	return map[string]any{"name": name, "enabled": enabled}
}

func TestJudgeComponents(t *testing.T) {
	for name, tc := range map[string]struct {
		mce  *unstructured.Unstructured
		want step.State
		says string
	}{
		"on": {mce("2.10.0", "Available", component("hypershift", true)), step.StateOK,
			"hypershift is on"},
		"on in 2.2": {mce("2.2.0", "Available", component("hypershift-preview", true)), step.StateOK,
			"hypershift-preview is on"},
		"off in 2.2": {mce("2.2.0", "Available", component("hypershift-preview", false)), step.StateMissing,
			"hypershift-preview is off"},
		"the later name before 2.4": {mce("2.3.9", "Available", component("hypershift", true)), step.StateMissing,
			"hypershift-preview is off"},
		"local hosting off": {mce("2.6.0", "Available", component("hypershift", true),
			component("hypershift-local-hosting", false)), step.StateBroken, "local-hosting is off, and on by default"},
		"defaults not there yet": {mce("2.10.0", "Progressing"), step.StatePending, "has not filled in"},
		"no entry although done": {mce("2.10.0", "Available"), step.StateMissing, "hypershift is off"},
		"no version yet":         {mce("", "Progressing", component("hypershift", false)), step.StatePending, "version"},
		"beside Cluster API in 2.10": {mce("2.10.0", "Available", component("hypershift", false),
			component("cluster-api", true)), step.StateBroken, "refuses it beside cluster-api, which is on"},
		"beside Cluster API in 2.9": {mce("2.9.0", "Available", component("hypershift", false),
			component("cluster-api", true)), step.StateBroken, "somebody has turned it off"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := (hypershiftComponent{}).judge(tc.mce, nil); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

// pausedEngine is one of a version without the phase Paused.
func pausedEngine(version string) *unstructured.Unstructured {
	u := mce(version, "Progressing")
	u.Object["status"].(map[string]any)["conditions"] = []any{
		map[string]any{"type": "Progressing", "status": "Unknown", "reason": "Paused"}}
	return u
}

func TestPauseAnnotation(t *testing.T) {
	const long = "installer.multicluster.openshift.io/pause"
	for version, want := range map[string]string{"2.5.0": "pause", "2.6.0": long, "": long} {
		if got := pauseAnnotation(mce(version, "Paused")); got != want {
			t.Errorf("%q: got %s, want %s", version, got, want)
		}
	}
	short := mce("2.9.0", "Paused")
	short.SetAnnotations(map[string]string{"pause": "true"})
	if got := pauseAnnotation(short); got != "pause" {
		t.Errorf("the one that is set: got %s", got)
	}
}

// conditions gives an engine conditions, each "type|status|reason|message".
func conditions(u *unstructured.Unstructured, list ...string) *unstructured.Unstructured {
	var out []any
	for i, text := range list {
		p := strings.Split(text, "|")
		out = append(out, map[string]any{"type": p[0], "status": p[1], "reason": p[2], "message": p[3],
			"lastTransitionTime": fmt.Sprintf("2026-11-20T10:00:%02dZ", i)})
	}
	u.Object["status"].(map[string]any)["conditions"] = out
	return u
}

func TestJudgeEngine(t *testing.T) {
	const (
		unavailable = "Available|False|ComponentsUnavailable|Not all components available"
		deployed    = "Progressing|True|ComponentsDeployed|All components deployed"
		failed      = "Progressing|Unknown|FailedDeployingComponent|it failed"
		requires    = "Progressing|False|RequirementsNotMet|Could not find imagePullSecret nope"
		hive        = "ComponentFailure: hive-operator (Kind:Deployment)|True|FailedApplyingComponent|exceeded quota"
		console     = "ComponentFailure: console (Kind:ConfigMap)|True|FailedApplyingComponent|refused"
	)
	failing := mce("", "Error")
	failing.Object["status"].(map[string]any)["components"] = []any{
		map[string]any{"name": "hive-operator", "type": "Available", "status": "True"},
		map[string]any{"name": "console", "type": "Available", "status": "False", "reason": "Bad", "message": "no image"},
		map[string]any{"name": "other", "type": "Available", "status": "False"},
	}
	for name, tc := range map[string]struct {
		mce  *unstructured.Unstructured
		want step.State
		says string
	}{
		"available":   {mce("2.10.0", "Available"), step.StateOK, "2.10.0"},
		"not seen":    {mce("", ""), step.StatePending, "not processed"},
		"progressing": {mce("", "Progressing"), step.StatePending, "Progressing"},
		"error":       {failing, step.StatePending, "Error: console is not ready: Available False (Bad): no image (and 1 more)"},
		"an object is refused": {conditions(mce("2.10.0", "Error"), unavailable, failed, hive), step.StatePending,
			"Error: ComponentFailure: hive-operator (Kind:Deployment) True (FailedApplyingComponent): exceeded quota"},
		"two are, the newest first": {conditions(mce("2.10.0", "Error"), hive, console), step.StatePending,
			"Error: ComponentFailure: console"},
		"before 2.5": {conditions(mce("2.4.0", "Progressing"), unavailable, "MultiClusterEngineFailure|True|X|no"),
			step.StatePending, "MultiClusterEngineFailure True (X): no"},
		"a pass failed": {conditions(mce("2.10.0", "Progressing"), unavailable, failed), step.StatePending,
			"Progressing Unknown (FailedDeployingComponent): it failed"},
		"a requirement": {conditions(mce("2.10.0", "Error"), unavailable, requires), step.StatePending,
			"Error: Progressing False (RequirementsNotMet): Could not find imagePullSecret nope"},
		"nothing but the phase": {conditions(mce("2.10.0", "Progressing"), unavailable, deployed), step.StatePending,
			"Progressing: its components are being installed"},
		"paused":        {mce("2.10.0", "Paused"), step.StateBroken, "paused"},
		"paused in 2.4": {pausedEngine("2.4.1"), step.StateBroken, "paused"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgeEngine(tc.mce); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}
