package creation

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

func TestAClusterOfAnotherEnvironmentIsRefused(t *testing.T) {
	o := options.Defaults()
	o.Namespace, o.Name, o.Labels = "lab", "kv", map[string]string{hostedcluster.EnvironmentLabel: "dev"}
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		exists bool
		labels map[string]string
		want   string
	}{
		"new":     {false, nil, ""},
		"its own": {true, map[string]string{"env": "dev"}, ""},
		"another's": {true, map[string]string{"env": "prod"},
			"exists and has label env=prod: it is not treated as one of environment dev"},
		"without mark": {true, map[string]string{"team": "a"},
			"exists and has no label env: it is not treated as one of environment dev"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Options: valid, exists: c.exists, labels: c.labels}
			err := p.InEnvironment()
			if c.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err == nil || err.Error() != "HostedCluster lab/kv "+c.want {
				t.Fatalf("got %v", err)
			}
			hint := failure.Hint(err).String()
			if !strings.Contains(hint, "oc label -n lab hostedcluster kv --overwrite env=dev") {
				t.Errorf("the hint is %q", hint)
			}
		})
	}
}
