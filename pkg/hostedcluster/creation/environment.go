package creation

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// InEnvironment fails if the cluster exists and its label env differs from the options. Two environments of one file
// can have clusters of the same name.
func (p *Plan) InEnvironment() error {
	want, have := p.Options.Labels[hostedcluster.EnvironmentLabel], p.labels[hostedcluster.EnvironmentLabel]
	if !p.exists || have == want {
		return nil
	}
	is := "has no label " + hostedcluster.EnvironmentLabel
	if have != "" {
		is = fmt.Sprintf("has label %s=%s", hostedcluster.EnvironmentLabel, have)
	}
	return failure.New(failure.Final, hint.New("give each environment a namespace or management cluster of its own; if "+
		"the cluster does belong to %[1]s: oc label -n %[2]s hostedcluster %[3]s --overwrite %[4]s=%[1]s", want,
		p.key().Namespace, p.key().Name, hostedcluster.EnvironmentLabel),
		"HostedCluster %s exists and %s: it is not treated as one of environment %s", p.key(), is, want)
}
