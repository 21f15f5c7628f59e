package hostedcluster

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	mergePatch = types.MergePatchType
	background = metav1.DeletePropagationBackground
)

// nodePoolsGone also removes NodePools that outlived their HostedCluster.
func (d *Deletion) nodePoolsGone(ctx context.Context) step.Finding {
	pools, err := d.nodePools(ctx)
	if err != nil {
		return kube.Unread(err).On("NodePools in namespace %s", d.Namespace)
	}
	for i := range pools {
		if pools[i].DeletionTimestamp == nil {
			return step.NotThere("still there").On("NodePool %s", kube.Name(&pools[i]))
		}
	}
	if len(pools) > 0 {
		return step.Waiting("being deleted; finalizers: %s", strings.Join(pools[0].Finalizers, ", ")).On("NodePool %s", kube.Name(&pools[0]))
	}
	return step.Okay("gone").On("NodePools of HostedCluster %s", d.key())
}

func (d *Deletion) deleteNodePools(ctx context.Context) (step.Change, error) {
	pools, err := d.nodePools(ctx)
	if err != nil {
		return "", fmt.Errorf("list NodePools in namespace %s: %w", d.Namespace, err)
	}
	var left []client.Object
	for i := range pools {
		left = append(left, &pools[i])
	}
	return d.removeAll(ctx, left, nodePoolKind)
}

// controlPlaneGone waits for the control plane's namespace, and removes one that outlived its HostedCluster.
func (d *Deletion) controlPlaneGone(ctx context.Context) step.Finding {
	ns, err := d.controlPlane(ctx)
	name := ControlPlaneNamespace(d.Namespace, d.Name)
	switch {
	case err != nil:
		return kube.Unread(err).On("Namespace %s", name)
	case ns == nil:
		return step.Okay("gone").On("Namespace %s", name)
	case ns.DeletionTimestamp == nil:
		return step.NotThere("outlived its HostedCluster").On("Namespace %s", name)
	}
	return terminating(ns)
}

func (d *Deletion) deleteControlPlane(ctx context.Context) (step.Change, error) {
	ns, err := d.controlPlane(ctx)
	if err != nil || ns == nil {
		return step.Unchanged, err
	}
	return d.remove(ctx, ns, "Namespace")
}

// findInfraID asks the Secrets hcctl made, where the HostedCluster is gone.
func (d *Deletion) findInfraID(ctx context.Context) error {
	secrets, err := d.secrets(ctx)
	if err != nil {
		return fmt.Errorf("list Secrets in namespace %s: %w", d.Namespace, err)
	}
	for i := range secrets {
		if id := secrets[i].Labels[infraLabel]; id != "" {
			d.InfraID = id
			return nil
		}
	}
	return nil
}

// secrets are those labelled with the cluster's infraID and those hcctl made under the names it uses.
func (d *Deletion) secrets(ctx context.Context) ([]corev1.Secret, error) {
	var l corev1.SecretList
	if err := d.client.List(ctx, &l, client.InNamespace(d.Namespace)); err != nil {
		return nil, err
	}
	var own []corev1.Secret
	for i := range l.Items {
		if d.owns(&l.Items[i]) {
			own = append(own, l.Items[i])
		}
	}
	return own, nil
}

func (d *Deletion) owns(s *corev1.Secret) bool {
	if id := s.Labels[infraLabel]; d.InfraID != "" && id != "" {
		return id == d.InfraID
	}
	switch s.Name {
	case pullSecretName(d.Name), encryptionKeyName(d.Name), sshKeyName(d.Name):
		return s.Labels[kube.ManagedByLabel] == kube.FieldOwner
	}
	return false
}

func (d *Deletion) secretsGone(ctx context.Context) step.Finding {
	secrets, err := d.secrets(ctx)
	if err != nil {
		return kube.Unread(err).On("Secrets in namespace %s", d.Namespace)
	}
	for i := range secrets {
		if secrets[i].DeletionTimestamp == nil {
			return step.NotThere("still there").On("Secret %s", kube.Name(&secrets[i]))
		}
	}
	if len(secrets) > 0 {
		return step.Waiting("being deleted; finalizers: %s", strings.Join(secrets[0].Finalizers, ", ")).On("Secret %s", kube.Name(&secrets[0]))
	}
	return step.Okay("gone").On("Secrets of HostedCluster %s", d.key())
}

func (d *Deletion) deleteSecrets(ctx context.Context) (step.Change, error) {
	secrets, err := d.secrets(ctx)
	if err != nil {
		return "", fmt.Errorf("list Secrets in namespace %s: %w", d.Namespace, err)
	}
	var left []client.Object
	for i := range secrets {
		left = append(left, &secrets[i])
	}
	return d.removeAll(ctx, left, "Secret")
}

// removeAll deletes what is not being deleted yet.
func (d *Deletion) removeAll(ctx context.Context, objects []client.Object, kind string) (step.Change, error) {
	change := step.Unchanged
	for _, obj := range objects {
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		one, err := d.remove(ctx, obj, kind)
		if err != nil {
			return change, err
		}
		change = step.Join(change, one)
	}
	return change, nil
}
