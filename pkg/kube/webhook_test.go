package kube_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestWebhookError has the API server's error about a webhook that does not answer.
func TestWebhookError(t *testing.T) {
	const service = `
---
{apiVersion: v1, kind: Service, metadata: {name: operator, namespace: hypershift}, spec: {selector: {name: operator}}}
`
	deployment := func(replicas, ready int) string {
		return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: ho, namespace: hypershift}, spec: {replicas: %d, template: {metadata: {
  labels: {name: operator, app: operator}}}}, status: {readyReplicas: %d}}
`, replicas, ready)
	}
	for name, tc := range map[string]struct {
		objects    []string
		url        string
		refused    string
		says, hint string
	}{
		"at 0": {[]string{service, deployment(0, 0)}, "operator.hypershift.svc:443/x", "",
			"a webhook does not answer: Deployment hypershift/ho, which serves it, is scaled to 0: ",
			"oc scale deployment/ho -n hypershift --replicas=1"},
		"not ready": {[]string{service, deployment(2, 0)}, "operator.hypershift.svc:443/x", "",
			"Deployment hypershift/ho, which serves it, has no pod that is ready", "oc get pods,events -n hypershift"},
		"up":              {[]string{service, deployment(2, 1)}, "operator.hypershift.svc/x", "", "which serves it, is up", "oc get pods,endpointslices"},
		"nobody serves":   {[]string{service}, "operator.hypershift.svc:443/x", "", "webhook hc, which Service hypershift/operator serves, does not answer yet: ", "what serves it has to run: "},
		"not a Service":   {[]string{service, deployment(0, 0)}, "192.0.2.1:443/x", "", "a webhook does not answer yet: ", ""},
		"not to be read":  {[]string{service, deployment(0, 0)}, "operator.hypershift.svc:443/x", "services", "webhook hc, which Service hypershift/operator serves, does not answer yet: ", "what serves it has to run: "},
		"no such Service": {[]string{deployment(0, 0)}, "operator.hypershift.svc:443/x", "", "webhook hc, which Service hypershift/operator serves, does not answer yet: ", "what serves it has to run: "},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.Serve(t, tc.objects...)
			if tc.refused != "" {
				api.Refuse(tc.refused, http.StatusForbidden)
			}
			api.Answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500, "reason": "InternalError", `+
					`"message": "Internal error occurred: failed calling webhook \"hc\": failed to call webhook: Post \"https://%s\": `+
					`dial tcp: connection refused"}`, tc.url)
				return true
			}
			err := api.Client.CreateNew(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x"}})
			if !kube.IsTransient(err) {
				t.Errorf("%v is not tried again", err)
			}
			if got := kube.Explain(err); !strings.Contains(got, tc.says) || !strings.Contains(got, "connection refused") {
				t.Errorf("got %q, want %q", got, tc.says)
			}
			if got := kube.Remedy(err).String(); !strings.HasPrefix(got, tc.hint) || tc.hint == "" && got != "" {
				t.Errorf("hint %q, want %q", got, tc.hint)
			}
			var webhook *kube.WebhookError
			if errors.As(err, &webhook) != strings.HasPrefix(tc.hint, "oc ") {
				t.Errorf("got %T", err)
			}
		})
	}
}
