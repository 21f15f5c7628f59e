package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// serviceName is the operator's Service in its namespace. Here its name leads to loopback, and its selector nowhere.
const serviceName, serviceNamespace = "operator", "hypershift"

// The operator's paths of the webhooks.
const (
	pathDefaultCluster  = "/mutate-hypershift-openshift-io-v1beta1-hostedcluster"
	pathDefaultPool     = "/mutate-hypershift-openshift-io-v1beta1-nodepool"
	pathValidateCluster = "/validate-hypershift-openshift-io-v1beta1-hostedcluster"
	pathValidatePool    = "/validate-hypershift-openshift-io-v1beta1-nodepool"
)

// Serve registers the webhooks of this operator version and serves them while the operator runs; afterwards requests
// fail, because failurePolicy is Fail. It removes the configurations of the other webhooks.
func Serve(mgr ctrl.Manager, b reconciler.Base) error {
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("listen for the webhooks of HyperShift: %w", err)
		}
		pair, certificate, err := operator.SelfSigned(serviceName + "." + serviceNamespace + ".svc")
		if err != nil {
			return errors.Join(fmt.Errorf("make a certificate for the webhooks of HyperShift: %w", err), listener.Close())
		}
		mux := http.NewServeMux()
		scheme := mgr.GetScheme()
		mux.Handle(pathDefaultCluster, defaultCluster(scheme, b))
		for path, hook := range map[string]*admission.Webhook{
			pathDefaultPool:     admission.WithDefaulter[*hyperv1.NodePool](scheme, &poolDefaults{b}),
			pathValidateCluster: admission.WithValidator[*hyperv1.HostedCluster](scheme, clusterRules{}),
			pathValidatePool:    admission.WithValidator[*hyperv1.NodePool](scheme, poolRules{}),
		} {
			mux.Handle(path, hook)
		}
		server := &http.Server{
			Handler: mux, ReadHeaderTimeout: 10 * time.Second,
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		}
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		defer stop()
		registered := make(chan error, 1)
		go func() {
			err := registerWebhooks(ctx, b, listener.Addr(), certificate)
			if err != nil && ctx.Err() == nil {
				_ = server.Close()
			}
			registered <- err
		}()
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("answer the webhooks of HyperShift: %w", err)
		}
		if err := <-registered; ctx.Err() == nil {
			return err
		}
		return nil
	}))
}

func registerWebhooks(ctx context.Context, b reconciler.Base, at net.Addr, ca []byte) error {
	if err := ensureService(ctx, b.Client); err != nil {
		return err
	}
	config := func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{CABundle: ca, Service: &admissionregistrationv1.ServiceReference{
			Namespace: serviceNamespace, Name: serviceName, Path: ptr.To(path), Port: ptr.To(portOf(at))}}
	}
	meta := metav1.ObjectMeta{Name: hyperv1.GroupVersion.Group}
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: meta}
	err := applyWebhooks(ctx, b.Client, mutating, b.Features.Defaults, func() {
		mutating.Webhooks = nil
		for _, w := range []struct{ resource, path string }{{"hostedclusters", pathDefaultCluster},
			{"nodepools", pathDefaultPool}} {
			mutating.Webhooks = append(mutating.Webhooks, admissionregistrationv1.MutatingWebhook{
				Name: webhookName(w.resource), Rules: onWrites(w.resource, admissionregistrationv1.Create),
				ClientConfig: config(w.path),
				SideEffects:  ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To[int32](15),
				AdmissionReviewVersions: []string{"v1"},
			})
		}
	})
	if err != nil {
		return err
	}
	validating := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: meta}
	return applyWebhooks(ctx, b.Client, validating, b.Features.Validates, func() {
		validating.Webhooks = nil
		for _, w := range []struct{ resource, path string }{{"hostedclusters", pathValidateCluster},
			{"nodepools", pathValidatePool}} {
			validating.Webhooks = append(validating.Webhooks, admissionregistrationv1.ValidatingWebhook{
				Name: webhookName(w.resource), Rules: onWrites(w.resource, admissionregistrationv1.Create,
					admissionregistrationv1.Update),
				ClientConfig: config(w.path),
				SideEffects:  ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To[int32](15),
				AdmissionReviewVersions: []string{"v1"}, FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			})
		}
	})
}

// portOf is the port of a TCP address.
func portOf(at net.Addr) int32 {
	if tcp, ok := at.(*net.TCPAddr); ok {
		return int32(tcp.Port) //nolint:gosec // a port fits
	}
	return 443
}

// ensureService writes the Service of the webhooks, which goes with the operator.
func ensureService(ctx context.Context, c client.Client) error {
	d := &appsv1.Deployment{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: serviceNamespace, Name: serviceName}, d); err != nil {
		return fmt.Errorf("read the Deployment of HyperShift's operator: %w", err)
	}
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: serviceNamespace, Name: serviceName}}
	if _, err := controllerutil.CreateOrUpdate(ctx, c, svc, func() error {
		svc.Spec.Type, svc.Spec.ExternalName = corev1.ServiceTypeExternalName, "localhost"
		svc.Spec.Selector = d.Spec.Selector.MatchLabels
		return controllerutil.SetOwnerReference(d, svc, c.Scheme())
	}); err != nil {
		return fmt.Errorf("write Service %s/%s: %w", serviceNamespace, serviceName, err)
	}
	return nil
}

// applyWebhooks writes a configuration, or removes it.
func applyWebhooks(ctx context.Context, c client.Client, o client.Object, on bool, fill func()) error {
	if !on {
		if err := c.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("remove %T %s: %w", o, o.GetName(), err)
		}
		return nil
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, c, o, func() error { fill(); return nil }); err != nil {
		return fmt.Errorf("write %T %s: %w", o, o.GetName(), err)
	}
	return nil
}

func webhookName(resource string) string { return resource + "." + hyperv1.GroupVersion.Group }

func onWrites(resource string,
	operations ...admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: operations,
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{hyperv1.GroupVersion.Group}, APIVersions: []string{"v1beta1"}, Resources: []string{resource},
			Scope: ptr.To(admissionregistrationv1.NamespacedScope),
		},
	}}
}
