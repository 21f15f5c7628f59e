// Package kubeconfig hands out the kubeconfigs of hosted clusters.
package kubeconfig

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// NotReadyError means the hosted cluster exists but has no kubeconfig yet.
type NotReadyError struct {
	Namespace, Name string
	// Message is what the operator says of the cluster's condition Available, or empty if it says nothing.
	Message string
}

// Error names the cluster and what its operator says.
func (e *NotReadyError) Error() string {
	s := fmt.Sprintf("hosted cluster %s/%s has no kubeconfig yet", e.Namespace, e.Name)
	if e.Message == "" {
		return s + ": the HyperShift operator has not reported on it"
	}
	return s + ": " + e.Message
}

// Hint is how to wait for it.
func (e *NotReadyError) Hint() string {
	return fmt.Sprintf("hcctl kubeconfig %s --namespace %s --wait waits until it is there and the API answers", e.Name, e.Namespace)
}

// ExitCode is 3: what was asked for is not there yet.
func (*NotReadyError) ExitCode() int { return 3 }

// Variant is one of the kubeconfigs of a hosted cluster.
type Variant string

const (
	// Admin is the one every hosted cluster has; it leads to the address of its API server.
	Admin Variant = ""
	// Custom leads to the name in spec.kubeAPIServerDNSName, where that is set.
	Custom Variant = "custom"
)

// NoVariantError means the hosted cluster has no custom DNS name, and so no kubeconfig for it.
type NoVariantError struct{ Namespace, Name string }

// Error names the field that is not set.
func (e *NoVariantError) Error() string {
	return fmt.Sprintf("hosted cluster %s/%s has no DNS name of its own: spec.kubeAPIServerDNSName is not set", e.Namespace, e.Name)
}

// Hint is what there is instead.
func (e *NoVariantError) Hint() string {
	return fmt.Sprintf("without --custom, hcctl kubeconfig %s gives the one that leads to its address", e.Name)
}

// ExitCode is 3: what was asked for is not there.
func (*NoVariantError) ExitCode() int { return 3 }

// Fetch returns the admin kubeconfig of a hosted cluster, as its control plane's operator wrote it. It fails with
// *hostedcluster.NotInstalledError, *hostedcluster.NotFoundError, *NotReadyError, or the error of the read.
func Fetch(ctx context.Context, c *kube.Client, namespace, name string) ([]byte, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	return Of(ctx, c, hc, Admin)
}

// Of returns a kubeconfig of a hosted cluster that has been read. It fails with *NotReadyError, *NoVariantError, or the error of
// the read.
func Of(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, variant Variant) ([]byte, error) {
	ref := hc.Status.KubeConfig
	if variant == Custom {
		if hc.Spec.KubeAPIServerDNSName == "" {
			return nil, &NoVariantError{hc.Namespace, hc.Name}
		}
		ref = hc.Status.CustomKubeconfig
	}
	if ref == nil || ref.Name == "" {
		return nil, notReady(hc)
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: ref.Name}
	if err := c.Get(ctx, key, secret); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("hosted cluster %s: the Secret %s that should hold its kubeconfig is gone", kube.Name(hc), key.Name)
		}
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	content := secret.Data[hostedcluster.KubeconfigKey]
	if err := parses(content); err != nil {
		return nil, fmt.Errorf("key %q of Secret %s holds no usable kubeconfig: %w", hostedcluster.KubeconfigKey, key, err)
	}
	return content, nil
}

// EntryOf is the entry that hc gets in a kubeconfig of several clusters, with the default name. management is the URL of the
// management cluster's API server.
func EntryOf(hc *hyperv1.HostedCluster, management string, content []byte) Entry {
	return Entry{Owner: OwnerOf(hc, management), Context: ContextName(hc.Namespace, hc.Name), Kubeconfig: content}
}

// OwnerOf is by what the entries of hc are known.
func OwnerOf(hc *hyperv1.HostedCluster, management string) Owner {
	return Owner{HostedCluster: kube.Name(hc), ClusterID: hc.Spec.ClusterID, Management: management}
}

// parses tells whether a client could use the content.
func parses(content []byte) error {
	config, err := clientcmd.Load(content)
	if err != nil {
		return err
	}
	return clientcmd.ConfirmUsable(*config, "")
}

func notReady(hc *hyperv1.HostedCluster) error {
	e := &NotReadyError{Namespace: hc.Namespace, Name: hc.Name}
	if cond := meta.FindStatusCondition(hc.Status.Conditions, string(hyperv1.HostedClusterAvailable)); cond != nil {
		e.Message = cond.Message
	}
	return e
}
