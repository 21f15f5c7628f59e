package deletion

import (
	"maps"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

const hostedPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters-kv-00/hostedcontrolplanes"

// TestStage holds what a deletion says it waits for to what is there.
func TestStage(t *testing.T) {
	const corePath, vmsPath, operatorPath = "/api/v1/namespaces/clusters-kv-00", "/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines", "/apis/apps/v1/namespaces/hypershift/deployments"
	asked := hostedtest.Object{hyperv1.CleanupCloudResourcesAnnotation: "true"}
	ending := func(meta hostedtest.Object) hostedtest.Object {
		meta["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		return meta
	}
	held := func(meta hostedtest.Object, finalizers ...any) hostedtest.Object {
		meta["finalizers"] = finalizers
		return meta
	}
	hc := hostedtest.Object{
		"metadata": held(ending(hostedtest.MetaOf("clusters", "kv-00", nil)), "hypershift.openshift.io/finalizer"),
	}
	pool := hostedtest.Object{
		"metadata": held(ending(hostedtest.MetaOf("clusters", "workers", nil)), "hypershift.openshift.io/finalizer"),
		"spec":     hostedtest.Object{"clusterName": "kv-00"},
	}
	vm := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters-kv-00", "w-1", hostedtest.Object{hyperv1.NodePoolNameLabel: "workers"}),
		"status":   hostedtest.Object{"printableStatus": "Running"},
	}
	ns := func(meta hostedtest.Object, messages ...string) hostedtest.Object {
		meta["labels"] = hostedtest.Object{hostedcluster.ControlPlaneLabel: "true"}
		conditions := []any{
			hostedtest.Object{
				"type":    "NamespaceDeletionDiscoveryFailure",
				"status":  "False",
				"message": "All resources successfully discovered",
			},
		}
		for i, m := range messages {
			conditions = append(
				conditions,
				hostedtest.Object{
					"type":    []string{"NamespaceContentRemaining", "NamespaceFinalizersRemaining"}[i],
					"status":  "True",
					"message": m,
				},
			)
		}
		return hostedtest.Object{"metadata": meta, "status": hostedtest.Object{"conditions": conditions}}
	}
	named := func() hostedtest.Object { return hostedtest.Object{"name": "clusters-kv-00"} }
	hcp := func(annotations hostedtest.Object, conditions ...any) hostedtest.Object {
		meta := held(ending(hostedtest.MetaOf("clusters-kv-00", "kv-00", nil)), "hypershift.openshift.io/finalizer")
		meta["annotations"] = annotations
		return hostedtest.Object{"metadata": meta, "status": hostedtest.Object{"conditions": conditions}}
	}
	left := hostedtest.Object{
		"type":    "CloudResourcesDestroyed",
		"status":  "False",
		"reason":  "RemainingCloudResources",
		"message": "Remaining resources: loadbalancers",
	}
	skipped := hostedtest.Object{
		"type":    "CloudResourcesDestroyed",
		"status":  "False",
		"reason":  "CloudResourcesCleanupSkipped",
		"message": "Cleanup skipped: no API",
	}
	service := hostedtest.Object{
		"metadata": hostedtest.MetaOf(
			"clusters-kv-00",
			"a1b2",
			hostedtest.Object{"cluster.x-k8s.io/tenant-service-name": "shop",
				"cluster.x-k8s.io/tenant-service-namespace": "default"},
		),
	}
	claim := hostedtest.Object{
		"metadata": held(hostedtest.MetaOf("clusters-kv-00", "data-etcd-0", nil), "kubernetes.io/pvc-protection"),
	}
	user := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters-kv-00", "etcd-0", nil),
		"status":   hostedtest.Object{"phase": "Running"},
		"spec": hostedtest.Object{
			"volumes": []any{
				hostedtest.Object{"name": "data", "persistentVolumeClaim": hostedtest.Object{"claimName": "data-etcd-0"}},
			},
		},
	}
	odd := hostedtest.Object{"metadata": held(hostedtest.MetaOf("clusters-kv-00", "mine", nil), "example.com/mine")}
	odd["metadata"].(hostedtest.Object)["managedFields"] = []any{
		hostedtest.Object{
			"manager": "my-tool",
			"fieldsV1": hostedtest.Object{
				"f:metadata": hostedtest.Object{"f:finalizers": hostedtest.Object{`v:"example.com/mine"`: hostedtest.Object{}}},
			},
		},
	}
	down := hostedtest.Object{
		"metadata": hostedtest.MetaOf("hypershift", "operator", nil),
		"spec":     hostedtest.Object{"replicas": 2},
		"status":   hostedtest.Object{"observedGeneration": 1},
	}
	for name, tc := range map[string]struct {
		world      map[string]any
		want, hint string
	}{
		"workers": {map[string]any{hostedtest.PoolsPath: hostedtest.Items(pool), vmsPath: hostedtest.Items(vm)},
			"pending: NodePool clusters/workers: its workers are being removed, VirtualMachine w-1 (Running); held by " +
				"hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
		"operator down": {map[string]any{hostedtest.PoolsPath: hostedtest.Items(pool), operatorPath + "/operator": down},
			"pending: NodePool clusters/workers: its workers are gone; held by hypershift.openshift.io/finalizer (the " +
				"HyperShift operator); Deployment hypershift/operator has no ready pod: 0 of 2 pods are ready",
			"HyperShift operator runs again"},
		"cloud resources": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": ns(named()), hostedPath +
			"/kv-00": hcp(asked, left), corePath + "/services": hostedtest.Items(service)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: CloudResourcesDestroyed False (RemainingCloudResources): " +
				"Remaining resources: loadbalancers; there are still Service clusters-kv-00/a1b2 of the guest's " +
				"default/shop", "--destroy-cloud-resources=false"},
		"control plane operator down": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": ns(named()), hostedPath +
			"/kv-00": hcp(asked), "/apis/apps/v1/namespaces/clusters-kv-00/deployments/control-plane-operator": down},
			"pending: HostedControlPlane clusters-kv-00/kv-00: volumes and load balancers of the hosted cluster are being " +
				"removed; Deployment clusters-kv-00/control-plane-operator has no ready pod: 0 of 2 pods are ready", "is not running"},
		"cleanup not asked": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": ns(named()), hostedPath +
			"/kv-00": hcp(nil)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: the control plane is being removed; held by " +
				"hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
		"cleanup skipped": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": ns(named()), hostedPath +
			"/kv-00": hcp(asked, skipped)},
			"pending: HostedControlPlane clusters-kv-00/kv-00: the control plane is being removed; held by " +
				"hypershift.openshift.io/finalizer (the HyperShift operator); not all was cleaned up: " +
				"CloudResourcesCleanupSkipped: Cleanup skipped: no API", ""},
		"namespace": {map[string]any{hostedtest.NamespacesPath + "/clusters-kv-00": ns(ending(named()))},
			"pending: Namespace clusters-kv-00: being emptied", ""},
		"a protected claim": {map[string]any{
			hostedtest.NamespacesPath + "/clusters-kv-00": ns(ending(named()), "Some resources are remaining: "+
				"persistentvolumeclaims. has 1 resource instances"),
			corePath + "/persistentvolumeclaims": hostedtest.Items(claim), corePath + "/pods": hostedtest.Items(user)},
			"pending: Namespace clusters-kv-00: being emptied, left: PersistentVolumeClaim data-etcd-0, held by " +
				"kubernetes.io/pvc-protection (Kubernetes, once no pod uses the volume), used by Pod etcd-0 (Running)", ""},
		"someone's finalizer": {map[string]any{
			hostedtest.NamespacesPath + "/clusters-kv-00": ns(ending(named()), "Some resources are remaining: configmaps. has 1 "+
				"resource instances"), corePath + "/configmaps": hostedtest.Items(odd)},
			"pending: Namespace clusters-kv-00: being emptied, left: ConfigMap mine, held by example.com/mine (put on " +
				"by my-tool)", "whatever added it"},
		"not for this user to see": {map[string]any{
			hostedtest.NamespacesPath + "/clusters-kv-00": ns(ending(named()), "Some resources are remaining: "+
				"widgets.example.com has 1 resource instances", "Some content in the namespace has finalizers remaining: x in 1 "+
				"resource instances")},
			"pending: Namespace clusters-kv-00: being emptied: Some resources are remaining: widgets.example.com has 1 " +
				"resource instances; Some content in the namespace has finalizers remaining: x in 1 resource instances", ""},
		"finalizers alone": {nil, "pending: HostedCluster clusters/kv-00: all else of it is gone; held by " +
			"hypershift.openshift.io/finalizer (the HyperShift operator)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{
				hostedtest.ClustersPath + "/kv-00": hc,
				hostedtest.PoolsPath:               hostedtest.Items(),
				hostedtest.NamespacesPath:          hostedtest.Items(),
				hostedPath:                         hostedtest.Items(),
				vmsPath:                            hostedtest.Items(),
				operatorPath:                       hostedtest.Items(),
			}
			maps.Copy(world, tc.world)
			d := &Plan{Namespace: "clusters", Name: "kv-00", client: hostedtest.ReadOnly(t, world), options: Defaults()}
			got := d.hostedClusterGone(t.Context(), d.client)
			hostedtest.Expect(t, got, tc.want)
			if !strings.Contains(got.Hint.String(), tc.hint) || tc.hint == "" && !got.Hint.IsZero() {
				t.Errorf("hint %q, want %q", got.Hint, tc.hint)
			}
		})
	}
}

// TestGracePeriod: once cleaning up has taken its time, the operator is to be continues without.
func TestGracePeriod(t *testing.T) {
	meta := func(since time.Duration) metav1.ObjectMeta {
		then := metav1.NewTime(time.Now().Add(-since))
		return metav1.ObjectMeta{
			Namespace:         "clusters",
			Name:              "kv-00",
			DeletionTimestamp: &then,
			Annotations:       map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"},
		}
	}
	for name, tc := range map[string]struct {
		grace, since time.Duration
		want         step.State
	}{
		"not yet":       {10 * time.Minute, time.Minute, step.StatePending},
		"over":          {10 * time.Minute, 11 * time.Minute, step.StateMissing},
		"without bound": {0, time.Hour, step.StatePending},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Plan{
				Namespace: "clusters",
				Name:      "kv-00",
				client:    hostedtest.ReadOnly(t, nil),
				options:   Options{GracePeriod: tc.grace},
			}
			f := d.cleanupProgress(
				t.Context(), d.client,
				&hyperv1.HostedCluster{ObjectMeta: meta(tc.since)},
				&hyperv1.HostedControlPlane{ObjectMeta: meta(tc.since)},
			)
			if f.State != tc.want {
				t.Errorf("%s: %s, want %s", f.State, f.Message, tc.want)
			}
			if waits := tc.grace > 0 && tc.want == step.StatePending; waits != (f.Recheck > 0) {
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
	mc.Annotations = map[string]string{managedcluster.DeployModeAnnotation: "Hosted", managedcluster.CreatedViaAnnotation: "other"}
	if autoImported(mc) {
		t.Error("another tool's ManagedCluster taken for the addon's")
	}
	mc.Annotations[managedcluster.CreatedViaAnnotation] = "hypershift"
	if !autoImported(mc) {
		t.Error("the addon's ManagedCluster not recognized")
	}
}
