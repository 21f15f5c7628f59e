package kubeconfig

import (
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/guest/adminkubeconfig"
)

// Entry is the access to one hosted cluster as it stands in a kubeconfig: a cluster, a user and a context.
type Entry struct {
	Owner
	// Context is the name of the context, and of the cluster; the user is it with "-admin" after it. Empty means
	// "<namespace>-<name>", the name that hypershift gives it too.
	Context string
	// Access is what the admin kubeconfig holds.
	Access *adminkubeconfig.Access
}

// Owner says of which hosted cluster an entry is. It is kept in the entry as an extension, so that hcctl knows its own.
type Owner struct {
	// HostedCluster is "namespace/name".
	HostedCluster string `json:"hostedCluster" yaml:"hostedCluster"`
	// ClusterID is spec.clusterID of the HostedCluster; empty where that is not set yet.
	ClusterID string `json:"clusterID,omitempty" yaml:"clusterID,omitempty"`
	// Management is the URL of the management cluster's API server.
	Management string `json:"management,omitempty" yaml:"management,omitempty"`
}

// same tells whether two owners are the same hosted cluster: that of the same name on the same management cluster (one
// that has been created anew replaces the one before), or that of the same ID (one management cluster may have several
// addresses).
func (o Owner) same(p Owner) bool {
	if o.HostedCluster != p.HostedCluster {
		return false
	}
	return o.Management != "" && o.Management == p.Management || o.ClusterID != "" && o.ClusterID == p.ClusterID
}

// ContextName is the name of the context that is given by default.
func ContextName(namespace, name string) string { return namespace + "-" + name }

// userSuffix makes the user's name of the context's.
const userSuffix = "-admin"

// extensionName is under which the owner stands in the extensions of cluster, user and context.
const extensionName = "hcctl.dev"

// document is the entry as a kubeconfig of its own.
func (e *Entry) document() (*document, error) {
	config := api.NewConfig()
	config.Clusters[e.Context], config.AuthInfos[e.Context+userSuffix] = e.Access.Cluster(), e.Access.User()
	config.Contexts[e.Context] = &api.Context{Cluster: e.Context, AuthInfo: e.Context + userSuffix}
	data, err := clientcmd.Write(*config)
	if err != nil {
		return nil, err
	}
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds() {
		for _, item := range d.items(kind) {
			setOwner(value(item, kind.key), e.Owner)
		}
	}
	return d, nil
}

// Join makes one kubeconfig of several entries, without a current context: which cluster is meant has to be said.
func Join(entries []Entry) ([]byte, error) {
	joined, err := parse(nil)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if _, err := joined.merge(&entries[i]); err != nil {
			return nil, err
		}
	}
	return joined.bytes()
}
