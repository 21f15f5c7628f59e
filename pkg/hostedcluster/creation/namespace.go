package creation

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// createNamespaceStep returns the step that creates the HostedCluster's namespace, which several clusters may share.
func (p *Plan) createNamespaceStep() step.Step {
	s := step.Step{
		ID:    namespaceStep,
		Title: "namespace " + p.Options.Namespace,
		Group: ObjectsGroup,
		Check: p.client.Reading(p.checkNamespace),
		Apply: p.create(func() client.Object { return objects.Namespace(p.Options) }),
	}
	if p.fresh && (p.unchecked || p.lacksNamespace) {
		s.Attempt = p.attemptNamespace
	}
	return s
}

// attemptNamespace creates the namespace. AlreadyExists counts as success, unless the namespace is being deleted, which
// only the message tells (registry store of k8s.io/apiserver v0.36).
func (p *Plan) attemptNamespace(ctx context.Context) (step.Change, step.Finding) {
	change := step.Created
	err := p.client.CreateNew(ctx, objects.Namespace(p.Options))
	if apierrors.IsAlreadyExists(err) && !strings.Contains(err.Error(), "being deleted") {
		change, err = step.Unchanged, nil
	}
	if err != nil {
		return "", kube.Unknown(err)
	}
	return change, p.retryDryRun(ctx, step.OK("exists").On("Namespace %s", p.Options.Namespace))
}

func (p *Plan) checkNamespace(ctx context.Context, r kube.Reader) step.Finding {
	if p.hasNamespace { // a dry run fails if the namespace is missing or being deleted
		return step.OK("exists").On("Namespace %s", p.Options.Namespace)
	}
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
	return p.retryDryRun(ctx, step.OK("exists").On("Namespace %s", ns.Name))
}

// retryDryRun repeats the dry runs that failed without the namespace, so that no Secret is written for a cluster that
// the API server rejects.
func (p *Plan) retryDryRun(ctx context.Context, exists step.Finding) step.Finding {
	if !p.lacksNamespace {
		return exists
	}
	if err := p.dryRun(ctx); err != nil {
		p.lacksNamespace, p.hasNamespace = true, false // for the next check
		return step.Broken("%v; only the namespace is written", err).On("Namespace %s", p.Options.Namespace)
	}
	return exists
}
