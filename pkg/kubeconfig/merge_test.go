package kubeconfig_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/pkg/kubeconfig"
	"github.com/hcctl/hcctl/pkg/step"
)

const management = "https://api.mgmt.example:6443"

// theirs is what a user has in their kubeconfig: with a comment, an order of their own and a field client-go does not
// know.
const theirs = `# mine, hands off
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: lab   # the one in the cellar
  cluster:
    server: https://lab.example:6443
    insecure-skip-tls-verify: true
contexts:
- context: {cluster: lab, user: me}
  name: lab
current-context: lab
x-tool: {keep: me}
users:
- name: me
  user:
    token: secret
`

func entry(name string) kubeconfig.Entry {
	return kubeconfig.Entry{
		Owner:   kubeconfig.Owner{HostedCluster: "clusters/" + name, ClusterID: "id-of-" + name, Management: management},
		Context: kubeconfig.ContextName("clusters", name),
		Access:  access(good),
	}
}

// file makes a kubeconfig in a directory of its own.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, content)
	return path
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// onlyFile holds that nothing is left beside a file.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

func merge(t *testing.T, path string, entries ...kubeconfig.Entry) kubeconfig.Outcome {
	t.Helper()
	out, err := kubeconfig.Merge(t.Context(), path, entries, "")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMergeKeepsWhatIsThere(t *testing.T) {
	path := file(t, theirs)
	out := merge(t, path, entry("kv-00"))
	if len(out.Changes) != 1 || out.Changes[0].Change != step.Created ||
		out.Changes[0].Server != "https://192.0.2.1:6443" || out.Current != "lab" {
		t.Errorf("%+v", out)
	}
	got := content(t, path)
	for _, line := range []string{"# mine, hands off", "- name: lab # the one in the cellar", "x-tool: {keep: me}",
		"- context: {cluster: lab, user: me}", "current-context: lab"} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%q is lost:\n%s", line, got)
		}
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Contexts["clusters-kv-00"]
	if c == nil || c.Cluster != "clusters-kv-00" || c.AuthInfo != "clusters-kv-00-admin" ||
		config.AuthInfos[c.AuthInfo].Token != "t" {
		t.Errorf("%+v", config)
	}
	if config.AuthInfos["me"].Token != "secret" || !config.Clusters["lab"].InsecureSkipTLSVerify {
		t.Error("the user's own entries are changed")
	}
	onlyFile(t, path)
}

func TestMergeAgainChangesNothing(t *testing.T) {
	path := file(t, theirs)
	merge(t, path, entry("kv-00"))
	before := content(t, path)
	stamp, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if out := merge(t, path, entry("kv-00")); out.Changes[0].Change != step.Unchanged {
		t.Errorf("%+v", out)
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(stamp, now) || content(t, path) != before {
		t.Error("the file was written")
	}

	// A namespace chosen for the context stays, new credentials arrive.
	write(t, path, strings.Replace(before, "cluster: clusters-kv-00\n", "cluster: clusters-kv-00\n    namespace: mine\n",
		1))
	fresh := entry("kv-00")
	fresh.Access = access(strings.Replace(good, "token: t", "token: new", 1))
	if out := merge(t, path, fresh); out.Changes[0].Change != step.Configured {
		t.Errorf("%+v", out)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil || config.Contexts["clusters-kv-00"].Namespace != "mine" ||
		config.AuthInfos["clusters-kv-00-admin"].Token != "new" {
		t.Errorf("%+v, %v", config, err)
	}
}

// earlier is what hcctl merged when it took a kubeconfig as it was: with a command, a file and a server that is not
// verified.
func earlier(t *testing.T, path string) {
	t.Helper()
	merge(t, path, entry("kv-00"))
	now := strings.NewReplacer(
		"    token: t\n", "    exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [x], "+
			"interactiveMode: Never}\n    tokenFile: /etc/passwd\n    as: root\n",
		"    server: https://192.0.2.1:6443\n", "    server: https://192.0.2.1:6443\n    insecure-skip-tls-verify: true\n"+
			"    proxy-url: http://192.0.2.9\n",
		"    cluster: clusters-kv-00\n", "    cluster: clusters-kv-00\n    namespace: mine\n",
	).Replace(content(t, path))
	now = regexp.MustCompile(`(?m)^    certificate-authority-data: .*\n`).ReplaceAllString(now, "")
	write(t, path, now)
	if !strings.Contains(now, "exec:") || !strings.Contains(now, "proxy-url:") ||
		!strings.Contains(now, "namespace: mine") {
		t.Fatalf("that is not what an earlier hcctl merged:\n%s", now)
	}
}

// Merging again leaves nothing of what an earlier hcctl merged but the namespace; others' entries stay as they are.
func TestMergeReplacesWhatAnEarlierHcctlMerged(t *testing.T) {
	path := file(t, theirs)
	earlier(t, path)
	if out := merge(t, path, entry("kv-00")); out.Changes[0].Change != step.Configured {
		t.Errorf("%+v", out)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	user, cluster := config.AuthInfos["clusters-kv-00-admin"], config.Clusters["clusters-kv-00"]
	user.Extensions, cluster.Extensions, user.LocationOfOrigin, cluster.LocationOfOrigin = nil, nil, "", ""
	if diff := cmp.Diff(access(good).User(), user); diff != "" {
		t.Errorf("the user: %s", diff)
	}
	if diff := cmp.Diff(access(good).Cluster(), cluster); diff != "" {
		t.Errorf("the cluster: %s", diff)
	}
	if config.Contexts["clusters-kv-00"].Namespace != "mine" {
		t.Error("the namespace that was chosen is lost")
	}
	if config.AuthInfos["me"].Token != "secret" || !config.Clusters["lab"].InsecureSkipTLSVerify {
		t.Error("the user's own entries are changed")
	}
}

func TestMergeIntoNothing(t *testing.T) {
	for name, start := range map[string]string{"empty": "", "blank": "\n \n",
		"null lists": "apiVersion: v1\nkind: Config\nclusters: null\nusers: []\n"} {
		t.Run(name, func(t *testing.T) {
			path := file(t, start)
			merge(t, path, entry("kv-00"))
			if config, err := clientcmd.LoadFromFile(path); err != nil || len(config.Contexts) != 1 ||
				config.CurrentContext != "" {
				t.Errorf("%+v, %v", config, err)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "not", "there", "config")
	out, err := kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("kv-00"), entry("kv-01")}, "clusters-kv-01")
	if err != nil || out.Current != "clusters-kv-01" {
		t.Fatalf("%+v, %v", out, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	directory, err := os.Stat(filepath.Dir(path))
	if err != nil || directory.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", directory.Mode(), err)
	}
	if config, err := clientcmd.LoadFromFile(path); err != nil || config.CurrentContext != "clusters-kv-01" ||
		len(config.Clusters) != 2 {
		t.Errorf("%+v, %v", config, err)
	}
}

func TestForeignEntriesAreRefused(t *testing.T) {
	other := entry("kv-00")
	other.Management, other.ClusterID = "https://elsewhere.example:6443", "another"
	for name, tc := range map[string]struct {
		entry kubeconfig.Entry
		start func(path string)
		want  string
	}{
		"context": {
			entry("lab"), func(path string) {
				write(t, path, strings.ReplaceAll(theirs, "name: lab\n", "name: clusters-lab\n"))
			},
			`there is a context "clusters-lab" already that is not of hosted cluster clusters/lab: hcctl did not write it, and it leads to https://lab.example:6443`,
		},
		"cluster": {
			entry("lab"), func(path string) { write(t, path, strings.ReplaceAll(theirs, "name: lab ", "name: clusters-lab ")) },
			`there is a cluster "clusters-lab" already that is not of hosted cluster clusters/lab: hcctl did not write it, and it leads to https://lab.example:6443`,
		},
		"another management cluster": {
			entry("kv-00"), func(path string) { merge(t, path, other) },
			`there is a cluster "clusters-kv-00" already that is not of hosted cluster clusters/kv-00: hcctl merged it for clusters/kv-00 of the management cluster https://elsewhere.example:6443`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, theirs)
			tc.start(path)
			before := content(t, path)
			// One that could be merged comes first: it must not be merged either.
			_, err := kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("first"), tc.entry}, "")
			var foreign *kubeconfig.ForeignError
			if !errors.As(err, &foreign) || err.Error() != tc.want || !strings.Contains(foreign.Hint().String(),
				"--context-name") {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
			if diff := cmp.Diff(before, content(t, path)); diff != "" {
				t.Errorf("the file changed:\n%s", diff)
			}
			onlyFile(t, path)
			named := tc.entry
			named.Context = "other-name"
			merge(t, path, named)
		})
	}
}

func TestSameClusterIsKnownByIDOrByManagementCluster(t *testing.T) {
	path := file(t, theirs)
	merge(t, path, entry("kv-00"))
	moved := entry("kv-00")
	moved.Management = "https://another-address.example:6443"
	if out := merge(t, path, moved); out.Changes[0].Change != step.Configured {
		t.Errorf("by ID: %+v", out)
	}
	anew := moved
	anew.ClusterID = "created-anew"
	if out := merge(t, path, anew); out.Changes[0].Change != step.Configured {
		t.Errorf("by management cluster: %+v", out)
	}
}

func TestRemoveTakesOnlyItsOwn(t *testing.T) {
	path := file(t, theirs)
	plain, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	named := entry("kv-00")
	named.Context = "mine"
	if _, err := kubeconfig.Merge(t.Context(), path, []kubeconfig.Entry{entry("kv-00"), named, entry("kv-01")},
		"mine"); err != nil {
		t.Fatal(err)
	}
	out, err := kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Owner: entry("kv-00").Owner})
	if err != nil || len(out.Changes) != 2 || out.Changes[0].Change != step.Deleted || out.Current != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Context: "clusters-kv-01"}); err != nil ||
		len(out.Changes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain.CurrentContext = "" // it was one of those
	if diff := cmp.Diff(plain, config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	before := content(t, path)
	if out, err = kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Owner: entry("kv-00").Owner}); err != nil ||
		len(out.Changes) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	var foreign *kubeconfig.ForeignError
	if _, err = kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Context: "lab"}); !errors.As(err, &foreign) {
		t.Errorf("the user's own context: %v", err)
	}
	if content(t, path) != before {
		t.Error("the file was written")
	}
	absent := filepath.Join(t.TempDir(), "config")
	if out, err = kubeconfig.Remove(t.Context(), absent, kubeconfig.Selection{Owner: entry("kv-00").Owner}); err != nil ||
		len(out.Changes) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := os.Stat(absent); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was made to remove something from it")
	}
}

// TestWhatSomebodyElseUsesStays: a context of the user's own that refers to the cluster hcctl merged keeps it.
func TestWhatSomebodyElseUsesStays(t *testing.T) {
	path := file(t, theirs)
	merge(t, path, entry("kv-00"))
	write(t, path, strings.Replace(content(t, path), "contexts:\n",
		"contexts:\n- name: reader\n  context: {cluster: clusters-kv-00, user: me}\n", 1))
	if _, err := kubeconfig.Remove(t.Context(), path, kubeconfig.Selection{Owner: entry("kv-00").Owner}); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(path)
	if err != nil || config.Clusters["clusters-kv-00"] == nil || config.AuthInfos["clusters-kv-00-admin"] != nil ||
		config.Contexts["reader"] == nil {
		t.Errorf("%+v, %v", config, err)
	}
}

func TestJoin(t *testing.T) {
	data, err := kubeconfig.Join([]kubeconfig.Entry{entry("kv-00"), entry("kv-01")})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(data)
	if err != nil || len(config.Contexts) != 2 || config.CurrentContext != "" ||
		config.Contexts["clusters-kv-01"].AuthInfo != "clusters-kv-01-admin" {
		t.Errorf("%s, %v", data, err)
	}
}
