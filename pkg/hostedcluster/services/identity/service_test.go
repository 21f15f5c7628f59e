package identity_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/identity"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	home      = "clusters-kv-00-services"
	dexConfig = `
issuer: https://192.168.216.41:5556/dex
storage: {type: memory}
enablePasswordDB: true
staticPasswords:
- {email: ada@example.com, username: ada, userID: "1", groups: [admins],
   hash: $2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W}
`
	cluster = `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters, uid: u1},
  spec: {infraID: kv-00-abcde, dns: {baseDomain: example.com}%s},
  status: {%s kubeconfig: {name: kv-00-admin-kubeconfig}, controlPlaneEndpoint: {host: 192.168.216.33, port: 6443}}}
`
	callback = `oauthCallbackURLTemplate: "https://oauth.example.com:443/oauth2callback/[identity-provider-name]",`
)

func kind(group, name, plural string) kube.Kind {
	return service.RefTo(group, "v1", name, plural, "").Kind
}

// world is a management cluster with the hosted cluster kv-00, whose API server answers.
type world struct {
	*kubetest.API
	hosted *kubetest.API
}

func newWorld(t *testing.T, spec, status string) world {
	t.Helper()
	w := world{kubetest.Serve(t), kubetest.Serve(t)}
	_, kubeconfig := kubetest.Hosted(t, w.hosted)
	w.hosted.Register(t, bindingKind())
	w.Register(t, kube.IPAddressPool, kube.MetalLB, kube.HostedCluster)
	w.Put(t, fmt.Sprintf(cluster, spec, status), fmt.Sprintf("\n---\n{apiVersion: v1, kind: Secret, metadata: "+
		"{name: kv-00-admin-kubeconfig, namespace: clusters}, data: {kubeconfig: %s}}\n",
		base64.StdEncoding.EncodeToString([]byte(kubeconfig))))
	return w
}

func bindingKind() kube.Kind {
	k := kind("rbac.authorization.k8s.io", "ClusterRoleBinding", "clusterrolebindings")
	k.Namespaced = false
	return k
}

func (w world) tenant(t *testing.T, change func(*options.Services)) service.Tenant {
	t.Helper()
	o := options.Defaults()
	o.Name = "kv-00"
	change(&o.Services)
	valid, err := o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	n := service.Tenant{Options: valid, Client: w.Client, Done: &service.Done{}, Guest: &service.Guest{}}
	n.Cluster = &hyperv1.HostedCluster{}
	if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, n.Cluster); err != nil {
		t.Fatal(err)
	}
	return n
}

func withDex(kind string) func(*options.Services) {
	return func(s *options.Services) {
		s.Dex.Config = options.File{Path: "dex.yaml", Content: []byte(dexConfig)}
		s.Identity.Type = kind
	}
}

func expect(t *testing.T, f step.Finding, want step.State, says string) {
	t.Helper()
	if f.State != want || !strings.Contains(f.Object+": "+f.Message, says) {
		t.Fatalf("got %+v, want %s with %q", f, want, says)
	}
}

func apply(t *testing.T, s service.Service, n service.Tenant) {
	t.Helper()
	if _, err := s.Apply(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// configuration is spec.configuration of the HostedCluster, as JSON.
func (w world) configuration(t *testing.T) string {
	t.Helper()
	hc := w.Object(t, kube.HostedCluster, "clusters", "kv-00")
	spec, _ := hc.Object["spec"].(map[string]any)
	data, err := json.Marshal(spec["configuration"])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (w world) secret(t *testing.T, namespace, name, key string) string {
	t.Helper()
	data, _ := w.Object(t, kind("", "Secret", "secrets"), namespace, name).Object["data"].(map[string]any)
	text, _ := data[key].(string)
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestDexForTheAPIServer(t *testing.T) {
	w := newWorld(t, "", "")
	provider, dex := identity.Provider(), identity.Dex()
	n := w.tenant(t, withDex(options.IdentityOIDC))
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateMissing, "Namespace "+home)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateMissing, "Namespace "+home)
	apply(t, provider, n)
	n = w.tenant(t, withDex(options.IdentityOIDC))
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateOK, "https://192.168.216.41:5556/dex, by oidc")
	for _, want := range []string{`"type":"OIDC"`, `"issuerURL":"https://192.168.216.41:5556/dex"`,
		`"audiences":["openshift-console","openshift-cli"]`, `"issuerCertificateAuthority":{"name":"kv-00-identity-ca"}`,
		`"prefixString":"oidc:"`, `"clientSecret":{"name":"kv-00-identity-client"}`} {
		if got := w.configuration(t); !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}

	expect(t, dex.Check(t.Context(), n, n.Client), step.StateMissing, "it is not there")
	apply(t, dex, n)
	expect(t, dex.Check(t.Context(), n, n.Client), step.StatePending, "Deployment")
	w.up(t, "192.168.216.42")
	expect(t, dex.Check(t.Context(), n, n.Client), step.StatePending, "and not yet 192.168.216.41")
	w.up(t, "192.168.216.41")
	expect(t, dex.Check(t.Context(), n, n.Client), step.StateOK, "https://192.168.216.41:5556/dex")

	var config struct {
		StaticClients []struct {
			ID, Secret   string
			Public       bool
			RedirectURIs []string
		}
	}
	if err := yaml.Unmarshal([]byte(w.secret(t, home, "dex", "config.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	console, cli := config.StaticClients[0], config.StaticClients[1]
	if console.Secret != w.secret(t, "clusters", "kv-00-identity-client", "clientSecret") || console.Secret == "" ||
		console.RedirectURIs[0] != "https://console-openshift-console.apps.kv-00.example.com/auth/callback" ||
		!cli.Public || cli.ID != "openshift-cli" {
		t.Errorf("%+v", config.StaticClients)
	}
	// Dex, and not hcctl, says which fields it knows.
	pod, err := json.Marshal(w.Object(t, kind("apps", "Deployment", "deployments"), home, "dex").Object["spec"])
	if want := `"env":[{"name":"DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS","value":"true"}]`; err != nil ||
		!strings.Contains(string(pod), want) {
		t.Errorf("%v: %s is not in %s", err, want, pod)
	}
	// The certificate is the authority's that the cluster is told of.
	pair, err := tls.X509KeyPair([]byte(w.secret(t, home, "dex-tls", "tls.crt")),
		[]byte(w.secret(t, home, "dex-tls", "tls.key")))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	data, _ := w.Object(t, kind("", "ConfigMap", "configmaps"), "clusters", "kv-00-identity-ca").Object["data"].(map[string]any)
	for _, key := range []string{"ca.crt", "ca-bundle.crt"} {
		block, _ := pem.Decode([]byte(fmt.Sprint(data[key])))
		ca, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		roots.AddCert(ca)
	}
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: "192.168.216.41", Roots: roots}); err != nil {
		t.Error(err)
	}

	// Once more, nothing is written; another configuration changes Dex and nothing of the keys.
	before := len(w.Writes())
	for _, s := range []service.Service{provider, dex} {
		expect(t, s.Check(t.Context(), n, n.Client), step.StateOK, "")
		if change, err := s.Apply(t.Context(), n); err != nil || change != step.Unchanged {
			t.Errorf("%s: %s, %v", s.ID, change, err)
		}
	}
	for _, write := range w.Writes()[before:] {
		if strings.Contains(write.String(), "hostedclusters") {
			t.Errorf("a second run writes: %s", write)
		}
	}
	pairBefore := w.secret(t, home, "dex-tls", "tls.key")
	changed := w.tenant(t, func(s *options.Services) {
		withDex(options.IdentityOIDC)(s)
		s.Dex.Config.Content = []byte(strings.Replace(dexConfig, "ada@", "bob@", 1))
	})
	expect(t, dex.Check(t.Context(), changed, n.Client), step.StateMissing, "was not applied from")
	apply(t, dex, changed)
	if w.secret(t, home, "dex-tls", "tls.key") != pairBefore {
		t.Error("a change of the configuration has made another certificate")
	}
	w.up(t, "192.168.216.41")
	about, err := dex.Describe(t.Context(), service.Tenant{Cluster: n.Cluster, Client: n.Client}, n.Client)
	if err != nil || about == nil || about.State != step.StateOK || !strings.Contains(fmt.Sprint(about.Facts), "5556/dex") {
		t.Errorf("%+v, %v", about, err)
	}
	about, err = provider.Describe(t.Context(), service.Tenant{Cluster: n.Cluster, Client: n.Client}, n.Client)
	if err != nil || about == nil || !strings.HasPrefix(about.Commands[1], "oc login --exec-plugin=oc-oidc "+
		"--issuer-url=https://192.168.216.41:5556/dex --client-id=openshift-cli --extra-scopes=email,profile,groups") {
		t.Errorf("%+v, %v", about, err)
	}

	// Removed again: what hcctl made goes, and the HostedCluster is as it was.
	if f := provider.Removed(t.Context(), n, n.Client); f.State != step.StateMissing {
		t.Errorf("%+v", f)
	}
	n.Last = true
	for _, s := range []service.Service{provider, dex} {
		if _, err := s.Remove(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		n.Cluster = w.tenant(t, withDex(options.IdentityOIDC)).Cluster
		if f := s.Removed(t.Context(), n, n.Client); f.State != step.StateOK {
			t.Errorf("%s: %+v", s.ID, f)
		}
	}
	if got := w.configuration(t); strings.Contains(got, "OIDC") {
		t.Errorf("left: %s", got)
	}
}

// up has Dex's pod run and its Service have an address.
func (w world) up(t *testing.T, address string) {
	t.Helper()
	d := w.Object(t, kind("apps", "Deployment", "deployments"), home, "dex")
	healthtest.RollOut(d)
	svc := w.Object(t, kind("", "Service", "services"), home, "dex")
	svc.Object["status"] = map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": address}}}}
	for _, o := range []map[string]any{d.Object, svc.Object} {
		data, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		w.Put(t, string(data))
	}
}

func TestDexForTheOAuthServer(t *testing.T) {
	const other = `, configuration: {oauth: {identityProviders: [{name: staff, mappingMethod: claim, type: HTPasswd,
    htpasswd: {fileData: {name: staff}}}]}}`
	w := newWorld(t, other, "")
	provider, dex := identity.Provider(), identity.Dex()
	n := w.tenant(t, withDex(options.IdentityOAuth))
	apply(t, provider, n)
	if got := w.configuration(t); !strings.Contains(got, `"name":"staff"`) || !strings.Contains(got, `"type":"OpenID"`) ||
		!strings.Contains(got, `"ca":{"name":"kv-00-identity-ca"}`) {
		t.Errorf("got %s", got)
	}
	n = w.tenant(t, withDex(options.IdentityOAuth))
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateOK, "by oauth")
	expect(t, dex.Check(t.Context(), n, n.Client), step.StatePending, "its OAuth server has no address yet")
	for template, want := range map[string]string{"http://oauth.example.com/[identity-provider-name]": "is no URL",
		"https://oauth.example.com/callback": "is no URL"} {
		n.Cluster.Status.OAuthCallbackURLTemplate = template
		expect(t, dex.Check(t.Context(), n, n.Client), step.StateBroken, want)
	}
	n.Cluster.Status.OAuthCallbackURLTemplate = "https://oauth.example.com:443/oauth2callback/[identity-provider-name]"
	apply(t, dex, n)
	if got := w.secret(t, home, "dex", "config.yaml"); !strings.Contains(got,
		"https://oauth.example.com:443/oauth2callback/dex") || strings.Contains(got, "openshift-cli") {
		t.Errorf("got %s", got)
	}
	// The API server cannot check tokens itself beside a provider of somebody else.
	n = w.tenant(t, withDex(options.IdentityOIDC))
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateBroken, "has other identity providers (staff)")
	if _, err := provider.Apply(t.Context(), n); err == nil || !strings.Contains(err.Error(), "staff") {
		t.Errorf("got %v", err)
	}
	// Taken out, that one stays.
	if _, err := provider.Remove(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if got := w.configuration(t); !strings.Contains(got, "staff") || strings.Contains(got, "OpenID") {
		t.Errorf("got %s", got)
	}
}

func TestAProviderElsewhere(t *testing.T) {
	w := newWorld(t, "", callback)
	provider := identity.Provider()
	elsewhere := func(s *options.Services) {
		s.OIDC.Issuer, s.OIDC.ClientID, s.OIDC.ClientSecretName = "https://login.example.com", "kv", "oidc-client"
	}
	n := w.tenant(t, elsewhere)
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateBroken, "Secret clusters/oidc-client: does not exist")
	w.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: oidc-client, namespace: clusters}, data: {clientSecret: eA==}}")
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateMissing, "does not use the identity provider oidc")
	apply(t, provider, n)
	n = w.tenant(t, elsewhere)
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateOK, "https://login.example.com, by oauth")
	if got := w.configuration(t); !strings.Contains(got, `"clientSecret":{"name":"oidc-client"}`) ||
		strings.Contains(got, `"ca"`) {
		t.Errorf("got %s", got)
	}
	// A Secret of this name that somebody else made is left alone.
	w.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: kv-00-identity-client, namespace: clusters}}")
	n = w.tenant(t, func(s *options.Services) {
		elsewhere(s)
		s.OIDC.ClientSecretName, s.OIDC.ClientSecret = "", options.File{Path: "secret", Content: []byte("hunter2\n")}
	})
	expect(t, provider.Check(t.Context(), n, n.Client), step.StateBroken, "hcctl did not make it")
	if _, err := provider.Apply(t.Context(), n); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestGroupRoles(t *testing.T) {
	w := newWorld(t, "", callback)
	groups := identity.GroupRoles()
	with := func(kind string, roles map[string]string) service.Tenant {
		return w.tenant(t, func(s *options.Services) {
			withDex(kind)(s)
			s.Identity.Groups = roles
		})
	}
	n := with(options.IdentityOIDC, map[string]string{"admins": "cluster-admin", "devs": "edit"})
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateMissing, `does not have the role`)
	apply(t, groups, n)
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateOK, "2 groups with a role")
	if got := w.bindings(t); got != "oidc:admins=cluster-admin oidc:devs=edit" {
		t.Errorf("got %s", got)
	}
	// Somebody else's binding with hcctl's label is not hcctl's to take away, and neither is one that was changed.
	w.hosted.Put(t, `
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: system-admins,
  labels: {hcctl.dev/service: group-roles, app.kubernetes.io/managed-by: hcctl}},
  roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: Group, name: "system:masters"}]}
`)
	n = with(options.IdentityOIDC, map[string]string{"admins": "view"})
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateMissing, `group "oidc:admins" does not have the role view`)
	apply(t, groups, n)
	if got := w.bindings(t); got != "oidc:admins=view system:masters=cluster-admin" {
		t.Errorf("got %s", got)
	}
	n = with(options.IdentityOAuth, nil)
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateMissing, `group "oidc:admins" still has the role view`)
	apply(t, groups, n)
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateOK, "0 groups")
	w.hosted.Refuse("clusterrolebindings.rbac.authorization.k8s.io", 403)
	expect(t, groups.Check(t.Context(), n, n.Client), step.StateUnknown, "cannot be read")
}

// bindings are those of the hosted cluster, as GROUP=ROLE.
func (w world) bindings(t *testing.T) string {
	t.Helper()
	list := bindingKind().NewList()
	if err := w.hosted.Client.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range list.Items {
		subjects, _ := list.Items[i].Object["subjects"].([]any)
		subject, _ := subjects[0].(map[string]any)
		out = append(out, fmt.Sprint(subject["name"], "=", kube.Text(&list.Items[i], "roleRef", "name")))
	}
	// By group.
	for i := range out {
		for j := range out[:i] {
			if out[i] < out[j] {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return strings.Join(out, " ")
}
