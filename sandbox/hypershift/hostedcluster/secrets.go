package hostedcluster

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// ownSecrets makes the HostedCluster the owner of the Secrets that were made for it: those with both labels. Kubernetes
// deletes them after it. It also marks the pull secret and the key of etcd, and looks only once.
func (r *hostedClusters) ownSecrets(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if _, done := r.owning.Load(hc.UID); done || hc.Spec.InfraID == "" {
		return nil
	}
	list := &corev1.SecretList{}
	if err := r.Client.List(ctx, list, client.InNamespace(hc.Namespace)); err != nil {
		return fmt.Errorf("failed to retrieve cli created secrets: %w", err)
	}
	referenced := []string{hc.Spec.PullSecret.Name, hc.Spec.SSHKey.Name}
	if enc := hc.Spec.SecretEncryption; enc != nil && enc.AESCBC != nil {
		referenced = append(referenced, enc.AESCBC.ActiveKey.Name)
	}
	for i := range list.Items {
		s := &list.Items[i]
		before := s.DeepCopy()
		if s.Labels[metadata.SafeToDeleteLabel] == "true" &&
			s.Labels[metadata.AutoCreatedForInfraLabel] == hc.Spec.InfraID {
			if err := controllerutil.SetControllerReference(hc, s, r.Scheme); err != nil {
				return fmt.Errorf("failed to set %q secret's owner reference: %w", s.Name, err)
			}
			metadata.Add(&s.Annotations, map[string]string{metadata.ClusterAnnotation: hc.Namespace + "/" + hc.Name})
		}
		if slices.Contains(referenced, s.Name) && r.Features.Has(reconciler.ReferencedResources) {
			metadata.Add(&s.Annotations, map[string]string{metadata.ReferencedPrefix + hc.Name: "true"})
		}
		if equality.Semantic.DeepEqual(before.ObjectMeta, s.ObjectMeta) {
			continue
		}
		if err := r.Client.Patch(ctx, s, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("failed to set %q secret's owner reference: %w", s.Name, err)
		}
	}
	r.owning.Store(hc.UID, true)
	return nil
}

// noteAvailable marks a HostedCluster that has been available once.
func (r *hostedClusters) noteAvailable(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if hc.Annotations[beenAvailableAnnotation] != "" ||
		!meta.IsStatusConditionTrue(hc.Status.Conditions, string(hyperv1.HostedClusterAvailable)) {
		return nil
	}
	before := hc.DeepCopy()
	metadata.Add(&hc.Annotations, map[string]string{beenAvailableAnnotation: "true"})
	if err := r.Client.Patch(ctx, hc, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("cannot patch hosted cluster with has been available annotation: %w", err)
	}
	return nil
}

const beenAvailableAnnotation = "hypershift.openshift.io/HasBeenAvailable"

// autoscaled reports whether a NodePool of the cluster has autoscaling.
func (r *hostedClusters) autoscaled(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	pools, err := r.poolsOf(ctx, hc)
	return slices.ContainsFunc(pools, func(np hyperv1.NodePool) bool { return np.Spec.AutoScaling != nil }), err
}
