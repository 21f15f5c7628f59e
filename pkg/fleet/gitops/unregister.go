package gitops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Removal returns the steps that make Argo CD forget the hosted cluster. They delete what Steps made in the
// hosted cluster, which ends the token, and then the Secret; only objects that hcctl has made. A hosted cluster
// without a UID no longer exists: only its Secret is deleted.
func (r Registration) Removal(c *kube.Client, hc *hyperv1.HostedCluster) []step.Step {
	subject := kube.Name(hc)
	secret := step.Step{
		ID: step.ID("gitops/no-" + SecretName(hc)), Title: "no Secret of Argo CD for " + subject, Group: "gitops",
		Subject: subject,
		Check: c.Reading(func(ctx context.Context, reader kube.Reader) step.Finding {
			return r.secretGone(ctx, reader, hc)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return r.deleteSecret(ctx, c, hc) },
	}
	if hc.UID == "" {
		return []step.Step{secret}
	}
	account := step.Step{
		ID: step.ID("gitops/no-account-" + SecretName(hc)), Title: "no account for Argo CD in " + subject, Group: "gitops",
		Subject: subject,
		Check: c.Reading(func(ctx context.Context, reader kube.Reader) step.Finding {
			return accountGone(ctx, reader, hc)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return deleteAccount(ctx, c, hc) },
	}
	// The Secret is deleted even if the hosted cluster cannot be reached.
	secret.After = []step.ID{account.ID}
	return []step.Step{account, secret}
}

func (r Registration) secretOf(ctx context.Context, reader kube.Reader, hc *hyperv1.HostedCluster) (*corev1.Secret,
	error) {
	secret := &corev1.Secret{}
	err := reader.Get(ctx, client.ObjectKey{Namespace: r.ArgoNamespace, Name: SecretName(hc)}, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, err
}

// Knows reports whether Argo CD has a Secret for the hosted cluster.
func (r Registration) Knows(ctx context.Context, reader kube.Reader, hc *hyperv1.HostedCluster) (bool, error) {
	secret, err := r.secretOf(ctx, reader, hc)
	return secret != nil, err
}

// madeFor reports whether hcctl has made the Secret for that hosted cluster, by its labels, annotation and
// content.
func madeFor(secret *corev1.Secret, hc *hyperv1.HostedCluster) bool {
	return secret.Labels[kube.ManagedByLabel] == kube.FieldOwner &&
		secret.Annotations[hostedcluster.ClusterAnnotation] == kube.Name(hc) &&
		secret.Labels[secretTypeLabel] == "cluster" && string(secret.Data["name"]) == clusterName(hc)
}

func (r Registration) secretGone(ctx context.Context, reader kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	secret, err := r.secretOf(ctx, reader, hc)
	on := fmt.Sprintf("Secret %s/%s", r.ArgoNamespace, SecretName(hc))
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", on)
	case secret == nil:
		return step.OK("there is none").On("%s", on)
	case !madeFor(secret, hc):
		return step.Broken("hcctl did not make it, and does not remove it").On("%s", on).
			WithHint("if nobody needs it: oc delete secret %s -n %s", secret.Name, secret.Namespace)
	case secret.DeletionTimestamp != nil:
		return step.Pending("being deleted").On("%s", on)
	}
	return step.Missing("still there").On("%s", on)
}

func (r Registration) deleteSecret(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (step.Change,
	error) {
	secret, err := r.secretOf(ctx, c, hc)
	if err != nil || secret == nil || !madeFor(secret, hc) {
		return step.Unchanged, err
	}
	return c.DeleteUnchanged(ctx, secret)
}

// accountOf returns the existing objects that hcctl has made in the hosted cluster. kept is why the
// ServiceAccount stays although hcctl has made it.
func accountOf(ctx context.Context, hosted kube.Reader) (own []*unstructured.Unstructured, kept string, err error) {
	bindings := kube.ClusterRoleBinding.NewList()
	if err := hosted.List(ctx, bindings); err != nil {
		return nil, "", fmt.Errorf("in the hosted cluster: ClusterRoleBindings: %w", err)
	}
	for i := range bindings.Items {
		b := &bindings.Items[i]
		b.SetGroupVersionKind(kube.ClusterRoleBinding.GroupVersionKind)
		switch {
		case !isForAccount(b):
		case b.GetName() == accountBinding && hostedcluster.WrittenByHcctl(b):
			own = append(own, b)
		default:
			kept = fmt.Sprintf("ClusterRoleBinding %s is for ServiceAccount %s/%s, too", b.GetName(), accountNamespace, account)
		}
	}
	sa := kube.ServiceAccount.New()
	err = hosted.Get(ctx, client.ObjectKey{Namespace: accountNamespace, Name: account}, sa)
	switch {
	case apierrors.IsNotFound(err):
		return own, "", nil
	case err != nil:
		return nil, "", fmt.Errorf("in the hosted cluster: ServiceAccount %s/%s: %w", accountNamespace, account, err)
	case !hostedcluster.WrittenByHcctl(sa):
		return own, "hcctl did not make it", nil
	case kept == "":
		own = append(own, sa)
	}
	return own, kept, nil
}

// isForAccount reports whether a binding has Argo CD's account as a subject.
func isForAccount(b *unstructured.Unstructured) bool {
	return slices.ContainsFunc(kube.Maps(b, "subjects"), func(s map[string]any) bool {
		return s["kind"] == "ServiceAccount" && s["namespace"] == accountNamespace && s["name"] == account
	})
}

// inside returns a client of the hosted cluster, or nil if it has no kubeconfig, so that hcctl has made nothing
// in it.
func inside(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) (*kube.Client, error) {
	access, err := guest.Access(ctx, r, hc)
	switch {
	case errors.Is(err, guest.ErrNoKubeconfig):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return guest.Reach(r, access, client.ObjectKeyFromObject(hc))
}

func accountGone(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	on := fmt.Sprintf("ServiceAccount %s/%s in %s", accountNamespace, account, kube.Name(hc))
	hosted, err := inside(ctx, r, hc)
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", on)
	case hosted == nil:
		return step.OK("the hosted cluster has no kubeconfig, so hcctl has made nothing in it").On("%s", on)
	}
	return judgeAccount(ctx, hosted).On("%s", on)
}

func judgeAccount(ctx context.Context, hosted kube.Reader) step.Finding {
	own, kept, err := accountOf(ctx, hosted)
	switch {
	case err != nil:
		return kube.Unknown(err)
	case len(own) > 0:
		return step.Missing("%s is still there", own[0].GetKind())
	case kept != "":
		return step.OK("left as it is: %s", kept)
	}
	return step.OK("there is none")
}

func deleteAccount(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (step.Change, error) {
	hosted, err := inside(ctx, c, hc)
	if err != nil || hosted == nil {
		return step.Unchanged, err
	}
	if c.IsPlanning() {
		return step.Deleted, nil
	}
	return removeAccount(ctx, hosted)
}

func removeAccount(ctx context.Context, hosted *kube.Client) (step.Change, error) {
	own, _, err := accountOf(ctx, hosted)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for _, o := range own {
		one, err := hosted.DeleteUnchanged(ctx, o)
		if err != nil {
			return change, fmt.Errorf("in the hosted cluster: %s %s: %w", o.GetKind(), kube.Name(o), err)
		}
		change = step.Join(change, one)
	}
	return change, nil
}
