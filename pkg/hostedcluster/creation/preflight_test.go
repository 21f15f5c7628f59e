package creation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestEveryPreflightCheckHasAPlaceInTheDocs holds the checks to the anchors and headings of their page, and to the IDs
// that can be skipped.
func TestEveryPreflightCheckHasAPlaceInTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "preflight.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{
		Options: optionstest.Valid(t, optionstest.With(
			t,
			"--metallb-pool tenants --etcd-storage-class fast --additional-network name:default/lan --spread host "+
				"--isolate-control-plane shared --cluster-set dev --owner e2e --expires 6h --infra-namespace guests "+
				"--infra-kubeconfig-file kubeconfig",
		)),
		MaxClusters: 1,
	}
	var ids []step.ID
	for _, s := range p.Preflight() {
		ids = append(ids, s.ID)
		file, anchor, _ := strings.Cut(s.Docs, "#")
		section := `<a id="` + anchor + `"></a>` + "\n\n## " + string(s.ID) + "\n"
		if file != "docs/preflight.md" || !strings.Contains(string(page), section) {
			t.Errorf("%s: no section for %q", s.ID, s.Docs)
		}
		if !strings.Contains(string(page), "`--skip-preflight "+string(s.ID)+"`") {
			t.Errorf("%s: how to skip it is not told", s.ID)
		}
	}
	if !slices.Equal(ids, PreflightIDs()) {
		t.Errorf("checks %v, IDs %v", ids, PreflightIDs())
	}
}
