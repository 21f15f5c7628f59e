package creation

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const aDex = `issuer: https://192.168.216.41
storage: {type: memory}
enablePasswordDB: true
`

// withServices are options of a cluster with services.
func withServices(t *testing.T, change func(*options.Cluster)) options.Validated {
	t.Helper()
	o := optionstest.Named(change)
	o.Wait = options.WaitNone
	return optionstest.Valid(t, o)
}

func jumpHost(o *options.Cluster) {
	o.Services.JumpHost.Image, o.Services.JumpHost.AuthorizedKeysSecret = "registry.example/openssh:9", "people"
}

func dexFor(kind string) func(*options.Cluster) {
	return func(o *options.Cluster) {
		o.Services.Dex.Config = options.File{Path: "dex.yaml", Content: []byte(aDex)}
		o.Services.Identity.Type = kind
	}
}

func secret(name string, data hostedtest.Object) hostedtest.Object {
	return hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", name, nil), "data": data}
}

func namespace(name string, labels, annotations hostedtest.Object) hostedtest.Object {
	return hostedtest.Object{"metadata": hostedtest.Object{"name": name, "labels": labels, "annotations": annotations}}
}

// What a service needs of others, and does not find, is one error with the option before anything is written, for a new
// cluster and for one that exists.
func TestServicesThatCouldNotBeBrought(t *testing.T) {
	const home = "clusters-kv-00-services"
	foreign := hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00-identity-ca", nil)}
	for name, tc := range map[string]struct {
		ask  func(*options.Cluster)
		have func(*hostedtest.World)
		want string
	}{
		"no Secret of keys": {jumpHost, nil, `--jump-host-keys-secret "people": Secret clusters/people: does not exist`},
		"no keys in it": {jumpHost, func(w *hostedtest.World) { w.Set("Secret", secret("people", hostedtest.Object{})) },
			`--jump-host-keys-secret "people": Secret clusters/people: authorized_keys: there is no public key in it`},
		"a private key in it": {jumpHost, func(w *hostedtest.World) {
			w.Set("Secret", secret("people", hostedtest.Object{"authorized_keys": hostedtest.Encoded("-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n")}))
		}, `--jump-host-keys-secret "people": Secret clusters/people: authorized_keys: that is a private key`},
		"keys that may not be read": {jumpHost, func(w *hostedtest.World) { w.Forbid("get " + hostedtest.SecretsPath + "/people") },
			"Secret clusters/people cannot be looked at: not allowed"},
		"no certificate": {func(o *options.Cluster) {
			dexFor("oauth")(o)
			o.Services.Dex.TLSSecret = "dex-certificate"
		}, nil, `--dex-tls-secret "dex-certificate": Secret clusters/dex-certificate: does not exist`},
		"an empty certificate": {func(o *options.Cluster) {
			dexFor("oauth")(o)
			o.Services.Dex.TLSSecret = "dex-certificate"
		}, func(w *hostedtest.World) { w.Set("Secret", secret("dex-certificate", nil)) },
			`--dex-tls-secret "dex-certificate": Secret clusters/dex-certificate: its tls.crt and tls.key are no certificate`},
		"no client's secret": {func(o *options.Cluster) {
			o.Services.OIDC.Issuer, o.Services.OIDC.ClientID = "https://login.example.com", "console"
			o.Services.OIDC.ClientSecretName = "oidc-client"
		}, nil, `--oidc-client-secret-name "oidc-client": Secret clusters/oidc-client: does not exist`},
		"somebody's ConfigMap": {dexFor("oauth"), func(w *hostedtest.World) { w.Set("ConfigMap", foreign) },
			`--identity "oauth": ConfigMap clusters/kv-00-identity-ca: hcctl did not make it for this cluster`},
		"somebody's namespace": {dexFor("oauth"), func(w *hostedtest.World) { w.Set("Namespace", namespace(home, nil, nil)) },
			`--name "kv-00": Namespace ` + home + `: hcctl did not make it`},
		"the control plane of kv-00-services": {dexFor("oauth"), func(w *hostedtest.World) {
			w.Set("Namespace", namespace(home, hostedtest.Object{"hypershift.openshift.io/hosted-control-plane": "true"}, nil))
		}, `--name "kv-00": Namespace ` + home + `: it has the control plane of another hosted cluster`},
		"no such address in the pool": {func(o *options.Cluster) {
			dexFor("oauth")(o)
			o.MetalLBPool = "tenants"
		}, func(w *hostedtest.World) {
			w.Set("MetalLB", hostedtest.Object{"metadata": hostedtest.MetaOf("metallb-system", "metallb", nil)})
			w.Set("IPAddressPool", hostedtest.Object{"metadata": hostedtest.MetaOf("metallb-system", "tenants", nil),
				"spec": hostedtest.Object{"addresses": []any{"192.168.216.32-192.168.216.40", "192.0.2.0/24"}}})
		}, `--dex-address "192.168.216.41": is not among the addresses of IPAddressPool tenants: 192.168.216.32-192.168.216.40, ` +
			`192.0.2.0/24`},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := world(t)
				if exists {
					w = created(t, withServices(t, nil))
				}
				if tc.have != nil {
					tc.have(w)
				}
				_, err := Prepare(t.Context(), w.Client, nil, withServices(t, tc.ask))
				if err = optionstest.Flagged(err); err == nil || !strings.HasPrefix(err.Error(), tc.want) ||
					strings.Contains(err.Error(), "hunter2") {
					t.Errorf("got %v\nwant %s", err, tc.want)
				}
				if writes := w.Writes(); writes != "" {
					t.Errorf("written:\n%s", writes)
				}
			})
		}
	}
}

// A CRD that does not take how a provider is used refuses it in a dry run, new cluster or not, and the option is named.
func TestIdentityThatTheCRDRefuses(t *testing.T) {
	unknown := answer{400, metav1.StatusReasonBadRequest, `HostedCluster in version "v1beta1" cannot be handled as a ` +
		`HostedCluster: strict decoding error: unknown field "spec.configuration.authentication.oidcProviders"`, nil}
	invalid := answer{422, metav1.StatusReasonInvalid, `HostedCluster "kv-00" is invalid`, []metav1.StatusCause{{
		Field: "spec.configuration.authentication.type", Message: `Unsupported value: "OIDC": supported values: ""`}}}
	about := answer{422, metav1.StatusReasonInvalid, `HostedCluster "kv-00" is invalid`, []metav1.StatusCause{{
		Field: "spec.networking", Message: "no"}}}
	const first = `--identity "oidc": this cluster's HyperShift `
	for name, tc := range map[string]struct {
		answer
		want string
	}{
		"unknown field": {unknown, first + "does not know spec.configuration.authentication.oidcProviders of a HostedCluster"},
		"a rule": {invalid, first + `refuses spec.configuration.authentication.type of a HostedCluster: ` +
			`spec.configuration.authentication.type: Unsupported value: "OIDC": supported values: ""`},
		"something else": {about, "HostedCluster clusters/kv-00: this cluster's HyperShift refuses it"},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := world(t)
				if exists {
					w = created(t, withServices(t, nil))
				}
				w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
					if r.URL.Query().Get("dryRun") == "" || !strings.HasPrefix(r.URL.Path, hostedtest.ClustersPath) {
						return false
					}
					if r.URL.Query().Get("fieldValidation") != metav1.FieldValidationStrict {
						t.Errorf("%s is not strict", r.URL)
					}
					kubetest.Reply(out, int(tc.code), metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
						Status: metav1.StatusFailure, Code: tc.code, Reason: tc.reason, Message: tc.message,
						Details: &metav1.StatusDetails{Causes: tc.causes}})
					return true
				}
				_, err := Prepare(t.Context(), w.Client, nil, withServices(t, dexFor("oidc")))
				err = optionstest.Flagged(err)
				if exists && name == "something else" {
					if err != nil {
						t.Errorf("a refusal of another field is not the provider's: %v", err)
					}
				} else if err == nil || err.Error() != tc.want && name != "something else" || !strings.HasPrefix(err.Error(), tc.want) {
					t.Errorf("got %v\nwant %s", err, tc.want)
				}
				if writes := w.Writes(); writes != "" {
					t.Errorf("written:\n%s", writes)
				}
			})
		}
	}
}

// The control plane of kv-00-services would be where the services of kv-00 are.
func TestNameOfServices(t *testing.T) {
	of := hostedtest.Object{"hcctl.dev/hosted-cluster": "clusters/kv-00", "hcctl.dev/hosted-cluster-uid": "u"}
	labels := hostedtest.Object{"app.kubernetes.io/managed-by": "hcctl", "hcctl.dev/services-of": "u"}
	w := world(t)
	o := withServices(t, func(o *options.Cluster) { o.Name = "kv-00-services" })
	p := prepared(t, w, o)
	w.Set("Namespace", namespace("clusters-kv-00-services", labels, of))
	hostedtest.Expect(t, p.checkNameFree(t.Context(), p.client), "broken: Namespace clusters-kv-00-services: has the services of "+
		"HostedCluster clusters/kv-00; its control plane's namespace would have that name")
	const want = `--name "kv-00-services": its control plane would be in Namespace clusters-kv-00-services, which has ` +
		`the services of HostedCluster clusters/kv-00`
	if _, err := Prepare(t.Context(), w.Client, nil, o); optionstest.Flagged(err) == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if f := p.checkNameFree(t.Context(), p.client); f.State != step.StateBroken {
		t.Errorf("got %+v", f)
	}
}
