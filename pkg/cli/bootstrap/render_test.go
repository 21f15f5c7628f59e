package bootstrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/directory"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/step"
)

func sent(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// somePlanned is a plan whose second step was planned first.
func somePlanned(t *testing.T) *cmdutil.Planned {
	t.Helper()
	engine := &step.Step{ID: "multicluster/engine", Title: "multicluster engine"}
	operator := &step.Step{ID: "multicluster/operator", Title: "its operator"}
	open := &step.Step{ID: "storage/cluster", Title: "storage cluster"}
	return &cmdutil.Planned{
		Forecasts: step.Forecasts{
			{Step: engine, Action: step.ActionWrite, Change: step.Created},
			{Step: operator, Action: step.ActionWrite, Change: step.Created},
			{Step: open, Action: step.ActionOpen, Prerequisite: "storage/volumes", Finding: step.Missing("no disks")},
		},
		Order: []step.ID{engine.ID, operator.ID},
		Depth: map[step.ID]int{engine.ID: 2, operator.ID: 1},
		Writes: map[step.ID][]plan.Write{
			engine.ID: {
				{Verb: plan.VerbCreate, Unvalidated: "no CRD",
					Sent: sent(t, "{apiVersion: x/v1, kind: Engine, metadata: {name: e, labels: {app.kubernetes.io/managed-by: "+
						"hcctl}}, spec: {}}")},
				{Verb: plan.VerbChange, Merge: true, Sent: sent(t, "{apiVersion: x/v1, kind: Ingress, metadata: {name: i, "+
					"namespace: ns, resourceVersion: '7'}, spec: {a: b}}")},
				{Verb: plan.VerbCreate, Sent: sent(t, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: ns}, data: "+
					"{a: aHVzaA==}}")},
			},
			operator.ID: {{Verb: plan.VerbCreate, Sent: sent(t, "{apiVersion: v1, kind: Namespace, metadata: {name: ns, "+
				"labels: {a: b, app.kubernetes.io/managed-by: hcctl}}, spec: {}}")}},
		},
	}
}

func TestRenderFiles(t *testing.T) {
	files, err := cmdutil.RenderFiles(somePlanned(t), "https://example")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.Path] = string(f.Data)
		if strings.Contains(string(f.Data), "aHVzaA") || strings.Contains(string(f.Data), kube.ManagedByLabel) {
			t.Errorf("%s has a secret or hcctl's label:\n%s", f.Path, f.Data)
		}
	}
	for path, want := range map[string]string{
		"001-multicluster-namespace-ns.yaml": `# its operator (multicluster/operator)
apiVersion: v1
kind: Namespace
metadata:
  annotations:
    argocd.argoproj.io/sync-wave: "1"
  labels:
    a: b
  name: ns
`,
		"002-multicluster-engine-e.yaml": `# multicluster engine (multicluster/engine)
apiVersion: x/v1
kind: Engine
metadata:
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
    argocd.argoproj.io/sync-wave: "2"
  name: e
spec: {}
`,
		"patches/003-multicluster-ingress-i.yaml": `# multicluster engine (multicluster/engine)
# Fields to set on an object that others own. Apply as a merge patch:
#   oc patch ingress.x i -n ns --type=merge --patch-file patches/003-multicluster-ingress-i.yaml
apiVersion: x/v1
kind: Ingress
metadata:
  name: i
  namespace: ns
spec:
  a: b
`,
		"kustomization.yaml": `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- 001-multicluster-namespace-ns.yaml
- 002-multicluster-engine-e.yaml
sortOptions:
  order: fifo
`,
	} {
		if got[path] != want {
			t.Errorf("%s:\n%s\nwant:\n%s", path, got[path], want)
		}
	}
	for _, line := range []string{"- storage/cluster: undecided until storage/volumes is done: no disks",
		"- Secret ns/s: secrets are not written", "--patch-file patches/003"} {
		if !strings.Contains(got["NOTES.md"], line) {
			t.Errorf("NOTES.md lacks %q:\n%s", line, got["NOTES.md"])
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files, want 5", len(files))
	}
}

func TestWriteDirectoryIsAllOrNothing(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	err := directory.Write("render", dir, []cmdutil.File{{Path: "a.yaml", Data: []byte("a")}, {Path: "a.yaml/b", Data: []byte("b")}})
	if err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Fatalf("a file that cannot be written: %v", err)
	}
	for _, d := range []string{parent, dir} {
		entries, err := os.ReadDir(d)
		if err != nil || d == dir && len(entries) != 0 || d == parent && len(entries) != 1 {
			t.Errorf("%s is left with %v, %v", d, entries, err)
		}
	}
	if err := directory.Vacant("render", dir); err != nil {
		t.Error(err)
	}
	if err := directory.Write("render", dir+"/", []cmdutil.File{{Path: "patches/a.yaml", Data: []byte("a")}}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "patches", "a.yaml")); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
	if err := directory.Vacant("render", dir); err == nil || !strings.Contains(err.Error(), "not empty: it has patches") {
		t.Errorf("a directory with something in it: %v", err)
	}
}
