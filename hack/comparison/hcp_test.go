package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/golden"
)

// newest is the newest HyperShift whose source was read; sandbox/crds/sync reads its CRDs.
const newest = "v0.1.81"

const vendor = "github.com/openshift/hypershift"

// hcpProgram returns the vendor's program, which make test-comparison builds. Without it the test is left out: CI has
// no time to build it.
func hcpProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv("HCCTL_HCP_BIN")
	if program == "" {
		t.Skip("needs the vendor's hcp: make test-comparison")
	}
	return program
}

// flagSources are the files of a command's flags, as far as KubeVirt and all platforms have them.
func flagSources() map[string][]string {
	return map[string][]string{
		"create cluster kubevirt": {"cmd/cluster/core/create.go", "cmd/cluster/kubevirt/create.go",
			"cmd/nodepool/kubevirt/create.go"},
		"create nodepool kubevirt": {"product-cli/cmd/nodepool/create.go", "cmd/nodepool/kubevirt/create.go",
			"cmd/nodepool/core/create.go"},
		"create kubeconfig":        {"product-cli/cmd/kubeconfig/create.go"},
		"destroy cluster kubevirt": {"product-cli/cmd/cluster/cluster.go"},
		"destroy nodepool":         {"product-cli/cmd/nodepool/destroy.go"},
		"version":                  {"cmd/version/version.go"},
	}
}

var (
	boundFlag  = regexp.MustCompile(`Var\(&?[^,()]+, "([a-zA-Z][a-zA-Z-]*)"`)
	helpedFlag = regexp.MustCompile(`(?m)^ +(?:-\w, |    )--([a-zA-Z-]+)`)
)

// TestHcpFlags holds contracts/hcp/flags.tsv to the vendor's source, and to what its program says of itself. UPDATE=1
// writes it.
func TestHcpFlags(t *testing.T) {
	program := hcpProgram(t)
	built := moduleVersion(t)
	versions := map[string][]string{}
	sourced := map[string]bool{}
	for _, version := range []string{built, newest} {
		dir := source(t, version)
		for command, files := range flagSources() {
			for _, name := range flagsOf(t, dir, files) {
				versions[command+"\t"+name] = append(versions[command+"\t"+name], version)
				sourced[version+" "+command+"\t"+name] = true
			}
		}
	}
	for command := range flagSources() {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(sourced)), func(at string) bool {
			return strings.HasPrefix(at, built+" "+command+"\t")
		}) {
			continue // newer than the program
		}
		help, err := measuring.Run(t.Context(), offline(), program, append(strings.Fields(command), "--help")...)
		if err != nil {
			t.Fatal(err)
		}
		found := helpedFlag.FindAllStringSubmatch(string(help.Stdout), -1)
		for _, match := range found {
			if match[1] != "help" && !sourced[built+" "+command+"\t"+match[1]] {
				t.Errorf("hcp %s says that it has --%s, and the source of %s was not seen to bind it", command, match[1], built)
			}
		}
		if len(found) < 3 {
			t.Errorf("hcp %s --help has %d flags", command, len(found))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# command of hcp\tflag\tversions of %s; those that hypershift alone has are among them\n", vendor)
	for _, row := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintf(&b, "%s\t%s\n", row, strings.Join(versions[row], " "))
	}
	golden.File(t, filepath.Join("..", "..", "contracts", "hcp", "flags.tsv"), b.String())
}

// moduleVersion is the version of the module that hcp is built from.
func moduleVersion(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "sandbox", "real", "hypershift", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^\t` + vendor + ` (v\S+)$`).FindSubmatch(content)
	if match == nil {
		t.Fatal("sandbox/real/hypershift/go.mod does not require " + vendor)
	}
	return string(match[1])
}

// source returns the directory of the module's source.
func source(t *testing.T, version string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", vendor+"@"+version).Output()
	if err != nil {
		t.Fatalf("go mod download %s@%s: %v", vendor, version, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

// flagsOf returns the flags that these files bind, as far as this version has the files.
func flagsOf(t *testing.T, dir string, files []string) []string {
	t.Helper()
	found := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range boundFlag.FindAllStringSubmatch(string(content), -1) {
			found[match[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestHcpRender renders a cluster with each flag by both programs. What differs is in a file, and in docs/hcp.md.
func TestHcpRender(t *testing.T) {
	c := &comparison{hcp: hcpProgram(t), hcctl: os.Getenv("HCCTL_BIN"),
		flags: filepath.Join("..", "..", "pkg", "hostedcluster", "objects", "testdata", "flags")}
	dir := t.TempDir()
	if err := writeExamples(dir); err != nil {
		t.Fatal(err)
	}
	lines, compared, err := c.renderDifferences(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if compared < 50 {
		t.Errorf("only %d flags were compared", compared)
	}
	golden.File(t, filepath.Join("testdata", "render.txt"), strings.Join(lines, "\n")+"\n")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "hcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		flag, _, _ := strings.Cut(strings.TrimPrefix(line, "`"), "=")
		row := regexp.MustCompile(`(?m)^\| .` + flag + ". \\| .+ \\| (.*)\\|$").FindSubmatch(page)
		if row == nil || strings.TrimSpace(string(row[1])) == "" {
			t.Errorf("docs/hcp.md does not say how %s differs: %s", flag, line)
		}
	}
}
