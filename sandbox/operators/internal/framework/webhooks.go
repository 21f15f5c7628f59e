package framework

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// review validates an admission request. An error refuses it with the error's message.
type review func(ctx context.Context, req admission.Request) error

// WebhookRule is one validating webhook of an operator.
type WebhookRule struct {
	// Name is the webhook's name, which the API server quotes in refusals.
	Name       string
	Group      string
	Version    string
	Resource   string
	Operations []admissionregistrationv1.OperationType
	Review     review
}

// Webhooks are the validating webhooks of an operator. It serves them on loopback and registers their URL.
type Webhooks struct {
	// Name is the name of the ValidatingWebhookConfiguration.
	Name string
	// Namespace is the operator's namespace. The configuration is deleted with it; in reality OLM deletes it with the
	// CSV.
	Namespace string
	// CRD is the CustomResourceDefinition that owns the configuration instead, so that it outlives the operator.
	CRD string
	// RefusesFor is how long connections are refused after the operator's start.
	RefusesFor time.Duration
	Rules      []WebhookRule
}

// ServeWebhooks registers the webhooks and serves them until the operator's run ends. Then the API server refuses
// requests, because failurePolicy is Fail, until the operator runs again.
func (l *Run) ServeWebhooks(h Webhooks) error {
	handlers := map[string]admission.HandlerFunc{}
	for _, r := range h.Rules {
		handlers[r.Name] = r.answer
	}
	return l.serve(h.Name, h.RefusesFor, handlers,
		func(ctx context.Context, port int, ca []byte) error { return l.register(ctx, h, port, ca) })
}

// Mutation is a mutating webhook of an operator. The operator writes its configuration itself, so that nobody removes
// it.
type Mutation struct {
	// Name is that of the MutatingWebhookConfiguration and of the webhook.
	Name     string
	Rule     admissionregistrationv1.RuleWithOperations
	Selector *metav1.LabelSelector
	// Namespace is the only one whose objects it sees.
	Namespace string
	// Mutate answers requests.
	Mutate admission.HandlerFunc
	// Registered is called once the API server asks the webhook; it may be nil.
	Registered func()
}

// ServeMutation registers the webhook and serves it until the operator's run ends. The API server refuses requests
// after that, because failurePolicy is Fail.
func (l *Run) ServeMutation(m Mutation) error {
	return l.serve(m.Name, 0, map[string]admission.HandlerFunc{m.Name: m.Mutate},
		func(ctx context.Context, port int, ca []byte) error {
			config := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: m.Name}}
			err := Ensure(ctx, l.Client, config, func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
				c.Webhooks = []admissionregistrationv1.MutatingWebhook{{
					Name: m.Name, ClientConfig: clientConfig(m.Name, port, ca),
					Rules: []admissionregistrationv1.RuleWithOperations{m.Rule}, ObjectSelector: m.Selector,
					NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
						Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: []string{m.Namespace}}}},
					FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
					SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
					AdmissionReviewVersions: []string{"v1"},
				}}
			})
			if err == nil && m.Registered != nil {
				m.Registered()
			}
			return err
		})
}

// serve serves webhooks on loopback under their names. register tells the API server about them.
func (l *Run) serve(name string, refusesFor time.Duration, handlers map[string]admission.HandlerFunc,
	register func(ctx context.Context, port int, ca []byte) error) error {
	return l.Manager.Add(manager.RunnableFunc(func(ctx context.Context) error {
		socket, port, err := reserve()
		if err != nil {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
		pair, certificate, err := operator.SelfSigned()
		if err != nil {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
		if err := register(ctx, port, certificate); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return syscall.Close(socket)
		case <-time.After(l.Pace.Scale(refusesFor)):
		}
		listener, err := listen(socket)
		if err != nil {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
		mux := http.NewServeMux()
		for path, handler := range handlers {
			mux.Handle("/"+path, &admission.Webhook{Handler: handler})
		}
		server := &http.Server{
			Handler:           mux,
			ReadHeaderTimeout: 10 * time.Second,
			TLSConfig:         &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		}
		stop := context.AfterFunc(ctx, func() { _ = server.Close() })
		defer stop()
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
		return nil
	}))
}

// clientConfig is how the API server reaches a webhook on loopback.
func clientConfig(path string, port int, ca []byte) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{
		URL: ptr.To(fmt.Sprintf("https://127.0.0.1:%d/%s", port, path)), CABundle: ca}
}

func (r WebhookRule) answer(ctx context.Context, req admission.Request) admission.Response {
	if err := r.Review(ctx, req); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

func (l *Run) register(ctx context.Context, h Webhooks, port int, ca []byte) error {
	var owner client.Object = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace}}
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "Namespace", Name: h.Namespace}
	if h.CRD != "" {
		owner = &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: h.CRD}}
		reference = metav1.OwnerReference{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition",
			Name: h.CRD}
	}
	if _, err := Exists(ctx, l.Live, owner); err != nil {
		return err
	}
	config := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: h.Name}}
	return Ensure(ctx, l.Client, config, func(c *admissionregistrationv1.ValidatingWebhookConfiguration) {
		if reference.UID = owner.GetUID(); reference.UID != "" {
			c.OwnerReferences = []metav1.OwnerReference{reference}
		}
		c.Webhooks = nil
		for _, r := range h.Rules {
			c.Webhooks = append(c.Webhooks, admissionregistrationv1.ValidatingWebhook{
				Name: r.Name, ClientConfig: clientConfig(r.Name, port, ca),
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: r.Operations,
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{r.Group}, APIVersions: []string{r.Version}, Resources: []string{r.Resource},
					},
				}},
				FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
				SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
				AdmissionReviewVersions: []string{"v1"},
			})
		}
	})
}

// reserve binds a free loopback port without listening on it. Connections are refused until listen.
func reserve() (socket, port int, err error) {
	socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("opening a socket: %w", err)
	}
	if err = syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, 0, errors.Join(fmt.Errorf("taking a loopback port: %w", err), syscall.Close(socket))
	}
	address, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("asking for the port taken: %w", err), syscall.Close(socket))
	}
	v4, ok := address.(*syscall.SockaddrInet4)
	if !ok {
		return 0, 0, errors.Join(fmt.Errorf("a socket of family %T", address), syscall.Close(socket))
	}
	return socket, v4.Port, nil
}

// listen listens on the reserved port.
func listen(socket int) (net.Listener, error) {
	if err := syscall.Listen(socket, syscall.SOMAXCONN); err != nil {
		return nil, errors.Join(fmt.Errorf("listening: %w", err), syscall.Close(socket))
	}
	file := os.NewFile(uintptr(socket), "webhook")
	listener, err := net.FileListener(file)
	return listener, errors.Join(err, file.Close())
}
