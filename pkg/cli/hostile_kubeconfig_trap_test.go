package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// trap is what a hostile kubeconfig aims at: a command that leaves a file, a local file, and servers that count what
// reaches them.
type trap struct {
	// canary is there once a command ran; file is what nobody but its owner may see.
	canary, file string
	// kubeconfig leads to a server whose CA is right, so that nothing but hcctl stands between.
	kubeconfig, proxy string
	requests          atomic.Int64
	// seen is what the server was last sent as a credential.
	seen atomic.Value
}

// localSecret is the content of the trap's file.
const localSecret = "zq-content-of-a-local-file"

func newTrap(t *testing.T) *trap {
	t.Helper()
	dir := t.TempDir()
	tr := &trap{canary: filepath.Join(dir, "canary"), file: filepath.Join(dir, "file")}
	if err := os.WriteFile(tr.file, []byte(localSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tr.requests.Add(1)
		tr.seen.Store(r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"gitVersion":"v1.33.5"}`)
	})
	server, _ := kubetest.Hosted(t, count)
	tr.kubeconfig = kubetest.TokenKubeconfig(server.URL, kubetest.CAOf(server), "a-token-of-theirs")
	proxy := httptest.NewServer(count)
	t.Cleanup(proxy.Close)
	tr.proxy = proxy.URL
	return tr
}

// sprung fails if a command ran, or anything reached a server.
func (tr *trap) sprung(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(tr.canary); err == nil {
		t.Error("the command in the kubeconfig was run")
		_ = os.Remove(tr.canary)
	}
	if n := tr.requests.Swap(0); n > 0 {
		t.Errorf("%d requests were sent where the kubeconfig leads, the last with %q", n, tr.seen.Load())
	}
}

// exec is a credential plugin that leaves the canary.
func (tr *trap) exec() string {
	const plugin = `{apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: [-c, "touch %s; false"], ` +
		`interactiveMode: Never}`
	return fmt.Sprintf(plugin, tr.canary)
}

// variations are hostile kubeconfigs.
func (tr *trap) variations() map[string]string {
	user := func(line string) string {
		return strings.Replace(tr.kubeconfig, "    token: a-token-of-theirs", "    "+line, 1)
	}
	also := func(line string) string {
		return strings.Replace(tr.kubeconfig, "    token: ", "    "+line+"\n    token: ", 1)
	}
	cluster := func(line string) string {
		return strings.Replace(tr.kubeconfig, "    server: ", "    "+line+"\n    server: ", 1)
	}
	server := func(url string) string {
		return regexp.MustCompile(`server: .*`).ReplaceAllString(tr.kubeconfig, `server: "`+url+`"`)
	}
	noCA := regexp.MustCompile(`(?m)^    certificate-authority-data: .*\n`).ReplaceAllString
	list := func(name, entry string) string {
		return strings.Replace(tr.kubeconfig, name+":\n", name+":\n- "+entry+"\n", 1)
	}
	pair := kubetest.NewPair("other")
	return map[string]string{
		"exec":                    user("exec: " + tr.exec()),
		"exec and a token":        also("exec: " + tr.exec()),
		"exec, an old version":    user(strings.Replace("exec: "+tr.exec(), "/v1,", "/v1beta1,", 1)),
		"exec in quotes":          user(`"exec": ` + tr.exec()),
		"exec by an escape":       user(`"e\x78ec": ` + tr.exec()),
		"Exec":                    user("Exec: " + tr.exec()),
		"exec by a merge":         user("<<: {exec: " + tr.exec() + "}"),
		"exec by an alias":        "x: &x " + tr.exec() + "\n" + user("exec: *x"),
		"exec by a tag":           user("!!str exec: " + tr.exec()),
		"exec in a second user":   list("users", "{name: other, user: {exec: "+tr.exec()+"}}"),
		"exec in a user of admin": list("users", "{name: admin, user: {exec: "+tr.exec()+"}}"),
		"exec in a second field":  strings.Replace(tr.kubeconfig, "  user:\n", "  user: {exec: "+tr.exec()+"}\n  user:\n", 1),
		"exec in a second list":   tr.kubeconfig + "users: [{name: admin, user: {exec: " + tr.exec() + "}}]\n",
		"exec in a second text":   tr.kubeconfig + "---\n" + user("exec: "+tr.exec()),
		"exec in a first text":    user("exec: "+tr.exec()) + "---\n" + tr.kubeconfig,
		"exec, CRLF":              strings.ReplaceAll(user("exec: "+tr.exec()), "\n", "\r\n"),
		"exec behind a BOM":       "\ufeff" + user("exec: "+tr.exec()),
		"exec in the cluster's": cluster("extensions: [{name: client.authentication.k8s.io/exec, extension: " + tr.exec() +
			"}]"),
		"auth-provider": user("auth-provider: {name: gcp, config: {cmd-path: /bin/sh, cmd-args: '-c \"touch " +
			tr.canary + "\"'}}"),
		"tokenFile":             user("tokenFile: " + tr.file),
		"tokenFile and a token": also("tokenFile: " + tr.file),
		"client-key":            user("client-certificate: " + tr.file + "\n    client-key: " + tr.file),
		"certificate-authority": cluster("certificate-authority: " + tr.file),
		"insecure":              noCA(cluster("insecure-skip-tls-verify: true"), ""),
		"proxy-url":             cluster("proxy-url: " + tr.proxy),
		"tls-server-name":       cluster("tls-server-name: example.com"),
		"as":                    also("as: system:admin"),
		"as-groups":             also("as-groups: [system:masters]"),
		"as-user-extra":         also("as-user-extra: {a: [b]}"),
		"username and password": user("username: root\n    password: zq-password"),
		"http":                  server(tr.proxy),
		"a user in the URL":     server("https://root:zq-password@127.0.0.1:1"),
		"a path in the URL":     server("https://127.0.0.1:1/proxy"),
		"no CA":                 noCA(tr.kubeconfig, ""),
		"another's key": user(fmt.Sprintf("client-certificate-data: %s\n    client-key-data: %s",
			in64(kubetest.AdminPair().Certificate), in64(pair.Key))),
		"two contexts":          list("contexts", "{name: other, context: {cluster: cluster, user: admin}}"),
		"two clusters":          list("clusters", "{name: other, cluster: {server: '"+tr.proxy+"'}}"),
		"a header in the token": user(`token: "a\r\nImpersonate-User: root"`),
		"a bomb": "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n" +
			tr.kubeconfig,
		"1 MB":           tr.kubeconfig + "# " + strings.Repeat("x", 1<<20),
		"no YAML":        "{zq-password",
		"a JSON of exec": `{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{"exec":{"command":"touch"}}}]}`,
	}
}

func in64(data []byte) string {
	raw, _ := json.Marshal(data)
	return strings.Trim(string(raw), `"`)
}
