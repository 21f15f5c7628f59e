package prereqs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/prereqs/design"
)

// What the daemons of Data Foundation request is what contracts/odf.yaml has from its source, for every release and
// profile.
func TestRequestsOfDataFoundationAreThoseOfItsSource(t *testing.T) {
	data, err := os.ReadFile("../../contracts/odf.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Requests map[string]any `json:"daemon_requests"`
	}
	if err := yaml.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	for _, release := range releases(t, "4.12-4.21") {
		version := semver.New(uint64(release.Major), uint64(release.Minor), 0, "", "")
		for _, profile := range append(design.Profiles(), "") {
			key := "4.12-4.14"
			if release.Minor >= 15 {
				key = "4.15-4.21 " + profile
				if profile == "" {
					key = "4.15-4.21 balanced"
				}
			}
			for _, d := range (design.Options{Profile: profile}).Daemons(version, 1) {
				row := key
				if strings.HasPrefix(d.Name, "noobaa-") {
					row = "4.12-4.21 noobaa"
				}
				wantRequests(t, facts.Requests[row], d)
			}
		}
	}
}

func wantRequests(t *testing.T, row any, d design.Daemon) {
	t.Helper()
	daemons, _ := row.(map[string]any)
	pair, _ := daemons[d.Name].([]any)
	if len(pair) != 2 {
		t.Fatalf("no fact about %s in %v", d.Name, row)
	}
	cpu, memory := resource.MustParse(fmt.Sprint(pair[0])), resource.MustParse(fmt.Sprint(pair[1]))
	if cpu.MilliValue() != d.Each.MilliCPU || memory.Value() != d.Each.Memory {
		t.Errorf("%s: CPU %d and memory %d, the source has %v", d.Name, d.Each.MilliCPU, d.Each.Memory, pair)
	}
}
