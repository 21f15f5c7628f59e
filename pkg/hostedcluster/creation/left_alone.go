package creation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
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

// DiffersError means that what exists is not what was asked for, and that only the very same is wanted.
type DiffersError struct {
	failure.Absence
	// Objects say of each what it is and which fields differ.
	Objects []string
	next    []hint.Text
}

// Error names the objects and their fields.
func (e *DiffersError) Error() string {
	return "what exists is not what was asked for, and nothing was changed: " + strings.Join(e.Objects, "; ")
}

// Hint is the commands that would change it, and the way without them.
func (e *DiffersError) Hint() hint.Text {
	if len(e.next) == 0 {
		return hint.New("without %s what exists is left as it is", hint.Flag("exact"))
	}
	return hint.New("%s; without %s what exists is left as it is", hint.Join(e.next, "; "), hint.Flag("exact"))
}

// add notes an object that differs.
func (e *DiffersError) add(object string, commands []hint.Text, differ ...objects.Difference) {
	if len(differ) > 0 {
		e.Objects, e.next = append(e.Objects, object+": "+objects.Describe(differ)), append(e.next, commands...)
	}
}

// err is the error, nil if nothing differs.
func (e *DiffersError) err() error {
	if len(e.Objects) == 0 {
		return nil
	}
	return e
}

// Exact fails with *DiffersError if a HostedCluster or a NodePool that exists is not what was asked for. What does not
// exist yet is no difference: a create that broke off may be taken up.
func (p *Plan) Exact(ctx context.Context, reads step.Reads) error {
	r, e := p.client.Reader(reads), &DiffersError{}
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, p.key(), hc)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("HostedCluster %s: %w", p.key(), err)
	}
	if err == nil {
		fixed, differ, err := p.clusterDiffers(ctx, r, hc)
		if err != nil {
			return fmt.Errorf("HostedCluster %s: %w", p.key(), err)
		}
		if o := p.Options; o.Version.String() != (hostedcluster.Version{}).String() && p.Inputs.ReleaseVersion != "" {
			differ = append(differ, objects.Compare(objects.Comparison{Field: "the version", Have: p.Inputs.ReleaseVersion,
				Want: o.Version.String()})...)
		}
		all, err := p.withPatch(ctx, r, p.patchableCluster(), append(fixed, differ...))
		if err != nil {
			return err
		}
		e.add("HostedCluster "+kube.Name(hc), update.ClusterCommands(hc.Namespace, hc.Name, wanted(differ)), all...)
	}
	for _, pool := range p.Options.NodePools {
		if err := p.exactPool(ctx, r, e, pool, objects.TypedNodePool(p.Options, pool, p.Inputs)); err != nil {
			return err
		}
	}
	return e.err()
}

func (p *Plan) exactPool(ctx context.Context, r kube.Reader, e *DiffersError, pool options.ValidatedPool,
	want *hyperv1.NodePool) error {
	have := &hyperv1.NodePool{}
	err := r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("NodePool %s: %w", kube.Name(want), err)
	}
	differ := objects.ChangeableInNodePool(have, want)
	if pool.ReleaseImage != "" {
		differ = append(differ, objects.Compare(objects.Comparison{Field: "spec.release.image", Have: have.Spec.Release.Image,
			Want: pool.ReleaseImage})...)
	}
	all, err := p.withPatch(ctx, r, p.patchablePool(pool), append(objects.FixedInNodePool(have, want), differ...))
	if err != nil {
		return err
	}
	e.add("NodePool "+kube.Name(have), update.PoolCommands(have.Namespace, have.Name, wanted(differ)), all...)
	return nil
}

// withPatch adds to the differences of an object that exists what of the patch of the options it lacks, and what it has
// of an earlier patch.
func (p *Plan) withPatch(ctx context.Context, r kube.Reader, made patchable,
	differ []objects.Difference) ([]objects.Difference, error) {
	_, change, err := p.patchChange(ctx, r, made)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", objectName(made.unpatched()), err)
	}
	for _, d := range change.Differences {
		if !slices.ContainsFunc(differ, func(known objects.Difference) bool { return known.Field() == d.Field() }) {
			differ = append(differ, d)
		}
	}
	return differ, nil
}

// Exact fails with *DiffersError if the NodePool exists and is not what was asked for.
func (n *NewPool) Exact(ctx context.Context) error {
	e := &DiffersError{}
	if err := n.plan.exactPool(ctx, n.plan.client, e, n.plan.Options.NodePools[0], n.Pool); err != nil {
		return err
	}
	return e.err()
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
