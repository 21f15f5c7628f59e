// Command hypershift-webhooks registers and serves the admission webhooks of the vendor's HyperShift operator, with the
// vendor's own code. The operator itself would serve them on port 9443 of every address, which only one sandbox of a
// machine could.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openshift/hypershift/cmd/install/assets"
	"github.com/openshift/hypershift/hypershift-operator/controllers/hostedcluster"
	hyperapi "github.com/openshift/hypershift/support/api"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// host is the only address that the webhooks are served on.
const host = "127.0.0.1"

func main() {
	port := flag.Int("port", 0, "port to serve on")
	certs := flag.String("cert-dir", "", "directory with tls.crt and tls.key")
	validating := flag.Bool("enable-validating-webhook", false, "register the validating webhooks as well")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), *port, *certs, *validating); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, port int, certs string, validating bool) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: hyperapi.Scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: host, Port: port, CertDir: certs}),
	})
	if err != nil {
		return fmt.Errorf("set up the webhooks: %w", err)
	}
	if err := hostedcluster.SetupWebhookWithManager(mgr, nil, ctrl.Log); err != nil {
		return err
	}
	ca, err := os.ReadFile(filepath.Join(certs, "tls.crt"))
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		if err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(context.Context) (bool, error) {
			return mgr.GetWebhookServer().StartedChecker()(nil) == nil, nil
		}); err != nil {
			return nil // it ends
		}
		return register(ctx, mgr.GetClient(), fmt.Sprintf("https://%s:%d", host, port), ca, validating)
	})); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// register writes the vendor's webhook configurations, with a URL in place of the operator's Service.
func register(ctx context.Context, c client.Client, url string, ca []byte, validating bool) error {
	at := func(w *admissionregistrationv1.WebhookClientConfig) {
		*w = admissionregistrationv1.WebhookClientConfig{URL: ptr.To(url + ptr.Deref(w.Service.Path, "")), CABundle: ca}
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "hypershift"}}
	defaults := assets.HyperShiftMutatingWebhookConfiguration{Namespace: namespace}.Build()
	for i := range defaults.Webhooks {
		at(&defaults.Webhooks[i].ClientConfig)
	}
	list := []client.Object{defaults}
	if validating {
		rules := assets.HyperShiftValidatingWebhookConfiguration{Namespace: namespace.Name}.Build()
		for i := range rules.Webhooks {
			at(&rules.Webhooks[i].ClientConfig)
		}
		list = append(list, rules)
	}
	for _, o := range list {
		o.SetNamespace("")
		o.SetAnnotations(nil) // nothing injects a certificate here
		if err := client.IgnoreNotFound(c.Delete(ctx, o)); err != nil {
			return fmt.Errorf("replace %T %s: %w", o, o.GetName(), err)
		}
		if err := c.Create(ctx, o); err != nil {
			return fmt.Errorf("create %T %s: %w", o, o.GetName(), err)
		}
	}
	return nil
}
