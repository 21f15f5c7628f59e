package creation

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// namespaceMade writes the cluster's namespace, which it shares with others.
func (p *Plan) namespaceMade() step.Step {
	made := func() client.Object { return objects.Namespace(p.Options) }
	s := step.Step{
		ID:    namespaceStep,
		Title: "namespace " + p.Options.Namespace,
		Group: ObjectsGroup,
		Check: p.client.Reading(p.namespaceThere),
		Apply: p.create(made),
	}
	if p.fresh && (p.unchecked || p.lacksNamespace) {
		s.Attempt = p.attemptNamespace
	}
	return s
}

// attemptNamespace goes by the API server's refusal, where the namespace exists; that of one that is being deleted says
// so (registry store of k8s.io/apiserver v0.36).
func (p *Plan) attemptNamespace(ctx context.Context) (step.Change, step.Finding) {
	err := p.client.CreateNew(ctx, objects.Namespace(p.Options))
	switch {
	case err == nil:
		return step.Created, step.OK("exists").On("Namespace %s", p.Options.Namespace)
	case apierrors.IsAlreadyExists(err) && !strings.Contains(err.Error(), "being deleted"):
		return step.Unchanged, step.OK("exists").On("Namespace %s", p.Options.Namespace)
	}
	return "", kube.Unknown(err)
}

func (p *Plan) namespaceThere(ctx context.Context, r kube.Reader) step.Finding {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: p.Options.Namespace}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist").On("Namespace %s", p.Options.Namespace)
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", p.Options.Namespace)
	case ns.DeletionTimestamp != nil:
		return step.Pending("still being deleted").On("Namespace %s", ns.Name)
	}
	return step.OK("exists").On("Namespace %s", ns.Name)
}
