package hostedcluster

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

func TestRemovingSaysWhatHoldsItUp(t *testing.T) {
	now := metav1.Now()
	active := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "clusters-plain"}}
	ending := active.DeepCopy()
	ending.DeletionTimestamp = &now
	stuck := ending.DeepCopy()
	stuck.Status.Conditions = []corev1.NamespaceCondition{
		{Type: corev1.NamespaceFinalizersRemaining, Status: "True", Message: "Some content in the namespace has finalizers remaining: kubernetes.io/pvc-protection in 1 resource instances"},
		{Type: corev1.NamespaceContentRemaining, Status: "True", Message: "Some resources are remaining: persistentvolumeclaims. has 1 resource instances"},
		{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: "False", Message: "All resources successfully discovered"},
	}
	cloud := cluster(row{"CloudResourcesDestroyed", "False", "RemainingCloudResources", "Remaining resources: load balancers"})
	cloud.Generation = 9 // deletion makes a new generation
	held := cluster()
	held.Finalizers = []string{"hypershift.openshift.io/finalizer"}
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []hyperv1.NodePool
		ns    *corev1.Namespace
		want  string
	}{
		"node pools":       {cluster(), []hyperv1.NodePool{*pool(2, 2)}, active, "pending: NodePool clusters/plain: its worker VMs are being removed"},
		"cloud resources":  {cloud, nil, active, "pending: HostedCluster clusters/plain: CloudResourcesDestroyed False (RemainingCloudResources): Remaining resources: load balancers"},
		"control plane":    {cluster(), nil, active, "pending: Namespace clusters-plain: the control plane is being removed"},
		"namespace":        {cloud, nil, ending, "pending: Namespace clusters-plain: being emptied"},
		"namespace stuck":  {cluster(), nil, stuck, "pending: Namespace clusters-plain: being emptied: Some resources are remaining: persistentvolumeclaims. has 1 resource instances; Some content in the namespace has finalizers remaining: kubernetes.io/pvc-protection in 1 resource instances"},
		"finalizers alone": {held, nil, nil, "pending: HostedCluster clusters/plain: finalizers: hypershift.openshift.io/finalizer"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, removing(tc.hc, tc.pools, tc.ns), tc.want) })
	}
}

func TestOwnsSecret(t *testing.T) {
	d := &Deletion{Namespace: "clusters", Name: "plain", InfraID: "plain-abcde"}
	for name, tc := range map[string]struct {
		secret string
		labels map[string]string
		want   bool
	}{
		"labelled for it":           {"anything", map[string]string{infraLabel: "plain-abcde"}, true},
		"labelled for another":      {"plain-pull-secret", map[string]string{infraLabel: "other-abcde"}, false},
		"made by hcctl":             {"plain-pull-secret", map[string]string{kube.ManagedByLabel: kube.FieldOwner}, true},
		"a person's, of that name":  {"plain-pull-secret", nil, false},
		"hcctl's of another":        {"plain2-pull-secret", map[string]string{kube.ManagedByLabel: kube.FieldOwner}, false},
		"a person's, of other name": {"mine", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: tc.secret, Namespace: "clusters", Labels: tc.labels}}
			if got := d.owns(s); got != tc.want {
				t.Errorf("owns: %t, want %t", got, tc.want)
			}
		})
	}
}

func TestAutoImported(t *testing.T) {
	mc := &clusterv1.ManagedCluster{}
	if autoImported(mc) {
		t.Error("a person's ManagedCluster taken for the addon's")
	}
	mc.Annotations = map[string]string{deployModeAnnotation: "Hosted", createdViaAnnotation: "other"}
	if autoImported(mc) {
		t.Error("another tool's ManagedCluster taken for the addon's")
	}
	mc.Annotations[createdViaAnnotation] = "hypershift"
	if !autoImported(mc) {
		t.Error("the addon's ManagedCluster not recognized")
	}
}
