package mce

import (
	"context"
	"fmt"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	klusterletNamespace  = "open-cluster-management-agent"
	klusterletDeployment = "klusterlet-agent"
	bootstrapSecret      = "bootstrap-hub-kubeconfig"
	bootstrapRole        = "system:open-cluster-management:managedcluster:bootstrap:"
	// bootstrapExpiry is that of the import controller's tokens, in seconds.
	bootstrapExpiry = 360 * 24 * 60 * 60
)

// bootstrapAccount is the ServiceAccount of a cluster's agent until it has a certificate.
func bootstrapAccount(cluster string) string { return cluster + "-bootstrap-sa" }

// importLocal deploys the klusterlet of this cluster: a kubeconfig to ask for a certificate with, and the Deployment of
// the agents. They are Open Cluster Management's own, and do the rest.
func (m *engine) importLocal(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	// Registration makes the namespace before it accepts the cluster.
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: c.Name, Name: bootstrapAccount(c.Name)}}
	for _, o := range []client.Object{account, roleOf(c.Name), bindingOf(c.Name),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: klusterletNamespace}}} {
		if err := framework.Create(ctx, m.Client, o); err != nil {
			return reconcile.Result{}, err
		}
	}
	if err := m.bootstrapKubeconfig(ctx, account); err != nil {
		return reconcile.Result{}, err
	}
	if _, err := m.EnsureDeployment(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: klusterletNamespace, Name: klusterletDeployment},
		Pod: func(p *corev1.PodSpec) {
			p.Containers[0].Args = []string{"agent", "--spoke-cluster-name=" + c.Name}
		},
	}); err != nil {
		return reconcile.Result{}, err
	}
	wait, err := m.succeeded(ctx, c)
	return framework.RequeueAfter(wait), err
}

// roleOf returns what an agent may do until it has a certificate.
func roleOf(cluster string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: bootstrapRole + cluster}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{certificatesv1.GroupName}, Resources: []string{"certificatesigningrequests"},
			Verbs: []string{"create", "get", "list", "watch"}},
		{APIGroups: []string{clusterv1.GroupName}, Resources: []string{"managedclusters"}, Verbs: []string{"get", "create"}},
	}}
}

func bindingOf(cluster string) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: bootstrapRole + cluster},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole",
			Name: bootstrapRole + cluster},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: cluster, Name: bootstrapAccount(cluster)}},
	}
}

// bootstrapKubeconfig gives the klusterlet a kubeconfig of the account, unless it has one.
func (m *engine) bootstrapKubeconfig(ctx context.Context, account *corev1.ServiceAccount) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: klusterletNamespace, Name: bootstrapSecret}}
	if found, err := framework.Exists(ctx, m.Client, secret); err != nil || found {
		return err
	}
	raw, err := m.tokenKubeconfig(ctx, account)
	if err != nil {
		return err
	}
	secret.Data = map[string][]byte{"kubeconfig": raw}
	return framework.Create(ctx, m.Client, secret)
}

// tokenKubeconfig returns a kubeconfig of this cluster with a new token of a ServiceAccount.
func (m *engine) tokenKubeconfig(ctx context.Context, account *corev1.ServiceAccount) ([]byte, error) {
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: ptr.To[int64](bootstrapExpiry)}}
	if err := m.Live.SubResource("token").Create(ctx, account, token); err != nil {
		return nil, fmt.Errorf("make a token of ServiceAccount %s: %w", account.Name, err)
	}
	return kubeconfigOf(m.Config, token.Status.Token)
}

// removeBootstrap takes the right to ask for a certificate away.
func (m *engine) removeBootstrap(ctx context.Context, cluster string) error {
	for _, o := range []client.Object{roleOf(cluster), bindingOf(cluster)} {
		if err := framework.Remove(ctx, m.Client, o); err != nil {
			return err
		}
	}
	return nil
}

// removeLocal removes the klusterlet of this cluster.
func (m *engine) removeLocal(ctx context.Context) (gone bool, err error) {
	there, err := m.HasNamespace(ctx, klusterletNamespace)
	if err != nil || !there {
		return err == nil, err
	}
	return false, framework.Remove(ctx, m.Client,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: klusterletNamespace}})
}

// approve approves an agent's first request for a certificate, as the import controller does. Registration approves the
// later ones.
func (m *engine) approve(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	csr := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	if found, err := framework.Exists(ctx, m.Client, csr); err != nil || !found {
		return reconcile.Result{}, err
	}
	cluster := csr.Labels[clusterNameLabel]
	answered := slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == certificatesv1.CertificateApproved || c.Type == certificatesv1.CertificateDenied
	})
	if answered || cluster == "" || csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName ||
		csr.Spec.Username != "system:serviceaccount:"+cluster+":"+bootstrapAccount(cluster) {
		return reconcile.Result{}, nil
	}
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: cluster}}
	if found, err := framework.Exists(ctx, m.Client, c); err != nil || !found {
		return reconcile.Result{}, err
	}
	csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "AutoApprovedByCSRController",
		Message:        "The managedcluster-import-controller auto approval automatically approved this CSR",
		LastUpdateTime: metav1.Now(),
	})
	if err := m.Live.SubResource("approval").Update(ctx, csr); err != nil && !apierrors.IsConflict(err) {
		return reconcile.Result{}, fmt.Errorf("approve CertificateSigningRequest %s: %w", csr.Name, err)
	}
	return reconcile.Result{}, nil
}
