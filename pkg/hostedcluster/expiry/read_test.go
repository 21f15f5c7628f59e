package expiry_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const hosted = `
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {namespace: clusters, name: kv-00}
spec:
  configuration: {apiServer: {servingCerts: {namedCertificates: [{names: [api.example.com], servingCertificate: {name: api-cert}}]}}}
status: {kubeconfig: {name: kv-00-admin-kubeconfig}}
`

// secret is a Secret with a certificate that ends so many days from now.
func secret(at, name string, days int, more string) string {
	pair := kubetest.NewPairUntil(name, time.Now().Add(time.Duration(days)*24*time.Hour-time.Minute))
	return fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {namespace: %s, name: %s%s}
data: {tls.crt: %s, tls.key: %s}
`, at, name, more, base64.StdEncoding.EncodeToString(pair.Certificate), base64.StdEncoding.EncodeToString(pair.Key))
}

func kubeconfig(text string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {namespace: clusters, name: kv-00-admin-kubeconfig}
data: {kubeconfig: %s}
`, base64.StdEncoding.EncodeToString([]byte(text)))
}

// noted is an object on which hcctl has noted an end.
func noted(kind, at, name, annotation string, days int, more string) string {
	return fmt.Sprintf(`
apiVersion: %s
kind: %s
metadata:
  namespace: %s
  name: %s
  labels: {hcctl.dev/service: dex, app.kubernetes.io/managed-by: hcctl}
  annotations: {%s: %q%s}
`, map[string]string{"Secret": "v1", "Deployment": "apps/v1"}[kind], kind, at, name, annotation,
		time.Now().Add(time.Duration(days)*24*time.Hour).UTC().Format(time.RFC3339), more)
}

// read returns what Of says, one line each, without the days.
func read(t *testing.T, api *kubetest.API, inside bool) string {
	t.Helper()
	hc := &hyperv1.HostedCluster{}
	if err := api.Client.Get(t.Context(), client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, hc); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, i := range expiry.Of(t.Context(), api.Client, hc, inside) {
		message, _, _ := strings.Cut(i.Message, " at 2")
		lines = append(lines, fmt.Sprintf("%s %s %s/%s: %s", i.State, i.Class, i.Kind, i.Name, message))
		if strings.Contains(i.Message+i.Hint.String(), "BEGIN") {
			t.Errorf("a Secret's content is told: %+v", i)
		}
	}
	return strings.Join(lines, "\n")
}

func serve(t *testing.T, objects ...string) *kubetest.API {
	t.Helper()
	api := kubetest.Serve(t, append([]string{hosted}, objects...)...)
	api.RegisterKinds(t, "v1", "Secret")
	api.RegisterKinds(t, "apps/v1", "Deployment")
	return api
}

func TestOf(t *testing.T) {
	const plane, services = "clusters-kv-00", "clusters-kv-00-services"
	signed := `, annotations: {hypershiftlite.openshift.io/ca-hash: "1"}`
	api := serve(t, kubeconfig(kubetest.AdminKubeconfig("https://192.0.2.1:6443", nil)),
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: clusters-kv-00-services}\n",
		secret("clusters", "api-cert", 29, ""), secret("clusters", "another", -1, ""),
		noted("Deployment", services, "dex", "hcctl.dev/certificate-until", -1, ""),
		noted("Deployment", services, "old", "hcctl.dev/certificate-until", -1, ", hcctl.dev/hosted-cluster-uid: other"),
		noted("Secret", "openshift-gitops", "hosted-cluster-clusters.kv-00", "hcctl.dev/token-expires", 31, ""),
		secret(plane, "etcd-signer", 29, ""), secret(plane, "own", 31, ""), secret(plane, "ended", 0, ""),
		secret(plane, "kas-server-crt", 20, signed), secret(plane, "etcd-server-tls", 10, signed),
		secret(plane, "router", -1, `, annotations: {auth.openshift.io/certificate-not-after: "x"}`),
		"apiVersion: v1\nkind: Secret\nmetadata: {namespace: clusters-kv-00, name: token}\ndata: {token: c2VjcmV0}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {namespace: clusters-kv-00, name: garbage}\ndata: {tls.crt: c2VjcmV0}\n",
	)
	want := `ok admin-kubeconfig Secret/kv-00-admin-kubeconfig: the administrator's client certificate ends
warning named-certificate Secret/api-cert: a certificate of the API server that was given ends
failing dex Deployment/dex: Dex' certificate has ended
ok argocd-token Secret/hosted-cluster-clusters.kv-00: Argo CD's token ends
failing control-plane Secret/ended: a certificate of the control plane has ended
warning control-plane Secret/etcd-server-tls: a certificate of the control plane ends
warning control-plane Secret/etcd-signer: a certificate of the control plane ends
unknown control-plane Secret/garbage: a certificate of the control plane: it has no certificate in PEM
ok control-plane Secret/kas-server-crt: a certificate of the control plane ends
ok control-plane Secret/own: a certificate of the control plane ends
failing control-plane Secret/router: a certificate of the control plane has ended`
	if got := read(t, api, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const most = 7 // the HostedCluster is the first
	if asked := api.Take(); len(asked) > most {
		t.Errorf("%d requests: %v", len(asked), asked)
	}
}

// What may not be read is unknown, and the role that may is named.
func TestOfWithoutRights(t *testing.T) {
	api := serve(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: openshift-gitops}\n")
	api.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/secrets") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,` +
			`"message":"secrets is forbidden: User \"u\" cannot get resource \"secrets\""}`))
		return true
	}
	got := read(t, api, true)
	if strings.Count(got, "unknown ") != 4 || strings.Count(got, "\n") != 3 || strings.Count(got, "not allowed: ") != 4 {
		t.Error(got)
	}
	hc := &hyperv1.HostedCluster{}
	if err := api.Client.Get(t.Context(), client.ObjectKey{Namespace: "clusters", Name: "kv-00"}, hc); err != nil {
		t.Fatal(err)
	}
	for _, i := range expiry.Of(t.Context(), api.Client, hc, false) {
		if h := i.Hint.String(); !strings.Contains(h, "hcctl rbac --for viewer,expiry --") {
			t.Errorf("%s: %q", i.Class, h)
		}
	}
}

func TestOfAsksTheHostedCluster(t *testing.T) {
	server := kubetest.Serve(t, `
apiVersion: operator.openshift.io/v1
kind: IngressController
metadata: {namespace: openshift-ingress-operator, name: default}
spec: {defaultCertificate: {name: apps}}
`, secret("openshift-ingress", "apps", 5, ""))
	_, admin := kubetest.Hosted(t, server)
	got := read(t, serve(t, kubeconfig(admin)), true)
	for _, want := range []string{"ok api-server HostedCluster/kv-00: the API server's certificate ends",
		"warning ingress Secret/apps: the certificate of *.apps ends"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks in\n%s", want, got)
		}
	}
	_, away := kubetest.Hosted(t, http.NotFoundHandler())
	if got := read(t, serve(t, kubeconfig(strings.Replace(away, "https://127.0.0.1", "https://127.0.0.2", 1))), true); !strings.
		Contains(got, "unknown api-server HostedCluster/kv-00") {
		t.Error(got)
	}
}

func TestFirst(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	items := []*expiry.Item{{Name: "none"}, {Name: "later", Until: at.Add(1)},
		{Name: "first", Class: expiry.Dex, Until: at}, {Name: "as well", Class: expiry.ArgoCD, Until: at}}
	if got := expiry.First(items); got == nil || got.Name != "first" {
		t.Error(got)
	}
	if expiry.First(items[:1]) != nil {
		t.Error("an end where none is known")
	}
}
