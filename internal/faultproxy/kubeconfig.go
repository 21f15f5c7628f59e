package faultproxy

import (
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// WithToken returns a user with a bearer token.
func WithToken(token string) *clientcmdapi.AuthInfo { return &clientcmdapi.AuthInfo{Token: token} }

// WithCommand returns a user with a credential plugin: a command that prints an ExecCredential of
// client.authentication.k8s.io/v1.
func WithCommand(command string, args ...string) *clientcmdapi.AuthInfo {
	return &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: command, Args: args,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}}
}

// KubeconfigFor returns a kubeconfig for the proxy with that user. It contains the user's credentials.
func (p *Proxy) KubeconfigFor(user *clientcmdapi.AuthInfo) ([]byte, error) {
	const name = "faultproxy"
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[name] = &clientcmdapi.Cluster{Server: p.URL(), CertificateAuthorityData: p.ca.pem()}
	cfg.AuthInfos[name] = user
	cfg.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	cfg.CurrentContext = name
	return clientcmd.Write(*cfg)
}
