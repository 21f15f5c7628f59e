package hostedcluster

import (
	"maps"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

const hostedPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters-kv-00/hostedcontrolplanes"

// TestStage holds what a deletion says it waits for to what is there.
func TestStage(t *testing.T) {
	const corePath, vmsPath, operatorPath = "/api/v1/namespaces/clusters-kv-00", "/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines", "/apis/apps/v1/namespaces/hypershift/deployments"
	asked := object{hyperv1.CleanupCloudResourcesAnnotation: "true"}
	ending := func(meta object) object {
		meta["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		return meta
	}
	held := func(meta object, finalizers ...any) object {
		meta["finalizers"] = finalizers
		return meta
	}
	hc := object{"metadata": held(ending(metaOf("clusters", "kv-00", nil)), "hypershift.openshift.io/finalizer")}
	pool := object{"metadata": held(ending(metaOf("clusters", "workers", nil)), "hypershift.openshift.io/finalizer"), "spec": object{"clusterName": "kv-00"}}
	vm := object{"metadata": metaOf("clusters-kv-00", "w-1", object{hyperv1.NodePoolNameLabel: "workers"}), "status": object{"printableStatus": "Running"}}
	ns := func(meta object, messages ...string) object {
		meta["labels"] = object{controlPlaneLabel: "true"}
		conditions := []any{object{"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "message": "All resources successfully discovered"}}
		for i, m := range messages {
			conditions = append(conditions, object{"type": []string{"NamespaceContentRemaining", "NamespaceFinalizersRemaining"}[i], "status": "True", "message": m})
		}
		return object{"metadata": meta, "status": object{"conditions": conditions}}
	}
	named := func() object { return object{"name": "clusters-kv-00"} }
	hcp := func(annotations object, conditions ...any) object {
		meta := held(ending(metaOf("clusters-kv-00", "kv-00", nil)), "hypershift.openshift.io/finalizer")
		meta["annotations"] = annotations
		return object{"metadata": meta, "status": object{"conditions": conditions}}
	}
	left := object{"type": "CloudResourcesDestroyed", "status": "False", "reason": "RemainingCloudResources", "message": "Remaining resources: loadbalancers"}
	skipped := object{"type": "CloudResourcesDestroyed", "status": "False", "reason": "CloudResourcesCleanupSkipped", "message": "Cleanup skipped: no API"}
	service := object{"metadata": metaOf("clusters-kv-00", "a1b2", object{tenantServiceLabel: "shop", tenantNamespaceLabel: "default"})}
	claim := object{"metadata": held(metaOf("clusters-kv-00", "data-etcd-0", nil), "kubernetes.io/pvc-protection")}
	user := object{"metadata": metaOf("clusters-kv-00", "etcd-0", nil), "status": object{"phase": "Running"},
		"spec": object{"volumes": []any{object{"name": "data", "persistentVolumeClaim": object{"claimName": "data-etcd-0"}}}}}
	odd := object{"metadata": held(metaOf("clusters-kv-00", "mine", nil), "example.com/mine")}
	odd["metadata"].(object)["managedFields"] = []any{object{"manager": "my-tool", "fieldsV1": object{"f:metadata": object{"f:finalizers": object{`v:"example.com/mine"`: object{}}}}}}
	down := object{"metadata": metaOf("hypershift", "operator", nil), "spec": object{"replicas": 2}}
	for name, tc := range map[string]struct {
		world      map[string]any
		want, hint string
	}{
		"workers": {map[string]any{poolsPath: items(pool), vmsPath: items(vm)},
			"pending: NodePool clusters/workers: its workers are being removed, VirtualMachine w-1 (Running); held by hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
		"operator down": {map[string]any{poolsPath: items(pool), operatorPath + "/operator": down},
			"pending: NodePool clusters/workers: its workers are gone; held by hypershift.openshift.io/finalizer (the HyperShift operator); Deployment hypershift/operator has none of its 2 pods available", "HyperShift operator runs again"},
		"cloud resources": {map[string]any{namespacesPath + "/clusters-kv-00": ns(named()), hostedPath + "/kv-00": hcp(asked, left), corePath + "/services": items(service)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: CloudResourcesDestroyed False (RemainingCloudResources): Remaining resources: loadbalancers; there are still Service clusters-kv-00/a1b2 of the guest's default/shop", "--destroy-cloud-resources=false"},
		"control plane operator down": {map[string]any{namespacesPath + "/clusters-kv-00": ns(named()), hostedPath + "/kv-00": hcp(asked), "/apis/apps/v1/namespaces/clusters-kv-00/deployments/control-plane-operator": down},
			"pending: HostedControlPlane clusters-kv-00/kv-00: volumes and load balancers of the hosted cluster are being removed; Deployment clusters-kv-00/control-plane-operator has none of its 2 pods available", "does not run"},
		"cleanup not asked": {map[string]any{namespacesPath + "/clusters-kv-00": ns(named()), hostedPath + "/kv-00": hcp(nil)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: the control plane is being removed; held by hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
		"cleanup skipped": {map[string]any{namespacesPath + "/clusters-kv-00": ns(named()), hostedPath + "/kv-00": hcp(asked, skipped)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: the control plane is being removed; held by hypershift.openshift.io/finalizer (the HyperShift operator); not all was cleaned up: CloudResourcesCleanupSkipped: Cleanup skipped: no API", ""},
		"namespace": {map[string]any{namespacesPath + "/clusters-kv-00": ns(ending(named()))}, "pending: Namespace clusters-kv-00: being emptied", ""},
		"a protected claim": {map[string]any{
			namespacesPath + "/clusters-kv-00":   ns(ending(named()), "Some resources are remaining: persistentvolumeclaims. has 1 resource instances"),
			corePath + "/persistentvolumeclaims": items(claim), corePath + "/pods": items(user)},
			"pending: Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data-etcd-0, held by kubernetes.io/pvc-protection (Kubernetes, once no pod uses the volume), used by Pod etcd-0 (Running)", ""},
		"someone's finalizer": {map[string]any{
			namespacesPath + "/clusters-kv-00": ns(ending(named()), "Some resources are remaining: configmaps. has 1 resource instances"), corePath + "/configmaps": items(odd)},
			"pending: Namespace clusters-kv-00: being emptied, left: ConfigMap mine, held by example.com/mine (put on by my-tool)", "whoever put it there"},
		"not for this user to see": {map[string]any{
			namespacesPath + "/clusters-kv-00": ns(ending(named()), "Some resources are remaining: widgets.example.com has 1 resource instances", "Some content in the namespace has finalizers remaining: x in 1 resource instances")},
			"pending: Namespace clusters-kv-00: being emptied: Some resources are remaining: widgets.example.com has 1 resource instances; Some content in the namespace has finalizers remaining: x in 1 resource instances", ""},
		"finalizers alone": {nil, "pending: HostedCluster clusters/kv-00: all else of it is gone; held by hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{clustersPath + "/kv-00": hc, poolsPath: items(), namespacesPath: items(), hostedPath: items(), vmsPath: items(), operatorPath: items()}
			maps.Copy(world, tc.world)
			d := &Deletion{Namespace: "clusters", Name: "kv-00", client: fakeAPI(t, world), options: DeleteDefaults()}
			got := d.hostedClusterGone(t.Context())
			expect(t, got, tc.want)
			if !strings.Contains(got.Hint, tc.hint) || tc.hint == "" && got.Hint != "" {
				t.Errorf("hint %q, want %q", got.Hint, tc.hint)
			}
		})
	}
}

// TestGracePeriod: once cleaning up has taken its time, the operator is to be told to go on without.
func TestGracePeriod(t *testing.T) {
	meta := func(since time.Duration) metav1.ObjectMeta {
		then := metav1.NewTime(time.Now().Add(-since))
		return metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00", DeletionTimestamp: &then, Annotations: map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"}}
	}
	for name, tc := range map[string]struct {
		grace, since time.Duration
		want         step.State
	}{
		"not yet":       {10 * time.Minute, time.Minute, step.Pending},
		"over":          {10 * time.Minute, 11 * time.Minute, step.Missing},
		"without bound": {0, time.Hour, step.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Deletion{Namespace: "clusters", Name: "kv-00", client: fakeAPI(t, nil), options: DeleteOptions{GracePeriod: tc.grace}}
			f := d.clearing(t.Context(), &hyperv1.HostedCluster{ObjectMeta: meta(tc.since)}, &hyperv1.HostedControlPlane{ObjectMeta: meta(tc.since)})
			if f.State != tc.want {
				t.Errorf("%s: %s, want %s", f.State, f.Message, tc.want)
			}
			if waits := tc.grace > 0 && tc.want == step.Pending; waits != (f.Recheck > 0) {
				t.Errorf("asks again after %s", f.Recheck)
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
