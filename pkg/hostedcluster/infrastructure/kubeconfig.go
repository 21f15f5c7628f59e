package infrastructure

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TokenSecretName is the Secret in which Kubernetes keeps a lasting token of a ServiceAccount: a hosted cluster needs
// its kubeconfig for as long as it lives.
func TokenSecretName(account string) string { return account + "-token" }

func noToken(secret client.ObjectKey, why string) error {
	return failure.New(failure.Missing, hint.New("apply the role that the same command prints without %s: it has the "+
		"ServiceAccount and this Secret", hint.Flag("output")),
		"Secret %s, which holds the token for the kubeconfig, %s", secret, why)
}

// Kubeconfig returns the kubeconfig of a ServiceAccount of the cluster that c leads to, by which another management
// cluster runs worker VMs there. It fails where there is no token yet, or with the error of the read.
func Kubeconfig(ctx context.Context, c *kube.Client, account client.ObjectKey) ([]byte, error) {
	secret, key := &corev1.Secret{}, client.ObjectKey{Namespace: account.Namespace, Name: TokenSecretName(account.Name)}
	err := c.Get(ctx, key, secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, noToken(key, "does not exist")
	case err != nil:
		return nil, fmt.Errorf("the token in Secret %s: %w", key, err)
	case secret.Type != corev1.SecretTypeServiceAccountToken ||
		secret.Annotations[corev1.ServiceAccountNameKey] != account.Name:
		return nil, noToken(key, "is not that of ServiceAccount "+account.String())
	case len(secret.Data[corev1.ServiceAccountTokenKey]) == 0:
		return nil, noToken(key, "has no token yet")
	}
	cfg := rest.CopyConfig(c.Config())
	if cfg.Insecure { //nolint:forbidigo // it is refused
		return nil, errors.New("the connection to the infrastructure cluster is not verified: a kubeconfig by it would " +
			"give its token to anybody who answers")
	}
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, err
	}
	ca := cfg.CAData
	if len(ca) == 0 {
		ca = secret.Data[corev1.ServiceAccountRootCAKey]
	}
	config := api.NewConfig()
	const name = "infrastructure"
	config.Clusters[name] = &api.Cluster{Server: cfg.Host, CertificateAuthorityData: ca}
	config.AuthInfos[account.Name] = &api.AuthInfo{Token: string(secret.Data[corev1.ServiceAccountTokenKey])}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: account.Name, Namespace: account.Namespace}
	config.CurrentContext = name
	content, err := clientcmd.Write(*config)
	if err != nil {
		return nil, err
	}
	if _, err := adminkubeconfig.ParseCurrent(content); err != nil {
		return nil, fmt.Errorf("the connection to the infrastructure cluster makes no kubeconfig that would be used: %w", err)
	}
	return content, nil
}
