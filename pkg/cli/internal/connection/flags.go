// Package connection has the flags that select the API server and the user. They have kubectl's names and
// meanings.
//
// client-go's clientcmd binds and resolves them. The package k8s.io/cli-runtime has the same flags, but it links
// kustomize and a discovery cache, which hcctl does not need.
package connection

import (
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Flags are the values of the connection flags. Bind sets them; the zero value means that no flag was given.
type Flags struct {
	// Kubeconfig is the path of --kubeconfig; empty means KUBECONFIG or the default path.
	Kubeconfig string
	// Overrides are all other flags. They override the kubeconfig.
	Overrides clientcmd.ConfigOverrides

	userExtra []string
	config    clientcmd.ClientConfig
}

// Bind adds the flags to a flag set.
func (f *Flags) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&f.Kubeconfig, "kubeconfig", "", "Path to the kubeconfig file to use for CLI requests.")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	// kubectl has no flag for a proxy, and hides those for user name and password.
	names.ClusterOverrideFlags.ProxyURL.LongName = ""
	names.AuthOverrideFlags.Username.LongName, names.AuthOverrideFlags.Password.LongName = "", ""
	clientcmd.BindOverrideFlags(&f.Overrides, flags, names)
	flags.StringArrayVar(&f.userExtra, "as-user-extra", nil, "User extras to impersonate for the operation, this flag "+
		"can be repeated to specify multiple values for the same key.")
}

// Loader returns the kubeconfig with the flags applied; without either, the configuration of the pod it runs in.
// It reads files once. Without any configuration kubectl would use localhost:8080.
func (f *Flags) Loader() clientcmd.ClientConfig {
	if f.config == nil {
		rules := clientcmd.NewDefaultClientConfigLoadingRules()
		rules.ExplicitPath = f.Kubeconfig
		f.Overrides.AuthInfo.ImpersonateUserExtra = extras(f.userExtra)
		f.config = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.Overrides)
	}
	return f.config
}

// REST returns the configuration of clients. Its errors are those of clientcmd, such as for a context that does
// not exist.
func (f *Flags) REST() (*rest.Config, error) { return f.Loader().ClientConfig() }

// extras parses KEY=VALUE pairs. A key may have several values.
func extras(pairs []string) map[string][]string {
	var out map[string][]string
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[key] = append(out[key], value)
	}
	return out
}
