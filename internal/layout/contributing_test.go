package layout_test

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// targets returns the make targets of the lines that match, sorted.
func targets(text string, line *regexp.Regexp) []string {
	var out []string
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Fields(found[1])...)
	}
	slices.Sort(out)
	return out
}

// TestChangelogIsOnePage holds its length until the first release.
func TestChangelogIsOnePage(t *testing.T) {
	text := content(t, "CHANGELOG.md")
	if released := strings.Contains(text, "\n## [0."); !released && strings.Count(text, "\n") > 100 {
		t.Errorf("CHANGELOG.md has %d lines, want 100 at most: say it in the entry of its subject", strings.Count(text, "\n"))
	}
}

// TestWorkflows compares the workflow with .ci/run, so that CI is the same everywhere.
func TestWorkflows(t *testing.T) {
	local := targets(content(t, ".ci/run"), regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )?step (?:make )?([a-z./ -]*[a-z])`))
	onGitHub := targets(content(t, ".github/workflows/ci.yml"), regexp.MustCompile(`(?m)- run: (?:make )?(.+)$`))
	// README's commands are a script of their own, which takes them from there.
	readme := func(word string) bool { return slices.Contains([]string{".ci/readme", "demo", "test"}, word) }
	if !slices.ContainsFunc(local, readme) {
		t.Error(".ci/run does not run README's commands, which .ci/readme does")
	}
	if diff := cmp.Diff(local, onGitHub); diff != "" || len(local) == 0 {
		t.Errorf("the targets of .ci/run (-) and .github/workflows/ci.yml (+) differ:\n%s", diff)
	}
	weekly := targets(content(t, ".github/workflows/vulnerabilities.yml"), regexp.MustCompile(`(?m)- run: make (.+)$`))
	makefile := content(t, "Makefile")
	for _, target := range slices.DeleteFunc(slices.Concat(local, weekly), readme) {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).MatchString(makefile) {
			t.Errorf("the Makefile has no target %s", target)
		}
	}
}

// TestWorkflowsArePinned requires a commit for each action: a tag can be moved. It requires few rights, too, and that
// no expression of GitHub, which others may fill, becomes part of a script.
func TestWorkflowsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	names, err := fs.Glob(repository, ".github/workflows/*.yml")
	if err != nil || len(names) < 2 {
		t.Fatalf("found %v, %v", names, err)
	}
	for _, name := range names {
		text := content(t, name)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: %s is not pinned to a commit with its version", name, line)
			}
		}
		var workflow struct {
			Permissions map[string]string `yaml:"permissions"`
			Jobs        map[string]struct {
				Steps []struct {
					Uses string            `yaml:"uses"`
					Run  string            `yaml:"run"`
					With map[string]string `yaml:"with"`
				} `yaml:"steps"`
			} `yaml:"jobs"`
		}
		if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(map[string]string{"contents": "read"}, workflow.Permissions); diff != "" {
			t.Errorf("%s: permissions (-want +got):\n%s", name, diff)
		}
		for _, event := range []string{"pull_request_target", "workflow_run", "issue_comment"} { // they have rights for others' text
			if strings.Contains(text, event) {
				t.Errorf("%s runs on %s", name, event)
			}
		}
		for job, steps := range workflow.Jobs {
			for _, step := range steps.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s, job %s: an expression in a script: %s", name, job, step.Run)
				}
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != "false" {
					t.Errorf("%s, job %s: the credentials of the checkout stay for all steps", name, job)
				}
			}
		}
	}
}

// TestRenovate: updates of dependencies are left out for directories with a go.mod alone, which are there, and
// Kubernetes' version in the Makefile is that of the module.
func TestRenovate(t *testing.T) {
	var config struct {
		PackageRules []struct {
			MatchFileNames []string `json:"matchFileNames"`
		} `json:"packageRules"`
	}
	if err := json.Unmarshal([]byte(content(t, "renovate.json")), &config); err != nil || len(config.PackageRules) == 0 {
		t.Fatalf("%+v, %v", config, err)
	}
	for _, rule := range config.PackageRules {
		for _, pattern := range rule.MatchFileNames {
			directory := strings.TrimSuffix(pattern, "/**")
			here, _ := fs.Glob(repository, directory+"/go.mod")
			below, _ := fs.Glob(repository, directory+"/*/go.mod")
			if len(here)+len(below) == 0 {
				t.Errorf("renovate.json: %s has no go.mod", pattern)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "make", "-n", "sandbox-programs", "KERNEL=Linux")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	want := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes v1\.(\d+)\.\d+$`).FindStringSubmatch(content(t, "sandbox/go.mod"))
	if err != nil || want == nil {
		t.Fatalf("%v, %q\n%s", err, want, out)
	}
	for _, flag := range []string{"version.gitVersion=" + strings.Fields(want[0])[1] + " ", "version.gitMinor=" + want[1] + "'"} {
		if !strings.Contains(string(out), flag) {
			t.Errorf("make sandbox-programs does not say %s", flag)
		}
	}
}

// TestIssueForms holds the forms to what GitHub requires of them, and the form for bugs to what a diagnosis needs.
func TestIssueForms(t *testing.T) {
	for _, name := range []string{"bug.yml", "feature.yml"} {
		var form struct {
			Name        string `yaml:"name"`
			Description string `yaml:"description"`
			Body        []struct {
				Type       string `yaml:"type"`
				ID         string `yaml:"id"`
				Attributes struct {
					Label string `yaml:"label"`
					Value string `yaml:"value"`
				} `yaml:"attributes"`
			} `yaml:"body"`
		}
		if err := yaml.Unmarshal([]byte(content(t, ".github/ISSUE_TEMPLATE/"+name)), &form); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if form.Name == "" || form.Description == "" || len(form.Body) < 3 {
			t.Errorf("%s: name %q, description %q, %d fields", name, form.Name, form.Description, len(form.Body))
		}
		seen := map[string]bool{}
		for _, field := range form.Body {
			isText := field.Type == "markdown" && field.Attributes.Value != ""
			isField := field.Type == "textarea" && field.ID != "" && field.Attributes.Label != "" && !seen[field.ID]
			if !isText && !isField {
				t.Errorf("%s: GitHub refuses the field %+v", name, field)
			}
			seen[field.ID] = true
		}
		for _, id := range []string{"version", "check", "dump"} {
			if name == "bug.yml" && !seen[id] {
				t.Errorf("%s does not ask for %s", name, id)
			}
		}
	}
}

// TestMakeTargetsInDocuments finds documents that name a make target which is gone.
func TestMakeTargetsInDocuments(t *testing.T) {
	makefile := content(t, "Makefile")
	called := regexp.MustCompile("(?m)(?:^    |`)make ([a-z][a-z -]*[a-z])")
	for _, name := range []string{"CONTRIBUTING.md", "README.md", ".github/pull_request_template.md"} {
		found := targets(content(t, name), called)
		if len(found) == 0 {
			t.Errorf("%s names no make target", name)
		}
		for _, target := range found {
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).MatchString(makefile) {
				t.Errorf("%s: the Makefile has no target %s", name, target)
			}
		}
	}
}

// TestPathsInDocuments finds documents that name a file or directory which is gone. Paths with a placeholder are left
// out.
func TestPathsInDocuments(t *testing.T) {
	quoted := regexp.MustCompile("`((?:cmd|contracts|pkg|internal|sandbox|e2e|hack|docs|examples)/[^`\\s<>*]+)`")
	for _, name := range []string{"CONTRIBUTING.md", "README.md", "docs/dev/architecture.md", "docs/dev/testing.md",
		"e2e/README.md"} {
		for _, found := range quoted.FindAllStringSubmatch(content(t, name), -1) {
			file := strings.TrimSuffix(found[1], "/")
			if strings.Contains(file, "...") || strings.HasPrefix(file, "sandbox/kubeconfig") {
				continue
			}
			if _, err := fs.Stat(repository, file); err != nil {
				t.Errorf("%s names %s, which is not there", name, file)
			}
		}
	}
}

// TestSandboxNeedsLinux: make says before it builds anything where the sandbox cannot run. What needs none is built.
func TestSandboxNeedsLinux(t *testing.T) {
	for _, tt := range []struct {
		target, kernel, says string
	}{
		{"sandbox", "Darwin", "the sandbox needs Linux, and this is Darwin"},
		{"demo", "MINGW64_NT-10.0", "the sandbox needs Linux, and this is MINGW64_NT-10.0"},
		{"sandbox", "Linux", ""},
		{"build", "Darwin", ""},
	} {
		cmd := exec.CommandContext(t.Context(), "make", "-n", tt.target, "KERNEL="+tt.kernel)
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		if (err == nil) != (tt.says == "") || !strings.Contains(string(out), tt.says) {
			t.Errorf("make %s on %s: %v\n%s", tt.target, tt.kernel, err, out)
		}
		if tt.says != "" && strings.Contains(string(out), "crds/sync") {
			t.Errorf("make %s on %s begins to build:\n%s", tt.target, tt.kernel, out)
		}
	}
}
