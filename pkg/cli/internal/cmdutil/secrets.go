package cmdutil

import (
	"strings"

	"github.com/hcctl/hcctl/internal/redact"
)

// proxyVariables are where net/http looks for a proxy. Errors about one may repeat all of it.
var proxyVariables = []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"}

// remember keeps what the kubeconfig and the environment have of secrets out of all that is printed. What a command or
// a file gives is seen when it is sent.
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
