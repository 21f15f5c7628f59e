package upgrade

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func TestRulesOfClusters(t *testing.T) {
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []hyperv1.NodePool
		to    string
		// want is part of what stands against it; empty for nothing. code is its exit code.
		want string
		code int
	}{
		"a patch":               {cluster("4.19.4"), pools("4.19.4"), "4.19.5", "", 0},
		"the next minor":        {cluster("4.19.4"), pools("4.19.4"), "4.20.1", "", 0},
		"back a patch":          {cluster("4.19.4"), nil, "4.19.3", "do not go back", 2},
		"back a minor":          {cluster("4.19.4"), nil, "4.18.30", "do not go back", 2},
		"back to the candidate": {cluster("4.19.0"), nil, "4.19.0-rc.3", "do not go back", 2},
		"two minors":            {cluster("4.18.4"), nil, "4.20.1", "one minor version at a time", 2},
		"not supported": {cluster("4.20.4"), nil, "4.21.1",
			"4.21 is not among the versions the HyperShift operator supports: 4.20, 4.19", 2},
		"vetoed, next minor": {notUpgradeable(cluster("4.19.4")), nil, "4.20.1", "operator foo is incompatible",
			1},
		"vetoed, a patch":     {notUpgradeable(cluster("4.19.4")), nil, "4.19.5", "", 0},
		"a pool three behind": {cluster("4.19.4"), pools("4.19.4", "4.17.3"), "4.20.1", "", 0},
		"a pool four behind": {cluster("4.19.4"), pools("4.19.4", "4.16.3"), "4.20.1",
			"NodePool pool-b runs 4.16.3 and would be 4 minor versions behind", 1},
		"not rolled out yet":               {cluster(), nil, "4.20.1", "its first roll-out has to complete", 1},
		"first roll-out, version unknown":  {cluster("?"), nil, "4.20.1", "its first roll-out has to complete", 1},
		"half-way, back to where it was":   {cluster("4.20.1?", "4.19.4"), nil, "4.19.4", "do not go back", 2},
		"half-way, on to another patch":    {cluster("4.20.1?", "4.19.4"), nil, "4.20.2", "", 0},
		"older than its history's end":     {cluster("4.19.4", "4.20.1?"), nil, "4.19.5", "", 0},
		"a version that is not known here": {cluster("4.19.4"), nil, "latest", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldOf(tc.hc, tc.pools, "4.19.9")
			refused := w.judge(offerOf(tc.to, image(tc.to), FromImageSet, "x"))
			switch {
			case tc.want == "" && refused != nil:
				t.Errorf("refused: %v", refused)
			case tc.want != "" && (refused == nil || !strings.Contains(refused.Message, tc.want) ||
				refused.ExitCode() != tc.code || refused.Next == ""):
				t.Errorf("%+v, want %q, exit %d", refused, tc.want, tc.code)
			}
		})
	}
}

func TestRulesOfPools(t *testing.T) {
	for name, tc := range map[string]struct{ own, to, want string }{
		"to its control plane":     {"4.18.3", "4.19.4", ""},
		"in between":               {"4.17.3", "4.18.9", ""},
		"beyond its control plane": {"4.18.3", "4.19.5", "never newer"},
		"back":                     {"4.19.3", "4.19.2", "do not go back"},
		"too old":                  {"", "4.15.1", "three minor versions behind|3 minor versions behind"},
		"not known":                {"4.18.3", "latest", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldOf(cluster("4.19.4"), nil)
			now, _ := hostedcluster.ParseVersion("4.19.4")
			np := &pools(tc.own)[0]
			refused := w.judgePool(np, offerOf(tc.to, image(tc.to), FromImageSet, "x"), now)
			found := false
			for _, want := range strings.Split(tc.want, "|") {
				found = found || refused != nil && strings.Contains(refused.Message, want)
			}
			if (tc.want == "") != (refused == nil) || tc.want != "" && !found {
				t.Errorf("%v, want %q", refused, tc.want)
			}
		})
	}
}
