package adminkubeconfig_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const server = "https://192.0.2.1:6443"

// genuine is a kubeconfig as the operator writes it.
func genuine() string { return kubetest.AdminKubeconfig(server, nil) }

func TestWhatTheOperatorWritesStaysByteForByte(t *testing.T) {
	a, err := adminkubeconfig.Parse([]byte(genuine()))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := a.Kubeconfig()
	if err != nil || string(printed) != genuine() {
		t.Errorf("%v: got\n%s\nwant\n%s", err, printed, genuine())
	}
	cfg := a.RESTConfig()
	if cfg.Host != server || !bytes.Equal(cfg.CertData, kubetest.AdminPair().Certificate) ||
		!bytes.Equal(cfg.KeyData, kubetest.AdminPair().Key) ||
		!bytes.Equal(cfg.CAData, kubetest.AdminPair().Certificate) || cfg.BearerToken != "" {
		t.Errorf("client configuration of %s", cfg.Host)
	}
}

// field is a line of a kubeconfig, however far it is set in.
func field(name string) *regexp.Regexp { return regexp.MustCompile(`(?m)^([- ]*)` + name + `:.*$`) }

// with has a line in the place of a field's.
func with(name, line string) string { return field(name).ReplaceAllString(genuine(), "${1}"+line) }

// beside has a line before a field's.
func beside(name, line string) string {
	return field(name).ReplaceAllStringFunc(genuine(), func(old string) string {
		indent := old[:len(old)-len(strings.TrimLeft(old, "- "))]
		return indent + line + "\n" + strings.Repeat(" ", len(indent)) + strings.TrimLeft(old, "- ")
	})
}

func in64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestWhatElseIsTaken(t *testing.T) {
	own := string(kubetest.AdminPair().Certificate)
	tokened := strings.Join(regexp.MustCompile(`(?m)^    client-.*\n`).Split(genuine(), -1), "") +
		"    token: sha256~abc.def_9-\n"
	for name, tc := range map[string]struct{ content, server string }{
		"a DNS name": {with("server", "server: https://API.kv-00.example:443"),
			"https://API.kv-00.example:443"},
		"IPv6":         {with("server", `server: "https://[2001:db8::1]:6443"`), "https://[2001:db8::1]:6443"},
		"no port":      {with("server", "server: https://kv-00.example"), "https://kv-00.example"},
		"a slash":      {with("server", "server: https://kv-00.example/"), "https://kv-00.example"},
		"a token":      {tokened, server},
		"no namespace": {strings.Replace(genuine(), "    namespace: default\n", "", 1), server},
		"preferences":  {genuine() + "preferences: {}\n", server},
		"JSON":         {asJSON(t), server},
		"several CAs, remarks": {with("certificate-authority-data", "certificate-authority-data: "+
			in64("# one\n"+own+"\n# two\n"+own)), server},
		"names of other installers": {strings.NewReplacer("name: admin", "name: system:admin", "user: admin",
			"user: system:admin", "current-context: admin", "current-context: system:admin").Replace(genuine()), server},
		"names that YAML would quote": {strings.NewReplacer("name: admin", `name: "1e3"`, "user: admin", `user: "1e3"`,
			"current-context: admin", `current-context: "1e3"`).Replace(genuine()), server},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "preferences" && strings.Contains(genuine(), "preferences") {
				tc.content = genuine()
			}
			a, err := adminkubeconfig.Parse([]byte(tc.content))
			if err != nil {
				t.Fatalf("%v\n%s", err, tc.content)
			}
			if a.Server() != tc.server {
				t.Errorf("leads to %s", a.Server())
			}
			again(t, a)
		})
	}
}

func asJSON(t *testing.T) string {
	t.Helper()
	pair := kubetest.AdminPair()
	return fmt.Sprintf(
		`{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],`+
			`"clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority-data":%q}}],"users":[{"name":"u","user":{"client-certificate-data":%q,"client-key-data":%q}}]}`,
		server, in64(string(pair.Certificate)), in64(string(pair.Certificate)), in64(string(pair.Key)))
}

// again holds that what is printed is read as the same, by client-go too.
func again(t *testing.T, a *adminkubeconfig.Access) {
	t.Helper()
	printed, err := a.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	b, err := adminkubeconfig.Parse(printed)
	if err != nil || !a.Equal(b) {
		t.Fatalf("printed, it is read as something else: %v\n%s", err, printed)
	}
	theirs, err := clientcmd.RESTConfigFromKubeConfig(printed)
	if err != nil {
		t.Fatal(err)
	}
	ours := a.RESTConfig()
	if theirs.Host != ours.Host || theirs.BearerToken != ours.BearerToken || !bytes.Equal(theirs.CAData, ours.CAData) ||
		!bytes.Equal(theirs.CertData, ours.CertData) ||
		!bytes.Equal(theirs.KeyData, ours.KeyData) || theirs.ExecProvider != nil || theirs.AuthProvider != nil ||
		theirs.Insecure || theirs.Proxy != nil {
		t.Fatalf("client-go makes something else of it:\n%s", printed)
	}
}

func TestWhatIsRefused(t *testing.T) {
	other := kubetest.NewPair("other")
	for name, tc := range map[string]struct{ content, want string }{
		"exec": {beside("client-key-data", "exec: {apiVersion: client.authentication.k8s.io/v1, "+
			"command: touch, args: [x]}"), "users[0].user.exec is refused: it names a command"},
		"exec that is null": {beside("client-key-data", "exec: null"), "users[0].user.exec is refused"},
		"Exec": {beside("client-key-data", "Exec: {command: touch}"),
			"users[0].user.Exec is refused: it names a command"},
		"exec at the cluster": {beside("server", "exec: {command: touch}"), "clusters[0].cluster.exec is refused"},
		"exec at the top":     {genuine() + "exec: {command: touch}\n", "exec is refused"},
		"exec beside the user": {strings.Replace(genuine(), "  user:\n", "  exec: {command: touch}\n  user:\n", 1),
			"users[0].exec is refused"},
		"auth-provider": {beside("client-key-data", "auth-provider: {name: oidc}"),
			"users[0].user.auth-provider is refused: it names a plugin"},
		"tokenFile": {beside("client-key-data", "tokenFile: /etc/passwd"),
			"users[0].user.tokenFile is refused: it names a file"},
		"client-certificate": {beside("client-key-data", "client-certificate: /etc/passwd"),
			"users[0].user.client-certificate is refused: it names a file"},
		"client-key": {beside("client-key-data", "client-key: /etc/passwd"),
			"users[0].user.client-key is refused: it names a file"},
		"certificate-authority": {beside("server", "certificate-authority: /etc/passwd"),
			"clusters[0].cluster.certificate-authority is refused: it names a file"},
		"proxy-url": {beside("server", "proxy-url: http://192.0.2.9"),
			"clusters[0].cluster.proxy-url is refused: it sends requests through a proxy"},
		"insecure": {beside("server", "insecure-skip-tls-verify: true"),
			"clusters[0].cluster.insecure-skip-tls-verify is refused: it switches off"},
		"insecure, false": {beside("server", "insecure-skip-tls-verify: false"),
			"clusters[0].cluster.insecure-skip-tls-verify is refused"},
		"tls-server-name": {beside("server", "tls-server-name: kubernetes"),
			"clusters[0].cluster.tls-server-name is refused"},
		"disable-compression": {beside("server", "disable-compression: true"),
			"clusters[0].cluster.disable-compression is refused"},
		"as": {beside("client-key-data", "as: root"),
			"users[0].user.as is refused: it impersonates another user"},
		"as-uid": {beside("client-key-data", "as-uid: '1'"),
			"users[0].user.as-uid is refused: it impersonates another user"},
		"as-groups": {beside("client-key-data", "as-groups: [system:masters]"),
			"users[0].user.as-groups is refused: it impersonates another user"},
		"as-user-extra": {beside("client-key-data", "as-user-extra: {a: [b]}"),
			"users[0].user.as-user-extra is refused: it impersonates another user"},
		"username": {beside("client-key-data", "username: root"), "users[0].user.username is refused"},
		"password": {beside("client-key-data", "password: zq-secret"),
			"users[0].user.password is refused"},
		"token besides": {beside("client-key-data", "token: zq-secret"),
			"users[0].user.token is refused: there is a client certificate besides"},
		"extensions of the cluster": {beside("server", "extensions: [{name: client.authentication.k8s.io/exec, "+
			"extension: {}}]"), "clusters[0].cluster.extensions is refused"},
		"extensions of the user": {beside("client-key-data", "extensions: []"), "users[0].user.extensions is refused"},
		"extensions":             {genuine() + "extensions: []\n", "extensions is refused"},
		"unknown field": {beside("server", "colour: red"),
			"clusters[0].cluster.colour is refused: it is none of the fields that the HyperShift operator writes"},
		"unknown field, top":       {genuine() + "colour: red\n", "colour is refused"},
		"a value where a field is": {genuine() + "eyJhbGciOi.zq-secret: x\n", "? is refused"},
		"Server":                   {with("server", "Server: "+server), "clusters[0].cluster.Server is refused"},
		"server twice": {beside("server", "server: "+server),
			"clusters[0].cluster.server is refused: it is there twice"},
		"users twice": {genuine() + "users: []\n", "users is refused: it is there twice"},
		"two clusters": {strings.Replace(genuine(), "clusters:\n",
			"clusters:\n- {name: other, cluster: {server: https://b}}\n", 1), "clusters is refused: it has 2 entries"},
		"two users": {strings.Replace(genuine(), "users:\n",
			"users:\n- {name: other, user: {token: zq-secret}}\n", 1), "users is refused: it has 2 entries"},
		"two contexts": {strings.Replace(genuine(), "contexts:\n",
			"contexts:\n- {name: other, context: {cluster: cluster, user: admin}}\n", 1),
			"contexts is refused: it has 2 entries"},
		"no users": {with("users", "x-users:"), "x-users is refused"},
		"users of none": {strings.Split(genuine(), "users:")[0] + "users: []\n",
			"users is refused: it has 0 entries"},
		"users of null": {strings.Split(genuine(), "users:")[0] + "users:\n",
			"users is refused: it is not a list"},
		"another current context": {with("current-context", "current-context: other"),
			"current-context is refused: it is not the name of the entry"},
		"no current context": {field("current-context").ReplaceAllString(genuine(), ""),
			"current-context is refused: it is missing"},
		"context of another cluster": {strings.Replace(genuine(), "    cluster: cluster\n", "    cluster: other\n", 1),
			"contexts[0].context.cluster is refused"},
		"context of another user": {strings.Replace(genuine(), "    user: admin\n", "    user: other\n", 1),
			"contexts[0].context.user is refused"},
		"namespace of another form": {strings.Replace(genuine(), "namespace: default", "namespace: ../x", 1),
			"contexts[0].context.namespace is refused: it is not"},
		"a name with a space": {strings.ReplaceAll(genuine(), "name: cluster", "name: a b"),
			"clusters[0].name is refused: it is not"},
		"a name with an escape": {strings.ReplaceAll(genuine(), "name: cluster", `name: "a\e[31m"`),
			"clusters[0].name is refused: it is not"},
		"a name that is an option": {strings.ReplaceAll(genuine(), "name: cluster", `name: --help`),
			"clusters[0].name is refused: it is not"},
		"kind":    {with("kind", "kind: Secret"), "kind is refused: that of a kubeconfig is Config"},
		"no kind": {field("kind").ReplaceAllString(genuine(), ""), "kind is refused: it is missing"},
		"apiVersion": {with("apiVersion", "apiVersion: v2"),
			"apiVersion is refused: that of a kubeconfig is v1"},
		"preferences with something": {genuine() + "preferences: {colors: true}\n", "refused"},
		"http": {with("server", "server: http://192.0.2.1:6443"),
			"clusters[0].cluster.server is refused: it is not a URL of the form"},
		"no scheme": {with("server", "server: 192.0.2.1:6443"),
			"server is refused: it is not a URL of the form"},
		"HTTPS": {with("server", "server: HTTPS://192.0.2.1:6443"),
			"server is refused: it is not a URL of the form"},
		"unix": {with("server", "server: unix:///run/x.sock"),
			"server is refused: it is not a URL of the form"},
		"a user in the URL": {with("server", "server: https://root:zq-secret@192.0.2.1:6443"),
			"server is refused: it has a user in it"},
		"an empty user in the URL": {with("server", `server: "https://@192.0.2.1:6443"`),
			"server is refused: it has a user in it"},
		"a path": {with("server", "server: https://192.0.2.1:6443/api"),
			"server is refused: it has a path"},
		"a path of dots": {with("server", "server: https://192.0.2.1:6443/.."),
			"server is refused: it has a path"},
		"an encoded path": {with("server", "server: https://192.0.2.1:6443/%2f"),
			"server is refused: it has a zone or an escape"},
		"two slashes": {with("server", "server: https://192.0.2.1:6443//"),
			"server is refused: it has a path"},
		"a query": {with("server", "server: https://192.0.2.1:6443/?"),
			"server is refused: it has a query"},
		"a fragment": {with("server", `server: "https://192.0.2.1:6443/#"`),
			"server is refused: it has a query or a fragment"},
		"a port of 0":          {with("server", "server: https://192.0.2.1:0"), "server is refused: its port"},
		"a port too high":      {with("server", "server: https://192.0.2.1:65536"), "server is refused: its port"},
		"a port that is empty": {with("server", `server: "https://192.0.2.1:"`), "server is refused: its port"},
		"a port with a plus":   {with("server", "server: https://192.0.2.1:+443"), "server is refused"},
		"no host":              {with("server", "server: https://:6443"), "server is refused: its host"},
		"a zone": {with("server", `server: "https://[fe80::1%25eth0]:6443"`),
			"server is refused: it has a zone"},
		"a host in brackets": {with("server", `server: "https://[kv-00.example]:6443"`), "server is refused"},
		"a line break in the URL": {with("server", `server: "https://192.0.2.1:6443\nX: y"`),
			"server is refused: it is not a URL"},
		"a long URL": {with("server", "server: https://"+strings.Repeat("a.", 200)+"example"),
			"server is refused: it is not a URL"},
		"a number":              {with("server", "server: 6443"), "server is refused: it is not a string"},
		"a list for the server": {with("server", "server: [https://a]"), "server is refused: it is not a string"},
		"no server": {strings.Replace(genuine(), "    server: "+server+"\n", "", 1),
			"server is refused: it is missing"},
		"no CA": {field("certificate-authority-data").ReplaceAllString(genuine(), ""),
			"clusters[0].cluster.certificate-authority-data is refused: it is missing"},
		"an empty CA": {with("certificate-authority-data", `certificate-authority-data: ""`),
			"certificate-authority-data is refused: it is empty"},
		"a CA that is none": {with("certificate-authority-data", "certificate-authority-data: "+in64("nothing")),
			"certificate-authority-data is refused: it has no certificate"},
		"a CA that is a key": {with("certificate-authority-data", "certificate-authority-data: "+
			in64(string(other.Key))), "certificate-authority-data is refused: it has something other"},
		"a CA with a key behind": {with("certificate-authority-data", "certificate-authority-data: "+
			in64(string(other.Certificate)+string(other.Key))), "certificate-authority-data is refused: it has something other"},
		"a CA not in base64": {with("certificate-authority-data", `certificate-authority-data: "!!"`),
			"certificate-authority-data is refused: it is not base64"},
		"too many CAs": {with("certificate-authority-data", "certificate-authority-data: "+
			in64(strings.Repeat(string(other.Certificate), 257))), "refused: it has more than 256"},
		"a CA with a giant key": {with("certificate-authority-data", "certificate-authority-data: "+in64(giant(t))),
			"refused: a certificate has a key of more than 8192 bits"},
		"another's key": {with("client-key-data", "client-key-data: "+in64(string(other.Key))),
			"client-key-data is refused: it is not the key of the client certificate"},
		"two keys": {with("client-key-data", "client-key-data: "+
			in64(string(other.Key)+string(other.Key))), "client-key-data is refused: it is not one private key"},
		"a certificate for a key": {with("client-key-data", "client-key-data: "+in64(string(other.Certificate))),
			"client-key-data is refused: it is not one private key"},
		"a large key": {with("client-key-data", "client-key-data: "+in64(strings.Repeat("x", 17<<10))),
			"client-key-data is refused: it has more than 16 KB"},
		"no key": {field("client-key-data").ReplaceAllString(genuine(), ""),
			"client-key-data is refused: it is missing"},
		"no certificate": {field("client-certificate-data").ReplaceAllString(genuine(), ""),
			"client-certificate-data is refused: it is missing"},
		"no credentials": {strings.Split(genuine(), "  user:\n")[0] + "  user: {}\n",
			"users[0].user is refused: it has neither"},
		"a token of two lines": {strings.Split(genuine(), "  user:\n")[0] + `  user: {token: "a\r\nX: y"}` + "\n",
			"users[0].user.token is refused: it has characters that no token has"},
		"a token of a space": {strings.Split(genuine(), "  user:\n")[0] + `  user: {token: "a b"}` + "\n",
			"users[0].user.token is refused: it has characters"},
		"a long token": {strings.Split(genuine(), "  user:\n")[0] + "  user: {token: " +
			strings.Repeat("a", 17<<10) + "}\n", "users[0].user.token is refused: it has more than 16 KB"},
		"a number for a token": {strings.Split(genuine(), "  user:\n")[0] + "  user: {token: 1}\n",
			"users[0].user.token is refused: it is not a string"},
		"a user by an alias": {strings.Replace(strings.Replace(genuine(), "  user:\n", "  user: &u\n", 1),
			"kind: Config", "kind: Config\nx: *u", 1), "refused"},
		"a merge": {strings.Replace(genuine(), "clusters:\n", "clusters:\n- &a {name: a}\n- <<: *a\n",
			1), "refused: it has anchors"},
		"a merge without an alias": {strings.Replace(genuine(), "  user:\n",
			"  user:\n    <<: {exec: {command: touch}}\n", 1), "users[0].user.? is refused: it is not a string"},
		"a bomb": {bomb(), "refused: it has anchors and aliases"},
		"a tag":  {with("server", "server: !!str "+server), "refused: it has tags"},
		"a binary": {strings.Split(genuine(), "  user:\n")[0] + "  user: {token: !!binary eA==}\n",
			"refused: it has tags"},
		"two documents":           {genuine() + "---\n" + genuine(), "refused: it has several YAML documents"},
		"an empty document first": {"---\n---\n" + genuine(), "refused"},
		"no YAML":                 {"{", "refused: it is not YAML"},
		"no YAML, with a secret": {strings.Split(genuine(), "  user:\n")[0] + "  user: {token: zq-secret\n  x",
			"refused: it is not YAML"},
		"a list":         {"- a\n", "refused: it is not a mapping"},
		"a word":         {"zq-secret", "refused: it is not a mapping"},
		"nothing":        {"", "refused: it is empty"},
		"a remark alone": {"# zq-secret\n", "refused: it is empty"},
		"UTF-16":         {"\xff\xfek\x00", "refused: it has characters other than printable ASCII"},
		"a control character": {genuine() + "# \x1b]0;x\x07\n",
			"refused: it has characters other than printable ASCII"},
		"too large":                {genuine() + "# " + strings.Repeat("x", 256<<10), "refused: it has more than 256 KB"},
		"deep":                     {strings.Repeat("[", 100<<10), "refused"},
		"a field of a complex key": {"? {zq-secret: 1}\n: 1\n", "? is refused: it is not a string"},
		"the current context as a map": {with("current-context", "current-context: {a: b}"),
			"current-context is refused: it is not a string"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := adminkubeconfig.Parse([]byte(tc.content))
			var field *adminkubeconfig.FieldError
			if a != nil || !errors.As(err, &field) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v\nwant %s\n%s", err, tc.want, tc.content[:min(len(tc.content), 4000)])
			}
			if strings.Contains(err.Error(), "zq-secret") || strings.ContainsAny(err.Error(), "\r\n\x1b") {
				t.Errorf("%q", err)
			}
		})
	}
}

// giant is a certificate whose key nobody could verify with in good time.
func giant(t *testing.T) string {
	t.Helper()
	signer := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 100_000, 1), E: 65537}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, signer)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// bomb is small, and gigabytes once its aliases are followed.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return b.String() + genuine()
}

func TestAnAccessIsPrintedWithoutItsCredentials(t *testing.T) {
	a, err := adminkubeconfig.Parse([]byte(strings.Split(genuine(), "  user:\n")[0] + "  user: {token: zq-secret}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if s := fmt.Sprintf(format, a); strings.Contains(s, "zq-secret") || !strings.Contains(s, server) {
			t.Errorf("%s: %s", format, s)
		}
	}
}
