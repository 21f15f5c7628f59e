package diagnosis

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/golden"
)

// scriptsPage is the document about the steps of public pipelines.
const scriptsPage = "../../docs/dev/scripts.md"

// found are the exit codes of a command that did what it was asked for: all is well, something was found, a dry run
// would change something. Wrong usage is 2, a failure 1, 4 or 5.
var found = []int{0, 3, 6}

// possible are those of a dry run that finds nothing in its way.
var possible = []int{0, 6}

// files are those that commands of the page name.
var files = map[string]string{
	"fleet.yaml": `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
environments: {lab: {}}
clusters:
- metadata: {name: kv-ci, namespace: clusters}
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.8-multi", nodePools: [{name: kv-ci, replicas: 2}]}
`,
	"mirrors.yaml": "- source: quay.io/openshift-release-dev/ocp-release\n  mirrors: [mirror.example.com:5000/ocp/release]\n",
	"hcctl.yaml": `apiVersion: hcctl.dev/v1alpha1
kind: Bootstrap
mirrors:
  resources: cluster-resources
  catalogs: {nightly: "quay.io/openshift-cnv/nightly-catalog:4.20"}
  pullSecret: pull-secret.json
virtualization:
  spec:
    defaultCPUModel: Broadwell
    logVerbosityConfig: {kubevirt: {virtLauncher: 8, virtHandler: 8, virtController: 8, virtAPI: 8, virtOperator: 8}}
    permittedHostDevices:
      pciHostDevices: [{pciDeviceSelector: "10DE:1EB8", resourceName: nvidia.com/TU104GL_Tesla_T4}]
`,
	"pull-secret.json": `{"auths":{"quay.io/openshift-cnv":{"auth":"dXNlcjpwYXNzd29yZA=="}}}`,
	"cluster-resources/idms.yaml": `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: brew}
spec: {imageDigestMirrors: [{source: registry.redhat.io, mirrors: [mirror.example.com:5000/redhat]}]}
`,
}

// TestScripts runs the commands that take the place of scripts, and adds up what goes of these.
func TestScripts(t *testing.T) {
	w := newWorld(t)
	if err := os.Mkdir(filepath.Join(w.hcctl.Dir, "cluster-resources"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(w.hcctl.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(scriptsPage)
	if err != nil {
		t.Fatal(err)
	}
	steps, all, scope, gone := 0, 0, 0, 0
	ran := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		characters, err := strconv.Atoi(cells[2])
		if err != nil {
			continue // the head of the table
		}
		goes, err := strconv.Atoi(cells[3])
		if err != nil || goes > characters {
			t.Errorf("%s: %s of %d characters go", cells[0], cells[3], characters)
		}
		steps, all, gone = steps+1, all+characters, gone+goes
		cell, noRun := strings.CutSuffix(cells[4], " †")
		command, is := strings.CutPrefix(strings.Trim(cell, "`"), "hcctl ")
		if is == (goes == 0) || cells[5] == "" && goes < characters {
			t.Errorf("%s: %d of %d characters go by %q, and the rest by %q", cells[0], goes, characters, cells[4], cells[5])
		}
		if !is {
			continue
		}
		scope += characters
		if ran[command] {
			continue
		}
		ran[command] = true
		if noRun {
			command += " --help" // the flags are read all the same
		}
		codes := found
		if strings.Contains(command, "hcctl.yaml") {
			codes = possible
		}
		if e := w.hcctl.Run(t, strings.Fields(strings.ReplaceAll(command, "'", ""))...); !slices.Contains(codes, e.Code) {
			t.Errorf("%s: hcctl %s: %s", cells[0], command, e)
		}
	}
	golden.Section(t, scriptsPage, "<!-- sum -->\n", "<!-- end of sum -->", fmt.Sprintf("%d parts of scripts have %d "+
		"characters, of which %d go: %d %%. Without those that hcctl has nothing for it is %d %% of %d. The goal is 75 %%.\n",
		steps, all, gone, 100*gone/all, 100*gone/scope, scope))
}
