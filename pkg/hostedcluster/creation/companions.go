package creation

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// companionSteps returns the steps of the objects that must exist before the HostedCluster, the namespace first, and
// the IDs to wait for. The two Secrets with the cluster's identity come next, one after the other: if one remains from
// an earlier create, all later objects get its identity.
func (p *Plan) companionSteps() (steps []step.Step, all []step.ID) {
	ns, first := p.createNamespaceStep(), []step.ID{namespaceStep}
	if !p.unchecked {
		free := step.Step{ID: nameStep, Title: "name is free", Group: ObjectsGroup, Check: p.client.Reading(p.checkNameFree)}
		steps, first = append(steps, free), append(first, nameStep)
		if !p.fresh || p.lacksNamespace { // otherwise it exists and is only checked
			ns.Needs = []step.ID{nameStep}
		}
	}
	steps = append(steps, ns)
	for i := range objects.Companions(p.Options, p.Inputs) {
		s := p.companionStep(func() client.Object { return objects.Companions(p.Options, p.Inputs)[i] })
		switch s.ID {
		case pullSecretStep:
			s.Needs = first
		case encryptionKeyStep:
			s.Needs = []step.ID{pullSecretStep}
		default:
			s.Needs = []step.ID{encryptionKeyStep}
		}
		steps, all = append(steps, s), append(all, s.ID)
	}
	return steps, all
}

// companionStep returns the step that creates an object that must exist before the HostedCluster.
func (p *Plan) companionStep(made func() client.Object) step.Step {
	obj := made()
	id, title := p.companionID(obj)
	write := p.writeRecorded
	if isPool(obj) {
		write = p.writePool
	}
	return step.Step{
		ID:      id,
		Title:   title,
		Group:   ObjectsGroup,
		Needs:   []step.ID{namespaceStep},
		Check:   p.client.Reading(p.companionCheck(obj)),
		Apply:   p.createBy(made, write),
		Attempt: p.attempt(made, write),
	}
}

// companionCheck returns the check of such an object.
func (p *Plan) companionCheck(obj client.Object) kube.Check {
	if secret, ok := obj.(*corev1.Secret); ok {
		return func(ctx context.Context, r kube.Reader) step.Finding { return p.checkSecret(ctx, r, secret) }
	}
	return func(ctx context.Context, r kube.Reader) step.Finding { return p.checkCompanion(ctx, r, obj) }
}

// companionID returns the step ID and the title of an object. Three Secrets have their own.
func (p *Plan) companionID(obj client.Object) (step.ID, string) {
	kind, name := obj.GetObjectKind().GroupVersionKind().Kind, obj.GetName()
	if kind == "Secret" {
		switch name {
		case hostedcluster.PullSecretName(p.Options.Name):
			return pullSecretStep, "pull secret"
		case hostedcluster.EncryptionKeyName(p.Options.Name):
			return encryptionKeyStep, "etcd encryption key"
		case hostedcluster.SSHKeyName(p.Options.Name):
			return sshKeyStep, "SSH key"
		}
	}
	return step.ID(ObjectsGroup + "/" + strings.ToLower(kind) + "-" + name), kind + " " + name
}

// checkCompanion is OK for an existing object of that name that belongs to this cluster or that an existing cluster
// uses. A missing kind is Broken: waiting does not help.
func (p *Plan) checkCompanion(ctx context.Context, r kube.Reader, want client.Object) step.Finding {
	gvk := want.GetObjectKind().GroupVersionKind()
	have := &unstructured.Unstructured{}
	have.SetGroupVersionKind(gvk)
	err := r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case kube.IsKindMissing(err):
		return step.Broken("the API server does not know the kind %s", gvk).On("%s %s", gvk.Kind, kube.Name(want)).
			WithHint("%s says what is missing", hint.Run("check"))
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist").On("%s %s", gvk.Kind, kube.Name(want))
	case err != nil:
		return kube.Unknown(err).On("%s %s", gvk.Kind, kube.Name(want))
	case have.GetDeletionTimestamp() != nil:
		return step.Pending("still being deleted").On("%s %s", gvk.Kind, kube.Name(want))
	}
	if f, is := p.foreignFinding(ctx, r, want, have); is {
		return f
	}
	p.cache.store(gvk, have)
	if id := have.GetLabels()[hostedcluster.InfraLabel]; id != p.Inputs.InfraID {
		return step.OK("exists and is not of this cluster; left as it is").On("%s %s", gvk.Kind, kube.Name(want))
	}
	return step.OK("exists").On("%s %s", gvk.Kind, kube.Name(want))
}

// checkSecret is OK for an existing Secret with that key that belongs to this cluster or that an existing cluster uses.
func (p *Plan) checkSecret(ctx context.Context, r kube.Reader, want *corev1.Secret) step.Finding {
	have := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist").On("Secret %s", kube.Name(want))
	case err != nil:
		return kube.Unknown(err).On("Secret %s", kube.Name(want))
	case have.DeletionTimestamp != nil:
		return step.Pending("still being deleted").On("Secret %s", kube.Name(want))
	}
	if want.Name == hostedcluster.PullSecretName(p.Options.Name) && !p.infraIDKnown() {
		p.takeInfraID(have) // another create may have started after Prepare
	}
	if f, is := p.foreignFinding(ctx, r, want, have); is {
		return f
	}
	p.cache.store(want.GroupVersionKind(), have)
	if want.Name == hostedcluster.PullSecretName(p.Options.Name) ||
		want.Name == hostedcluster.EncryptionKeyName(p.Options.Name) {
		p.takeInfraID(have)
	}
	for key, content := range want.Data {
		switch got := have.Data[key]; {
		case len(got) == 0:
			return step.Broken("exists, but has no key %q", key).On("Secret %s", kube.Name(want)).
				WithHint("it was not made by hcctl: delete or complete it")
		case want.Name == hostedcluster.EncryptionKeyName(p.Options.Name):
			if len(got) != encryptionKeyLength {
				return step.Broken("exists, but its key %q has %d bytes instead of %d", key, len(got), encryptionKeyLength).On(
					"Secret %s", kube.Name(want))
			}
		case string(got) != string(content):
			return step.OK("exists with another content, which is left as it is").On("Secret %s", kube.Name(want))
		}
	}
	return step.OK("exists").On("Secret %s", kube.Name(want))
}
