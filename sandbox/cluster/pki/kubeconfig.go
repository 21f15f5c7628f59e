package pki

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig renders a kubeconfig with inline certificates: cluster "cluster", user and context as given.
func Kubeconfig(host string, ca []byte, user string, pair KeyPair) ([]byte, error) {
	return kubeconfig(host, ca, user, &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key})
}

// TokenKubeconfig is Kubeconfig for a user with a token.
func TokenKubeconfig(host string, ca []byte, user, token string) ([]byte, error) {
	return kubeconfig(host, ca, user, &clientcmdapi.AuthInfo{Token: token})
}

func kubeconfig(host string, ca []byte, user string, credentials *clientcmdapi.AuthInfo) ([]byte, error) {
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["cluster"] = &clientcmdapi.Cluster{Server: host, CertificateAuthorityData: ca}
	cfg.AuthInfos[user] = credentials
	cfg.Contexts[user] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: user}
	cfg.CurrentContext = user
	data, err := clientcmd.Write(*cfg)
	if err != nil {
		return nil, fmt.Errorf("render kubeconfig: %w", err)
	}
	return data, nil
}

// ClientConfig returns the client configuration of a user with a token. It has no client-side throttling, because
// nobody else uses the API server.
func ClientConfig(host string, ca []byte, token string) *rest.Config {
	return &rest.Config{
		Host:            host,
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca},
		QPS:             -1,
		UserAgent:       "hcctl-sandbox",
	}
}
