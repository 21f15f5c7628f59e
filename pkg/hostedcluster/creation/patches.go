package creation

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// KeepPatches makes the plan update the patches of existing objects to those of the options and revert the previous
// ones. It verifies that by dry runs, and fails with the API server's refusal.
func (p *Plan) KeepPatches(ctx context.Context, reads step.Reads) error {
	p.keepsPatches = true
	if !p.exists {
		return nil
	}
	r := p.client.Reader(reads)
	for _, made := range p.patchable() {
		have, change, err := p.patchChange(ctx, r, made)
		if err != nil || len(change.Fields) == 0 {
			continue // the steps report the error
		}
		if _, err := hostedcluster.Edit(ctx, p.client, have, change.Fields, client.DryRunAll); err != nil &&
			(apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || kube.IsDenied(err) ||
				len(hostedcluster.UnknownFields(err)) > 0) {
			return patchRefused(have, err)
		}
	}
	return nil
}

// patchRefused returns the API server's refusal of a patch of an object.
func patchRefused(obj client.Object, err error) error {
	if names := hostedcluster.UnknownFields(err); len(names) > 0 {
		return &UnknownFieldsError{Object: objectName(obj), Fields: names, Flags: []string{patchFlag(obj)}}
	}
	return &DeniedError{Object: objectName(obj), Err: err}
}

// patchFlag returns the flag of the patch for a kind of object.
func patchFlag(obj client.Object) string {
	if obj.GetObjectKind().GroupVersionKind().Kind == hostedcluster.HostedClusterKind {
		return "patch-hosted-cluster"
	}
	return "patch-nodepool"
}

// patchable returns an object with and without the patch of its options.
type patchable struct{ patched, unpatched func() client.Object }

// recorded reports whether an existing object was patched. It reads the same type as the check of its step.
func (m patchable) recorded(ctx context.Context, r client.Reader) (bool, error) {
	have := client.Object(&hyperv1.NodePool{})
	if m.unpatched().GetObjectKind().GroupVersionKind().Kind == hostedcluster.HostedClusterKind {
		have = &hyperv1.HostedCluster{}
	}
	err := r.Get(ctx, client.ObjectKeyFromObject(m.unpatched()), have)
	_, patched := have.GetAnnotations()[hostedcluster.PatchesAnnotation]
	return patched, err
}

func (p *Plan) patchable() []patchable {
	all := []patchable{p.patchableCluster()}
	for _, pool := range p.Options.NodePools {
		all = append(all, p.patchablePool(pool))
	}
	return all
}

func (p *Plan) patchableCluster() patchable {
	return patchable{p.hostedCluster, func() client.Object { return objects.UnpatchedHostedCluster(p.Options, p.Inputs) }}
}

func (p *Plan) patchablePool(pool options.ValidatedPool) patchable {
	return patchable{func() client.Object { return objects.NodePool(p.Options, pool, p.Inputs) },
		func() client.Object { return objects.TypedNodePool(p.Options, pool, p.Inputs) }}
}

// patchChange returns the existing object, and the changes that the patch of the options requires.
func (p *Plan) patchChange(ctx context.Context, r client.Reader,
	made patchable) (*unstructured.Unstructured, objects.PatchChange, error) {
	want := made.patched()
	have := &unstructured.Unstructured{}
	if _, given := want.GetAnnotations()[hostedcluster.PatchesAnnotation]; !given {
		if before, err := made.recorded(ctx, r); err != nil || !before {
			return have, objects.PatchChange{}, err
		}
	}
	have.SetGroupVersionKind(hyperv1.GroupVersion.WithKind(want.GetObjectKind().GroupVersionKind().Kind))
	if err := r.Get(ctx, client.ObjectKeyFromObject(want), have); err != nil {
		return have, objects.PatchChange{}, err
	}
	return have, objects.PatchOf(have, want, made.unpatched()), nil
}

// checkAndPatch adds the patch of an object to its check and its apply. Without KeepPatches the difference is only
// reported.
func (p *Plan) checkAndPatch(made patchable, check kube.Check,
	apply func(context.Context) (step.Change, error)) (kube.Check, func(context.Context) (step.Change, error)) {
	on := objectName(made.unpatched())
	kept := func(ctx context.Context, r kube.Reader) step.Finding {
		f := check(ctx, r)
		if f.State != step.StateOK {
			return f
		}
		_, change, err := p.patchChange(ctx, r, made)
		switch {
		case err != nil:
			return kube.Unknown(err).On("%s", on)
		case len(change.Fields) == 0:
			return f
		case p.keepsPatches:
			return step.Missing("%s", change).On("%s", on)
		}
		f.Message += "; its patch is not that of the options: " + change.String()
		way := hint.Run("apply").Flag("f", "FILE").Text()
		if !f.Hint.IsZero() {
			way = hint.Join([]hint.Text{f.Hint, way}, "; ")
		}
		f.Hint = way
		return f
	}
	if !p.keepsPatches {
		return kept, apply
	}
	return kept, func(ctx context.Context) (step.Change, error) {
		change, err := apply(ctx)
		if err != nil || change == step.Created {
			return change, err
		}
		have, patch, err := p.patchChange(ctx, p.client, made)
		switch {
		case err != nil:
			return change, fmt.Errorf("%s: %w", on, err)
		case len(patch.Fields) == 0:
			return change, nil
		}
		written, err := hostedcluster.Edit(ctx, p.client, have, patch.Fields)
		return step.Join(change, written), err
	}
}
