package gitops

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// own are the metadata of what hcctl has written.
const own = `labels: {app.kubernetes.io/managed-by: hcctl}, managedFields: [{manager: hcctl, operation: Apply}]`

func serviceAccount(metadata string) string {
	return "\n---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: argocd-manager, namespace: kube-system, " + metadata +
		"}}\n"
}

func bindingNamed(name, metadata string) string {
	return fmt.Sprintf("\n---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: %s, %s}, "+
		"roleRef: {kind: ClusterRole, name: cluster-admin}, "+
		"subjects: [{kind: ServiceAccount, namespace: kube-system, name: argocd-manager}]}\n", name, metadata)
}

// TestAccountIsRemoved: what hcctl has made in the hosted cluster goes, what others have made or use stays.
func TestAccountIsRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		objects string
		state   step.State
		says    string
		writes  []string
	}{
		"nothing": {"", step.StateOK, "there is none", nil},
		"own": {serviceAccount(own) + bindingNamed("hcctl-argocd-manager", own), step.StateMissing, "still there", []string{
			"delete clusterrolebindings.rbac.authorization.k8s.io hcctl-argocd-manager",
			"delete serviceaccounts kube-system/argocd-manager"}},
		"another's": {serviceAccount("labels: {a: b}"), step.StateOK, "hcctl did not make it", nil},
		"only a label says so": {serviceAccount("labels: {app.kubernetes.io/managed-by: hcctl}"), step.StateOK,
			"hcctl did not make it", nil},
		"own, and used by another": {serviceAccount(own) + bindingNamed("argocd-manager-role-binding", "labels: {a: b}"),
			step.StateOK, "argocd-manager-role-binding is for", nil},
		"binding of another by that name": {bindingNamed("hcctl-argocd-manager", "labels: {a: b}") + serviceAccount(own),
			step.StateOK, "is for ServiceAccount", nil},
	} {
		api := kubetest.Serve(t, strings.Split(c.objects, "\n---\n")...)
		if f := judgeAccount(t.Context(), api.Client); f.State != c.state || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: %s, %s", name, f.State, f.Message)
		}
		if _, err := removeAccount(t.Context(), api.Client); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var writes []string
		for _, w := range api.Writes() {
			writes = append(writes, w.String())
		}
		if strings.Join(writes, ";") != strings.Join(c.writes, ";") {
			t.Errorf("%s: writes %q, want %q", name, writes, c.writes)
		}
		if f := judgeAccount(t.Context(), api.Client); f.State != step.StateOK {
			t.Errorf("%s: afterwards %s, %s", name, f.State, f.Message)
		}
	}
}

// TestSecretIsRemoved: one that hcctl made for this hosted cluster, by its marks and its content; also after it is
// gone.
func TestSecretIsRemoved(t *testing.T) {
	secret := func(metadata, name string) string {
		return "{apiVersion: v1, kind: Secret, metadata: {name: hosted-cluster-dev.front, namespace: openshift-gitops, " +
			metadata + "}, data: {name: " + base64.StdEncoding.EncodeToString([]byte(name)) + "}}"
	}
	const labels = "labels: {app.kubernetes.io/managed-by: hcctl, argocd.argoproj.io/secret-type: cluster}"
	const mark = ", annotations: {hcctl.dev/hosted-cluster: dev/front}"
	r := Registration{ArgoNamespace: "openshift-gitops"}
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "front"}}
	for name, c := range map[string]struct {
		secret string
		state  step.State
		goes   bool
	}{
		"none":                     {"", step.StateOK, false},
		"own":                      {secret(labels+mark, "dev.front"), step.StateMissing, true},
		"without the label":        {secret(strings.TrimPrefix(mark, ", "), "dev.front"), step.StateBroken, false},
		"without the mark":         {secret(labels, "dev.front"), step.StateBroken, false},
		"another cluster's inside": {secret(labels+mark, "prod.front"), step.StateBroken, false},
	} {
		api := kubetest.Serve(t)
		if c.secret != "" {
			api.Put(t, c.secret)
		}
		steps := r.Removal(api.Client, hc)
		if len(steps) != 1 {
			t.Fatalf("%s: %d steps for a cluster that is gone", name, len(steps))
		}
		if f := steps[0].Check(t.Context(), nil); f.State != c.state {
			t.Errorf("%s: %s, %s", name, f.State, f.Message)
		}
		if _, err := steps[0].Apply(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if goes := len(api.Writes()) == 1; goes != c.goes {
			t.Errorf("%s: deleted: %t", name, goes)
		}
	}
	alive := hc.DeepCopy()
	alive.UID = "1"
	if steps := r.Removal(kubetest.Serve(t).Client, alive); len(steps) != 2 || len(steps[1].Needs) != 0 {
		t.Errorf("a cluster that cannot be reached would keep its Secret: %d steps", len(steps))
	}
}
