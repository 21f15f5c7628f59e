package pipelines_test

import (
	"strings"
	"testing"

	"github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"sigs.k8s.io/yaml"
)

// admitted is what Tekton's admission webhook says of a Task: an unknown field, or what its validation refuses.
func admitted(t *testing.T, text string) error {
	t.Helper()
	var task v1.Task
	if err := yaml.UnmarshalStrict([]byte(text), &task); err != nil {
		return err
	}
	task.SetDefaults(t.Context())
	if err := task.Validate(t.Context()); err != nil {
		return err
	}
	return nil
}

// TestTekton holds the Task to Tekton's own types and validation. Its script is run by TestCIScripts in
// internal/layout: a step runs it as a file, which needs a cluster.
func TestTekton(t *testing.T) {
	text := example(t, "tekton/task.yaml")
	if err := admitted(t, text); err != nil {
		t.Error(err)
	}
	for from, want := range map[string][2]string{
		"  - {name: fleet, type: string":    {"  - {name: flet, type: string", "params.fleet"},
		"  workspaces:\n  - {name: source}": {"  workspaces: []", "workspaces.source"},
		"    workingDir: ":                  {"    workingDirectory: ", "workingDirectory"},
		"  - {name: changes, type: string":  {"  - {name: changed, type: string", "results.changes"},
	} {
		changed := strings.Replace(text, from, want[0], 1)
		if err := admitted(t, changed); changed == text || err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("with %s: %v, want a word about %s", want[0], err, want[1])
		}
	}
}
