package gitops

import (
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestRegistrationIsRenewed judges Argo CD's Secret: it is renewed in time, follows the hosted cluster, and one that
// hcctl did not make is never changed.
func TestRegistrationIsRenewed(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "front", Labels: map[string]string{
		"env": "dev", "argocd.argoproj.io/secret-type": "repository", "hypershift.openshift.io/x": "y"}}}
	hc.Status.ControlPlaneEndpoint = hyperv1.APIEndpoint{Host: "192.0.2.7", Port: 6443}
	r := Registration{ArgoNamespace: "openshift-gitops", ClusterRole: "cluster-admin", Lifetime: 30 * 24 * time.Hour}
	good := func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: r.labels(hc), Annotations: map[string]string{
			hostedcluster.ClusterAnnotation: "dev/front", hostedcluster.TokenExpiresAnnotation: now.Add(20 * 24 * time.Hour).Format(time.RFC3339)}},
			Data: map[string][]byte{"server": []byte("https://192.0.2.7:6443")}}
	}
	for name, tc := range map[string]struct {
		change func(*corev1.Secret)
		want   step.State
		says   string
	}{
		"well":            {func(*corev1.Secret) {}, step.StateOK, "valid until 2026-12-14"},
		"a third is left": {func(s *corev1.Secret) { s.Annotations[hostedcluster.TokenExpiresAnnotation] = "2026-12-03T00:00:00Z" }, step.StateMissing, "less than a third"},
		"a short life": {func(s *corev1.Secret) {
			s.Annotations[IssuedAnnotation], s.Annotations[hostedcluster.TokenExpiresAnnotation] = "2026-11-24T08:00:00Z", "2026-11-25T08:00:00Z"
		}, step.StateOK, "valid until 2026-11-25"},
		"a third of a short life": {func(s *corev1.Secret) {
			s.Annotations[IssuedAnnotation], s.Annotations[hostedcluster.TokenExpiresAnnotation] = "2026-11-23T18:00:00Z", "2026-11-24T18:00:00Z"
		}, step.StateMissing, "less than a third"},
		"it ended":             {func(s *corev1.Secret) { s.Annotations[hostedcluster.TokenExpiresAnnotation] = "2026-11-24T11:00:00Z" }, step.StateMissing, "ended at"},
		"no end":               {func(s *corev1.Secret) { s.Annotations[hostedcluster.TokenExpiresAnnotation] = "never" }, step.StateMissing, "does not say"},
		"another address":      {func(s *corev1.Secret) { s.Data["server"] = []byte("https://192.0.2.8:6443") }, step.StateMissing, "another address"},
		"another label":        {func(s *corev1.Secret) { s.Labels["env"] = "prod" }, step.StateMissing, "label env"},
		"somebody else's":      {func(s *corev1.Secret) { delete(s.Labels, "app.kubernetes.io/managed-by") }, step.StateBroken, "did not make it"},
		"an earlier cluster's": {func(s *corev1.Secret) { s.Annotations[hostedcluster.ClusterUIDAnnotation] = "7" }, step.StateMissing, "earlier"},
		"another cluster's":    {func(s *corev1.Secret) { s.Annotations[hostedcluster.ClusterAnnotation] = "prod/front" }, step.StateBroken, "did not make it"},
	} {
		secret := good()
		tc.change(secret)
		if f := r.judge(secret, nil, hc, now); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
			t.Errorf("%s: %s, %s", name, f.State, f.Message)
		}
	}
	gone := apierrors.NewNotFound(schema.GroupResource{}, "x")
	if f := r.judge(&corev1.Secret{}, gone, hc, now); f.State != step.StateMissing {
		t.Errorf("%s: %s", f.State, f.Message)
	}
	// A label with a domain is an operator's: who may label a HostedCluster makes no other kind of Secret of it.
	if got := r.labels(hc); got[secretTypeLabel] != "cluster" || got["env"] != "dev" || len(got) != 4 {
		t.Errorf("labels: %v", got)
	}
	// Plans and questions show those that others may have written.
	if named := Named(hc); !strings.HasSuffix(named, " (env=dev)") {
		t.Errorf("named %q", named)
	}
}

// TestSecretNamesAreTheirOwn: names of namespaces have no dot.
func TestSecretNamesAreTheirOwn(t *testing.T) {
	a := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a-b", Name: "c"}}
	b := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b-c"}}
	if SecretName(a) == SecretName(b) {
		t.Error(SecretName(a))
	}
}
