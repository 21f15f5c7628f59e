package deletion

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// companions returns the Secrets and ConfigMaps in the HostedCluster's namespace that hcctl or the hypershift command
// line created for it. It omits those that another HostedCluster uses.
func (d *Plan) companions(ctx context.Context, r kube.Reader) ([]client.Object, error) {
	all, err := d.secretsAndConfigMaps(ctx, r)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(all, func(o client.Object) bool { return !d.owns(o) })
	if len(own) == 0 {
		return nil, nil
	}
	used, err := d.usedByOthers(ctx, r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(own, func(o client.Object) bool { return used[kindOf(o)+" "+o.GetName()] }), nil
}

// secretsAndConfigMaps returns the Secrets and ConfigMaps of the namespace. If the user may not list Secrets, it reads
// them by name.
func (d *Plan) secretsAndConfigMaps(ctx context.Context, r kube.Reader) ([]client.Object, error) {
	secrets, err := d.secrets(ctx, r)
	if err != nil {
		return nil, err
	}
	var maps corev1.ConfigMapList
	if err := r.List(ctx, &maps, client.InNamespace(d.Namespace)); err != nil {
		return nil, err
	}
	var all []client.Object
	for i := range secrets {
		all = append(all, &secrets[i])
	}
	for i := range maps.Items {
		all = append(all, &maps.Items[i])
	}
	return all, nil
}

// findForeignCompanions adds a note to Left for Secrets and ConfigMaps that have the InfraID label but are not the
// cluster's.
func (d *Plan) findForeignCompanions(ctx context.Context, r kube.Reader) error {
	if d.InfraID == "" {
		return nil
	}
	all, err := d.secretsAndConfigMaps(ctx, r)
	if err != nil {
		return fmt.Errorf("list Secrets and ConfigMaps in namespace %s: %w", d.Namespace, err)
	}
	for _, o := range all {
		if o.GetLabels()[hostedcluster.InfraLabel] == d.InfraID && !d.owns(o) {
			d.addLeft(kindOf(o), o)
		}
	}
	return nil
}

// usedByOthers returns the Secrets and ConfigMaps that other HostedClusters of the namespace refer to, as "Secret
// name".
func (d *Plan) usedByOthers(ctx context.Context, r kube.Reader) (map[string]bool, error) {
	var l hyperv1.HostedClusterList
	if err := r.List(ctx, &l, client.InNamespace(d.Namespace)); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	used := map[string]bool{}
	for i := range l.Items {
		hc := &l.Items[i]
		if hc.Name == d.Name {
			continue
		}
		used["Secret "+hc.Spec.PullSecret.Name] = true
		used["Secret "+hc.Spec.SSHKey.Name] = true
		if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
			used["Secret "+e.AESCBC.ActiveKey.Name] = true
		}
		if b := hc.Spec.AdditionalTrustBundle; b != nil {
			used["ConfigMap "+b.Name] = true
		}
	}
	return used, nil
}

func (d *Plan) secretsGone(ctx context.Context, r kube.Reader) step.Finding {
	own, err := d.companions(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Secrets and ConfigMaps in namespace %s", d.Namespace)
	}
	if len(own) > 0 {
		return remainingOf(own)
	}
	return step.OK("gone").On("Secrets and ConfigMaps of HostedCluster %s", d.key())
}

func (d *Plan) deleteSecrets(ctx context.Context) (step.Change, error) {
	own, err := d.companions(ctx, d.client)
	if err != nil {
		return "", fmt.Errorf("list Secrets and ConfigMaps in namespace %s: %w", d.Namespace, err)
	}
	return d.removeAll(ctx, own)
}

// kindOf returns the kind of an object. Typed objects from an API server have no kind in their metadata.
func kindOf(o client.Object) string {
	switch o.(type) {
	case *corev1.Secret:
		return "Secret"
	case *corev1.ConfigMap:
		return "ConfigMap"
	case *hyperv1.NodePool:
		return hostedcluster.NodePoolKind
	}
	return o.GetObjectKind().GroupVersionKind().Kind
}
