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

// LeftAlone returns findings about existing objects that differ from the options and that this plan does not change.
// Their hints are the commands that would change them. It only reads; the steps report what cannot be read.
func (p *Plan) LeftAlone(ctx context.Context, reads step.Reads) []step.Finding {
	if !p.exists {
		return nil
	}
	r := p.client.Reader(reads)
	there, _ := p.checkAndPatch(p.patchableCluster(), p.checkHostedCluster, nil)
	all := []step.Finding{there(ctx, r)}
	for i, pool := range p.Options.NodePools {
		check, _ := p.checkAndAdjust(objects.TypedNodePool(p.Options, pool, p.Inputs), nil, p.Adjust[i])
		check, _ = p.checkAndPatch(p.patchablePool(pool), check, nil)
		all = append(all, check(ctx, r))
	}
	return slices.DeleteFunc(all, func(f step.Finding) bool { return f.State != step.StateOK || f.Hint.IsZero() })
}

// DiffersError means that existing objects differ from the options, although an exact match was requested.
type DiffersError struct {
	failure.Absence
	// Objects has a text for each object: its name and the fields that differ.
	Objects []string
	next    []hint.Text
}

// Error returns the objects and their fields.
func (e *DiffersError) Error() string {
	return "what exists is not what was asked for, and nothing was changed: " + strings.Join(e.Objects, "; ")
}

// Hint returns the commands that would change the objects, and the alternative without --exact.
func (e *DiffersError) Hint() hint.Text {
	if len(e.next) == 0 {
		return hint.New("without %s what exists is left as it is", hint.Flag("exact"))
	}
	return hint.New("%s; without %s what exists is left as it is", hint.Join(e.next, "; "), hint.Flag("exact"))
}

// add adds an object if it differs.
func (e *DiffersError) add(object string, commands []hint.Text, differ ...objects.Difference) {
	if len(differ) > 0 {
		e.Objects, e.next = append(e.Objects, object+": "+objects.Describe(differ)), append(e.next, commands...)
	}
}

// err returns the error, nil if nothing differs.
func (e *DiffersError) err() error {
	if len(e.Objects) == 0 {
		return nil
	}
	return e
}

// Exact fails with *DiffersError if an existing HostedCluster or NodePool differs from the options. A missing object is
// no difference, so that an interrupted create can continue.
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

// withPatch adds the differences that the options' patch would change in an existing object, including remains of an
// earlier patch.
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

// Exact fails with *DiffersError if the NodePool exists and differs from the options.
func (n *NewPool) Exact(ctx context.Context) error {
	e := &DiffersError{}
	if err := n.plan.exactPool(ctx, n.plan.client, e, n.plan.Options.NodePools[0], n.Pool); err != nil {
		return err
	}
	return e.err()
}

// withCommands adds the commands that would change an object to the finding that it is left unchanged.
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

// withoutDefaults omits differences from default values, so that a pool that was scaled later gets no command.
func (p *Plan) withoutDefaults(have *hyperv1.NodePool, differ []objects.Difference) []objects.Difference {
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
