package chaos

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// A write is picked at both of its boundaries, once each, however often it is sent; then the next one has its turn.
func TestUncoveredWritesAreOncePicked(t *testing.T) {
	covered := map[string]moment{}
	run := func(bodies ...string) string {
		pick, told := uncovered(covered, byContent), []string{}
		for _, body := range bodies {
			r, err := http.NewRequestWithContext(
				t.Context(), http.MethodPost, "https://x/api/v1/namespaces?fieldManager=hcctl", strings.NewReader(body),
			)
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, body+[]string{"", " before", " after"}[pick(r)])
		}
		return strings.Join(told, ", ")
	}
	for _, want := range []string{"a before, b", "a after, b", "a, b before", "a, b after", "a, b"} {
		if got := run("a", "b"); got != want {
			t.Fatalf("picked %q, want %q", got, want)
		}
	}
}

// Each run of create sends another key, as JSON or in protobuf, and it is the same write.
func TestASecretWithAnotherKeyIsTheSameWrite(t *testing.T) {
	for _, mediaType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
		if !ok {
			t.Fatalf("there is no %s", mediaType)
		}
		body := func(name, key string) string {
			secret := &corev1.Secret{Data: map[string][]byte{"key": []byte(key)}}
			secret.Name = name
			encoder := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
			data, err := runtime.Encode(encoder, secret)
			if err != nil {
				t.Fatal(err)
			}
			return string(withoutData(data))
		}
		if body("etcd", "one") != body("etcd", "two") {
			t.Errorf("%s: another key makes another write", mediaType)
		}
		if body("etcd", "one") == body("pull", "one") {
			t.Errorf("%s: another Secret is the same write", mediaType)
		}
	}
}

// Objects of one kind are one kind of write, in whatever namespace; another method or subresource is another.
func TestKindsOfWrites(t *testing.T) {
	const subscriptions = "/apis/operators.coreos.com/v1alpha1/namespaces/a/subscriptions"
	for _, c := range []struct {
		method, path, want string
	}{
		{http.MethodPatch, subscriptions + "/one", "PATCH apis/operators.coreos.com/v1alpha1/subscriptions"},
		{
			http.MethodPatch, strings.Replace(subscriptions, "/a/", "/b/", 1) + "/two",
			"PATCH apis/operators.coreos.com/v1alpha1/subscriptions",
		},
		{http.MethodPost, subscriptions, "POST apis/operators.coreos.com/v1alpha1/subscriptions"},
		{http.MethodPatch, subscriptions + "/one/status", "PATCH apis/operators.coreos.com/v1alpha1/subscriptions/status"},
		{http.MethodDelete, "/api/v1/namespaces/clusters", "DELETE api/v1/namespaces"},
		{http.MethodPut, "/api/v1/namespaces/clusters/finalize", "PUT api/v1/namespaces/finalize"},
		{http.MethodPost, "/api/v1/namespaces/clusters/secrets", "POST api/v1/secrets"},
		{
			http.MethodPatch, "/apis/multicluster.openshift.io/v1/multiclusterengines/multiclusterengine",
			"PATCH apis/multicluster.openshift.io/v1/multiclusterengines",
		},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "https://x"+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := byKind(r); err != nil || got != c.want {
			t.Errorf("%s %s is %q (%v), want %q", c.method, c.path, got, err, c.want)
		}
	}
}
