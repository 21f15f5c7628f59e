package deletion

import (
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

const (
	hostedClusterPath = hostedtest.ClustersPath + "/kv-00"
	namespacePath     = hostedtest.NamespacesPath + "/clusters-kv-00"
	managedPath       = hostedtest.ManagedPath + "/kv-00"
)

// edit changes an object.
type edit func(hostedtest.Object)

func object(meta hostedtest.Object, edits ...edit) hostedtest.Object {
	o := hostedtest.Object{"metadata": meta}
	if meta["uid"] == nil {
		meta["uid"] = "uid-of-" + meta["name"].(string)
	}
	for _, e := range edits {
		e(o)
	}
	return o
}

func with(field string, value any) edit {
	return func(o hostedtest.Object) { o[field] = value }
}

func withMeta(field string, value any) edit {
	return func(o hostedtest.Object) { o["metadata"].(hostedtest.Object)[field] = value }
}

// goesSince is an object in deletion.
func goesSince(ago time.Duration) edit {
	return withMeta("deletionTimestamp", time.Now().Add(-ago).UTC().Format(time.RFC3339))
}

func held(finalizers ...any) edit { return withMeta("finalizers", finalizers) }

func annotated(pairs ...string) edit {
	all := hostedtest.Object{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return withMeta("annotations", all)
}

// hosted is the HostedCluster clusters/kv-00.
func hosted(edits ...edit) hostedtest.Object {
	hc := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "id-1", "10:00:00")
	for _, e := range edits {
		e(hc)
	}
	return hc
}

// pool is a NodePool of kv-00.
func pool(name string, edits ...edit) hostedtest.Object {
	labels := hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}
	return object(hostedtest.MetaOf("clusters", name, labels),
		append(edits, with("spec", hostedtest.Object{"clusterName": "kv-00"}))...)
}

// controlPlane is the HostedControlPlane of kv-00.
func controlPlane(edits ...edit) hostedtest.Object {
	edits = append([]edit{annotated(hostedcluster.OwnerAnnotation, "clusters/kv-00")}, edits...)
	return object(hostedtest.MetaOf("clusters-kv-00", "kv-00", nil),
		append(edits, with("spec", hostedtest.Object{"infraID": "kv-00-abcde"}))...)
}

// planeNamespace is the namespace of the control plane.
func planeNamespace(edits ...edit) hostedtest.Object {
	ns := plane("10:00:00")
	for _, e := range edits {
		e(ns)
	}
	return ns
}

// imported is the ManagedCluster of kv-00.
func imported(edits ...edit) hostedtest.Object {
	edits = append([]edit{annotated(managedcluster.DeployModeAnnotation, "Hosted", managedcluster.CreatedViaAnnotation, "hypershift")}, edits...)
	labels := hostedtest.Object{hostedcluster.InfraLabel: "kv-00-abcde"}
	return object(hostedtest.Object{"name": "kv-00", "labels": labels, "creationTimestamp": "2026-01-02T10:30:00Z"}, edits...)
}

// made is an object that hcctl made for kv-00.
func made(namespace, name string, edits ...edit) hostedtest.Object {
	m := hostedtest.UnfinishedMeta(name, "kv-00-abcde")
	m["namespace"] = namespace
	return object(m, edits...)
}

// world has the hosted cluster kv-00 and its control plane.
func world(t *testing.T) *hostedtest.World {
	t.Helper()
	w := hostedtest.NewWorld(t)
	w.Set("HostedCluster", hosted())
	w.Set("NodePool", pool("kv-00"))
	w.Set("Namespace", planeNamespace())
	w.Set("HostedControlPlane", controlPlane())
	return w
}

func prepared(t *testing.T, w *hostedtest.World, edits ...func(*Options)) *Plan {
	t.Helper()
	o := Defaults()
	for _, e := range edits {
		e(&o)
	}
	d, err := Prepare(t.Context(), w.Client, "clusters", "kv-00", o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func noWait(o *Options) { o.NoWait = true }

func withoutCleanup(o *Options) { o.DestroyCloudResources = false }

// expect fails unless the finding of a step has the state and the words.
func expect(t *testing.T, d *Plan, id step.ID, state step.State, words ...string) step.Finding {
	t.Helper()
	f := steptest.Check(t, d.Steps(), id)
	steptest.Expect(t, f, state, words...)
	return f
}

// does fails unless the step's Apply makes that change.
func does(t *testing.T, d *Plan, id step.ID, want step.Change) {
	t.Helper()
	if change, err := steptest.Find(t, d.Steps(), id).Apply(t.Context()); err != nil || change != want {
		t.Errorf("%s: %q, %v, want %q", id, change, err, want)
	}
}

// fails fails unless the step's Apply returns an error with the words.
func fails(t *testing.T, d *Plan, id step.ID, words string) {
	t.Helper()
	if change, err := steptest.Find(t, d.Steps(), id).Apply(t.Context()); err == nil || change == step.Deleted ||
		!strings.Contains(err.Error(), words) {
		t.Errorf("%s: %q, %v, want an error with %q", id, change, err, words)
	}
}

// cleanup is the value of the annotation that asks for the cleanup.
func cleanup(w *hostedtest.World, kind, namespace string) any {
	m := w.Of(kind).Object(namespace, "kv-00")["metadata"].(hostedtest.Object)
	annotations, _ := m["annotations"].(hostedtest.Object)
	return annotations[hyperv1.CleanupCloudResourcesAnnotation]
}

// ownNamespace is the HostedClusters' namespace, which hcctl made.
func ownNamespace(edits ...edit) hostedtest.Object {
	return object(hostedtest.Object{"name": "clusters", "uid": "ns", "labels": hostedtest.Object{
		kube.ManagedByLabel: kube.FieldOwner}}, edits...)
}

// unstructuredPool is the IPAddressPool as it is now.
func unstructuredPool(w *hostedtest.World) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: w.Of("IPAddressPool").Object("metallb-system", "tenants")}
}
