package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/apply"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/step"
)

// directoryOf is a directory with files of these contents.
func directoryOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const oneCluster = "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: kv-00}\n"

func TestFleetsThatAreMisusedContactNobody(t *testing.T) {
	twice := directoryOf(t, map[string]string{"a.yaml": oneCluster, "b.yml": oneCluster, "notes.txt": "x"})
	wrong := directoryOf(t, map[string]string{"a.yaml": oneCluster + "spec: {nodePools: [{memory: 1Gi, cores: 0}]}\n"})
	alone := filepath.Join(twice, "a.yaml")
	for _, tc := range []struct {
		args string
		want string
	}{
		{"apply", "--file: which file?"},
		{"apply -f " + twice, "b.yml:3: metadata.name \"kv-00\": the cluster clusters/kv-00 is described already, at " +
			filepath.Join(twice, "a.yaml") + ":1"},
		{"apply -f " + wrong, "a.yaml:4: spec.nodePools[0].cores \"0\""},
		{"apply -f " + t.TempDir(), "the directory has no .yaml file"},
		{"apply -f " + alone + " --parallel -1", "--parallel -1: it cannot be negative"},
		{"apply -f " + alone + " --timeout 0s", "--timeout 0s: give a time above zero"},
		{"apply -f " + alone + " --wait ever", `--wait "ever"`},
		{"apply -f " + alone + " -o yaml", `--output "yaml" is not a format`},
		{"apply -f " + alone + " --dry-run -o name", "it takes json, yaml"},
		{"apply -f " + alone + " --trouble-timeout -1s", "--trouble-timeout -1s: it cannot be negative"},
		{"wait cluster kv-00 --timeout 0s", "--timeout 0s: give a time above zero"},
		{"create cluster --name kv-00 --timeout -5m", "--timeout -5m0s: give a time above zero"},
		{"delete clusters", "which hosted clusters?"},
		{"delete clusters kv-00 -l a=b", "one of them says which hosted clusters are meant"},
		{"delete clusters kv-00 -A", "--all-namespaces: it needs --selector"},
		{"delete clusters -l a=b=c", `--selector "a=b=c"`},
		{"delete clusters -f " + twice, "is described already"},
	} {
		if code, out, errs := run(t, strings.Fields(tc.args)...); code != cmdutil.ExitUsage || out != "" ||
			!strings.Contains(errs, tc.want) {
			t.Errorf("%s: exit %d, stdout %q\n%s\nwant %s", tc.args, code, out, errs, tc.want)
		}
	}
}

func TestOnlyWhatADocumentSaysOfAPoolIsSet(t *testing.T) {
	all, err := config.ParseClusters("fleet.yaml", ".", []byte(`apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  spec:
    nodePools: [{replicas: 3}]
clusters:
- metadata: {name: of-defaults}
- metadata: {name: own}
  spec: {nodePools: [{memory: 8Gi}, {name: b, maxReplicas: 3, minReplicas: 1, taints: ["a=b:NoSchedule"]}]}
`), "")
	if err != nil {
		t.Fatal(err)
	}
	if got := apply.Adjusts(all[0]); got[0] != (creation.Adjust{Size: true}) {
		t.Errorf("of the defaults: %+v", got)
	}
	got := apply.Adjusts(all[1])
	if got[0] != (creation.Adjust{}) || got[1] != (creation.Adjust{Size: true, Taints: true}) {
		t.Errorf("of its own: %+v", got)
	}
}

// TestTheEnvironmentReachesPoolsThatAreThere has the nodes' label env follow that of the cluster.
func TestTheEnvironmentReachesPoolsThatAreThere(t *testing.T) {
	all, err := config.ParseClusters("fleet.yaml", ".", []byte(`apiVersion: hcctl.dev/v1alpha1
kind: Fleet
environments: {dev: {}}
clusters:
- metadata: {name: bare}
  spec: {nodePools: [{replicas: 3}]}
- metadata: {name: own}
  spec: {nodePools: [{nodeLabels: {tier: web}}]}
`), "dev")
	if err != nil {
		t.Fatal(err)
	}
	if got := apply.Adjusts(all[0]); got[0] != (creation.Adjust{Size: true, NodeLabel: "env"}) {
		t.Errorf("without labels of its own: %+v", got)
	}
	if got := apply.Adjusts(all[1]); got[0] != (creation.Adjust{NodeLabels: true}) ||
		all[1].Options.NodePools[0].NodeLabels["env"] != "dev" {
		t.Errorf("with labels of its own: %+v", got)
	}
}

func TestClustersOfAPlanAreTold(t *testing.T) {
	of := func(subject string, will step.Action) step.Forecast {
		return step.Forecast{Step: &step.Step{ID: step.ID(subject), Subject: subject}, Action: will}
	}
	p := &cmdutil.Planned{Forecasts: step.Forecasts{
		of("a/0", step.ActionKeep), of("a/1", step.ActionKeep), of("a/1", step.ActionWrite), of("a/1", step.ActionWait),
		of("a/2", step.ActionWrite), of("a/2", step.ActionStop), of("a/3", step.ActionWait),
	}}
	if got := cmdutil.TallySubjects("hosted cluster",
		p.Subjects()); got != "4 hosted clusters: 1 would fail, 2 to do, 1 with nothing to do." {
		t.Error(got)
	}
	var out, errs bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Out: &out, Err: &errs}, nil)
	p.Removes("a/1", []string{"2 worker VMs"}, nil)
	if err := a.Plans.PrintFleet(p, "FleetDeletePlan", "x", "json"); err != nil {
		t.Fatal(err)
	}
	conforms(t, "plan", out.Bytes())
}
