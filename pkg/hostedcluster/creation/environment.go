package creation

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// EnvironmentError means that a cluster exists, and is not marked as one of the wanted environment.
type EnvironmentError struct {
	failure.Refusal
	// Cluster is "namespace/name".
	Cluster string
	// Have and Want are the values of the label env; Have is empty if there is none.
	Have, Want string
}

// Error says which label is there.
func (e *EnvironmentError) Error() string {
	have := "has no label " + hostedcluster.EnvironmentLabel
	if e.Have != "" {
		have = fmt.Sprintf("has label %s=%s", hostedcluster.EnvironmentLabel, e.Have)
	}
	return fmt.Sprintf("HostedCluster %s exists and %s: it is not treated as one of environment %s", e.Cluster, have,
		e.Want)
}

// Hint is how to go on.
func (e *EnvironmentError) Hint() hint.Text {
	namespace, name, _ := strings.Cut(e.Cluster, "/")
	return hint.New("give each environment a namespace or management cluster of its own; if the cluster does belong "+
		"to %[1]s: oc label -n %[2]s hostedcluster %[3]s --overwrite %[4]s=%[1]s", e.Want, namespace, name,
		hostedcluster.EnvironmentLabel)
}

// InEnvironment fails with *EnvironmentError if the cluster exists without the label env of its options. Two
// environments of one file can have clusters of the same name.
func (p *Plan) InEnvironment() error {
	want, have := p.Options.Labels[hostedcluster.EnvironmentLabel], p.labels[hostedcluster.EnvironmentLabel]
	if !p.exists || have == want {
		return nil
	}
	return &EnvironmentError{Cluster: p.key().String(), Have: have, Want: want}
}
