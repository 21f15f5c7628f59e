package kubeconfig

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// fuzzed is the kubeconfig of a hosted cluster.
func fuzzed() string { return kubetest.AdminKubeconfig("https://192.0.2.9:6443", nil) }

// others fails unless all that is in one kubeconfig is in another, but for the names that are left out.
func others(t *testing.T, before, after *api.Config, but map[string]bool) {
	t.Helper()
	for name, x := range before.Clusters {
		if !but[name] && !reflect.DeepEqual(x, after.Clusters[name]) {
			t.Fatalf("cluster %q was %+v, is %+v", name, x, after.Clusters[name])
		}
	}
	for name, x := range before.AuthInfos {
		if !but[name] && !reflect.DeepEqual(x, after.AuthInfos[name]) {
			t.Fatalf("user %q was %+v, is %+v", name, x, after.AuthInfos[name])
		}
	}
	for name, x := range before.Contexts {
		if !but[name] && !reflect.DeepEqual(x, after.Contexts[name]) {
			t.Fatalf("context %q was %+v, is %+v", name, x, after.Contexts[name])
		}
	}
	// preferences of old files are kept too
	if !reflect.DeepEqual(before.Preferences, after.Preferences) ||
		!reflect.DeepEqual(before.Extensions, after.Extensions) {
		t.Fatal("preferences or extensions have changed")
	}
}

// FuzzMerge merges a cluster into any kubeconfig, again, and removes it: others' entries stay as they are, what is
// merged is there with its certificate authority, and each is left out by client-go's own reading.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("# mine\napiVersion: v1\nkind: Config\npreferences: {colors: true}\nclusters:\n- name: lab\n  cluster: " +
		"{server: https://lab, insecure-skip-tls-verify: true}\nusers:\n- name: me\n  user: {token: secret}\ncontexts:\n- " +
		"{name: lab, context: {cluster: lab, user: me}}\ncurrent-context: lab\n"))
	f.Add([]byte(fuzzed()))
	f.Add([]byte("clusters: &l []\ncontexts: *l\nusers: *l\n"))
	f.Add([]byte("{\"kind\":\"Config\",\"clusters\":null,\"users\":[{\"name\":\"clusters-kv-00-admin\",\"user\":{}}]}"))
	f.Add([]byte("contexts: [{name: a, context: {cluster: clusters-kv-00, user: x}}]\n"))
	f.Add(
		[]byte("clusters:\n- &a {name: a, cluster: &b {server: https://a}}\n- {name: b, cluster: *b}\n- {<<: *a, name: c}\n"))
	access, err := adminkubeconfig.Parse([]byte(fuzzed()))
	if err != nil {
		f.Fatal(err)
	}
	own := Entry{Owner: Owner{HostedCluster: "clusters/kv-00", ClusterID: "id", Management: "https://m"},
		Context: "clusters-kv-00", Access: access}
	names := map[string]bool{own.Context: true, own.Context + userSuffix: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		refused := func(err error) bool {
			var file *FileError
			var foreign *ForeignError
			if err != nil && (!errors.As(err, &file) && !errors.As(err, &foreign) ||
				strings.ContainsAny(err.Error(), "\n\r\x1b")) {
				t.Fatalf("%T: want one line of an error with the next step: %q", err, err)
			}
			return err != nil
		}
		merge := func(d *document) error { _, err := d.merge(&own); return err }
		merged, err := applyEdit("f", data, merge)
		if refused(err) {
			return
		}
		before, err := clientcmd.Load(data)
		if err != nil {
			t.Fatalf("merged into what client-go does not read: %v", err)
		}
		after, err := clientcmd.Load(merged)
		if err != nil {
			t.Fatalf("client-go does not read what was written: %v\n%s", err, merged)
		}
		others(t, before, after, names)
		cluster, user := after.Clusters[own.Context], after.AuthInfos[own.Context+userSuffix]
		if cluster == nil || user == nil || after.Contexts[own.Context] == nil ||
			!bytes.Equal(cluster.CertificateAuthorityData, access.Cluster().CertificateAuthorityData) ||
			cluster.InsecureSkipTLSVerify || cluster.Server != "https://192.0.2.9:6443" ||
			!bytes.Equal(user.ClientKeyData, access.User().ClientKeyData) {
			t.Fatalf("merged %+v, %+v", cluster, user)
		}
		if after.CurrentContext != before.CurrentContext {
			t.Fatalf("the current context was %q, is %q", before.CurrentContext, after.CurrentContext)
		}
		if second, err := applyEdit("f", merged, merge); err != nil || string(second) != string(merged) {
			t.Fatalf("a second merge is not the same: %v\n%s\n%s", err, merged, second)
		}
		removed, err := applyEdit("f", merged, func(d *document) error {
			for _, item := range append(d.items(contextKind)[:0:0], d.items(contextKind)...) {
				if o, ok := ownerOf(value(item, contextKind.key)); ok && o == own.Owner {
					d.remove(item, o)
				}
			}
			return nil
		})
		if refused(err) {
			return
		}
		left, err := clientcmd.Load(removed)
		if err != nil {
			t.Fatalf("client-go does not read what is left: %v\n%s", err, removed)
		}
		others(t, after, left, names)
		if left.Contexts[own.Context] != nil {
			t.Fatalf("the context is still there:\n%s", removed)
		}
	})
}
