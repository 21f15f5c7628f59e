package adminkubeconfig

import (
	"reflect"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Access is what an admin kubeconfig holds: a server, its CA, and credentials. Parse makes it; the zero value leads
// nowhere.
type Access struct {
	// host is that of the URL, with the port if there is one.
	host string
	// ca, certificate and key are PEM; there is a certificate and a key, or a token.
	ca, certificate, key []byte
	token                string
	names                names
}

// names are what the kubeconfig calls its entries. The namespace may be empty.
type names struct{ cluster, user, context, namespace string }

// Server is the URL of the API server, such as https://192.0.2.1:6443.
func (a *Access) Server() string { return "https://" + a.host }

// Same tells whether two are the same in all they hold.
func (a *Access) Same(b *Access) bool { return reflect.DeepEqual(a, b) }

// String is the server alone, so that no message can tell the credentials.
func (a *Access) String() string { return "access to " + a.Server() }

// GoString is String.
func (a *Access) GoString() string { return a.String() }

// RESTConfig is a new client configuration of what the Access holds, and of nothing else.
func (a *Access) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: a.Server(), BearerToken: a.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.ca, CertData: a.certificate, KeyData: a.key},
	}
}

// Cluster is a new entry of a kubeconfig: the server and its CA.
func (a *Access) Cluster() *api.Cluster {
	return &api.Cluster{Server: a.Server(), CertificateAuthorityData: a.ca}
}

// User is a new entry of a kubeconfig: the credentials.
func (a *Access) User() *api.AuthInfo {
	return &api.AuthInfo{ClientCertificateData: a.certificate, ClientKeyData: a.key, Token: a.token}
}

// Kubeconfig is a kubeconfig made anew, in the form and with the names that the operator gives it. Parse reads it as
// the same Access.
func (a *Access) Kubeconfig() ([]byte, error) {
	config := api.NewConfig()
	config.Clusters[a.names.cluster], config.AuthInfos[a.names.user] = a.Cluster(), a.User()
	config.Contexts[a.names.context] = &api.Context{
		Cluster: a.names.cluster, AuthInfo: a.names.user, Namespace: a.names.namespace,
	}
	config.CurrentContext = a.names.context
	return clientcmd.Write(*config)
}
