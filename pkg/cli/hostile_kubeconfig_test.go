package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/apitest"
)

// trap is what a hostile kubeconfig aims at: a command that leaves a file, a local file, and servers that count what reaches them.
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
	server, _ := apitest.Hosted(t, count)
	tr.kubeconfig = apitest.TokenKubeconfig(server.URL, apitest.CAOf(server), "a-token-of-theirs")
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
	return fmt.Sprintf(`{apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: [-c, "touch %s; false"], interactiveMode: Never}`, tr.canary)
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
	pair := apitest.NewPair("other")
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
		"exec in the cluster's":   cluster("extensions: [{name: client.authentication.k8s.io/exec, extension: " + tr.exec() + "}]"),
		"auth-provider":           user("auth-provider: {name: gcp, config: {cmd-path: /bin/sh, cmd-args: '-c \"touch " + tr.canary + "\"'}}"),
		"tokenFile":               user("tokenFile: " + tr.file),
		"tokenFile and a token":   also("tokenFile: " + tr.file),
		"client-key":              user("client-certificate: " + tr.file + "\n    client-key: " + tr.file),
		"certificate-authority":   cluster("certificate-authority: " + tr.file),
		"insecure":                noCA(cluster("insecure-skip-tls-verify: true"), ""),
		"proxy-url":               cluster("proxy-url: " + tr.proxy),
		"tls-server-name":         cluster("tls-server-name: example.com"),
		"as":                      also("as: system:admin"),
		"as-groups":               also("as-groups: [system:masters]"),
		"as-user-extra":           also("as-user-extra: {a: [b]}"),
		"username and password":   user("username: root\n    password: zq-password"),
		"http":                    server(tr.proxy),
		"a user in the URL":       server("https://root:zq-password@127.0.0.1:1"),
		"a path in the URL":       server("https://127.0.0.1:1/proxy"),
		"no CA":                   noCA(tr.kubeconfig, ""),
		"another's key":           user(fmt.Sprintf("client-certificate-data: %s\n    client-key-data: %s", in64(apitest.AdminPair().Certificate), in64(pair.Key))),
		"two contexts":            list("contexts", "{name: other, context: {cluster: cluster, user: admin}}"),
		"two clusters":            list("clusters", "{name: other, cluster: {server: '"+tr.proxy+"'}}"),
		"a header in the token":   user(`token: "a\r\nImpersonate-User: root"`),
		"a bomb":                  "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n" + tr.kubeconfig,
		"1 MB":                    tr.kubeconfig + "# " + strings.Repeat("x", 1<<20),
		"no YAML":                 "{zq-password",
		"a JSON of exec":          `{"apiVersion":"v1","kind":"Config","current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"users":[{"name":"a","user":{"exec":{"command":"touch"}}}]}`,
	}
}

func in64(data []byte) string {
	raw, _ := json.Marshal(data)
	return strings.Trim(string(raw), `"`)
}

// kv00Options end with the path of a pull secret.
const kv00Options = "--name kv-00 --release-image quay.io/ocp/release:4.20.3-x86_64 --infra-id kv-00-abcde --pull-secret "

// rendered are the objects of a hosted cluster kv-00, by their paths, as hcctl makes them with those options.
func rendered(t *testing.T, options string) map[string]any {
	t.Helper()
	code, stdout, stderr := hcctl(t, strings.Fields("create cluster "+options+" --render --render-sensitive")...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	objects := map[string]any{"/version": values{"gitVersion": "v1.33.5"}}
	for _, text := range strings.Split(stdout, "\n---\n") {
		o := values{}
		if err := yaml.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		name := o["metadata"].(values)["name"].(string)
		path := map[any]string{
			"Namespace": "/api/v1/namespaces/", "Secret": "/api/v1/namespaces/clusters/secrets/", "HostedCluster": hostedPath + "/",
			"NodePool": "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools/",
		}[o["kind"]]
		if content, plain := o["stringData"].(values); plain {
			for key, value := range content {
				o["data"] = values{key: in64([]byte(value.(string)))}
			}
			delete(o, "stringData")
		}
		objects[path+name] = o
	}
	return objects
}

// besieged is a management cluster with those objects, whose hosted cluster kv-00 is up as far as its API, and has the content for a kubeconfig.
func besieged(t *testing.T, objects map[string]any, content string) string {
	t.Helper()
	conditions := []any{}
	for _, name := range []string{"ValidConfiguration", "ValidReleaseImage", "InfrastructureReady", "EtcdAvailable", "Available"} {
		conditions = append(conditions, values{"type": name, "status": "True", "reason": "AsExpected", "lastTransitionTime": "2024-01-01T00:00:00Z"})
	}
	kv00 := maps.Clone(objects[hostedPath+"/kv-00"].(values))
	kv00["status"] = values{
		"kubeconfig": values{"name": "kv-00-admin-kubeconfig"}, "kubeadminPassword": values{"name": "kv-00-kubeadmin-password"}, "conditions": conditions,
	}
	list := func(kind string, items ...any) values {
		return values{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": kind + "List", "metadata": values{"resourceVersion": "1"}, "items": items}
	}
	secret := func(name, key, content string) values {
		s := secretOf(key, content)
		s["apiVersion"], s["kind"], s["metadata"] = "v1", "Secret", values{"namespace": "clusters", "name": name, "uid": "s", "resourceVersion": "1"}
		return s
	}
	secrets := "/api/v1/namespaces/clusters/secrets"
	admin := secret("kv-00-admin-kubeconfig", "kubeconfig", content)
	world := maps.Clone(objects)
	maps.Copy(world, map[string]any{
		hostedPath: list("HostedCluster", kv00), hostedPath + "/kv-00": kv00, "/apis/hypershift.openshift.io/v1beta1/hostedclusters": list("HostedCluster", kv00),
		"/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools": list("NodePool"),
		secrets: list("Secret", admin), secrets + "/kv-00-admin-kubeconfig": admin,
		secrets + "/kv-00-kubeadmin-password": secret("kv-00-kubeadmin-password", "password", "aaaaa-bbbbb"),
	})
	s := httptest.NewServer(silent(world))
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

// silent answers reads with the objects, by their paths and one by one in lists of that name. It takes no writes, and its watches stay silent.
func silent(objects map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, one := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
		switch {
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Query().Get("watch") != "":
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case one:
			items := []any{}
			if o := objects[r.URL.Path+"/"+name]; o != nil {
				items = append(items, o)
			}
			_ = json.NewEncoder(w).Encode(values{"apiVersion": "v1", "kind": "List", "metadata": values{"resourceVersion": "1"}, "items": items})
		default:
			answers(objects)(w, r)
		}
	})
}

// Whatever somebody writes into the Secret of a kubeconfig: no command runs, no file is read, nobody is asked, nothing of it comes out, and no command of
// hcctl waits for it to get better.
func TestHostileKubeconfigs(t *testing.T) {
	refused := regexp.MustCompile(`Secret clusters/kv-00-admin-kubeconfig[:,] key kubeconfig, (it|[A-Za-z][A-Za-z.?-]*(\[0\][A-Za-z.?-]*)?) is refused: `)
	for _, command := range []struct {
		line string
		code int
	}{
		{"kubeconfig kv-00", exitBroken},
		{"kubeconfig --all", exitBroken},
		{"kubeconfig kv-00 --merge", exitBroken},
		{"kubeconfig kv-00 --wait --timeout 30s", exitBroken},
		{"kubeconfig --all --merge --wait --timeout 30s", exitBroken},
		{"exec kv-00 -- touch CANARY", exitBroken},
		{"password kv-00 -o json", exitBroken},
		{"status kv-00", exitBroken},
		{"dump kv-00 --archive-dump=false --artifact-dir DIR", exitError},
		{"wait cluster kv-00 --for api -o json --timeout 30s", exitBroken},
		{"create cluster OPTIONS --skip-preflight all --yes --timeout 30s", exitBroken},
	} {
		t.Run(strings.ReplaceAll(command.line, "/", "_"), func(t *testing.T) {
			tr := newTrap(t)
			// The objects are those that the same create would make, so that it has nothing to do but to wait.
			pull := filepath.Join(t.TempDir(), "pull.json")
			if err := os.WriteFile(pull, []byte(`{"auths":{"quay.io":{"auth":"dTpw"}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			options := kv00Options + pull
			objects := rendered(t, options)
			for name, content := range tr.variations() {
				t.Run(name, func(t *testing.T) {
					mine := home(t, besieged(t, objects, content))
					before, err := os.ReadFile(mine)
					if err != nil {
						t.Fatal(err)
					}
					dir := t.TempDir()
					args := strings.Fields(strings.NewReplacer("CANARY", tr.canary, "DIR", dir, "OPTIONS", options).Replace(command.line))
					code, stdout, stderr := hcctl(t, args...)
					if code != command.code {
						t.Errorf("exit %d, want %d\n%s\n%s", code, command.code, stdout, stderr)
					}
					tr.sprung(t)
					told := stdout + stderr + everything(t, dir)
					if !refused.MatchString(told) {
						t.Errorf("it is not told that it is refused:\n%s\n%s", stdout, stderr)
					}
					for _, mark := range []string{localSecret, "a-token-of-theirs", "zq-password", "mgmt-token"} {
						if strings.Contains(told, mark) {
							t.Errorf("%q comes out:\n%s\n%s", mark, stdout, stderr)
						}
					}
					if quiet := !strings.Contains(command.line, "status") && !strings.Contains(command.line, "dump") && !strings.Contains(command.line, "wait cluster"); quiet && strings.Contains(stdout, "kind") {
						t.Errorf("something is printed:\n%s", stdout)
					}
					if after, err := os.ReadFile(mine); err != nil || string(after) != string(before) {
						t.Errorf("the user's kubeconfig is changed: %v\n%s", err, after)
					}
				})
			}
		})
	}
}

// everything is what the files in a folder hold.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The traps work: client-go by itself runs the command, and sends the file.
func TestTrapsCatchClientGo(t *testing.T) {
	tr := newTrap(t)
	ask := func(name string) {
		cfg, err := clientcmd.RESTConfigFromKubeConfig([]byte(tr.variations()[name]))
		if err != nil {
			t.Fatal(err)
		}
		c, err := rest.HTTPClientFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, cfg.Host+"/version", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := c.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
	if ask("exec"); !exists(tr.canary) {
		t.Error("no command ran")
	}
	if ask("tokenFile"); tr.seen.Load() != "Bearer "+localSecret {
		t.Errorf("the server was sent %v", tr.seen.Load())
	}
	tr.requests.Store(0)
	if ask("proxy-url"); tr.requests.Load() == 0 {
		t.Error("the proxy was not asked")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A server in a kubeconfig that is taken gets the credentials of that kubeconfig and none of the management cluster's.
func TestHostedServersGetTheirOwnCredentialsAlone(t *testing.T) {
	tr := newTrap(t)
	pull := filepath.Join(t.TempDir(), "pull.json")
	if err := os.WriteFile(pull, []byte(`{"auths":{"quay.io":{"auth":"dTpw"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	home(t, besieged(t, rendered(t, kv00Options+pull), tr.kubeconfig))
	for _, args := range [][]string{{"status", "kv-00"}, {"password", "kv-00", "-o", "json"}, {"kubeconfig", "kv-00", "--wait"}} {
		tr.requests.Store(0)
		hcctl(t, args...)
		if tr.requests.Load() == 0 || tr.seen.Load() != "Bearer a-token-of-theirs" {
			t.Errorf("%v: %d requests, the last with %q", args, tr.requests.Load(), tr.seen.Load())
		}
	}
}
