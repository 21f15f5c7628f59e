package reconciler

import (
	"context"
	"errors"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// InfraNamespace is where the VMs of a HostedCluster are on another cluster; empty where they are on this one.
func InfraNamespace(hc *hyperv1.HostedCluster) string {
	kv := hc.Spec.Platform.Kubevirt
	if kv == nil || kv.Credentials == nil || kv.Credentials.InfraKubeConfigSecret == nil {
		return ""
	}
	return kv.Credentials.InfraNamespace
}

// InfraConfig returns the client configuration of the cluster with the VMs: this one, unless the HostedCluster has a
// kubeconfig for another.
func (b *Base) InfraConfig(ctx context.Context, hc *hyperv1.HostedCluster) (*rest.Config, error) {
	if InfraNamespace(hc) == "" {
		return rest.CopyConfig(b.Config), nil
	}
	name := hc.Spec.Platform.Kubevirt.Credentials.InfraKubeConfigSecret.Name
	secret := &corev1.Secret{}
	if err := b.Client.Get(ctx, types.NamespacedName{Namespace: hc.Namespace, Name: name}, secret); err != nil {
		return nil, fmt.Errorf("failed to fetch infra kubeconfig secret %s/%s: %w", hc.Namespace, name, err)
	}
	raw, ok := secret.Data[metadata.KubeconfigKey]
	if !ok {
		return nil, errors.New("failed to retrieve infra kubeconfig from secret: 'kubeconfig' key is missing")
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(raw)
	if err != nil {
		return nil, fmt.Errorf("failed to create REST config: %w", err)
	}
	return config, nil
}
