package kubeconfig_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

type object = map[string]any

const (
	clusters = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	all      = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	secret   = "/api/v1/namespaces/clusters/secrets/kv-00-admin-kubeconfig"
)

// good is the admin kubeconfig of a hosted cluster.
var good = kubetest.TokenKubeconfig("https://192.0.2.1:6443", nil, "t")

// access is what an admin kubeconfig holds.
func access(content string) *adminkubeconfig.Access {
	a, err := adminkubeconfig.Parse([]byte(content))
	if err != nil {
		panic(err)
	}
	return a
}

func api(t *testing.T, answers map[string]any) *kube.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		a, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			a = metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status:   metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound,
				Details: &metav1.StatusDetails{Name: "x"},
			}
		}
		_ = json.NewEncoder(w).Encode(a)
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func holding(content string) object {
	return object{"data": object{"kubeconfig": base64.StdEncoding.EncodeToString([]byte(content))}}
}

// fetch returns the admin kubeconfig of a hosted cluster.
func fetch(ctx context.Context, r kube.Reader, namespace, name string) (*adminkubeconfig.Access, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return nil, err
	}
	return kubeconfig.AccessOf(ctx, r, hc, kubeconfig.Admin)
}

func TestFetch(t *testing.T) {
	published := object{"metadata": object{"namespace": "clusters", "name": "kv-00"},
		"status": object{"kubeconfig": object{"name": "kv-00-admin-kubeconfig"}}}
	waiting := object{"metadata": object{"namespace": "clusters", "name": "kv-00"}, "status": object{
		"conditions": []any{object{"type": "Available", "status": "False",
			"message": "Waiting for hosted control plane to be healthy"}},
	}}
	others := object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
		"items": []any{object{"metadata": object{"namespace": "clusters", "name": "kv-01"}}}}
	for name, tc := range map[string]struct {
		answers map[string]any
		want    string
		err     string
	}{
		"published": {map[string]any{clusters + "/kv-00": published, secret: holding(good)}, good, ""},
		"no cluster": {map[string]any{all: others}, "",
			`no hosted cluster "kv-00" in namespace "clusters"; there are: kv-01`},
		"not yet": {map[string]any{clusters + "/kv-00": waiting}, "",
			"hosted cluster clusters/kv-00 has no kubeconfig yet: Waiting for hosted control plane to be healthy"},
		"silent": {map[string]any{clusters + "/kv-00": object{"metadata": object{"namespace": "clusters",
			"name": "kv-00"}}}, "", "hosted cluster clusters/kv-00 has no kubeconfig yet: the HyperShift operator has not " +
			"reported on it"},
		"Secret gone": {map[string]any{clusters + "/kv-00": published}, "",
			"hosted cluster clusters/kv-00: the Secret kv-00-admin-kubeconfig that should hold its kubeconfig is gone"},
		"Secret empty": {map[string]any{clusters + "/kv-00": published, secret: object{}}, "",
			`the Secret clusters/kv-00-admin-kubeconfig has nothing under the key "kubeconfig"`},
		"Secret of a strange name": {
			map[string]any{clusters + "/kv-00": object{"metadata": object{"namespace": "clusters", "name": "kv-00"},
				"status": object{"kubeconfig": object{"name": "../../kube-system/x"}}}}, "",
			"HostedCluster clusters/kv-00, status: what it names as the Secret of its kubeconfig is not the name of a Secret",
		},
		"Secret broken": {map[string]any{clusters + "/kv-00": published, secret: holding("{")}, "",
			`Secret clusters/kv-00-admin-kubeconfig, key kubeconfig, it is refused: it is not YAML`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := fetch(t.Context(), api(t, tc.answers), "clusters", "kv-00")
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got %v\nwant %s", err, tc.err)
				}
				if _, refused := guest.RefusedFinding(err); refused != (name == "Secret broken" ||
					name == "Secret of a strange name") {
					t.Errorf("refused: %v", refused)
				}
				return
			}
			if err != nil || !got.Equal(access(tc.want)) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestErrorsAreTyped(t *testing.T) {
	_, err := fetch(t.Context(),
		api(t, map[string]any{all: object{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
			"items": []any{}}}), "clusters", "kv-00")
	var notFound *hostedcluster.NotFoundError
	if !errors.As(err, &notFound) {
		t.Errorf("%T", err)
	}
	_, err = fetch(t.Context(),
		api(t, map[string]any{clusters + "/kv-00": object{"metadata": object{"namespace": "clusters", "name": "kv-00"}}}),
		"clusters", "kv-00")
	var notReady *kubeconfig.NotReadyError
	if !errors.As(err, &notReady) || notReady.Hint().String() == "" {
		t.Errorf("%T", err)
	}
}
