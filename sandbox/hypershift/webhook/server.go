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

// The operator's paths of the webhooks. Here they are below a URL on loopback, not a Service.
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
		pair, certificate, err := operator.SelfSigned()
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
			err := registerWebhooks(ctx, b, "https://"+listener.Addr().String(), certificate)
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

func registerWebhooks(ctx context.Context, b reconciler.Base, url string, ca []byte) error {
	meta := metav1.ObjectMeta{Name: hyperv1.GroupVersion.Group}
	mutating := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: meta}
	err := applyWebhooks(ctx, b.Client, mutating, b.Features.Defaults, func() {
		mutating.Webhooks = nil
		for _, w := range []struct{ resource, path string }{{"hostedclusters", pathDefaultCluster},
			{"nodepools", pathDefaultPool}} {
			mutating.Webhooks = append(mutating.Webhooks, admissionregistrationv1.MutatingWebhook{
				Name: webhookName(w.resource), Rules: onWrites(w.resource, admissionregistrationv1.Create),
				ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: ptr.To(url + w.path), CABundle: ca},
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
				ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: ptr.To(url + w.path), CABundle: ca},
				SideEffects:  ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To[int32](15),
				AdmissionReviewVersions: []string{"v1"}, FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			})
		}
	})
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
