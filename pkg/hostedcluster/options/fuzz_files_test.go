package options

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/pemfile"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fuzztest"
)

// planted stands for a secret in a file that is read; no error may have it.
const planted = "hunter2Zq7"

// untold fails if an error tells what was planted, plainly, in base64, or the beginning of it, as YAML's own errors do.
func untold(t *testing.T, err error) {
	t.Helper()
	fuzztest.TellsOneLine(t, err)
	if err == nil {
		return
	}
	for _, form := range []string{planted[:7], base64.StdEncoding.EncodeToString([]byte(planted))[:9]} {
		if strings.Contains(err.Error(), form) {
			t.Fatalf("the error tells a secret: %q", err)
		}
	}
}

// FuzzPullSecret: a secret stands where a value of a registry is; around it is anything.
func FuzzPullSecret(f *testing.F) {
	f.Add(`{"auths":{"quay.io":{"auth":"`, `"}}}`)
	f.Add(`{"auths":{"quay.io":{"auth":"dTpw"},"b":{"auth":`, `}}}`)
	f.Add(`{"auths":["`, `"]}`)
	f.Add(`{"auths":{"a":{"auth":`, "\"x\n")
	f.Add(``, ``)
	f.Fuzz(func(t *testing.T, before, after string) {
		content := before + planted + after
		err := checkPullSecret([]byte(content))
		var names struct {
			Auths map[string]json.RawMessage `json:"auths"`
		}
		if json.Unmarshal([]byte(content), &names) == nil {
			for name := range names.Auths {
				if strings.Contains(name, planted[:7]) || !withoutControls(name) {
					return // the registry's name, which errors do tell
				}
			}
		}
		untold(t, err)
		if err == nil && !json.Valid([]byte(content)) {
			t.Fatalf("took %q", content)
		}
	})
}

func withoutControls(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) < 0
}

func FuzzPublicKeys(f *testing.F) {
	f.Add("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE5DLTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw me\n", "")
	f.Add("# comment\n\n-----BEGIN OPENSSH PRIVATE KEY-----\n", "\n-----END OPENSSH PRIVATE KEY-----\n")
	f.Add("from=\"10.0.0.0/8\" ssh-rsa AAAAB3NzaC1yc2E=", " me")
	f.Fuzz(func(t *testing.T, before, after string) {
		content := before + planted + after
		err := checkPublicKeys([]byte(content))
		untold(t, err)
		if err == nil && strings.Contains(content, "PRIVATE KEY") {
			t.Fatalf("took a private key: %q", content)
		}
	})
}

func FuzzCertificates(f *testing.F) {
	f.Add("-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n")
	f.Add("-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		untold(t, pemfile.CheckCertificates([]byte(before+planted+after)))
	})
}

// FuzzKubeconfigFile: what is taken has a server that a client can be made of.
func FuzzKubeconfigFile(f *testing.F) {
	f.Add(
		"apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: "+
			"a}}]\nclusters: [{name: a, cluster: {server: 'https://a'}}]\nusers: [{name: a, user: {token: ",
		"}}]\n",
	)
	f.Add("users: [{name: a, user: {client-key-data: ", "}}]\n")
	f.Add("clusters: [{name: a, cluster: {server: a, proxy-url: 'http://u:", "@p:x'}}]\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		content := []byte(before + planted + after)
		err := checkKubeconfig(content)
		untold(t, err)
		if err != nil {
			return
		}
		if cfg, err := clientcmd.Load(content); err != nil || cfg.Contexts[cfg.CurrentContext] == nil {
			t.Fatalf("took %q: %v", content, err)
		}
	})
}

// FuzzLists: identity providers, OIDC, image sources, affinity, node configuration, all of which may have secrets by
// mistake.
func FuzzLists(f *testing.F) {
	f.Add("- name: a\n  type: HTPasswd\n  htpasswd: {fileData: {name: ", "}}\n")
	f.Add("- source: a\n  mirrors: [", "]\n")
	f.Add("- name: a\n  issuer: ", "\n")
	f.Add("nodeAffinity: ", "\n")
	f.Add("apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nspec: {config: ", "}\n---\n")
	f.Add("a: &a [*a, ", "]")
	f.Fuzz(func(t *testing.T, before, after string) {
		content := []byte(before + planted + after)
		for _, parse := range []func([]byte) error{
			unkept(ParseIdentityProviders), unkept(ParseOIDC), unkept(ParseImageContentSources), unkept(
				parseAffinity), checkConfig,
		} {
			err := parse(content)
			if namesOnly(err) {
				fuzztest.TellsOneLine(t, err)
				continue
			}
			untold(t, err)
		}
	})
}

// namesOnly tells errors that tell the name of a field or the kind of an object, which are no secrets; what was planted
// may stand there.
func namesOnly(err error) bool {
	if err == nil {
		return false
	}
	for _, what := range []string{"unknown field", " is there twice", ": it is a ",
		", source "} {
		if strings.Contains(err.Error(), what) {
			return true
		}
	}
	return false
}

// FuzzJSONPatch: what is taken can be written and read again, and says the same.
func FuzzJSONPatch(f *testing.F) {
	f.Add(`[{"op":"add","path":"/spec/template/spec/hostname","value":"a"}]`)
	f.Add("- op: move\n  from: /a\n  path: /b\n")
	f.Add(`[{"op":"test","path":"/a","value":null}]`)
	f.Add(`[{"op":"replace","path":"/a~1b","value":{"a":[1e400]}}] []`)
	f.Fuzz(func(t *testing.T, s string) {
		ops, err := parsePatch([]byte(s))
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		data, err := json.Marshal(ops)
		if err != nil {
			t.Fatal(err)
		}
		fuzztest.Again(t, func(s string) (string, error) {
			ops, err := parsePatch([]byte(s))
			if err != nil {
				return "", err
			}
			data, err := json.Marshal(ops)
			return string(data), err
		}, string(data), string(data))
	})
}

// FuzzManifests: what is taken is of the cluster's namespace, and no error tells of a Secret's content.
func FuzzManifests(f *testing.F) {
	f.Add("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {key: ", "}\n")
	f.Add("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {key: 1}\nstringData: ", "\n---\nkind: List\n")
	f.Add("", "\n---\n")
	f.Add("apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: other}\nstringData: {key: !!binary ", "}\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		objects, err := ParseManifests([]byte(before+planted+after), "clusters", nil)
		if namesOnly(err) ||
			err != nil && (strings.Contains(err.Error(), "is for namespace") || strings.Contains(err.Error(), "has no name") ||
				strings.Contains(err.Error(), "write its items") || strings.Contains(err.Error(), "belongs to")) {
			fuzztest.TellsOneLine(t, err)
			return
		}
		untold(t, err)
		for _, u := range objects {
			if u.GetNamespace() != "clusters" || u.GetName() == "" || u.GetKind() == "" {
				t.Fatalf("took %v", u.Object)
			}
		}
	})
}

// unkept is a parser as a check.
func unkept[T any](parse func([]byte) (T, error)) func([]byte) error {
	var at T
	return into(&at, parse)
}
