package hub_test

import (
	"testing"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Every ManifestWork that hcctl writes fits the CRD of each release of multicluster engine: new, with Secrets, changed,
// stopped. The facts are those of package contracts.
func TestManifestWorksFitEveryRelease(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	opt := written()
	opt.CopySecrets = true
	if _, report := run(t, api, opt, desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	works := []map[string]any{workOf(t, api, "east", "a").Object,
		api.Object(t, kube.ManifestWork, "east", "hcctl-secrets.clusters.a").Object}
	if r := carry(t, hub.Stop(api.Client, one(t, api), false)); r.Err() != nil {
		t.Fatal(r.Err())
	}
	works = append(works, workOf(t, api, "east", "a").Object)
	table, err := contracts.TableOf(kube.ManifestWork.Group, kube.ManifestWork.Kind)
	if err != nil {
		t.Fatal(err)
	}
	releases, err := table.Releases.All()
	if err != nil || len(releases) < 2 {
		t.Fatalf("only releases %v, %v", releases, err)
	}
	for _, release := range releases {
		schemas, err := crd.Schemas(table, release)
		if err != nil {
			t.Fatal(err)
		}
		for i, work := range works {
			problems, err := crd.Problems(schemas[""], work)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range problems {
				t.Errorf("%s, ManifestWork %d: %s", release, i, problem)
			}
		}
	}
}
