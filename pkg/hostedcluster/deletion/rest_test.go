package deletion

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestTheManagedClusterIsDetached(t *testing.T) {
	w := world(t)
	d := prepared(t, w)
	for _, id := range []step.ID{detachStep, notImportedStep} {
		expect(t, d, id, step.StateOK, "there is none", "ManagedCluster kv-00")
		does(t, d, id, step.Unchanged)
	}
	w.Set("ManagedCluster", imported(annotated(managedcluster.DeployModeAnnotation, "Hosted", managedcluster.CreatedViaAnnotation, "discovery")))
	for _, id := range []step.ID{detachStep, notImportedStep} {
		expect(t, d, id, step.StateOK, "left as it is: it was imported by discovery, not by the hypershift addon")
		does(t, d, id, step.Unchanged)
	}
	w.Set("ManagedCluster", imported(annotated(managedcluster.DeployModeAnnotation, "Default", managedcluster.CreatedViaAnnotation, "hypershift")))
	expect(t, d, detachStep, step.StateOK, "left as it is: the hypershift addon did not import it")
	w.Set("ManagedCluster", imported(annotated(managedcluster.CreatedViaAnnotation, "other")))
	expect(t, d, detachStep, step.StateOK, "left as it is: the hypershift addon did not import it")
	w.Set("ManagedCluster", imported(annotated(managedcluster.DeployModeAnnotation, "Hosted")))
	expect(t, d, detachStep, step.StateOK, "left as it is: the hypershift addon did not import it")

	w.Set("ManagedCluster", imported())
	expect(t, d, detachStep, step.StateMissing, "imported by the hypershift addon", "ManagedCluster kv-00")
	w.Forbid("delete " + managedPath)
	fails(t, d, detachStep, "ManagedCluster kv-00: ")
	w.Forbid("get " + managedPath)
	for _, id := range []step.ID{detachStep, notImportedStep} {
		expect(t, d, id, step.StateUnknown, "not allowed", "ManagedCluster kv-00")
		fails(t, d, id, "")
	}
	w.Allow()

	// Its cleanup may need the hosted API server, so it is waited for only so long at first.
	w.Set("ManagedCluster", imported(goesSince(time.Minute),
		held("cluster.open-cluster-management.io/api-resource-cleanup")))
	f := expect(t, d, detachStep, step.StatePending,
		"being detached; held by cluster.open-cluster-management.io/api-resource-cleanup",
		"oc get managedcluster kv-00 -o yaml", "ManagedCluster kv-00")
	if f.Recheck <= 0 || f.Recheck > time.Minute {
		t.Errorf("looks again after %s", f.Recheck)
	}
	// The registration controller says what it still has to delete, and its own finalizer is a known one.
	w.Set("ManagedCluster", imported(goesSince(time.Minute),
		held("cluster.open-cluster-management.io/resource-cleanup"),
		with("status", hostedtest.Object{"conditions": []any{hostedtest.Object{"type": "Deleting", "status": "False",
			"reason": "ResourceRemaining", "message": "2 manifestworks are left"}}})))
	expect(t, d, detachStep, step.StatePending, "being detached (ResourceRemaining: 2 manifestworks are left); held by "+
		"cluster.open-cluster-management.io/resource-cleanup (multicluster engine's registration controller",
		"ManagedCluster kv-00")
	w.Set("ManagedCluster", imported(goesSince(3*time.Minute)))
	expect(t, d, detachStep, step.StateOK, "being detached for more than 2m0s: not waited for now", "ManagedCluster kv-00")
	expect(t, d, notImportedStep, step.StatePending, "being detached")

	w.Set("ManagedCluster", imported())
	does(t, d, detachStep, step.Deleted)
	expect(t, d, detachStep, step.StateOK, "there is none")
}

func TestNodePoolsThatOutliveTheirCluster(t *testing.T) {
	w := world(t)
	w.Set("NodePool", pool("more", goesSince(0), held("hypershift.openshift.io/finalizer")),
		object(hostedtest.MetaOf("clusters", "theirs", nil), with("spec", hostedtest.Object{"clusterName": "other"})))
	d := prepared(t, w)
	w.Of("HostedCluster").Delete("clusters", "kv-00")
	expect(t, d, nodePoolsGoneStep, step.StateMissing, "still there", "NodePool clusters/kv-00")
	w.Forbid("delete " + hostedtest.PoolsPath + "/kv-00")
	fails(t, d, nodePoolsGoneStep, "NodePool clusters/kv-00: ")
	w.Allow()
	does(t, d, nodePoolsGoneStep, step.Deleted)
	expect(t, d, nodePoolsGoneStep, step.StatePending, "its workers are gone; held by", "NodePool clusters/more")
	does(t, d, nodePoolsGoneStep, step.Unchanged)
	w.Set("Deployment", object(hostedtest.MetaOf("hypershift", "operator", nil), with("spec", hostedtest.Object{"replicas": 0}),
		with("status", hostedtest.Object{"observedGeneration": 1})))
	expect(t, d, nodePoolsGoneStep, step.StatePending, "; Deployment hypershift/operator has no ready pod: it is scaled to 0 and 1 are wanted",
		"until the HyperShift operator runs again")
	w.Of("NodePool").Delete("clusters", "more")
	expect(t, d, nodePoolsGoneStep, step.StateOK, "gone", "NodePools of HostedCluster clusters/kv-00")
	w.Forbid("get " + hostedtest.PoolsPath)
	expect(t, d, nodePoolsGoneStep, step.StateUnknown, "not allowed", "NodePools in namespace clusters")
	fails(t, d, nodePoolsGoneStep, "list NodePools in namespace clusters: ")
	w.Allow()
	w.Remove("NodePool")
	expect(t, d, nodePoolsGoneStep, step.StateOK, "gone")
	if w.Of("HostedCluster").Object("clusters", "kv-00") != nil {
		t.Error("it is back")
	}
}

func TestAControlPlaneThatOutlivesItsCluster(t *testing.T) {
	w := world(t)
	w.Set("Cluster", object(hostedtest.MetaOf("clusters-kv-00", "c", nil), held("cluster.cluster.x-k8s.io")))
	d := prepared(t, w)
	w.Of("HostedCluster").Delete("clusters", "kv-00")
	w.Forbid("delete /apis/cluster.x-k8s.io/*")
	fails(t, d, controlPlaneGoneStep, "Cluster clusters-kv-00/c: ")
	w.Allow()
	for _, next := range []string{"Cluster API's Cluster clusters-kv-00/c", "HostedControlPlane clusters-kv-00/kv-00",
		"Namespace clusters-kv-00"} {
		expect(t, d, controlPlaneGoneStep, step.StateMissing, "outlived its HostedCluster", next)
		does(t, d, controlPlaneGoneStep, step.Deleted)
		if strings.HasPrefix(next, "Cluster API") {
			expect(t, d, controlPlaneGoneStep, step.StatePending, "being removed; held by cluster.cluster.x-k8s.io", next)
			w.Of("Cluster").Delete("clusters-kv-00", "c")
		}
	}
	expect(t, d, controlPlaneGoneStep, step.StateOK, "gone", "Namespace clusters-kv-00")
	does(t, d, controlPlaneGoneStep, step.Unchanged)
	w.Set("Namespace", planeNamespace(withMeta("uid", "anew")))
	expect(t, d, controlPlaneGoneStep, step.StateOK, "gone")
	does(t, d, controlPlaneGoneStep, step.Unchanged)

	w = world(t)
	d = prepared(t, w)
	w.Of("HostedCluster").Delete("clusters", "kv-00")
	w.Forbid("get " + hostedPath + "/kv-00")
	expect(t, d, controlPlaneGoneStep, step.StateUnknown, "not allowed", "HostedControlPlane clusters-kv-00/kv-00")
	fails(t, d, controlPlaneGoneStep, "read HostedControlPlane clusters-kv-00/kv-00: ")
	w.Allow()
	w.Remove("HostedControlPlane")
	expect(t, d, controlPlaneGoneStep, step.StateMissing, "outlived", "Namespace clusters-kv-00")
	w.Forbid("get " + namespacePath)
	expect(t, d, controlPlaneGoneStep, step.StateUnknown, "not allowed", "Namespace clusters-kv-00")
	fails(t, d, controlPlaneGoneStep, "")
	w.Allow()
	w.Set("Namespace", planeNamespace(withMeta("labels", hostedtest.Object{})))
	expect(t, d, controlPlaneGoneStep, step.StateOK, "gone")
}

func TestVolumesThatAreLeft(t *testing.T) {
	volume := func(name, namespace, policy, phase string, edits ...edit) hostedtest.Object {
		return object(hostedtest.Object{"name": name, "annotations": hostedtest.Object{
			"pv.kubernetes.io/provisioned-by": "older.example.com"}}, append([]edit{
			with("spec", hostedtest.Object{"persistentVolumeReclaimPolicy": policy,
				"claimRef": hostedtest.Object{"namespace": namespace, "name": "data"},
				"csi":      hostedtest.Object{"driver": "topolvm.io"}}),
			with("status", hostedtest.Object{"phase": phase})}, edits...)...)
	}
	w := world(t)
	w.Set("PersistentVolume", volume("theirs", "other", "Delete", "Released"),
		object(hostedtest.Object{"name": "free"}, with("status", hostedtest.Object{"phase": "Available"})))
	d := prepared(t, w)
	for name, tc := range map[string]struct {
		volumes []hostedtest.Object
		state   step.State
		words   []string
		hint    bool
	}{
		"none": {nil, step.StateOK, []string{"gone", "PersistentVolumes of namespace clusters-kv-00"}, false},
		"one": {[]hostedtest.Object{volume("a", "clusters-kv-00", "Delete", "Released", held("kubernetes.io/pv-protection"))},
			step.StatePending, []string{"Released; its storage driver topolvm.io has not deleted it yet; held by " +
				"kubernetes.io/pv-protection", "PersistentVolume a"}, false},
		"one that fails": {[]hostedtest.Object{volume("a", "clusters-kv-00", "Delete", "Failed",
			with("status", hostedtest.Object{"phase": "Failed", "message": "busy"}))}, step.StatePending,
			[]string{"Failed; its storage driver topolvm.io has not deleted it yet: busy", "oc describe pv a"}, true},
		"kept": {[]hostedtest.Object{volume("a", "clusters-kv-00", "Retain", "Released"),
			volume("b", "clusters-kv-00", "Retain", "Released")}, step.StateOK,
			[]string{"their reclaim policy is Retain: a, b", "oc delete pv a b"}, true},
		"one of each": {[]hostedtest.Object{volume("a", "clusters-kv-00", "Retain", "Released"),
			volume("b", "clusters-kv-00", "Delete", "Released")}, step.StatePending, []string{"PersistentVolume b"}, false},
		"of an older driver": {[]hostedtest.Object{volume("a", "clusters-kv-00", "Delete", "Released", with("spec",
			hostedtest.Object{"persistentVolumeReclaimPolicy": "Delete", "claimRef": hostedtest.Object{
				"namespace": "clusters-kv-00"}}))}, step.StatePending, []string{"storage driver older.example.com"}, false},
	} {
		w.Set("PersistentVolume", tc.volumes...)
		f := expect(t, d, volumesGoneStep, tc.state, tc.words...)
		if (f.Hint.String() != "") != tc.hint {
			t.Errorf("%s: hint %q", name, f.Hint.String())
		}
		for _, v := range []string{"a", "b"} {
			if w.Of("PersistentVolume").Object("", v) != nil {
				w.Of("PersistentVolume").Delete("", v)
			}
		}
	}
	w.Forbid("get /api/v1/persistentvolumes")
	if f := expect(t, d, volumesGoneStep, step.StateUnknown, "not allowed",
		"PersistentVolumes of namespace clusters-kv-00"); !f.Final {
		t.Error("waits for a permission")
	}
	w.Allow()
	w.Refuse("get /api/v1/persistentvolumes", http.StatusBadRequest)
	if f := expect(t, d, volumesGoneStep, step.StateUnknown); f.Final {
		t.Error("does not wait for an API server in trouble")
	}

	// Those of a control plane that stays, stay.
	w.Allow()
	w.Set("PersistentVolume", volume("a", "clusters-kv-00", "Delete", "Bound"))
	w.Set("HostedCluster", hosted(annotated("hypershift.openshift.io/skip-delete-hosted-controlplane-namespace", "true")))
	expect(t, prepared(t, w), volumesGoneStep, step.StateOK, "gone")
}

func TestWhatWasMadeElsewhere(t *testing.T) {
	w := world(t)
	w.Set("Service", made("metallb-system", "a", held("service.kubernetes.io/load-balancer-cleanup")))
	w.Set("ConfigMap", made("team", "b"), made("clusters", "kv-00-config"))
	d := prepared(t, w)
	expect(t, d, createdGoneStep, step.StateMissing, "still there", "ConfigMap team/b")
	w.Forbid("delete /api/v1/namespaces/team/configmaps/b")
	fails(t, d, createdGoneStep, "ConfigMap team/b: ")
	w.Allow()
	// What others have made of its name is theirs.
	w.Set("ConfigMap", object(hostedtest.MetaOf("team", "theirs", hostedtest.Object{kube.ManagedByLabel: kube.FieldOwner})))
	does(t, d, createdGoneStep, step.Deleted)
	expect(t, d, createdGoneStep, step.StatePending, "being deleted; held by service.kubernetes.io/load-balancer-cleanup",
		"Service metallb-system/a")
	does(t, d, createdGoneStep, step.Unchanged)
	w.Of("Service").Delete("metallb-system", "a")
	expect(t, d, createdGoneStep, step.StateOK, "gone, or there was none",
		"objects hcctl made beside HostedCluster clusters/kv-00")
	if w.Of("ConfigMap").Object("team", "theirs") == nil || w.Of("ConfigMap").Object("clusters", "kv-00-config") == nil {
		t.Error("another's object is gone")
	}
	w.Forbid("get /api/v1/namespaces/team/configmaps")
	expect(t, d, createdGoneStep, step.StateUnknown, "not allowed",
		"objects with annotation hcctl.dev/hosted-cluster=clusters/kv-00")
	fails(t, d, createdGoneStep, "list configmaps: ")
	w.Allow()
	w.Remove("Service")
	expect(t, d, createdGoneStep, step.StateOK, "gone")
}

func TestItsSecretsGo(t *testing.T) {
	w := world(t)
	w.Set("Secret", made("clusters", "kv-00-pull-secret", held("mine/x")), made("clusters", "kv-00-ssh-key"),
		made("clusters", "shared"), object(hostedtest.MetaOf("clusters", "theirs", nil)))
	w.Set("ConfigMap", made("clusters", "bundle"), made("clusters", "kv-00-user-ca-bundle"))
	d := prepared(t, w)
	expect(t, d, secretsGoneStep, step.StateMissing, "still there", "Secret clusters/kv-00-pull-secret")
	w.Forbid("delete " + hostedtest.SecretsPath + "/kv-00-pull-secret")
	fails(t, d, secretsGoneStep, "Secret clusters/kv-00-pull-secret: ")
	w.Allow()
	// Another cluster uses some of it.
	other := func(field string, value any) {
		hc := hostedtest.Hosted("clusters", "kv-01", "kv-01-abcde", "", "10:00:00")
		hc["spec"].(hostedtest.Object)["additionalTrustBundle"] = hostedtest.Object{"name": "bundle"}
		hc["spec"].(hostedtest.Object)[field] = value
		w.Set("HostedCluster", hc)
	}
	other("clusterID", "id-2")
	does(t, d, secretsGoneStep, step.Deleted)
	expect(t, d, secretsGoneStep, step.StatePending, "being deleted; held by mine/x", "whatever added it has to",
		"Secret clusters/kv-00-pull-secret")
	if w.Of("ConfigMap").Object("clusters", "bundle") == nil || w.Of("ConfigMap").Object("clusters",
		"kv-00-user-ca-bundle") != nil || w.Of("Secret").Object("clusters", "shared") != nil {
		t.Error("the bundle of another cluster is gone, or its own is there")
	}
	for _, field := range []string{"pullSecret", "sshKey", "secretEncryption"} {
		w.Set("Secret", made("clusters", "shared"))
		value := hostedtest.Object{"name": "shared"}
		if field == "secretEncryption" {
			value = hostedtest.Object{"type": "aescbc", "aescbc": hostedtest.Object{"activeKey": hostedtest.Object{"name": "shared"}}}
		}
		other(field, value)
		does(t, d, secretsGoneStep, step.Unchanged)
		if w.Of("Secret").Object("clusters", "shared") == nil {
			t.Errorf("the Secret that another uses as %s is gone", field)
		}
	}
	other("secretEncryption", hostedtest.Object{"type": "kms"})
	w.Of("Secret").Delete("clusters", "kv-00-pull-secret")
	does(t, d, secretsGoneStep, step.Deleted)
	expect(t, d, secretsGoneStep, step.StateOK, "gone")
	other("additionalTrustBundle", nil)
	expect(t, d, secretsGoneStep, step.StateMissing, "still there", "ConfigMap clusters/bundle")
	does(t, d, secretsGoneStep, step.Deleted)
	expect(t, d, secretsGoneStep, step.StateOK, "gone", "Secrets and ConfigMaps of HostedCluster clusters/kv-00")
	if w.Of("Secret").Object("clusters", "theirs") == nil {
		t.Error("another's Secret is gone")
	}
	w.Set("Secret", made("clusters", "kv-00-ssh-key"))
	w.Forbid("get " + hostedtest.ClustersPath)
	expect(t, d, secretsGoneStep, step.StateUnknown, "not allowed", "Secrets and ConfigMaps in namespace clusters")
	w.Allow()
	w.Forbid("get " + hostedtest.MapsPath)
	expect(t, d, secretsGoneStep, step.StateUnknown, "not allowed", "Secrets and ConfigMaps in namespace clusters")
	fails(t, d, secretsGoneStep, "list Secrets and ConfigMaps in namespace clusters: ")
}

func TestTheAddressPoolIsReleased(t *testing.T) {
	w := world(t)
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", []string{"clusters-kv-00"}, "other", "clusters-kv-00"))
	d := prepared(t, w)
	expect(t, d, poolsReleasedStep, step.StateMissing, "still serves namespace clusters-kv-00")
	w.Forbid("patch " + hostedtest.AddressPoolsPath + "/tenants")
	fails(t, d, poolsReleasedStep, "IPAddressPool metallb-system/tenants: ")
	w.Forbid("get " + hostedtest.AllAddressPoolsPath)
	expect(t, d, poolsReleasedStep, step.StateMissing, "still serves namespace clusters-kv-00")
	w.Forbid("get " + hostedtest.AddressPoolsPath)
	expect(t, d, poolsReleasedStep, step.StateUnknown, "not allowed", "IPAddressPools")
	fails(t, d, poolsReleasedStep, "list IPAddressPools: ")
	w.Allow()
	does(t, d, poolsReleasedStep, step.Configured)
	expect(t, d, poolsReleasedStep, step.StateOK, "hcctl has bound none to namespace clusters-kv-00")

	// MetalLB that runs elsewhere reads the pools there.
	elsewhere := hostedtest.AddressPool("tenants", []string{"clusters-kv-00"}, "other", "clusters-kv-00")
	elsewhere["metadata"].(hostedtest.Object)["namespace"] = "load-balancing"
	w.Set("IPAddressPool", elsewhere)
	expect(t, d, poolsReleasedStep, step.StateMissing, "IPAddressPool load-balancing/tenants", "still serves")
	does(t, d, poolsReleasedStep, step.Configured)
	does(t, d, poolsReleasedStep, step.Unchanged)
	if got := hostedcluster.PoolNamespaces(unstructuredPool(w)); len(got) != 1 || got[0] != "other" {
		t.Errorf("it serves %q", got)
	}
}

func TestTheNamespaceOfTheCluster(t *testing.T) {
	w := world(t)
	w.Set("Namespace", ownNamespace())
	d := prepared(t, w)
	expect(t, d, emptyNamespaceStep, step.StateOK, "there is more in it: ", "NodePool kv-00", "Namespace clusters")
	w.Of("NodePool").Delete("clusters", "kv-00")
	w.Of("HostedCluster").Delete("clusters", "kv-00")
	// What its HostedCluster owns goes by itself, and so does the operator's Route.
	owners := func(uids ...string) edit {
		var refs []any
		for _, uid := range uids {
			refs = append(refs, hostedtest.Object{"uid": uid, "kind": "HostedCluster", "name": "x"})
		}
		return withMeta("ownerReferences", refs)
	}
	const own = "uid-of-clusters-kv-00"
	w.Set("Secret", object(hostedtest.MetaOf("clusters", "admin", nil), owners(own)))
	w.Set("Route", object(hostedtest.MetaOf("clusters", "kubevirt-infra-temp-route", nil)))
	expect(t, d, emptyNamespaceStep, step.StateMissing, "created by hcctl and empty now", "Namespace clusters")
	for name, o := range map[string]hostedtest.Object{
		"another owner":     object(hostedtest.MetaOf("clusters", "x", nil), owners("another")),
		"one more owner":    object(hostedtest.MetaOf("clusters", "x", nil), owners(own, "another")),
		"a ConfigMap alone": object(hostedtest.MetaOf("clusters", "kubevirt-infra-temp-route", nil)),
	} {
		w.Set("ConfigMap", o)
		f := expect(t, d, emptyNamespaceStep, step.StateOK, "left as it is: there is more in it: ConfigMap ")
		if f.Object != "Namespace clusters" {
			t.Errorf("%s: %s", name, f.Object)
		}
		w.Of("ConfigMap").Delete("clusters", o["metadata"].(hostedtest.Object)["name"].(string))
	}
	w.Set("Route", object(hostedtest.MetaOf("clusters", "mine", nil)))
	expect(t, d, emptyNamespaceStep, step.StateOK, "Route mine")
	does(t, d, emptyNamespaceStep, step.Unchanged) // it came after a check that found the namespace empty
	w.Of("Route").Delete("clusters", "mine")

	w.Forbid("delete " + hostedtest.NamespacesPath + "/clusters")
	fails(t, d, emptyNamespaceStep, "Namespace clusters: ")
	w.Forbid("get " + hostedtest.NamespacesPath + "/clusters")
	expect(t, d, emptyNamespaceStep, step.StateUnknown, "not allowed", "Namespace clusters")
	fails(t, d, emptyNamespaceStep, "")
	w.Allow()
	does(t, d, emptyNamespaceStep, step.Deleted)
	expect(t, d, emptyNamespaceStep, step.StateOK, "gone", "Namespace clusters")
	does(t, d, emptyNamespaceStep, step.Unchanged)
	w.Set("Namespace", object(hostedtest.Object{"name": "clusters"}))
	expect(t, d, emptyNamespaceStep, step.StateOK, "left as it is: hcctl did not create it", "Namespace clusters")
	w.Set("Namespace", ownNamespace(goesSince(0), with("status", hostedtest.Object{"conditions": []any{hostedtest.Object{
		"type": "NamespaceDeletionDiscoveryFailure", "status": "True", "message": "Discovery failed: packages"}}})))
	expect(t, d, emptyNamespaceStep, step.StatePending, "being emptied: Discovery failed: packages",
		"oc get apiservices | grep False")
}

// Who may not be asked whether a HostedCluster is new touches nothing that may be its own.
func TestWhetherItIsReplacedIsNotKnown(t *testing.T) {
	w := world(t)
	d := prepared(t, w)
	w.Forbid("get " + hostedClusterPath)
	for _, s := range d.Steps() {
		if s.ID == detachStep {
			continue
		}
		if s.Check(t.Context(), nil).State == step.StateOK { // there is nothing of it
			continue
		}
		expect(t, d, s.ID, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
		if s.Apply != nil && s.ID != cleanupStep {
			fails(t, d, s.ID, "")
		}
	}
	if writes := w.Writes(); writes != "" {
		t.Errorf("written:\n%s", writes)
	}
}
