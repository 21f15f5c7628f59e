package pipelines_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"sigs.k8s.io/yaml"
)

// admitted is what Tekton's admission webhook says of a Task: an unknown field, or what its validation refuses. Of
// variables that validation looks at parameters only, so workspaces and results are compared here.
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
	var declared []string
	for _, w := range task.Spec.Workspaces {
		declared = append(declared, "workspaces."+w.Name+".path")
	}
	for _, r := range task.Spec.Results {
		declared = append(declared, "results."+r.Name+".path")
	}
	for _, used := range regexp.MustCompile(`\$\(((?:workspaces|results)\.[^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(declared, used[1]) {
			return fmt.Errorf("%s is not declared", used[1])
		}
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
	for _, tt := range []struct{ from, to, says string }{
		{"  - {name: fleet, type: string", "  - {name: flet, type: string", "params.fleet"},
		{"  - {name: fleet, type: string", "  - {name: fleet, type: text", "type"},
		{"  - {name: source}", "  - {name: sources}", "workspaces.source.path is not declared"},
		{"    workingDir: ", "    workingDirectory: ", "workingDirectory"},
		{"  - {name: changes, type: string", "  - {name: changed, type: string", "results.changes.path is not declared"},
	} {
		changed := strings.Replace(text, tt.from, tt.to, 1)
		if err := admitted(t, changed); changed == text || err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("with %s: %v, want a word about %s", tt.to, err, tt.says)
		}
	}
}
