package kubeconfig

import (
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
)

// Entry is the access to one hosted cluster in a kubeconfig: a cluster, a user and a context.
type Entry struct {
	Owner
	// Context is the name of the context and the cluster; the user has the suffix "-admin". Empty means
	// "<namespace>-<name>", as with hypershift.
	Context string
	// Access is the content of the admin kubeconfig.
	Access *adminkubeconfig.Access
}

// Owner is the hosted cluster of an entry. It is stored as an extension of the entry, by which hcctl recognizes its own
// entries.
type Owner struct {
	// HostedCluster is "namespace/name".
	HostedCluster string `json:"hostedCluster" yaml:"hostedCluster"`
	// ClusterID is spec.clusterID of the HostedCluster; it may be empty.
	ClusterID string `json:"clusterID,omitempty" yaml:"clusterID,omitempty"`
	// Management is the URL of the management cluster's API server.
	Management string `json:"management,omitempty" yaml:"management,omitempty"`
}

// matches reports whether two owners are the same hosted cluster: the same name on the same management cluster, or the
// same ID. A recreated cluster replaces its predecessor, and a management cluster may have several addresses.
func (o Owner) matches(p Owner) bool {
	if o.HostedCluster != p.HostedCluster {
		return false
	}
	return o.Management != "" && o.Management == p.Management || o.ClusterID != "" && o.ClusterID == p.ClusterID
}

// ContextName returns the default name of the context.
func ContextName(namespace, name string) string { return namespace + "-" + name }

// userSuffix is the suffix that the user's name has beyond the context's name.
const userSuffix = "-admin"

// extensionName is the name of the extension that holds the Owner.
const extensionName = "hcctl.dev"

// document returns the entry as a separate kubeconfig.
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

// Join returns one kubeconfig with all entries, without a current context.
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
