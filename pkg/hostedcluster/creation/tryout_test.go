package creation

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const denial = `admission webhook "clusters.example.com" denied the request: no clusters on Sundays`

// answer is an answer of the API server to the dry run of a HostedCluster.
type answer struct {
	code    int32
	reason  metav1.StatusReason
	message string
	causes  []metav1.StatusCause
}

// reply answers dry runs of HostedClusters.
func (a answer) reply(out http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL.Path != hostedtest.ClustersPath || r.URL.Query().Get("dryRun") == "" {
		return false
	}
	kubetest.Reply(out, int(a.code), metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: a.code, Reason: a.reason, Message: a.message, Details: &metav1.StatusDetails{Causes: a.causes},
	})
	return true
}

// Whatever admission refuses ends create before anything is written; a missing permission does not.
func TestRefusedBeforeAnythingIsWritten(t *testing.T) {
	o := flags(t, "")
	const about = "HostedCluster clusters/kv-00: "
	rule := []metav1.StatusCause{{Field: "spec.networking", Message: "Invalid value:\n no"}, {Message: "and no"}}
	for name, tc := range map[string]struct {
		answer
		want string
	}{
		"a webhook": {answer{403, metav1.StatusReasonForbidden, denial, nil}, about + denial},
		"a policy": {answer{422, metav1.StatusReasonInvalid,
			"ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no", rule},
			about + "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"},
		"a rule of the CRD": {answer{422, metav1.StatusReasonInvalid, `HostedCluster "kv-00" is invalid`, rule},
			about + "this cluster's HyperShift refuses it: spec.networking: Invalid value: no; and no"},
		"a rule without a field": {answer{422, metav1.StatusReasonInvalid, "no", nil},
			about + "this cluster's HyperShift refuses it: no"},
		"a missing permission": {answer{403, metav1.StatusReasonForbidden,
			`hostedclusters is forbidden: User "bob" cannot create resource`, nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Answer = tc.reply
			_, err := Prepare(t.Context(), w.Client, nil, o)
			var denied *DeniedError
			if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &denied) || err.Error() != tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if writes := w.Writes(); writes != "" {
				t.Errorf("written:\n%s", writes)
			}
		})
	}
}

// A dry run in a namespace that does not exist ends before any webhook; it is repeated once the namespace exists.
func TestRefusedOnceItsNamespaceExists(t *testing.T) {
	w := world(t)
	w.Answer = answer{404, metav1.StatusReasonNotFound, `namespaces "clusters" not found`, nil}.reply
	p := prepared(t, w, flags(t, ""))
	w.Answer = answer{403, metav1.StatusReasonForbidden, denial, nil}.reply
	g, err := step.New(p.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	report := g.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: time.Millisecond})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), denial+"; only the namespace is written") {
		t.Errorf("%v", err)
	}
	if writes := w.Writes(); writes != "post "+hostedtest.NamespacesPath {
		t.Errorf("written:\n%s", writes)
	}
	w.Answer = nil
	run(t, prepared(t, w, flags(t, "")))
	if w.Of("HostedCluster").Object("clusters", "kv-00") == nil {
		t.Error("not written once nothing refuses it")
	}
}
