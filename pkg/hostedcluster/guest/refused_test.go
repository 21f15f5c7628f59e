package guest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"syscall"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestRemedyGoesByTheError: the hint is that of the error, and of the way the API server is published.
func TestRemedyGoesByTheError(t *testing.T) {
	request := func(err error) error { return &url.Error{Op: "Get", URL: "https://192.0.2.7:31443/api", Err: err} }
	ended := apierrors.NewUnauthorized("Unauthorized")
	ended.ErrStatus.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: transport.CertificateEnded,
		Message: "2020-01-01T00:00:00Z"}}}
	const renews = "its operator renews that kubeconfig; hcctl logs kv-00 kube-apiserver says why it is refused"
	for name, tc := range map[string]struct {
		err  error
		by   hyperv1.PublishingStrategyType
		want string
	}{
		"401":             {apierrors.NewUnauthorized("no"), "", renews},
		"401, with date":  {ended, "", renews},
		"503":             {apierrors.NewServiceUnavailable("no"), "", "hcctl logs kv-00 kube-apiserver"},
		"nothing listens": {request(syscall.ECONNREFUSED), "", "nothing listens at 192.0.2.7:31443: hcctl status kv-00 says whether its pods run"},
		"a node port": {request(syscall.EHOSTUNREACH), hyperv1.NodePort, "a node with its node port, 192.0.2.7:31443 has to be " +
			"reachable from this machine: curl -k https://192.0.2.7:31443/readyz"},
		"a load balancer": {request(syscall.ETIMEDOUT), hyperv1.LoadBalancer, "its load balancer, 192.0.2.7:31443 has to be " +
			"reachable from this machine: curl -k https://192.0.2.7:31443/readyz"},
		"a name": {request(&net.DNSError{Err: "no such host", IsNotFound: true}), hyperv1.Route,
			"the name in 192.0.2.7:31443 has to resolve on this machine"},
		"a proxy": {request(&transport.ProxyError{Proxy: "proxy:3128", Status: "403 Forbidden", Code: 403}), "",
			"have the proxy let 192.0.2.7:31443 through, or name its host in NO_PROXY"},
		"another certificate": {request(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), "",
			"something else may answer at 192.0.2.7:31443, such as a proxy: curl -vk https://192.0.2.7:31443/readyz shows its certificate"},
		"not allowed": {apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, "", errors.New("no")), "",
			"a role that may: hcctl rbac --for login --namespace clusters --cluster-name kv-00"},
		"anything else": {errors.New("odd"), "", ""},
	} {
		hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"}}
		if tc.by != "" {
			hc.Spec.Services = []hyperv1.ServicePublishingStrategyMapping{{Service: hyperv1.APIServer,
				ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: tc.by}}}
		}
		f := Unknown("its nodes are not known", tc.err, hc)
		if got := f.Hint.String(); got != tc.want || f.State != step.StateUnknown || f.Object != "HostedCluster clusters/kv-00" {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
