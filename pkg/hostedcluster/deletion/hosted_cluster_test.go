package deletion

import (
	"net/http"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestTheCleanupIsRequested(t *testing.T) {
	const cleans = hyperv1.CleanupCloudResourcesAnnotation
	asked := annotated(cleans, "true")
	askedPlane := controlPlane(annotated(cleans, "true", hostedcluster.OwnerAnnotation, "clusters/kv-00"))
	for name, tc := range map[string]struct {
		hc, plane hostedtest.Object
		options   func(*Options)
		state     step.State
		words     string
	}{
		"not yet": {hosted(), controlPlane(), func(*Options) {}, step.StateMissing, "is not requested yet"},
		"asked":   {hosted(asked), controlPlane(), func(*Options) {}, step.StateOK, "is requested"},
		"too late": {hosted(goesSince(0)), controlPlane(), func(*Options) {}, step.StateOK,
			"being deleted already, without cleaning up first"},
		"not wanted":            {hosted(), controlPlane(), withoutCleanup, step.StateOK, "is not requested"},
		"not wanted, but asked": {hosted(asked), controlPlane(), withoutCleanup, step.StateMissing, "is requested"},
		"not wanted, but the control plane is asked": {hosted(), askedPlane, withoutCleanup, step.StateMissing,
			"is requested"},
		"not wanted, no control plane": {hosted(), nil, withoutCleanup, step.StateOK, "is not requested"},
		"not wanted, the control plane of another": {hosted(),
			controlPlane(annotated(cleans, "true", hostedcluster.OwnerAnnotation, "other/kv-00")), withoutCleanup, step.StateOK,
			"is not requested"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			d := prepared(t, w, tc.options)
			w.Set("HostedCluster", tc.hc)
			w.Of("HostedControlPlane").Delete("clusters-kv-00", "kv-00")
			if tc.plane != nil {
				w.Set("HostedControlPlane", tc.plane)
			}
			expect(t, d, cleanupStep, tc.state, tc.words, "HostedCluster clusters/kv-00")
			if tc.state != step.StateMissing {
				return
			}
			does(t, d, cleanupStep, step.Configured)
			expect(t, d, cleanupStep, step.StateOK)
			want := any("true")
			if !d.options.DestroyCloudResources {
				want = nil
				does(t, d, cleanupStep, step.Unchanged)
				if got := cleanup(w, "HostedControlPlane", "clusters-kv-00"); got != nil {
					t.Errorf("the control plane is told %v", got)
				}
			}
			if got := cleanup(w, "HostedCluster", "clusters"); got != want {
				t.Errorf("the HostedCluster is told %v, want %v", got, want)
			}
		})
	}
}

func TestTheCleanupCannotBeRequested(t *testing.T) {
	w := world(t)
	d := prepared(t, w)
	w.Forbid("patch " + hostedClusterPath)
	fails(t, d, cleanupStep, "HostedCluster clusters/kv-00: ")
	w.Forbid("get " + hostedClusterPath)
	expect(t, d, cleanupStep, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
	w.Allow()
	w.Of("HostedCluster").Delete("clusters", "kv-00")
	expect(t, d, cleanupStep, step.StateOK, "gone already", "HostedCluster clusters/kv-00")
	does(t, d, cleanupStep, step.Unchanged)

	w = world(t)
	d = prepared(t, w, withoutCleanup)
	w.Set("HostedCluster", hosted(annotated(hyperv1.CleanupCloudResourcesAnnotation, "true")))
	w.Forbid("get " + hostedPath + "/kv-00")
	expect(t, d, cleanupStep, step.StateUnknown, "not allowed", "HostedControlPlane clusters-kv-00/kv-00")
	fails(t, d, cleanupStep, "")
	w.Forbid("get " + hostedClusterPath)
	fails(t, d, cleanupStep, "")
	w.Allow()
	w.Set("HostedCluster", hosted(annotated(hyperv1.CleanupCloudResourcesAnnotation, "true")))
	w.Forbid("patch " + hostedClusterPath)
	fails(t, d, cleanupStep, "HostedCluster clusters/kv-00: ")

	// The operator gives up by itself where the user may not tell its HostedControlPlane.
	w.Allow()
	w.Set("HostedControlPlane", controlPlane(annotated(hyperv1.CleanupCloudResourcesAnnotation, "true")))
	w.Forbid("patch " + hostedPath + "/kv-00")
	does(t, d, cleanupStep, step.Configured)
	if !d.cancelRefused {
		t.Error("the refusal is not remembered")
	}
	w.Allow()
	w.Refuse("patch "+hostedPath+"/kv-00", http.StatusBadRequest)
	fails(t, d, cleanupStep, "HostedControlPlane clusters-kv-00/kv-00: ")
}

func TestTheHostedClusterIsDeleted(t *testing.T) {
	w := world(t)
	d := prepared(t, w)
	expect(t, d, hostedClusterGoneStep, step.StateMissing, "still there", "HostedCluster clusters/kv-00")
	w.Forbid("delete " + hostedClusterPath)
	fails(t, d, hostedClusterGoneStep, "HostedCluster clusters/kv-00: ")
	w.Forbid("get " + hostedClusterPath)
	expect(t, d, hostedClusterGoneStep, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
	fails(t, d, hostedClusterGoneStep, "")
	w.Allow()
	does(t, d, hostedClusterGoneStep, step.Deleted)
	expect(t, d, hostedClusterGoneStep, step.StateOK, "gone")
	does(t, d, hostedClusterGoneStep, step.Unchanged)

	// One that is made anew is another's.
	w.Set("HostedCluster", hosted(withMeta("uid", "another")))
	expect(t, d, hostedClusterGoneStep, step.StateOK, "gone")
	does(t, d, hostedClusterGoneStep, step.Unchanged)
	if w.Of("HostedCluster").Object("clusters", "kv-00") == nil {
		t.Error("the new one is gone, too")
	}

	d = prepared(t, world(t), noWait)
	expect(t, d, hostedClusterGoneStep, step.StateMissing, "still there")
	w = world(t)
	w.Set("HostedCluster", hosted(goesSince(0)))
	expect(t, prepared(t, w, noWait), hostedClusterGoneStep, step.StateOK, "being deleted by its operator")
}

// Once the cleanup has taken too long, the operator continues without it.
func TestTheCleanupTakesTooLong(t *testing.T) {
	const cleans = hyperv1.CleanupCloudResourcesAnnotation
	w := world(t)
	w.Of("NodePool").Delete("clusters", "kv-00")
	w.Set("HostedCluster", hosted(annotated(cleans, "true"), goesSince(time.Hour),
		held("hypershift.openshift.io/finalizer")))
	w.Set("HostedControlPlane", controlPlane(annotated(cleans, "true"), goesSince(11*time.Minute), held("a")))
	d := prepared(t, w)
	expect(t, d, hostedClusterGoneStep, step.StateMissing, "cleaning up has taken longer than 10m0s", "continues without",
		"HostedCluster clusters/kv-00")
	does(t, d, hostedClusterGoneStep, step.Configured)
	if cleanup(w, "HostedCluster", "clusters") != nil || cleanup(w, "HostedControlPlane", "clusters-kv-00") != nil {
		t.Error("still asked for")
	}
	expect(t, d, hostedClusterGoneStep, step.StatePending, "the control plane is being removed; held by a",
		"HostedControlPlane clusters-kv-00/kv-00")

	w.Set("HostedCluster", hosted(goesSince(time.Hour)))
	w.Set("HostedControlPlane", controlPlane(annotated(cleans, "true"), goesSince(9*time.Minute)))
	f := expect(t, d, hostedClusterGoneStep, step.StatePending, "are being removed", "--destroy-cloud-resources=false")
	if f.Recheck <= 0 || f.Recheck > time.Minute {
		t.Errorf("looks again after %s", f.Recheck)
	}
	// Who may not withdraw the request waits for the operator to give up.
	w.Set("HostedControlPlane", controlPlane(annotated(cleans, "true"), goesSince(time.Hour)))
	w.Forbid("patch " + hostedPath + "/kv-00")
	does(t, d, hostedClusterGoneStep, step.Unchanged)
	expect(t, d, hostedClusterGoneStep, step.StatePending, "are being removed")
}

func TestTheProgressOfTheDeletion(t *testing.T) {
	goes := hosted(goesSince(0), held("hypershift.openshift.io/finalizer"))
	condition := func(status, reason, message string) edit {
		return with("status", hostedtest.Object{"conditions": []any{hostedtest.Object{
			"type": "CloudResourcesDestroyed", "status": status, "reason": reason, "message": message}}})
	}
	const cleans = hyperv1.CleanupCloudResourcesAnnotation
	asked := annotated(cleans, "true")
	machine := object(hostedtest.MetaOf("clusters-kv-00", "m-1", nil), goesSince(0), held("machine.cluster.x-k8s.io"))
	for name, tc := range map[string]struct {
		change func(*hostedtest.World)
		words  []string
	}{
		"the pool has not been begun with": {func(w *hostedtest.World) { w.Set("NodePool", pool("kv-00")) },
			[]string{"its operator has not begun with it", "NodePool clusters/kv-00"}},
		"no control plane": {func(w *hostedtest.World) { w.Of("HostedControlPlane").Delete("clusters-kv-00", "kv-00") },
			[]string{"the control plane is being removed", "Namespace clusters-kv-00"}},
		"no kind of control planes": {func(w *hostedtest.World) { w.Remove("HostedControlPlane") },
			[]string{"HostedControlPlane"}},
		"the control plane has not been begun with": {func(*hostedtest.World) {},
			[]string{"its operator has not begun with the control plane", "HostedControlPlane clusters-kv-00/kv-00"}},
		"a machine goes": {func(w *hostedtest.World) { w.Set("Machine", machine) },
			[]string{"being removed; held by machine.cluster.x-k8s.io", "Cluster API's Machine clusters-kv-00/m-1"}},
		"a machine stays": {func(w *hostedtest.World) { w.Set("Machine", object(hostedtest.MetaOf("clusters-kv-00", "m-1", nil))) },
			[]string{"its operator has not begun with the control plane"}},
		"its Cluster goes": {func(w *hostedtest.World) {
			w.Set("Cluster", object(hostedtest.MetaOf("clusters-kv-00", "c", nil), goesSince(0)))
		}, []string{"being removed", "Cluster API's Cluster clusters-kv-00/c"}},
		"the cleanup is over": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(asked, goesSince(0), condition("True", "X", "all gone")))
		}, []string{"the control plane is being removed"}},
		"the cleanup is given up": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(asked, goesSince(0),
				condition("False", "CloudResourcesDeletionTimedOut", "no progress")))
		}, []string{"not all was cleaned up: CloudResourcesDeletionTimedOut: no progress"}},
		"the cleanup is not known": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(asked, goesSince(0), condition("Unknown", "X", "")))
		}, []string{"volumes and load balancers of the hosted cluster are being removed"}},
		"the cleanup, in words": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(asked, goesSince(0), condition("Unknown", "X", "why")))
		}, []string{"CloudResourcesDestroyed Unknown (X): why"}},
		"a volume of the guest": {func(w *hostedtest.World) {
			w.Set("HostedControlPlane", controlPlane(asked, goesSince(0)))
			w.Set("PersistentVolumeClaim",
				object(hostedtest.MetaOf("clusters-kv-00", "pvc-1", nil), held("kubernetes.io/pvc-protection")),
				object(hostedtest.MetaOf("clusters-kv-00", "data-etcd-0", nil)))
			w.Set("Service", object(hostedtest.MetaOf("clusters-kv-00", "kube-apiserver", nil)))
		}, []string{"; there are still PersistentVolumeClaim clusters-kv-00/pvc-1 of the guest, held by " +
			"kubernetes.io/pvc-protection"}},
		"the namespace is gone": {func(w *hostedtest.World) { w.Of("Namespace").Delete("", "clusters-kv-00") },
			[]string{"all else of it is gone; held by hypershift.openshift.io/finalizer", "HostedCluster clusters/kv-00"}},
		"it stays for a while": {func(w *hostedtest.World) {
			w.Of("Namespace").Delete("", "clusters-kv-00")
			w.Set("HostedCluster", hosted(goesSince(0), with("status", hostedtest.Object{"conditions": []any{
				hostedtest.Object{"type": "HostedClusterDestroyed", "status": "True", "message": "until noon"}}})))
		}, []string{"it stays as long as its annotation", "until noon"}},
		"it does not stay": {func(w *hostedtest.World) {
			w.Of("Namespace").Delete("", "clusters-kv-00")
			w.Set("HostedCluster", hosted(goesSince(0), with("status", hostedtest.Object{"conditions": []any{
				hostedtest.Object{"type": "HostedClusterDestroyed", "status": "False", "message": "until noon"}}})))
		}, []string{"all else of it is gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("HostedCluster", goes)
			w.Of("NodePool").Delete("clusters", "kv-00")
			d := prepared(t, w)
			tc.change(w)
			if name == "no kind of control planes" {
				expect(t, d, hostedClusterGoneStep, step.StatePending)
				return
			}
			expect(t, d, hostedClusterGoneStep, step.StatePending, tc.words...)
		})
	}
	for path, words := range map[string]string{
		"get " + hostedtest.PoolsPath:  "NodePools in namespace clusters",
		"get " + namespacePath:         "Namespace clusters-kv-00",
		"get " + hostedPath + "/kv-00": "HostedControlPlane clusters-kv-00/kv-00",
	} {
		w := world(t)
		w.Of("NodePool").Delete("clusters", "kv-00")
		w.Set("HostedCluster", goes)
		d := prepared(t, w)
		w.Forbid(path)
		expect(t, d, hostedClusterGoneStep, step.StateUnknown, "not allowed", words)
	}
}

// A worker that does not go is named, with what Cluster API says of it.
func TestTheWorkersOfAPoolThatGoes(t *testing.T) {
	machine := func(name string, edits ...edit) hostedtest.Object {
		return object(hostedtest.MetaOf("clusters-kv-00", name, nil),
			append([]edit{annotated(hostedcluster.NodePoolAnnotation, "clusters/kv-00")}, edits...)...)
	}
	status := func(kind, status, message string) edit {
		return with("status", hostedtest.Object{"conditions": []any{
			hostedtest.Object{"type": "Ready", "status": "False", "message": "not of interest"},
			hostedtest.Object{"type": kind, "status": status, "reason": "R", "message": message}}})
	}
	vm := func(name, of string, edits ...edit) hostedtest.Object {
		return object(hostedtest.MetaOf("clusters-kv-00", name, hostedtest.Object{hyperv1.NodePoolNameLabel: of}),
			append(edits, with("status", hostedtest.Object{"printableStatus": "Running"}))...)
	}
	down := func(name string) hostedtest.Object {
		return object(hostedtest.MetaOf("clusters-kv-00", name, nil), with("spec", hostedtest.Object{"replicas": 2}),
			with("status", hostedtest.Object{"observedGeneration": 1}))
	}
	for name, tc := range map[string]struct {
		machines, vms, deployments []hostedtest.Object
		want, hint                 string
	}{
		"none": {nil, nil, nil, "its workers are gone", ""},
		"a VM": {nil, []hostedtest.Object{vm("w-1", "kv-00")}, nil, "being removed, VirtualMachine w-1 (Running)", ""},
		"a VM that goes": {nil, []hostedtest.Object{vm("w-1", "kv-00", goesSince(0), held("x"))}, nil,
			"VirtualMachine w-1 (being deleted, held by x)", ""},
		"a VM of another": {nil, []hostedtest.Object{vm("w-1", "other")}, nil, "its workers are gone", ""},
		"a machine":       {[]hostedtest.Object{machine("m-1", held("y"))}, nil, nil, "Machine m-1, held by y", ""},
		"a machine of another": {[]hostedtest.Object{machine("m-1", annotated(hostedcluster.NodePoolAnnotation, "clusters/x"))}, nil, nil,
			"its workers are gone", ""},
		"being drained": {[]hostedtest.Object{machine("m-1", goesSince(0), status("DrainingSucceeded", "False",
			"2 pods"))}, nil, nil,
			"Machine m-1 (it is being deleted and waits for the drain of its node: 2 pods)", ""},
		"drained": {[]hostedtest.Object{machine("m-1", goesSince(0), held("y"), status("DrainingSucceeded", "True",
			"done"))}, nil, nil,
			"Machine m-1, held by y", ""},
		"being drained, says a newer Cluster API": {[]hostedtest.Object{machine("m-1", goesSince(0), status("Deleting",
			"True", "2 pods"))},
			nil, nil, "Machine m-1 (Deleting True (R): 2 pods)", ""},
		"no words": {[]hostedtest.Object{machine("m-1", status("DrainingSucceeded", "False", ""))}, nil, nil, "Machine m-1", ""},
		"many": {[]hostedtest.Object{machine("m-1"), machine("m-2"), machine("m-3")}, []hostedtest.Object{vm("w-1", "kv-00")}, nil,
			"Machine m-1, Machine m-2, Machine m-3 and 1 more", ""},
		"three": {[]hostedtest.Object{machine("m-1"), machine("m-2"), machine("m-3")}, nil, nil,
			"Machine m-1, Machine m-2, Machine m-3", ""},
		"Cluster API is down": {[]hostedtest.Object{machine("m-1")}, nil, []hostedtest.Object{down("cluster-api")},
			"; Deployment clusters-kv-00/cluster-api has no ready pod: 0 of 2 pods are ready", "oc -n clusters-kv-00 get pods"},
		"its provider is down": {nil, []hostedtest.Object{vm("w-1", "kv-00")}, []hostedtest.Object{down("capi-provider")},
			"; Deployment clusters-kv-00/capi-provider has no ready pod: 0 of 2 pods are ready", "oc -n clusters-kv-00 get pods"},
		"down, but not needed any more": {nil, nil, []hostedtest.Object{down("capi-provider")}, "its workers are gone", ""},
		"it runs": {[]hostedtest.Object{machine("m-1")}, nil, []hostedtest.Object{object(
			hostedtest.MetaOf("clusters-kv-00", "cluster-api", nil), with("status", hostedtest.Object{"observedGeneration": 1,
				"readyReplicas": 1}))},
			"Machine m-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("NodePool", pool("kv-00", goesSince(0)))
			w.Set("Machine", tc.machines...)
			w.Set("VirtualMachine", tc.vms...)
			w.Set("Deployment", tc.deployments...)
			f := expect(t, prepared(t, w), nodePoolsGoneStep, step.StatePending, tc.want, tc.hint, "NodePool clusters/kv-00")
			if tc.hint == "" && f.Hint.String() != "" || tc.hint == "" && !strings.HasSuffix(f.Message, tc.want) {
				t.Errorf("%q, hint %q", f.Message, f.Hint.String())
			}
			// What may not be read is left out.
			w.Forbid("get /apis/kubevirt.io/*")
			w.Forbid("get /apis/cluster.x-k8s.io/*")
			expect(t, prepared(t, w), nodePoolsGoneStep, step.StatePending, "its workers are gone")
		})
	}
}
