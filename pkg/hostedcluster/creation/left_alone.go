package creation

import (
	"context"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
	"github.com/hcctl/hcctl/pkg/step"
)

// LeftAlone are the findings about what exists, differs from what was asked for, and is not changed by this plan. Their
// hints are the commands that would change it. It only reads; what cannot be read is left to the steps.
func (p *Plan) LeftAlone(ctx context.Context, reads step.Reads) []step.Finding {
	if !p.exists {
		return nil
	}
	r := p.client.Reader(reads)
	there, _ := p.patchKept(p.patchableCluster(), p.hostedClusterThere, nil)
	all := []step.Finding{there(ctx, r)}
	for i, pool := range p.Options.NodePools {
		check, _ := p.adjusted(objects.TypedNodePool(p.Options, pool, p.Inputs), nil, p.Adjust[i])
		check, _ = p.patchKept(p.patchablePool(pool), check, nil)
		all = append(all, check(ctx, r))
	}
	return slices.DeleteFunc(all, func(f step.Finding) bool { return f.State != step.StateOK || f.Hint.IsZero() })
}

// withCommands adds to a finding about an object that is left as it is the commands that would change it.
func withCommands(f step.Finding, commands []hint.Text) step.Finding {
	if f.State == step.StateOK && len(commands) > 0 {
		f.Hint = hint.Join(commands, "; ")
	}
	return f
}

func wanted(differ []objects.Difference) []update.Wanted {
	all := make([]update.Wanted, 0, len(differ))
	for _, d := range differ {
		all = append(all, update.Wanted{Field: d.Field(), Value: d.Want()})
	}
	return all
}

// askedOfPool leaves out what is asked for by default only: a pool that was scaled since needs no command.
func (p *Plan) askedOfPool(have *hyperv1.NodePool, differ []objects.Difference) []objects.Difference {
	o := options.DefaultNodePool()
	o.Name = have.Name
	usual, err := o.Validate()
	if err != nil {
		return differ
	}
	byDefault := objects.ChangeableInNodePool(have, objects.TypedNodePool(p.Options, usual, p.Inputs))
	return slices.DeleteFunc(slices.Clone(differ), func(d objects.Difference) bool {
		return slices.Contains(byDefault, d)
	})
}
