package cmdutil

import (
	"strings"

	"github.com/hcctl/hcctl/internal/redact"
)

// proxyVariables are the variables of net/http for proxies. Errors may repeat their values.
var proxyVariables = []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"}

// remember makes redact remove the secrets of the kubeconfig and the environment from all output. Secrets of commands
// and files are recorded when they are sent.
func (a *Factory) remember() {
	for _, name := range proxyVariables {
		redact.RememberURL(a.Getenv(name))
		redact.RememberURL(a.Getenv(strings.ToLower(name)))
	}
	redact.RememberValues(a.KubeFlags.Overrides.AuthInfo.Token)
	raw, err := a.KubeFlags.Loader().RawConfig()
	if err != nil {
		return // who reads it next says why
	}
	for _, c := range raw.Clusters {
		redact.RememberURL(c.ProxyURL)
		redact.RememberURL(c.Server)
	}
	for _, u := range raw.AuthInfos {
		redact.RememberValues(u.Token, u.Password)
		redact.Remember(map[string][]byte{"client-key-data": u.ClientKeyData})
		if u.Exec == nil {
			continue
		}
		for _, v := range u.Exec.Env {
			redact.RememberNamed(v.Name, v.Value)
		}
	}
}
