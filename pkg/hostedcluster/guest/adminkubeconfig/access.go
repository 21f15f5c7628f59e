package adminkubeconfig

import (
	"net/url"
	"reflect"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Access is the content of an admin kubeconfig: a server, its CA, and credentials. Parse creates it.
type Access struct {
	// host is the host of the URL, with the port if it has one.
	host string
	// ca, certificate and key are PEM. There is either a certificate with a key or a token.
	ca, certificate, key []byte
	token                string
	names                names
}

// names are the names of the kubeconfig's entries. The namespace may be empty.
type names struct{ cluster, user, context, namespace string }

// Server returns the URL of the API server, such as https://192.0.2.1:6443.
func (a *Access) Server() string { return "https://" + a.host }

// Certificate returns the client certificate in PEM, without its key, or nil if the credentials are a token.
func (a *Access) Certificate() []byte { return a.certificate }

// Equal reports whether a and b have the same content.
func (a *Access) Equal(b *Access) bool { return reflect.DeepEqual(a, b) }

// String returns only the server, so that no message contains credentials.
func (a *Access) String() string { return "access to " + a.Server() }

// GoString returns String.
func (a *Access) GoString() string { return a.String() }

// RESTConfig returns a new client configuration with only the content of the Access.
func (a *Access) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: a.Server(), BearerToken: a.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.ca, CertData: a.certificate, KeyData: a.key},
	}
}

// Cluster returns a new kubeconfig entry with the server and its CA.
func (a *Access) Cluster() *api.Cluster {
	return &api.Cluster{Server: a.Server(), CertificateAuthorityData: a.ca}
}

// User returns a new kubeconfig entry with the credentials.
func (a *Access) User() *api.AuthInfo {
	return &api.AuthInfo{ClientCertificateData: a.certificate, ClientKeyData: a.key, Token: a.token}
}

// Kubeconfig returns a new kubeconfig in the operator's form and with its names. Parse reads it as the same Access.
func (a *Access) Kubeconfig() ([]byte, error) { return a.kubeconfig(a.Cluster()) }

// KubeconfigAt returns a Kubeconfig for another address of the same server, as host:port. The certificate must still
// have the server's own name.
func (a *Access) KubeconfigAt(address string) ([]byte, error) {
	cluster := a.Cluster()
	cluster.Server, cluster.TLSServerName = "https://"+address, (&url.URL{Host: a.host}).Hostname()
	return a.kubeconfig(cluster)
}

func (a *Access) kubeconfig(cluster *api.Cluster) ([]byte, error) {
	config := api.NewConfig()
	config.Clusters[a.names.cluster], config.AuthInfos[a.names.user] = cluster, a.User()
	config.Contexts[a.names.context] = &api.Context{
		Cluster: a.names.cluster, AuthInfo: a.names.user, Namespace: a.names.namespace,
	}
	config.CurrentContext = a.names.context
	return clientcmd.Write(*config)
}
