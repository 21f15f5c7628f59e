package pipelines_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const pipeline = `include:
- local: hcctl.gitlab-ci.yml
plan:
  extends: .hcctl-plan
  variables: {FLEET: my fleet.yaml, ENVIRONMENT: prod}
`

// TestGitLab runs a job that extends the template by gitlab-ci-local, which also holds it to GitLab's own schema.
func TestGitLab(t *testing.T) {
	needs(t, "rsync", "rsync")
	local := tool(t, "pipelines/node_modules/.bin/gitlab-ci-local")
	for _, plan := range plans {
		t.Run(plan.name, func(t *testing.T) {
			p := newPlace(t, plan.code)
			p.write("hcctl.gitlab-ci.yml", example(t, "gitlab/hcctl.gitlab-ci.yml"))
			p.write(".gitlab-ci.yml", pipeline)
			p.repository()
			code, said := p.run(local, "--force-shell-executor", "plan")
			if !strings.Contains(said, "json schema validated") {
				t.Errorf("the schema was not looked at:\n%s", said)
			}
			result := read(t, filepath.Join(p.dir, ".gitlab-ci-local/artifacts/plan/changes.txt"))
			if (code == 0) != (plan.changes != "") || result != plan.changes {
				t.Errorf("it ends with %d, the artifact says %q:\n%s", code, result, said)
			}
			// The plan is an artifact always: when: always.
			if text := read(t, filepath.Join(p.dir, ".gitlab-ci-local/artifacts/plan/plan.txt")); !strings.Contains(text, "kv-00") {
				t.Errorf("the plan is %q:\n%s", text, said)
			}
			if got := strings.Join(p.calls(), "\n"); got != "apply|-f|my_fleet.yaml|--dry-run|--env|prod|/secret/place|" {
				t.Errorf("hcctl %s", got)
			}
		})
	}
}

// TestGitLabSchema: what the schema does not know is refused, so that it can be relied on above.
func TestGitLabSchema(t *testing.T) {
	local := tool(t, "pipelines/node_modules/.bin/gitlab-ci-local")
	p := newPlace(t, "0")
	text := example(t, "gitlab/hcctl.gitlab-ci.yml")
	p.write("hcctl.gitlab-ci.yml", strings.Replace(text, "    when: always", "    when: sometimes", 1))
	p.write(".gitlab-ci.yml", pipeline)
	p.repository()
	if code, said := p.run(local, "--force-shell-executor", "--list"); code == 0 || !strings.Contains(said, "when") {
		t.Errorf("it ends with %d:\n%s", code, said)
	}
}
