package creation

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestQuotasOfTheClustersNamespace has a new cluster bring a HostedCluster, a NodePool, and three Secrets, of which
// HyperShift writes one.
func TestQuotasOfTheClustersNamespace(t *testing.T) {
	for _, tc := range []struct{ of, hard, used, want string }{
		{of: "secrets", hard: "3"},
		{of: "secrets", hard: "2", want: "ResourceQuota clusters/small leaves 2 secrets of 2, and hosted cluster kv-00 needs 3 secrets"},
		{of: "count/secrets", hard: "9", used: "7", want: "leaves 2 secrets of 9"},
		{of: "count/nodepools.hypershift.openshift.io", hard: "1", used: "1", want: "leaves 0 nodepools.hypershift.openshift.io of 1"},
		{of: "count/hostedclusters.hypershift.openshift.io", hard: "1"},
		{of: "configmaps", hard: "0"},
		{of: "configmaps", hard: "1", used: "2"}, // nothing of it comes
		{of: "pods", hard: "0"},
		{of: "count/deployments.apps", hard: "0"},
	} {
		t.Run(tc.of+" "+tc.hard, func(t *testing.T) {
			w := world(t)
			w.RegisterKinds(t, "v1", "ResourceQuota")
			w.Set("ResourceQuota", smallQuota("clusters", tc.of, tc.hard, tc.used))
			state := step.StateOK
			if tc.want != "" {
				state = step.StateMissing
			}
			expect(t, prepared(t, w, flags(t, "--replicas 2")).Preflight(), preflightQuotas, state, tc.want)
		})
	}
}

// smallQuota is a quota for one thing.
func smallQuota(namespace, of, hard, used string) hostedtest.Object {
	q := hostedtest.Object{"metadata": hostedtest.MetaOf(namespace, "small", nil),
		"spec": hostedtest.Object{"hard": hostedtest.Object{of: hard}}}
	if used != "" {
		q["status"] = hostedtest.Object{"used": hostedtest.Object{of: used}}
	}
	return q
}

// TestQuotasOfSeveralNewClusters has clusters of which each is within the quota alone.
func TestQuotasOfSeveralNewClusters(t *testing.T) {
	w := world(t)
	w.Set("Node", worker("n1"), worker("n2"), worker("n3"))
	w.RegisterKinds(t, "v1", "ResourceQuota")
	w.Set("ResourceQuota", smallQuota("clusters", "count/hostedclusters.hypershift.openshift.io", "1", ""))
	plan := func(name string) *Plan {
		o := optionstest.With(t, "--replicas 1 --memory 8Gi --control-plane-availability-policy SingleReplica")
		o.Name = name
		return prepared(t, w, optionstest.Valid(t, o))
	}
	one, two := plan("kv-01"), plan("kv-02")
	expect(t, one.Preflight(), preflightQuotas, step.StateOK)
	expect(t, Together([]*Plan{one, two}), preflightQuotas, step.StateMissing,
		"leaves 1 hostedclusters.hypershift.openshift.io of 1, and 2 hosted clusters need 2")
}

// TestQuotasCountWhatIsMissing has a create go on whose Secrets are there and counted.
func TestQuotasCountWhatIsMissing(t *testing.T) {
	w := world(t)
	w.RegisterKinds(t, "v1", "ResourceQuota")
	p := prepared(t, w, flags(t, "--replicas 2"))
	for _, o := range objects.Companions(p.Options, p.Inputs) {
		if s, is := o.(*corev1.Secret); is {
			w.Set("Secret", hostedtest.Object{"metadata": hostedtest.MetaOf(s.Namespace, s.Name, nil)})
		}
	}
	w.Set("ResourceQuota", smallQuota("clusters", "secrets", "3", "2"))
	expect(t, p.Preflight(), preflightQuotas, step.StateOK)
	w.Set("ResourceQuota", smallQuota("clusters", "secrets", "2", "2"))
	expect(t, p.Preflight(), preflightQuotas, step.StateMissing, "leaves 0 secrets of 2, and hosted cluster kv-00 needs 1 secrets")
}

// TestQuotasByScopeAndClass counts one worker more against quotas that are about some pods or one StorageClass.
func TestQuotasByScopeAndClass(t *testing.T) {
	class := "gold"
	need := objectsOf(&hyperv1.NodePool{Spec: hyperv1.NodePoolSpec{Platform: hyperv1.NodePoolPlatform{
		Kubevirt: &hyperv1.KubevirtNodePoolPlatform{RootVolume: &hyperv1.KubevirtRootVolume{
			KubevirtVolume: hyperv1.KubevirtVolume{Persistent: &hyperv1.KubevirtPersistentVolume{StorageClass: &class}}}}}}})
	need.Add(fit.Resources{corev1.ResourcePods: 1}, 1)
	exists := func(scope corev1.ResourceQuotaScope) *corev1.ScopeSelector {
		return &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists}}}
	}
	for name, tc := range map[string]struct {
		of   string
		spec corev1.ResourceQuotaSpec
		want string
	}{
		"pods that run on":         {"pods", corev1.ResourceQuotaSpec{Scopes: []corev1.ResourceQuotaScope{"NotTerminating"}}, "leaves 0 pods"},
		"with requests, selected":  {"pods", corev1.ResourceQuotaSpec{ScopeSelector: exists("NotBestEffort")}, "leaves 0 pods"},
		"pods that end":            {"pods", corev1.ResourceQuotaSpec{Scopes: []corev1.ResourceQuotaScope{"NotBestEffort", "Terminating"}}, ""},
		"of a priority":            {"pods", corev1.ResourceQuotaSpec{ScopeSelector: exists("PriorityClass")}, ""},
		"claims of its class":      {"gold.storageclass.storage.k8s.io/persistentvolumeclaims", corev1.ResourceQuotaSpec{}, "leaves 0 gold"},
		"storage of its class":     {"gold.storageclass.storage.k8s.io/requests.storage", corev1.ResourceQuotaSpec{}, "need 32Gi gold"},
		"storage of another class": {"iron.storageclass.storage.k8s.io/requests.storage", corev1.ResourceQuotaSpec{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := corev1.ResourceQuota{Spec: tc.spec}
			q.Spec.Hard = corev1.ResourceList{corev1.ResourceName(tc.of): {}}
			got := charge{additional: need, subject: "1 worker VM more need"}.exceededIn([]corev1.ResourceQuota{q}).Impossible
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
