// Package kubeconfig writes the kubeconfigs of hosted clusters for users.
package kubeconfig

import (
	"context"
	"errors"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
)

// NotReadyError means that the hosted cluster exists, but has no kubeconfig yet.
type NotReadyError struct {
	failure.Absence
	Namespace, Name string
	// Message is the message of the condition Available; it may be empty.
	Message string
}

// Error returns a message with the cluster and the condition's message.
func (e *NotReadyError) Error() string {
	s := fmt.Sprintf("hosted cluster %s/%s has no kubeconfig yet", e.Namespace, e.Name)
	if e.Message == "" {
		return s + ": the HyperShift operator has not reported on it"
	}
	return s + ": " + e.Message
}

// Hint returns the command that waits for it.
func (e *NotReadyError) Hint() hint.Text {
	return hint.New("%s until it is there and the API answers",
		hint.Run("kubeconfig", e.Name).Flag("namespace", e.Namespace).Flag("wait", "waits"))
}

// Variant is one of the kubeconfigs of a hosted cluster.
type Variant string

const (
	// Admin is the kubeconfig of every hosted cluster, with the address of its API server.
	Admin Variant = ""
	// Custom is the kubeconfig with the DNS name in spec.kubeAPIServerDNSName.
	Custom Variant = "custom"
)

// NoVariantError means that the hosted cluster has no custom DNS name and therefore no kubeconfig for it.
type NoVariantError struct{ Namespace, Name string }

// Error returns a message with the unset field.
func (e *NoVariantError) Error() string {
	return fmt.Sprintf("hosted cluster %s/%s has no DNS name of its own: spec.kubeAPIServerDNSName is not set",
		e.Namespace, e.Name)
}

// Hint returns the command for the other variant.
func (e *NoVariantError) Hint() hint.Text {
	return hint.New("without %s, %s gives the one that leads to its address", hint.Flag("custom"),
		hint.Run("kubeconfig", e.Name))
}

// Failure returns failure.Missing.
func (*NoVariantError) Failure() failure.Kind { return failure.Missing }

// AccessOf returns a kubeconfig of a hosted cluster. It fails with *NotReadyError, *NoVariantError,
// *guest.RefusedError, or the error of the read.
func AccessOf(
	ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, variant Variant) (*adminkubeconfig.Access, error) {
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
	access, err := guest.ReadSecret(ctx, r, hc, ref.Name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("hosted cluster %s: the Secret %s that should hold its kubeconfig is gone", kube.Name(hc),
			ref.Name)
	case errors.Is(err, guest.ErrNoKubeconfig):
		return nil, fmt.Errorf("the Secret %s/%s has nothing under the key %q", hc.Namespace, ref.Name, guest.KubeconfigKey)
	}
	return access, err
}

// EntryOf returns the entry of hc with the default name. management is the URL of the management cluster's API server.
func EntryOf(hc *hyperv1.HostedCluster, management string, access *adminkubeconfig.Access) Entry {
	return Entry{Owner: OwnerOf(hc, management), Context: ContextName(hc.Namespace, hc.Name), Access: access}
}

// OwnerOf returns the owner of the entries of hc.
func OwnerOf(hc *hyperv1.HostedCluster, management string) Owner {
	return Owner{HostedCluster: kube.Name(hc), ClusterID: hc.Spec.ClusterID, Management: management}
}

func notReady(hc *hyperv1.HostedCluster) error {
	available := kube.ConditionOf(hc, hc.Status.Conditions, string(hyperv1.HostedClusterAvailable))
	return &NotReadyError{Namespace: hc.Namespace, Name: hc.Name, Message: available.Message}
}
