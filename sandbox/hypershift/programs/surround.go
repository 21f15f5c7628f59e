package programs

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// apiEndpoint is an address of documentation (RFC 5737) for the management cluster's API server: Endpoints must not
// have its loopback address, and HyperShift's network policies name one.
const apiEndpoint = "192.0.2.1"

// webhookName is the name of HyperShift's webhook configurations.
const webhookName = "hypershift.openshift.io"

// surround creates what HyperShift's operator finds in an OpenShift: CRDs, PriorityClasses, the Endpoints of the API.
func surround(ctx context.Context, env operator.Env, directory string) error {
	list, err := crds.Directory(directory)
	if err != nil {
		return err
	}
	c, err := client.NewWithWatch(env.Config, client.Options{Scheme: env.Scheme})
	if err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	if err := crds.Replace(ctx, c, list); err != nil {
		return err
	}
	if err := crds.Install(ctx, c, env.Profile.Minor(), crds.Monitoring); err != nil {
		return err
	}
	if err := workload.EnsurePriorityClasses(ctx, c); err != nil {
		return err
	}
	if err := giveRoutesHosts(ctx, c); err != nil {
		return err
	}
	if err := fillSecurityContexts(ctx, c); err != nil {
		return err
	}
	for _, o := range []client.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "hypershift-operator"}, Value: 100003000},
		&corev1.Endpoints{ //nolint:staticcheck // HyperShift v0.1.70 reads Endpoints
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "kubernetes"},
			Subsets: []corev1.EndpointSubset{{ //nolint:staticcheck // the same
				Addresses: []corev1.EndpointAddress{{IP: apiEndpoint}},        //nolint:staticcheck // the same
				Ports:     []corev1.EndpointPort{{Name: "https", Port: 6443}}, //nolint:staticcheck // the same
			}},
		},
	} {
		if err := c.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T %s: %w", o, o.GetName(), err)
		}
	}
	// They name a server of an earlier run, so each write would fail until the operator registers its own.
	for _, o := range []client.Object{
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhookName}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhookName}},
	} {
		if err := c.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %s: %w", o, webhookName, err)
		}
	}
	return nil
}
