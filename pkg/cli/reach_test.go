package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

type values = map[string]any

const hostedPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"

func secretOf(key, value string) object {
	return values{"data": values{key: base64.StdEncoding.EncodeToString([]byte(value))}}
}

// hostedAt is the admin kubeconfig of a hosted cluster at that address.
func hostedAt(server string) string { return kubetest.TokenKubeconfig(server, nil, "t") }

// mineAt is a user's own kubeconfig for the server at that address.
func mineAt(server string) string {
	return `apiVersion: v1
kind: Config
clusters: [{name: cluster, cluster: {server: "` + server + `"}}]
contexts: [{name: mgmt, context: {cluster: cluster, user: mgmt}}]
current-context: mgmt
users: [{name: mgmt, user: {token: mgmt-token}}]
`
}

// answering is an API server that knows these paths and no others.
func answering(t *testing.T, answered map[string]any) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(answers(answered))
	t.Cleanup(server.Close)
	return server
}

// answers knows these paths and no others.
func answers(answered map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		a, ok := answered[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			a = metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
				Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Details: &metav1.StatusDetails{Name: "x"},
			}
		}
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") && ok {
			a = values{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "items": a.(values)["items"]}
		}
		_ = json.NewEncoder(w).Encode(a)
	}
}

// management is a management cluster with the hosted clusters kv-00, which is up, kv-01, which is not yet, and kv-02,
// which has an external OIDC provider and a DNS name of its own.
func management(t *testing.T) *httptest.Server {
	t.Helper()
	_, kv00 := kubetest.Hosted(t, answers(map[string]any{
		"/version":                     values{"gitVersion": "v1.33.5"},
		"/apis/config.openshift.io/v1": values{"resources": []any{values{"name": "consoles", "kind": "Console"}}},
		"/apis/config.openshift.io/v1/consoles/cluster": values{"apiVersion": "config.openshift.io/v1", "kind": "Console",
			"status": values{"consoleURL": "https://console.kv-00.example"}},
	}))
	up := values{
		"metadata": values{"namespace": "clusters", "name": "kv-00", "labels": values{"env": "lab"}},
		"spec":     values{"clusterID": "id-0"},
		"status": values{
			"kubeconfig":        values{"name": "kv-00-admin-kubeconfig"},
			"kubeadminPassword": values{"name": "kv-00-kubeadmin-password"},
			"conditions":        []any{values{"type": "Available", "status": "True"}},
		},
	}
	late := values{
		"metadata": values{"namespace": "clusters", "name": "kv-01"},
		"status": values{"conditions": []any{values{"type": "Available", "status": "False", "reason": "X",
			"message": "Waiting for etcd"}}},
	}
	oidc := values{
		"metadata": values{"namespace": "clusters", "name": "kv-02", "labels": values{"env": "lab"}},
		"spec": values{"kubeAPIServerDNSName": "api.kv-02.example",
			"configuration": values{"authentication": values{"type": "OIDC"}}},
		"status": values{"kubeconfig": values{"name": "kv-02-admin-kubeconfig"},
			"customKubeconfig": values{"name": "kv-02-custom-admin-kubeconfig"}},
	}
	secrets := "/api/v1/namespaces/clusters/secrets/"
	return answering(t, map[string]any{
		"/version": values{"gitVersion": "v1.33.5"},
		hostedPath: values{"items": []any{up, late, oidc}},
		"/apis/hypershift.openshift.io/v1beta1/hostedclusters": values{"items": []any{up, late, oidc}},
		hostedPath + "/kv-00": up, hostedPath + "/kv-01": late, hostedPath + "/kv-02": oidc,
		secrets + "kv-00-admin-kubeconfig":        secretOf("kubeconfig", kv00),
		secrets + "kv-02-admin-kubeconfig":        secretOf("kubeconfig", hostedAt("https://192.0.2.2:6443")),
		secrets + "kv-02-custom-admin-kubeconfig": secretOf("kubeconfig", hostedAt("https://api.kv-02.example:6443")),
		secrets + "kv-00-kubeadmin-password":      secretOf("password", "aaaaa-bbbbb"),
	})
}

// home is a user's kubeconfig whose current context is the management cluster at that address.
func home(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(mineAt(server)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
	return path
}

// hcctl calls it with the user's own kubeconfig.
func hcctl(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return hcctlTyped(t, "stdin\n", args...)
}

// hcctlTyped is hcctl with something in its standard input, which is no terminal.
func hcctlTyped(t *testing.T, typed string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(t.Context(), args, cmdutil.Streams{In: strings.NewReader(typed), Out: &out, Err: &err},
		func(string) string { return "" })
	return code, out.String(), err.String()
}

// expect calls it and holds the exit code and a part of stderr.
func expect(t *testing.T, code int, said string, args ...string) (stdout string) {
	t.Helper()
	got, stdout, stderr := hcctl(t, args...)
	if got != code || !strings.Contains(stderr, said) {
		t.Errorf("hcctl %s: exit %d, want %d and %q:\n%s", strings.Join(args, " "), got, code, said, stderr)
	}
	return stdout
}

func current(t *testing.T, path string) (contexts []string, now string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.Contexts {
		contexts = append(contexts, name)
	}
	return contexts, config.CurrentContext
}

func TestKubeconfigMergesAndRemoves(t *testing.T) {
	path := home(t, management(t).URL)
	if out := expect(t, 0, "Context clusters-kv-00 in "+path+": created\nNext: oc --context clusters-kv-00 get nodes",
		"kubeconfig", "kv-00", "--merge"); out != "" {
		t.Error(out)
	}
	if all, now := current(t, path); len(all) != 2 || now != "mgmt" {
		t.Errorf("%v, %s", all, now)
	}
	expect(t, 0, "unchanged", "kubeconfig", "--name", "kv-00", "--merge")
	out := expect(t, 0, "", "kubeconfig", "kv-00", "--merge", "--context-name", "lab", "-o", "json")
	conforms(t, "kubeconfig", []byte(out))

	expect(t, 3, "1 of 3 hosted clusters left out: clusters/kv-01: no kubeconfig yet: Waiting for etcd", "kubeconfig",
		"--all", "--merge")
	expect(t, 0, "created", "kubeconfig", "-l", "env=lab", "--merge", "--file", filepath.Join(t.TempDir(), "new"))
	if all, now := current(t, path); len(all) != 4 || now != "mgmt" {
		t.Errorf("%v, %s", all, now)
	}

	conforms(t, "kubeconfig", []byte(expect(t, 0, "", "kubeconfig", "kv-00", "--remove", "-o", "json")))
	expect(t, 3, "hcctl has merged no context for hosted cluster clusters/kv-00", "kubeconfig", "kv-00", "--remove")
	expect(t, 1, "hcctl did not write it", "kubeconfig", "--remove", "--context-name", "mgmt")
	expect(t, 0, "Context clusters-kv-02 in "+path+": deleted", "kubeconfig", "--remove", "--context-name",
		"clusters-kv-02")
	if all, now := current(t, path); len(all) != 1 || now != "mgmt" {
		t.Errorf("%v, %s", all, now)
	}

	expect(t, 0, "hcctl talks to the management cluster: give it --context mgmt from now on", "kubeconfig", "kv-00",
		"--merge", "--switch")
	if _, now := current(t, path); now != "clusters-kv-00" {
		t.Error(now)
	}
	// The current context is the hosted cluster now, so nothing here tells which management cluster is meant.
	expect(t, 3, "for others of that name there are: clusters-kv-00", "kubeconfig", "kv-00", "--remove")
	expect(t, 0, "has no current context", "kubeconfig", "kv-00", "--remove", "--context", "mgmt")

	// Of several files, the first that has a current context gives it to all.
	expect(t, 0, "created", "kubeconfig", "kv-00", "--merge", "--context", "mgmt")
	first := filepath.Join(t.TempDir(), "first")
	if err := os.WriteFile(first, []byte("apiVersion: v1\nkind: Config\ncurrent-context: mgmt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", first+string(filepath.ListSeparator)+path)
	if _, _, said := hcctl(t, "kubeconfig", "kv-00", "--remove"); !strings.Contains(said, "deleted") ||
		strings.Contains(said, "no current context") {
		t.Error(said)
	}
}

func TestKubeconfigPrints(t *testing.T) {
	home(t, management(t).URL)
	if out := expect(t, 0, "", "kubeconfig", "--name", "kv-02"); out != hostedAt("https://192.0.2.2:6443") {
		t.Error(out)
	}
	if out := expect(t, 0, "", "kubeconfig", "kv-02", "--custom"); !strings.Contains(out,
		"https://api.kv-02.example:6443") {
		t.Error(out)
	}
	expect(t, 3, "spec.kubeAPIServerDNSName is not set", "kubeconfig", "kv-00", "--custom")
	expect(t, 3, "has no kubeconfig yet: Waiting for etcd", "kubeconfig", "kv-01")
	expect(t, 3, "there is no such hosted cluster", "kubeconfig", "-l", "env=none")
	out := expect(t, 3, "clusters/kv-01: no kubeconfig yet", "kubeconfig", "-A")
	config, err := clientcmd.Load([]byte(out))
	if err != nil || len(config.Contexts) != 2 || config.CurrentContext != "" || config.Clusters["clusters-kv-02"] == nil {
		t.Errorf("%+v, %v", config, err)
	}
	if out := expect(t, 0, "", "kubeconfig", "kv-02", "-o", "json"); !json.Valid([]byte(out)) ||
		!strings.Contains(out, `"current-context": "admin"`) {
		t.Error(out)
	}
}

func TestKubeconfigFlagsThatDoNotGoTogether(t *testing.T) {
	for args, want := range map[string]string{
		"kubeconfig":                        "which hosted cluster?",
		"kubeconfig a b --all":              "give only one of them",
		"kubeconfig a --name b":             "give only one of them",
		"kubeconfig a --all":                "give only one of them",
		"kubeconfig a --merge --remove":     "give only one of them",
		"kubeconfig a --file x":             "need --merge or --remove",
		"kubeconfig a --switch":             "--switch needs --merge",
		"kubeconfig --all --merge --switch": "are about one hosted cluster",
		"kubeconfig --remove":               "which hosted cluster?",
		"kubeconfig --remove --all":         "--remove takes one name",
		"kubeconfig a -o yaml":              "it takes json",
		"kubeconfig a --wait --timeout 0s":  "above zero",
		"kubeconfig -l a=b=c":               "--selector",
		"exec":                              "which hosted cluster?",
		"exec -- ls":                        "which hosted cluster?",
		"exec a ls":                         "the command comes after --",
		"exec a b -- ls":                    "the command comes after --",
		"exec a":                            "which command? hcctl exec a -- COMMAND",
		"password":                          "takes one name",
		"password a -o yaml":                "it takes json",
		"console":                           "takes one name",
		"console a -o yaml":                 "it takes json",
	} {
		if code, stdout, stderr := run(t, strings.Fields(args)...); code != cmdutil.ExitUsage || stdout != "" ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, want %q in %s", args, code, stdout, want, stderr)
		}
	}
}

func TestPassword(t *testing.T) {
	home(t, management(t).URL)
	if out := expect(t, 0, "", "password", "kv-00"); out != "aaaaa-bbbbb\n" {
		t.Error(out)
	}
	out := expect(t, 0, "", "password", "kv-00", "-o", "json")
	conforms(t, "password", []byte(out))
	if !strings.Contains(out, "https://console.kv-00.example") {
		t.Error(out)
	}
	expect(t, 3,
		"has no kubeadmin password: the operator has not published it yet (Available False (X): Waiting for etcd)",
		"password", "kv-01")
	expect(t, 3, "external OIDC provider", "password", "kv-02")
	expect(t, 1, "no hosted cluster \"kv-99\"", "password", "kv-99")
}

func TestConsole(t *testing.T) {
	home(t, management(t).URL)
	if out := expect(t, 0, "", "console", "kv-00"); out != "https://console.kv-00.example\n" {
		t.Error(out)
	}
	conforms(t, "console", []byte(expect(t, 0, "", "console", "clusters/kv-00", "-o", "json")))
	expect(t, 1, "no hosted cluster \"kv-99\"", "console", "kv-99")
	const noSuchKind = "the hosted cluster has no such kind"
	for address, want := range map[string]struct {
		code int
		text string
	}{
		noSuchKind:                  {cmdutil.ExitMissing, "has no web console yet"},
		"":                          {cmdutil.ExitMissing, "has no web console yet"},
		"http://console.kv-00":      {cmdutil.ExitError, "is refused"},
		"https://u:p@console.kv-00": {cmdutil.ExitError, "is refused"},
		"https://x.example/\x1b[2J": {cmdutil.ExitError, "is refused"},
	} {
		inside := map[string]any{
			"/version":                     values{"gitVersion": "v1.33.5"},
			"/apis/config.openshift.io/v1": values{"resources": []any{values{"name": "consoles", "kind": "Console"}}},
			"/apis/config.openshift.io/v1/consoles/cluster": values{"apiVersion": "config.openshift.io/v1", "kind": "Console",
				"status": values{"consoleURL": address}},
		}
		if address == noSuchKind {
			inside = map[string]any{"/version": values{"gitVersion": "v1.33.5"}}
		}
		_, kubeconfig := kubetest.Hosted(t, answers(inside))
		up := values{"metadata": values{"namespace": "clusters", "name": "kv-00"}, "status": values{
			"kubeconfig": values{"name": "kv-00-admin-kubeconfig"}}}
		home(t, answering(t, map[string]any{
			"/version": values{"gitVersion": "v1.33.5"}, hostedPath + "/kv-00": up,
			"/api/v1/namespaces/clusters/secrets/kv-00-admin-kubeconfig": secretOf("kubeconfig", kubeconfig),
		}).URL)
		if out := expect(t, want.code, want.text, "console", "kv-00"); out != "" {
			t.Errorf("%q: %s", address, out)
		}
	}
}
