package olm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestResidue(t *testing.T) {
	for name, tc := range map[string]struct {
		o    metav1.PartialObjectMetadata
		want bool
	}{
		"a lock": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Lease"}}, true},
		"owned": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Name: "x"}}}}, true},
		"OLM's": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"olm.managed": "true"}}}, true},
		"a person's": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"}}, false},
		"of no use without its operator": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Service"},
			ObjectMeta: metav1.ObjectMeta{Name: "odf-operator-webhook-server-service"}}, true},
		"a claim":    {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PersistentVolumeClaim"}}, false},
		"a workload": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Deployment"}}, false},
		"hcctl's own": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{kube.ManagedByLabel: "x"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewRemoval(DataFoundation()).residue(&tc.o); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

// A namespace is never said to be settled where what is in it could not be listed.
func TestNamespaceOfUnknownContent(t *testing.T) {
	for name, tc := range map[string]struct {
		code  int
		final bool
	}{
		"not allowed":   {http.StatusForbidden, true},
		"does not work": {http.StatusInternalServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.code)
				_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,`+
					`"message":"not today"}`,
					map[int]string{http.StatusForbidden: "Forbidden"}[tc.code], tc.code)
			}))
			defer server.Close()
			c, err := kube.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			f := Removal{}.checkNamespace(t.Context(), c,
				&installation{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "metallb-system"}}})
			if f.State != step.StateUnknown || f.Final != tc.final || f.Object != "Namespace metallb-system" ||
				!strings.HasPrefix(f.Message, "what is in it cannot be known, so it stays: ") {
				t.Errorf("%+v", f)
			}
		})
	}
}
