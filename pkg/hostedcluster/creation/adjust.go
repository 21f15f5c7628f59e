package creation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Adjust selects the settings of an existing NodePool that are changed to the options. None of them recreates a VM.
type Adjust struct {
	// Size is the number of nodes, or the limits of autoscaling. It is not changed in a pool whose workers are stopped.
	Size bool
	// NodeLabels and Taints replace all labels and taints of the nodes.
	NodeLabels, Taints bool
	// NodeLabel is the key of one node label that is set in addition to the existing ones; empty for none.
	NodeLabel string
}

// checkAndAdjust returns the check and the apply of a pool's step, which creates a missing pool and adjusts an existing
// one.
func (p *Plan) checkAndAdjust(want *hyperv1.NodePool, made func() client.Object,
	what Adjust) (kube.Check, func(context.Context) (step.Change, error)) {
	create := p.createStrictly(made)
	if what == (Adjust{}) {
		return p.checkNodePool(want), create
	}
	check := func(ctx context.Context, r kube.Reader) step.Finding {
		f := p.checkNodePool(want)(ctx, r)
		if f.State != step.StateOK {
			return f
		}
		have := &hyperv1.NodePool{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(want), have); err != nil {
			return kube.Unknown(err).On("NodePool %s", kube.Name(want))
		}
		if _, differences := adjustment(have, want, what); len(differences) > 0 {
			return step.Missing("%s", objects.Describe(differences)).On("NodePool %s", kube.Name(want))
		}
		return f
	}
	return check, func(ctx context.Context) (step.Change, error) {
		have := &hyperv1.NodePool{}
		err := p.client.Get(ctx, client.ObjectKeyFromObject(want), have)
		switch {
		case apierrors.IsNotFound(err):
			return create(ctx)
		case err != nil:
			return "", fmt.Errorf("NodePool %s: %w", kube.Name(want), err)
		}
		fields, differences := adjustment(have, want, what)
		if len(differences) == 0 {
			return step.Unchanged, nil
		}
		if what.Size {
			if err := p.checkGrowth(ctx, have, want); err != nil {
				return "", err
			}
		}
		return hostedcluster.Edit(ctx, p.client, have, map[string]any{"spec": fields})
	}
}

// adjustment returns the changes of a pool's spec as a merge patch, and the differences that they remove.
func adjustment(have, want *hyperv1.NodePool, what Adjust) (map[string]any, []objects.Difference) {
	fields := map[string]any{}
	var compare []objects.Comparison
	_, stopped := have.Annotations[hostedcluster.StoppedAnnotation]
	if is, wants := hostedcluster.SizeOf(have), hostedcluster.SizeOf(want); what.Size && !stopped && is != wants {
		maps.Copy(fields, wants.Spec())
		compare = append(compare, objects.Comparison{Field: "the number of nodes", Have: is.String(), Want: wants.String()})
	}
	if is, wants := have.Spec.NodeLabels, want.Spec.NodeLabels; what.NodeLabels && !maps.Equal(is, wants) {
		labels := map[string]any{}
		for key := range is {
			labels[key] = nil
		}
		for key, value := range wants {
			labels[key] = value
		}
		fields["nodeLabels"] = labels
		compare = append(compare, objects.Comparison{Field: "spec.nodeLabels", Have: labelWords(is), Want: labelWords(wants)})
	}
	if wants, has := want.Spec.NodeLabels[what.NodeLabel]; has && !what.NodeLabels {
		if is := have.Spec.NodeLabels[what.NodeLabel]; is != wants {
			fields["nodeLabels"] = map[string]any{what.NodeLabel: wants}
			compare = append(compare, objects.Comparison{Field: "spec.nodeLabels." + what.NodeLabel, Have: is, Want: wants})
		}
	}
	if is, wants := have.Spec.Taints, want.Spec.Taints; what.Taints && !slices.Equal(is, wants) {
		fields["taints"] = append([]hyperv1.Taint{}, wants...)
		compare = append(compare, objects.Comparison{Field: "spec.taints", Have: taintWords(is), Want: taintWords(wants)})
	}
	return fields, objects.Compare(compare...)
}

func labelWords(labels map[string]string) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, key+"="+labels[key])
	}
	return strings.Join(words, ",")
}

func taintWords(taints []hyperv1.Taint) string {
	words := make([]string, len(taints))
	for i, t := range taints {
		words[i] = fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
	}
	return strings.Join(words, ",")
}
