package infrastructure_test

import (
	"errors"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// hosted is a HostedCluster with its worker VMs elsewhere.
func hosted(secret, namespace string) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"}}
	hc.Spec.InfraID = "kv-00-x"
	hc.Spec.Platform = hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtPlatformSpec{
		Credentials: &hyperv1.KubevirtPlatformCredentials{InfraNamespace: namespace,
			InfraKubeConfigSecret: &hyperv1.KubeconfigSecretRef{Name: secret}}}}
	return hc
}

// several is a kubeconfig with a second cluster, user and context beside the current ones.
func several() string {
	s := kubetest.AdminKubeconfig("https://192.0.2.1:6443", nil)
	for list, more := range map[string]string{
		"clusters:": "- cluster: {server: \"http://192.0.2.9\"}\n  name: other\n",
		"contexts:": "- context: {cluster: other, user: other}\n  name: other\n",
		"users:":    "- name: other\n  user: {exec: {command: touch}}\n",
	} {
		s = strings.Replace(s, list+"\n", list+"\n"+more, 1)
	}
	return s
}

// TestTheKubeconfigOfASecretIsHostile has Secrets that anybody may have written: nothing of them is run, read or asked.
func TestTheKubeconfigOfASecretIsHostile(t *testing.T) {
	good := kubetest.AdminKubeconfig("https://192.0.2.1:6443", nil)
	user := func(line string) string {
		at := strings.Index(good, "  user:\n")
		return good[:at] + "  user:\n    " + line + "\n" + good[at+len("  user:\n"):]
	}
	cluster := func(line string) string {
		return strings.Replace(good, "- cluster:\n", "- cluster:\n    "+line+"\n", 1)
	}
	for name, tc := range map[string]struct{ secret, namespace, content, want string }{
		"as it is made":     {"s", "guests", good, ""},
		"several contexts":  {"s", "guests", several(), ""},
		"a command":         {"s", "guests", user("exec: {command: touch, args: [ran]}"), "users[0].user.exec is refused: it names a command"},
		"a plugin":          {"s", "guests", user("auth-provider: {name: gcp}"), "it names a plugin"},
		"a token's file":    {"s", "guests", user("tokenFile: /etc/shadow"), "it names a file"},
		"another person":    {"s", "guests", user("as: system:admin"), "it impersonates another user"},
		"a proxy":           {"s", "guests", cluster("proxy-url: http://192.0.2.9:3128"), "it sends requests through a proxy"},
		"not verified":      {"s", "guests", cluster("insecure-skip-tls-verify: true"), "it switches off the verification"},
		"a CA's file":       {"s", "guests", cluster("certificate-authority: /etc/passwd"), "it names a file"},
		"plain HTTP":        {"s", "guests", kubetest.AdminKubeconfig("http://192.0.2.1", nil), "it is not a URL of the form https://HOST:PORT"},
		"huge":              {"s", "guests", strings.Repeat("a", 300<<10), "it has more than 256 KB"},
		"aliases":           {"s", "guests", "a: &a [b]\nb: [*a, *a]\n", "it has anchors and aliases"},
		"empty":             {"s", "guests", "", "it is empty"},
		"twice the current": {"s", "guests", strings.Replace(several(), "name: other", "name: cluster", 1), "and one has to"},
		"a name of a path":  {"../x", "guests", good, "is not the name of a Secret"},
		"a namespace's path": {"s", "guests/../kube-system", good,
			"the namespace of the worker VMs is not the name of a namespace"},
		"none of that name": {"other", "guests", good, "Secret clusters/other"},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.Serve(t)
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "s"},
				Data: map[string][]byte{infrastructure.KubeconfigKey: []byte(tc.content)}}
			if err := api.Client.Create(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			site, err := infrastructure.SiteOf(t.Context(), api.Client, hosted(tc.secret, tc.namespace))
			var away *infrastructure.NotReachedError
			switch {
			case tc.want == "" && (err != nil || site.Namespace != "guests" || site.Cluster.Config().Host != "https://192.0.2.1:6443"):
				t.Errorf("%+v, %v", site, err)
			case tc.want != "" && (!errors.As(err, &away) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// TestOnlyOwnVMsAreLookedAt has a namespace that the VMs of several clusters share.
func TestOnlyOwnVMsAreLookedAt(t *testing.T) {
	api := kubetest.Serve(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "s"},
		Data: map[string][]byte{infrastructure.KubeconfigKey: []byte(several())}}
	if err := api.Client.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	site, err := infrastructure.SiteOf(t.Context(), api.Client, hosted("s", "guests"))
	if err != nil {
		t.Fatal(err)
	}
	o := client.ListOptionsOf(site.VMs())
	if o.Namespace != "guests" || o.LabelSelector == nil || o.LabelSelector.String() != hyperv1.InfraIDLabel+"=kv-00-x" {
		t.Errorf("%+v", o)
	}
	here := hosted("s", "guests")
	here.Spec.Platform.Kubevirt.Credentials = nil
	site, err = infrastructure.SiteOf(t.Context(), api.Client, here)
	if err != nil || site.Namespace != "clusters-kv-00" || site.Cluster != nil || len(site.VMs()) != 1 {
		t.Errorf("%+v, %v", site, err)
	}
}
