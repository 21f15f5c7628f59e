package aggregated

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// Server is the HTTPS server of all aggregated APIs of one sandbox. Create it with Start.
type Server struct {
	client client.Client
	certs  *authority
	caller *frontProxy
	port   int32

	mu     sync.RWMutex
	served map[schema.GroupVersion]registration
}

var _ operator.AggregatedAPIs = (*Server)(nil)

// registration is one served group and version.
type registration struct {
	handler   http.Handler
	resources []operator.APIResource
	service   types.NamespacedName
}

// Start listens on a free loopback port and serves until ctx ends. It writes APIServices and Services with c, whose
// scheme must know apiregistration.k8s.io/v1 and core/v1.
func Start(ctx context.Context, c client.Client) (*Server, error) {
	certs, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("certificates of the aggregated API server: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("aggregated API server: %w", err)
	}
	addr, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("aggregated API server: %s is no TCP address", listener.Addr())
	}
	s := &Server{
		client: c, certs: certs, caller: &frontProxy{client: c}, served: map[schema.GroupVersion]registration{},
		port: int32(addr.Port), //nolint:gosec // a TCP port fits
	}
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{
			// ServeHTTP verifies client certificates for each request.
			MinVersion: tls.VersionTLS12, GetCertificate: certs.certificate, ClientAuth: tls.RequestClientCert,
		},
	}
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	go func() {
		// ServeTLS returns only after Close, because the listener stays open.
		_ = srv.ServeTLS(listener, "", "")
	}()
	return s, nil
}

// Register implements operator.AggregatedAPIs.
func (s *Server) Register(
	ctx context.Context, group, version string, service types.NamespacedName, handler http.Handler,
	resources ...operator.APIResource,
) error {
	gv := schema.GroupVersion{Group: group, Version: version}
	s.mu.Lock()
	s.served[gv] = registration{handler: handler, resources: resources, service: service}
	s.mu.Unlock()

	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: service.Namespace, Name: service.Name}}
	if err := s.apply(ctx, svc, func() {
		svc.Spec.Type = corev1.ServiceTypeExternalName
		svc.Spec.ExternalName = "localhost"
		svc.Spec.ClusterIP, svc.Spec.ClusterIPs, svc.Spec.Selector = "", nil, nil
	}); err != nil {
		return fmt.Errorf("service %s of API %s: %w", service, gv, err)
	}
	api := &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: apiServiceName(gv)}}
	if err := s.apply(ctx, api, func() {
		api.Spec = apiregistrationv1.APIServiceSpec{
			Group: group, Version: version,
			Service: &apiregistrationv1.ServiceReference{
				Namespace: service.Namespace, Name: service.Name, Port: &s.port,
			},
			CABundle: s.certs.bundle,
			// OLM sets the same priorities for the API services it installs.
			GroupPriorityMinimum: 2000, VersionPriority: 15,
		}
	}); err != nil {
		return fmt.Errorf("APIService %s: %w", api.Name, err)
	}
	return nil
}

// Unregister implements operator.AggregatedAPIs.
func (s *Server) Unregister(ctx context.Context, group, version string) error {
	gv := schema.GroupVersion{Group: group, Version: version}
	s.mu.Lock()
	reg, ok := s.served[gv]
	delete(s.served, gv)
	s.mu.Unlock()
	if !ok {
		return nil
	}
	api := &apiregistrationv1.APIService{ObjectMeta: metav1.ObjectMeta{Name: apiServiceName(gv)}}
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: reg.service.Namespace, Name: reg.service.Name}}
	return errors.Join(
		client.IgnoreNotFound(s.client.Delete(ctx, api)),
		client.IgnoreNotFound(s.client.Delete(ctx, svc)),
	)
}

// apply creates obj, or updates it with mutate. It retries conflicts, because the API server's own controllers also
// write to APIServices.
func (s *Server) apply(ctx context.Context, obj client.Object, mutate func()) error {
	return retry.OnError(retry.DefaultBackoff, retriable, func() error {
		_, err := controllerutil.CreateOrUpdate(ctx, s.client, obj, func() error { mutate(); return nil })
		return err
	})
}

func retriable(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

func apiServiceName(gv schema.GroupVersion) string { return gv.Version + "." + gv.Group }

// ServeHTTP answers discovery, and passes every other request to the handler of its group and version. It accepts
// requests from the aggregation layer only, so handlers can trust the X-Remote headers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.caller.verify(r.Context(), r.TLS); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/apis")
	if !ok {
		http.NotFound(w, r)
		return
	}
	parts := strings.SplitN(strings.Trim(rest, "/"), "/", 3)
	switch {
	case parts[0] == "":
		s.groups(w)
	case len(parts) == 1:
		s.group(w, r, parts[0])
	default:
		s.groupVersion(w, r, schema.GroupVersion{Group: parts[0], Version: parts[1]}, len(parts) == 2)
	}
}
