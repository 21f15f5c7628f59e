package layout

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const ciExamples = "../../examples/ci/"

// ciScripts are the scripts of the examples, by the engine that runs them.
func ciScripts(t *testing.T) map[string]string {
	t.Helper()
	var task struct {
		Spec struct {
			Steps []struct{ Script string }
		}
	}
	var action struct {
		Runs struct {
			Steps []struct{ Run string }
		}
	}
	var template map[string]struct{ Script []string }
	for file, into := range map[string]any{"tekton/task.yaml": &task, "github/action.yml": &action,
		"gitlab/hcctl.gitlab-ci.yml": &template} {
		data, err := os.ReadFile(ciExamples + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return map[string]string{"Tekton": task.Spec.Steps[0].Script, "GitHub": action.Runs.Steps[0].Run,
		"GitLab": template[".hcctl-plan"].Script[0]}
}

// runs runs a script with a stand-in for hcctl that notes its arguments, writes a line and ends with a code.
func runs(t *testing.T, script, input string, code string, env ...string) (dir string, ended int, said string) {
	t.Helper()
	dir = t.TempDir()
	stand := "#!/bin/sh\nprintf '%s ' \"$@\" > args\necho \"${SAYS:-kv-00 10.0.0.1 4.20.3}\"\nexit " + code + "\n"
	if err := os.WriteFile(filepath.Join(dir, "hcctl"), []byte(stand), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = append([]string{"PATH=" + dir + ":/usr/bin:/bin", "KUBECONFIG=/secret/place"}, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return dir, cmd.ProcessState.ExitCode(), string(out)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// TestCIScripts: every engine runs plan.sh, which honours hcctl's exit codes and says nothing of the credentials.
func TestCIScripts(t *testing.T) {
	plan, err := os.ReadFile(ciExamples + "plan.sh")
	if err != nil {
		t.Fatal(err)
	}
	for engine, script := range ciScripts(t) {
		if strings.TrimSpace(script) != strings.TrimSpace(string(plan)) {
			t.Errorf("%s does not run plan.sh", engine)
		}
		for code, want := range map[string]struct {
			ended   int
			changes string
		}{"0": {0, "false"}, "6": {0, "true"}, "3": {3, ""}, "1": {1, ""}, "130": {130, ""}} {
			dir, ended, said := runs(t, script, "", code, "FLEET=a b.yaml", "ENVIRONMENT=prod")
			if ended != want.ended || read(t, dir, "changes.txt") != want.changes {
				t.Errorf("%s, hcctl ends with %s: exit %d, changes %q", engine, code, ended, read(t, dir, "changes.txt"))
			}
			if args := read(t, dir, "args"); args != "apply -f a b.yaml --dry-run --env prod " {
				t.Errorf("%s: hcctl %s", engine, args)
			}
			if !strings.Contains(said, "kv-00") || strings.Contains(said, "/secret/place") {
				t.Errorf("%s says %q", engine, said)
			}
		}
		if dir, ended, said := runs(t, script, "", "0"); ended == 0 || read(t, dir, "args") != "" {
			t.Errorf("%s, without a file: exit %d, %s", engine, ended, said)
		}
	}
}

// clusterScripts are the scripts of the examples that create a cluster, by the engine that runs them.
func clusterScripts(t *testing.T) map[string]string {
	t.Helper()
	var task struct {
		Spec struct {
			Steps []struct{ Script string }
		}
	}
	var action struct {
		Runs struct {
			Steps []struct{ Run string }
		}
	}
	var template map[string]struct{ Script []string }
	for file, into := range map[string]any{"tekton/cluster-task.yaml": &task, "github/cluster/action.yml": &action,
		"gitlab/cluster.gitlab-ci.yml": &template} {
		data, err := os.ReadFile(ciExamples + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	jenkins, err := os.ReadFile(ciExamples + "jenkins/Jenkinsfile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(jenkins), "sh '''")
	script, _, _ := strings.Cut(rest, "'''")
	return map[string]string{"Tekton": task.Spec.Steps[0].Script, "GitHub": action.Runs.Steps[0].Run,
		"GitLab": template[".hcctl-cluster"].Script[0], "Jenkins": script}
}

// TestCIClusterScripts: every engine runs cluster.sh, which deletes its own cluster whatever failed, dumps it then,
// keeps the exit code of what failed first, and leaves alone a cluster that was there before. When the engine stops
// the shell alone, what it waits for is stopped, and the cluster is deleted.
func TestCIClusterScripts(t *testing.T) {
	want, err := os.ReadFile(ciExamples + "cluster.sh")
	if err != nil {
		t.Fatal(err)
	}
	const created = "get create exec delete "
	for engine, script := range clusterScripts(t) {
		if strings.TrimSpace(script) != strings.TrimSpace(string(want)) {
			t.Errorf("%s does not run cluster.sh", engine)
		}
		for _, tc := range []struct {
			fails, calls string
			ended        int
		}{
			{"get=1", created, 0}, {"get=0", "get ", 1}, {"get=1 create=3", "get create dump delete ", 3},
			{"get=1 exec=7", "get create exec dump delete ", 7}, {"get=1 exec=7 dump=1 delete=4",
				"get create exec dump delete ", 7},
			{"get=1 delete=4", created, 4}, {"get=1 exec=stopped", created, 143},
			{"get=1 create=stopped", "get create delete ", 143},
		} {
			dir := t.TempDir()
			stand := "#!/bin/sh\nprintf '%s ' \"$1\" >> calls\necho \"$@\" >> args\nfor one in " + tc.fails +
				"; do case $one in $1=stopped) kill -TERM $PPID; exec sleep 600 ;; $1=*) exit ${one#*=} ;; esac; done\nexit 0\n"
			if err := os.WriteFile(filepath.Join(dir, "hcctl"), []byte(stand), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "NAME=ci-1", "TEST=oc get nodes", "OWNER=net e2e"}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if got := read(t, dir, "calls"); got != tc.calls || cmd.ProcessState.ExitCode() != tc.ended {
				t.Errorf("%s, %s: hcctl %s, exit %d, want %s, exit %d: %s", engine, tc.fails, got, cmd.ProcessState.ExitCode(),
					tc.calls, tc.ended, out)
			}
			for _, line := range strings.Split(strings.TrimSpace(read(t, dir, "args")), "\n") {
				verb, _, _ := strings.Cut(line, " ")
				if !strings.Contains(line, "ci-1") ||
					strings.Contains(line, " --infra-id ci-1-") != (verb == "create" || verb == "delete") {
					t.Errorf("%s: hcctl %s does not name the cluster of this run", engine, line)
				}
			}
		}
	}
}

// TestCITerraform: the query's name is a name or nothing, and what hcctl says is passed on.
func TestCITerraform(t *testing.T) {
	script, err := os.ReadFile(ciExamples + "terraform/status.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, ended, said := runs(t, string(script), `{"name":"kv-00"}`, "0")
	if ended != 0 || said != `{"name":"kv-00","host":"10.0.0.1","version":"4.20.3"}`+"\n" ||
		!strings.HasPrefix(read(t, dir, "args"), "get clusters kv-00 --namespace clusters --no-headers -o custom-columns=") {
		t.Errorf("exit %d, %q, hcctl %s", ended, said, read(t, dir, "args"))
	}
	for _, query := range []string{`{}`, `{"name":"--kubeconfig=x y"}`, `{"name":"--watch"}`, `{"name":"$(touch x)"}`} {
		if dir, ended, _ := runs(t, string(script), query, "0"); ended != 2 || read(t, dir, "args") != "" {
			t.Errorf("%s: exit %d, hcctl %s", query, ended, read(t, dir, "args"))
		}
	}
	if _, ended, said := runs(t, string(script), `{"name":"kv-00"}`, "0", `SAYS=kv-00 "," 4.20.3`); ended != 1 {
		t.Errorf("an address that would change the JSON ends with %d: %s", ended, said)
	}
	if _, ended, _ := runs(t, string(script), `{"name":"kv-00"}`, "1"); ended != 1 {
		t.Errorf("a failure ends with %d", ended)
	}
}
