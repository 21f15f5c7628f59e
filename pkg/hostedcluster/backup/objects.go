package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// readObjects returns all objects of the backup in the form that a restore creates. If etcd's data has another
// encryption key than the spec's active key, that key becomes the backup key in the HostedCluster.
func readObjects(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster,
	keys hostedcluster.Encryption) ([]*unstructured.Unstructured, error) {
	if active := hostedcluster.EncryptionKey(hc); active != "" && keys.Active != "" && active != keys.Active {
		hc = hc.DeepCopy()
		hc.Spec.SecretEncryption.AESCBC.BackupKey = &corev1.LocalObjectReference{Name: keys.Active}
	}
	pools, err := hostedcluster.Pools(ctx, c, hc.Namespace, hc.Name)
	if err != nil {
		return nil, err
	}
	refs, err := archive.ReferencesOf(hc, pools)
	if err != nil {
		return nil, err
	}
	all := []client.Object{hc}
	for i := range pools {
		all = append(all, &pools[i])
	}
	for _, name := range refs.ConfigMaps {
		o := &corev1.ConfigMap{}
		if all, err = appendFound(ctx, c, all, o, "ConfigMap", hc.Namespace, name); err != nil {
			return nil, err
		}
	}
	needed := required(hc)
	for _, name := range refs.Secrets {
		before := len(all)
		if all, err = appendFound(ctx, c, all, &corev1.Secret{}, "Secret", hc.Namespace, name); err != nil {
			return nil, err
		}
		if len(all) == before && slices.Contains(needed, name) {
			return nil, fmt.Errorf("there is no Secret %s/%s, and no cluster can be restored without it", hc.Namespace,
				name)
		}
	}
	plane := hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)
	for _, name := range hostedcluster.ControlPlaneKeys() {
		if all, err = appendFound(ctx, c, all, &corev1.Secret{}, "Secret", plane, name); err != nil {
			return nil, err
		}
	}
	out := make([]*unstructured.Unstructured, 0, len(all))
	for _, o := range all {
		u, err := clean(c, o)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// appendFound reads an object and appends it if it exists.
func appendFound(ctx context.Context, c *kube.Client, all []client.Object, o client.Object, kind, namespace,
	name string) ([]client.Object, error) {
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, o)
	switch {
	case apierrors.IsNotFound(err):
		return all, nil
	case err != nil:
		return nil, fmt.Errorf("%s %s/%s: %w", kind, namespace, name, err)
	}
	return append(all, o), nil
}

// poolAnnotations begins the annotations in which HyperShift's operator tracks the rollout of a NodePool. They describe
// machines that a restore does not bring back.
const poolAnnotations = "hypershift.openshift.io/nodePool"

// clean returns the object without the fields that only a server or an operator writes.
func clean(c *kube.Client, o client.Object) (*unstructured.Unstructured, error) {
	gvk, err := c.GroupVersionKindFor(o)
	if err != nil {
		return nil, err
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", gvk.Kind, kube.Name(o), err)
	}
	u := &unstructured.Unstructured{Object: m}
	u.SetGroupVersionKind(gvk)
	annotations := map[string]string{}
	for k, v := range o.GetAnnotations() {
		switch {
		case k == corev1.LastAppliedConfigAnnotation, k == hostedcluster.ClusterUIDAnnotation,
			k == hostedcluster.RestoreAnnotation,
			gvk.Kind == hostedcluster.NodePoolKind && strings.HasPrefix(k, poolAnnotations):
		default:
			annotations[k] = v
		}
	}
	meta := map[string]any{"name": o.GetName(), "namespace": o.GetNamespace()}
	delete(u.Object, "status")
	u.Object["metadata"] = meta
	if len(annotations) > 0 {
		u.SetAnnotations(annotations)
	}
	if labels := o.GetLabels(); len(labels) > 0 {
		u.SetLabels(labels)
	}
	return u, nil
}

// required returns the Secrets without which a backup cannot be restored.
func required(hc *hyperv1.HostedCluster) []string {
	names := []string{hc.Spec.PullSecret.Name}
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		names = append(names, e.AESCBC.ActiveKey.Name, ptr.Deref(e.AESCBC.BackupKey, corev1.LocalObjectReference{}).Name)
	}
	return names
}
