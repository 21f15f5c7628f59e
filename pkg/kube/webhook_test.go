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

// TestConversionWebhook has the API server's error about stored objects that it cannot convert: every read of the kind
// fails with it.
func TestConversionWebhook(t *testing.T) {
	for name, tc := range map[string]struct {
		code                int
		message, says, hint string
	}{
		"not there": {500, `conversion webhook for hco.kubevirt.io/v1beta1, Kind=HyperConverged failed: Post ` +
			`\"https://hco-webhook-service.openshift-cnv.svc:4343/convert?timeout=30s\": service \"hco-webhook-service\" not found`,
			"the conversion webhook of HyperConverged (hco.kubevirt.io/v1beta1), which Service openshift-cnv/hco-webhook-service serves, " +
				`does not answer, and without it no object of that kind can be read or written: service "hco-webhook-service" not found`,
			"what serves it has to run: oc get pods,endpoints -n openshift-cnv (Service hco-webhook-service)"},
		"of a list": {429, `storage is (re)initializing: conversion webhook for cluster.x-k8s.io/v1beta1, Kind=MachineList failed: Post ` +
			`\"https://operator.hypershift.svc:443/convert?timeout=30s\": dial tcp 10.0.0.1:443: connect: connection refused`,
			"the conversion webhook of Machine (cluster.x-k8s.io/v1beta1), which Service hypershift/operator serves, does not answer",
			"what serves it has to run: oc get pods,endpoints -n hypershift (Service operator)"},
		"without a Service": {500, `conversion webhook for a.example/v1, Kind=A failed: no kind`, "the conversion webhook of A (a.example/v1) does not " +
			"answer, and without it no object of that kind can be read or written: no kind", ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.Serve(t)
			api.Answer = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, kube.MultiClusterEngine.Plural) {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				// Kubernetes 1.31 and later answer reads with 429: their cache does not begin.
				w.WriteHeader(tc.code)
				_, _ = fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d, "message": "%s"}`, tc.code, tc.message)
				return true
			}
			engine := kube.MultiClusterEngine.New()
			engine.SetName("x")
			f := kube.Unknown(api.Client.CreateNew(t.Context(), engine)) // which no transport tries again
			if !strings.HasPrefix(f.Message, tc.says) || f.Hint.String() != tc.hint || f.Final || f.Outage {
				t.Errorf("got %+v", f)
			}
		})
	}
}
