package support_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/management/support"
)

func file(t *testing.T, name ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", ".."}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func component(t *testing.T, name string) support.Component {
	t.Helper()
	for _, c := range support.Components() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no component %s", name)
	return support.Component{}
}

// refs are the first and last minor version of a file of facts.
func refs(t *testing.T, name string) [2]string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^refs: \{"([\d.]+)-([\d.]+)":`).FindStringSubmatch(file(t, "contracts", name))
	if m == nil {
		t.Fatalf("contracts/%s has no refs", name)
	}
	return [2]string{m[1], m[2]}
}

// TestKnownAreTheFacts holds the table to the versions that contracts has.
func TestKnownAreTheFacts(t *testing.T) {
	for name, from := range map[string]string{support.OpenShift: "local-storage.yaml", support.Engine: "mce.yaml",
		support.HyperShift: "hypershift.yaml", support.Hosted: "hypershift.yaml"} {
		if diff := cmp.Diff(refs(t, from), component(t, name).Known); diff != "" {
			t.Errorf("%s, by %s: %s", name, from, diff)
		}
	}
}

// TestTestedAreTheProfiles holds the table to the profiles of the sandbox, and to the modules that it runs.
func TestTestedAreTheProfiles(t *testing.T) {
	var openShift, engines []string
	row := regexp.MustCompile(`bareMetal\("(\d+\.\d+)\.\d+", (?:"[\d.]+", )*"([\d.]+)"\)`)
	for _, m := range row.FindAllStringSubmatch(file(t, "sandbox", "profile", "table.go"), -1) {
		openShift, engines = append(openShift, m[1]), append(engines, m[2])
	}
	same := func(name string, want []string) {
		t.Helper()
		got := slices.Clone(component(t, name).Tested)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	same(support.OpenShift, openShift)
	same(support.Engine, engines)
	version := func(pattern string, path ...string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(file(t, path...))
		if m == nil {
			t.Fatalf("%v has no %s", path, pattern)
		}
		return m[1]
	}
	kubernetes := `k8s\.io/kubernetes v(1\.\d+)\.`
	servers := []string{version(kubernetes, "sandbox", "go.mod")}
	for _, module := range directories(t, "sandbox", "kubernetes") {
		servers = append(servers, version(kubernetes, "sandbox", "kubernetes", module, "go.mod"))
	}
	same(support.Kubernetes, servers)
	same(support.HyperShift, []string{
		version(`openshift/hypershift v([\d.]+)`, "sandbox", "real", "hypershift", "go.mod"),
		version(`"hypershift-newest", module: module\{path: "[^"]+", version: "v([\d.]+)"`, "sandbox", "crds", "sync", "sources.go"),
	})
	var hosted []string
	_, releases, _ := strings.Cut(file(t, "e2e", "profiles_test.go"), "var hostedReleases = ")
	releases, _, _ = strings.Cut(releases, "\n}\n")
	for _, m := range regexp.MustCompile(`"(\d+\.\d+)\.\d+"`).FindAllStringSubmatch(releases, -1) {
		hosted = append(hosted, m[1])
	}
	same(support.Hosted, hosted)
}

// TestEveryProfileRuns: each management cluster of the table is one that a script bootstraps.
func TestEveryProfileRuns(t *testing.T) {
	generations := file(t, "e2e", "profiles_test.go")
	for _, version := range component(t, support.OpenShift).Tested {
		if !strings.Contains(generations, `{"ocp-`+version+`", `) {
			t.Errorf("TestGenerations does not run OpenShift %s", version)
		}
	}
}

// directories are the names of directories in a directory.
func directories(t *testing.T, name ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(append([]string{"..", "..", ".."}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestThePageHasTheTable: docs/support.md tells each version of the table.
func TestThePageHasTheTable(t *testing.T) {
	_, table, _ := strings.Cut(file(t, "docs", "support.md"), "| component |")
	for _, c := range support.Components() {
		for _, version := range append(slices.Clone(c.Known[:]), c.Tested...) {
			if !strings.Contains(table, version) {
				t.Errorf("docs/support.md does not tell %s of %s", version, c.Name)
			}
		}
	}
}

// cluster is a management cluster with these versions; empty leaves a part out.
func cluster(t *testing.T, engine, hosted string) *kube.Client {
	t.Helper()
	answers := map[string]any{
		"/apis/multicluster.openshift.io/v1/multiclusterengines": []any{},
		"/api/v1/namespaces/hypershift/configmaps":               []any{},
	}
	if engine == "forbidden" {
		answers["/apis/multicluster.openshift.io/v1/multiclusterengines"] = http.StatusForbidden
	} else if engine != "" {
		answers["/apis/multicluster.openshift.io/v1/multiclusterengines"] = []any{kubetest.Object{
			"apiVersion": "multicluster.openshift.io/v1", "kind": "MultiClusterEngine",
			"metadata": kubetest.Object{"name": "e"}, "status": kubetest.Object{"currentVersion": engine}}}
	}
	if hosted != "" {
		answers["/api/v1/namespaces/hypershift/configmaps/supported-versions"] = kubetest.Object{"apiVersion": "v1",
			"kind": "ConfigMap", "metadata": kubetest.Object{"namespace": "hypershift", "name": "supported-versions"},
			"data": kubetest.Object{"supported-versions": hosted}}
	}
	return kubetest.ServePaths(t, answers).Client
}

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		openShift, kubernetes, engine, hosted string
		want                                  string
		worst                                 support.Verdict
	}{
		"all tested": {"4.20.3", "v1.36.3", "2.10.1", `{"versions":["4.20","4.14"]}`,
			"tested tested tested tested", support.Tested},
		"a real 4.20": {"4.20.3", "v1.33.5", "2.10.1", `{"versions":["4.20"]}`, "tested tested tested tested",
			support.Tested},
		"odd minors": {"4.19.3", "v1.32.5", "2.4.1", `{"versions":["4.9","4.19"]}`, "tested known known tested",
			support.Known},
		"nothing installed": {"4.18.3", "v1.31.5", "", "", "tested known absent absent", support.Known},
		"too new":           {"5.2.0", "v1.37.0", "5.2.0", `{"versions":["5.2"]}`, "untested untested untested untested", support.Untested},
		"too old":           {"4.11.0", "v1.24.0", "2.1.0", `{"versions":["4.11"]}`, "untested untested untested untested", support.Untested},
		"OpenShift 5": {"5.0.0", "v1.36.0", "5.0.1", `{"versions":["5.1","5.0","4.23"]}`, "tested tested tested tested",
			support.Tested},
		"OpenShift 5.1": {"5.1.0", "v1.37.0", "5.1.0", `{"versions":["5.1"]}`, "tested untested tested tested",
			support.Untested},
		"no OpenShift": {"", "v1.36.0", "", "", "untested tested absent absent", support.Untested},
		"not readable": {"4.20.3", "v1.36.0", "forbidden", `{"versions":"4.20"}`, "tested tested unknown unknown",
			support.Unknown},
		"lies": {"4.20.3", "\x1b[31m", "2.x", `{"versions":["4.20"]}`, "tested unknown unknown tested", support.Unknown},
	} {
		found := support.Read(t.Context(), cluster(t, tc.engine, tc.hosted), tc.openShift, tc.kubernetes)
		var got []string
		for _, f := range found {
			got = append(got, string(f.Verdict))
			if f.Verdict != support.Tested && f.Detail == "" {
				t.Errorf("%s: %s does not say why it is %s", name, f.Component, f.Verdict)
			}
		}
		if strings.Join(got, " ") != tc.want || support.Worst(found) != tc.worst {
			t.Errorf("%s: %s, %s; want %s, %s\n%s", name, got, support.Worst(found), tc.want, tc.worst, fmt.Sprint(found))
		}
	}
}
