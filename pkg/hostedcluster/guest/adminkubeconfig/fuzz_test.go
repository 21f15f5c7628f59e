package adminkubeconfig_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
)

// FuzzParse has a secret somewhere in any text. What is taken has nothing but what hcctl uses, to client-go's reading
// too, and printed, it is read as the same; what is refused is so with one line that does not tell the secret.
func FuzzParse(f *testing.F) {
	const secret = "zq7-secret-0123456789"
	head, _, _ := strings.Cut(genuine(), "  user:\n")
	for _, user := range []string{
		"token: ", "exec: {command: ", "tokenFile: ", "password: ", "? ", "*", "&a ", "!!str ",
		"token: a\n    exec: {command: x}\n    as: ", "<<: {exec: {command: x}}\n    token: ",
	} {
		f.Add(head+"  user:\n    "+user, "\n")
	}
	f.Add(genuine()+"# ", "\n")
	f.Add(genuine()+"---\n", "")
	f.Add(strings.Replace(genuine(), "server: ", "server: https://root:", 1), "@192.0.2.1\n")
	f.Add(strings.Replace(genuine(), server, "https://", 1), "")
	f.Add(`{"apiVersion":"v1","kind":"Config","users":[{"name":"a","user":{"token":"`, `"}}]}`)
	f.Add("a: &a [x]\nb: [*a, *a]\nc: ", "{")
	f.Fuzz(func(t *testing.T, before, after string) {
		a, err := adminkubeconfig.Parse([]byte(before + secret + after))
		if err != nil {
			var field *adminkubeconfig.FieldError
			strange := strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' })
			if a != nil || !errors.As(err, &field) || strings.Contains(err.Error(), secret) || strange {
				t.Fatalf("%T: %q", err, err)
			}
			return
		}
		again(t, a)
		printed, err := a.Kubeconfig()
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.Load(printed)
		if err != nil || len(config.Clusters) != 1 || len(config.AuthInfos) != 1 || len(config.Contexts) != 1 ||
			len(config.Extensions) != 0 {
			t.Fatalf("%v\n%s", err, printed)
		}
		for _, u := range config.AuthInfos {
			named := u.TokenFile + u.ClientCertificate + u.ClientKey + u.Username + u.Password + u.Impersonate
			if u.Exec != nil || u.AuthProvider != nil || named != "" || len(u.Extensions) != 0 {
				t.Fatalf("%s", printed)
			}
		}
		for _, c := range config.Clusters {
			verified := !c.InsecureSkipTLSVerify && strings.HasPrefix(c.Server, "https://") &&
				len(c.CertificateAuthorityData) > 0
			if !verified || c.CertificateAuthority+c.ProxyURL+c.TLSServerName != "" {
				t.Fatalf("%s", printed)
			}
		}
	})
}
