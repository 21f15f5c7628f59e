package pipelines_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// caller is a workflow that uses the action. act takes the files of the place for what is checked out.
const caller = `on: push
permissions: {contents: read}
jobs:
  plan:
    runs-on: self-hosted
    steps:
    - uses: actions/checkout@v4
    - id: plan
      uses: ./plan
      with: {fleet: my fleet.yaml, environment: prod}
    - run: printf '%s' '${{ steps.plan.outputs.changes }}' > "$RESULT_OF_TEST"
`

// linted is what actionlint says of workflows in a directory.
func linted(t *testing.T, root string, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	linter, err := actionlint.NewLinter(&out, &actionlint.LinterOptions{WorkingDir: root})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := linter.LintFiles(files, project); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestWorkflows holds the repository's own workflows to actionlint.
func TestWorkflows(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	if said := linted(t, root, files...); said != "" {
		t.Error(said)
	}
}

// TestGitHub runs a workflow with the action by act, on this machine, and holds both to actionlint.
func TestGitHub(t *testing.T) {
	act := tool(t, "act")
	for _, plan := range plans {
		t.Run(plan.name, func(t *testing.T) {
			p := newPlace(t, plan.code)
			p.write("plan/action.yml", example(t, "github/action.yml"))
			p.write(".github/workflows/plan.yml", caller)
			p.repository()
			if said := linted(t, p.dir, filepath.Join(p.dir, ".github/workflows/plan.yml")); said != "" {
				t.Error(said)
			}
			result := filepath.Join(t.TempDir(), "result")
			code, said := p.run(act, "push", "--platform=self-hosted=-self-hosted", "--pull=false", "--no-cache-server",
				"--env=KUBECONFIG=/secret/place", "--env=RESULT_OF_TEST="+result)
			if (code == 0) != (plan.changes != "") || read(t, result) != plan.changes {
				t.Errorf("act ends with %d, the output is %q:\n%s", code, read(t, result), said)
			}
			if got := strings.Join(p.calls(), "\n"); got != "apply|-f|my_fleet.yaml|--dry-run|--env|prod|/secret/place|" {
				t.Errorf("hcctl %s", got)
			}
			if strings.Contains(said, "/secret/place") {
				t.Errorf("it says where the credentials are:\n%s", said)
			}
		})
	}
}

// TestGitHubSteps: an output of the action names a step that it has; act takes any, and actionlint looks at workflows.
func TestGitHubSteps(t *testing.T) {
	text := example(t, "github/action.yml")
	used := regexp.MustCompile(`\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}`).FindAllStringSubmatch(text, -1)
	if len(used) == 0 {
		t.Fatal("the action has no output")
	}
	for _, u := range used {
		if !strings.Contains(text, "  - id: "+u[1]+"\n") || !strings.Contains(text, `"`+u[2]+`=$(`) {
			t.Errorf("%s: there is no such step, or it does not write %s", u[0], u[2])
		}
	}
}

// TestGitHubInputs: actionlint knows from action.yml what has to be given and what there is.
func TestGitHubInputs(t *testing.T) {
	for change, want := range map[string]string{
		"{fleet: f, envronment: prod}": `"envronment" is not defined in action "hcctl plan"`,
		"{environment: prod}":          `missing input "fleet" which is required by action "hcctl plan"`,
	} {
		p := newPlace(t, "0")
		p.write("plan/action.yml", example(t, "github/action.yml"))
		p.write(".github/workflows/plan.yml", strings.Replace(caller, "{fleet: my fleet.yaml, environment: prod}", change, 1))
		p.repository()
		if said := linted(t, p.dir, filepath.Join(p.dir, ".github/workflows/plan.yml")); !strings.Contains(said, want) {
			t.Errorf("with %s: no %q in\n%s", change, want, said)
		}
	}
}
