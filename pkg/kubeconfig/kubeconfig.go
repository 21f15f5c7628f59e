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
	return fmt.Sprintf("hcctl create cluster --name %s --namespace %s, with the flags it was created with, waits until the API answers", e.Name, e.Namespace)
}

// Fetch returns the admin kubeconfig of a hosted cluster, as its control plane's operator wrote it. It fails with
// *hostedcluster.NotInstalledError, *hostedcluster.NotFoundError, *NotReadyError, or the error of the read.
func Fetch(ctx context.Context, c *kube.Client, namespace, name string) ([]byte, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	if hc.Status.KubeConfig == nil || hc.Status.KubeConfig.Name == "" {
		return nil, notReady(hc)
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: namespace, Name: hc.Status.KubeConfig.Name}
	if err := c.Get(ctx, key, secret); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("hosted cluster %s/%s: the Secret %s that should hold its kubeconfig is gone", namespace, name, key.Name)
		}
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	content := secret.Data[hostedcluster.KubeconfigKey]
	if err := parses(content); err != nil {
		return nil, fmt.Errorf("key %q of Secret %s holds no usable kubeconfig: %w", hostedcluster.KubeconfigKey, key, err)
	}
	return content, nil
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
