package nodepool

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// The account that a new node asks for its first certificate with, and the role that lets it.
const (
	bootstrapNamespace = "openshift-machine-config-operator"
	bootstrapAccount   = "node-bootstrapper"
	bootstrapRole      = "system:node-bootstrapper"
)

// certified reports whether a booted machine has its kubelet's certificate. It has, unless the fault keeps the machine
// approver from its work: then the request waits in the guest until somebody approves it.
func (p *pool) certified(ctx context.Context, m *machine) (bool, error) {
	waits := p.FaultOn(fault.CSRsPending, p.np)
	if p.guest.InMemory() {
		return !waits, nil
	}
	csr := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: "csr-" + metadata.ShortHash(m.vm.Name, 5)}}
	err := p.guest.Client.Get(ctx, client.ObjectKeyFromObject(csr), csr)
	switch {
	case apierrors.IsNotFound(err) && !waits:
		return true, nil
	case apierrors.IsNotFound(err):
		return false, p.requestCertificate(ctx, csr, m.vm.Name)
	case err != nil:
		return false, fmt.Errorf("get the request of node %s in the guest: %w", m.vm.Name, err)
	}
	decided := func(kind certificatesv1.RequestConditionType) bool {
		return slices.ContainsFunc(csr.Status.Conditions,
			func(c certificatesv1.CertificateSigningRequestCondition) bool { return c.Type == kind })
	}
	switch {
	case decided(certificatesv1.CertificateApproved):
		return true, nil
	case waits || decided(certificatesv1.CertificateDenied):
		return false, nil
	}
	csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "NodeCSRApprove",
		Message: "This CSR was approved by the Node CSR Approver (cluster-machine-approver)",
	})
	if err := p.guest.Client.SubResource("approval").Update(ctx, csr); err != nil {
		return false, fmt.Errorf("approve the request of node %s in the guest: %w", m.vm.Name, err)
	}
	return true, nil
}

// requestCertificate asks for a kubelet's client certificate as the account that HyperShift's ignition hands out.
func (p *pool) requestCertificate(ctx context.Context, csr *certificatesv1.CertificateSigningRequest,
	node string) error {
	if err := p.guest.Client.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: bootstrapAccount},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: bootstrapRole},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: bootstrapNamespace, Name: bootstrapAccount}},
	}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("let new nodes of the guest ask for certificates: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make the key of node %s: %w", node, err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{Organization: []string{"system:nodes"}, CommonName: "system:node:" + node}}, key)
	if err != nil {
		return fmt.Errorf("make the request of node %s: %w", node, err)
	}
	csr.GenerateName, csr.Spec = "csr-", certificatesv1.CertificateSigningRequestSpec{
		Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
		SignerName: certificatesv1.KubeAPIServerClientKubeletSignerName,
		Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
	}
	as := rest.CopyConfig(p.guest.Handle.Config)
	as.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + bootstrapNamespace + ":" + bootstrapAccount,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + bootstrapNamespace,
			"system:authenticated"},
	}
	c, err := client.New(as, client.Options{Scheme: p.guest.Client.Scheme()})
	if err != nil {
		return fmt.Errorf("reach the guest as node %s: %w", node, err)
	}
	if err := c.Create(ctx, csr); err != nil {
		return fmt.Errorf("ask the guest for the certificate of node %s: %w", node, err)
	}
	return nil
}
