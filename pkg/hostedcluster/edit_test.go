package hostedcluster

import (
	"errors"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// An edit asks for strict validation, and a field that an older HyperShift lacks is an error of its own.
func TestAnEditOfAFieldThatTheCRDDoesNotKnow(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("NodePool", pool("clusters", "a", "kv-00"))
	np, err := FindPool(t.Context(), w.Client, "clusters", "a")
	if err != nil {
		t.Fatal(err)
	}
	message := `strict decoding error: unknown field "spec.nodeVolumeDetachTimeout", unknown field "spec.arch"`
	w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch || r.URL.Query().Get("fieldValidation") != metav1.FieldValidationStrict {
			return false
		}
		kubetest.Reply(out, http.StatusBadRequest, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status: metav1.StatusFailure, Reason: metav1.StatusReasonBadRequest, Code: http.StatusBadRequest, Message: message})
		return true
	}
	edit := func() error {
		_, err := Edit(t.Context(), w.Client, np, map[string]any{"spec": map[string]any{"arch": "arm64"}})
		return err
	}
	const want = "NodePool clusters/a: this cluster's HyperShift does not know spec.nodeVolumeDetachTimeout, spec.arch; " +
		"nothing was written"
	var unknown *UnknownFieldError
	if err := edit(); !errors.As(err, &unknown) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	message = "something else"
	if err := edit(); err == nil || errors.As(err, &unknown) || err.Error() != "NodePool clusters/a: something else" {
		t.Errorf("another refusal: %v", err)
	}
}
