package sites_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/pkg/fleet/hub/sites"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// rendered is a directory as hcctl bootstrap --render writes one.
func rendered(t testing.TB, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{
		"001-namespace.yaml": `{apiVersion: v1, kind: Namespace, metadata: {name: openshift-cnv}}`,
		"002-subscription.yaml": `{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: kubevirt-hyperconverged,
  namespace: openshift-cnv}, spec: {channel: stable, name: kubevirt-hyperconverged, source: redhat-operators,
  sourceNamespace: openshift-marketplace}}`,
		"003-hyperconverged.yaml": `{apiVersion: hco.kubevirt.io/v1beta1, kind: HyperConverged, metadata: {name: kubevirt-hyperconverged,
  namespace: openshift-cnv}, spec: {}}`,
		"004-pool.yaml": `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: pool, namespace: metallb-system},
  spec: {addresses: [192.0.2.32/28]}}`,
	}
	for i, text := range more {
		files[fmt.Sprintf("1%02d-more.yaml", i)] = text
	}
	list := "resources: ["
	for name, text := range files {
		write(name, text)
		list += name + ", "
	}
	write("kustomization.yaml", list+"]\n")
	write("patches/005-ingress.yaml", `{apiVersion: operator.openshift.io/v1, kind: IngressController, metadata: {name: default,
  namespace: openshift-ingress-operator}, spec: {routeAdmission: {wildcardPolicy: WildcardsAllowed}}}`)
	write("NOTES.md", "")
	return dir
}

func newHub(t testing.TB, available bool) *kubetest.API {
	t.Helper()
	status := "True"
	if !available {
		status = "Unknown"
	}
	api := kubetest.Serve(t, fmt.Sprintf(`
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: east}
status: {conditions: [{type: ManagedClusterConditionAvailable, status: %q, reason: ManagedClusterLeaseUpdateStopped}]}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: hosting-decision-1, namespace: fleets, labels: {cluster.open-cluster-management.io/placement: hosting}}
status: {decisions: [{clusterName: east, reason: ""}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: managed-cluster-lease, namespace: east}
spec: {renewTime: %q}
`, status, time.Now().Add(-7*time.Second).UTC().Format("2006-01-02T15:04:05.000000Z07:00")))
	api.Register(t, kube.ManifestWork, kube.ManifestWorkReplicaSet, kube.Placement, kube.AddOnPlacementScore)
	return api
}

func delivery(t testing.TB, dir string) sites.Delivery {
	t.Helper()
	all, err := sites.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	alike, own := sites.Split(all)
	return sites.Delivery{Placement: types.NamespacedName{Namespace: "fleets", Name: "hosting"}, Alike: alike,
		Own: map[string][]sites.Object{"east": own}}
}

// deliver runs the steps that write, and not those that wait.
func deliver(t testing.TB, api *kubetest.API, d sites.Delivery) {
	t.Helper()
	steps, err := sites.Prepare(t.Context(), api.Client, d)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	if graph, err = graph.Only("hub"); err != nil {
		t.Fatal(err)
	}
	if err := graph.Run(t.Context(), step.Options{Timeout: 20 * time.Second}).Err(); err != nil {
		t.Fatal(err)
	}
}

// spread does what the hub's controller does with a ManifestWorkReplicaSet.
func spread(t testing.TB, api *kubetest.API) {
	t.Helper()
	set := api.Object(t, kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName)
	template, _, err := unstructured.NestedMap(set.Object, "spec", "manifestWorkTemplate")
	if err != nil {
		t.Fatal(err)
	}
	w := kube.ManifestWork.New()
	w.SetNamespace("east")
	w.SetName(sites.AlikeName)
	w.Object["spec"] = template
	put(t, api, w)
}

func put(t testing.TB, api *kubetest.API, u *unstructured.Unstructured) {
	t.Helper()
	raw, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, string(raw))
}

// says is what a work agent reports of one object: applied is the message of a failure, empty for none.
type says struct {
	applied string
	values  map[string]string
}

// report has the site report of the objects of a ManifestWork, in their order; the rest is applied and there.
func report(t *testing.T, api *kubetest.API, work string, all map[string]says) {
	t.Helper()
	w := api.Object(t, kube.ManifestWork, "east", work).DeepCopy()
	manifests, _, _ := unstructured.NestedSlice(w.Object, "spec", "workload", "manifests")
	var out []any
	for i, m := range manifests {
		u := unstructured.Unstructured{Object: m.(map[string]any)}
		one := all[u.GetKind()]
		condition := func(kind, status, message string) any {
			return map[string]any{"type": kind, "status": status, "reason": "X", "message": message}
		}
		meta := map[string]any{"ordinal": int64(i), "kind": u.GetKind(), "name": u.GetName(), "namespace": u.GetNamespace()}
		entry := map[string]any{"resourceMeta": meta, "conditions": []any{condition("Applied", "True", ""),
			condition("Available", "True", "")}}
		if one.applied != "" {
			entry["conditions"] = []any{condition("Applied", "False", one.applied)}
		}
		var values []any
		for name, text := range one.values {
			values = append(values, map[string]any{"name": name, "fieldValue": map[string]any{"type": "String", "string": text}})
		}
		entry["statusFeedback"] = map[string]any{"values": values}
		out = append(out, entry)
	}
	w.Object["status"] = map[string]any{"resourceStatus": map[string]any{"manifests": out},
		"conditions": []any{map[string]any{"type": "Applied", "status": "True", "reason": "X", "observedGeneration": int64(9)}}}
	put(t, api, w)
}

// verdicts are the findings of hcctl check --hub, by kind.
func verdicts(t *testing.T, api *kubetest.API) (map[string]step.Finding, []string) {
	t.Helper()
	looked, err := sites.Look(t.Context(), api.Client)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := step.New(looked.Steps...)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]step.Finding{}
	for _, res := range graph.Check(t.Context(), step.Options{Timeout: 20 * time.Second}).Results {
		kind, _, _ := strings.Cut(res.Step.Title, " ")
		out[kind] = res.Finding
	}
	return out, looked.Heard
}

func TestDeliverOnceAndOrphan(t *testing.T) {
	api := newHub(t, true)
	d := delivery(t, rendered(t))
	deliver(t, api, d)
	before := len(api.Writes())
	deliver(t, api, d)
	if again := api.Writes()[before:]; len(again) > 0 {
		t.Errorf("a second run writes: %v", again)
	}
	own, _ := json.Marshal(api.Object(t, kube.ManifestWork, "east", sites.OwnName).Object)
	set, _ := json.Marshal(api.Object(t, kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName).Object)
	if !strings.Contains(string(own), `"kind":"IPAddressPool"`) || strings.Contains(string(set), `"kind":"IPAddressPool"`) {
		t.Errorf("what depends on the site:\n%s\n%s", own, set)
	}
	for _, text := range []string{string(own), string(set)} {
		if !strings.Contains(text, `"propagationPolicy":"Orphan"`) || !strings.Contains(text, `"type":"ServerSideApply"`) ||
			strings.Contains(text, `"force":true`) {
			t.Errorf("it could delete or take over what is at the site: %s", text)
		}
	}
	if !strings.Contains(string(set), `"wildcardPolicy":"WildcardsAllowed"`) {
		t.Error("the patches are not delivered")
	}
	// A patch is of an object of others: it must not be marked as hcctl's, to be removed.
	if strings.Count(string(set), `"app.kubernetes.io/managed-by":"hcctl"`) > 4 {
		t.Errorf("%s", set)
	}
}

// Each verdict comes from what the site's agent says, by known names and forms alone.
func TestVerdicts(t *testing.T) {
	hyper := func(values map[string]string) says { return says{values: values} }
	for name, one := range map[string]struct {
		kind  string
		says  says
		state step.State
		text  string
	}{
		"ok":       {"HyperConverged", hyper(map[string]string{"available": "True", "degraded": "False"}), step.StateOK, "available"},
		"degraded": {"HyperConverged", hyper(map[string]string{"available": "True", "degraded": "True", "degradedReason": "SSPDegraded"}), step.StatePending, "Degraded (SSPDegraded)"},
		"hostile":  {"HyperConverged", hyper(map[string]string{"available": "True\x1b[2J", "degradedReason": "a b"}), step.StatePending, "says nothing"},
		"silent":   {"HyperConverged", says{}, step.StatePending, "says nothing yet"},
		"no CRD":   {"HyperConverged", says{applied: `Failed to apply manifest: the server doesn't have a resource type "HyperConverged"`}, step.StatePending, "CRD is not there yet"},
		"no right": {"HyperConverged", says{applied: `hyperconvergeds.hco.kubevirt.io is forbidden: User "system:serviceaccount:a:b" cannot patch`}, step.StateBroken, "may not apply it"},
		"conflict": {"IngressController", says{applied: `Apply failed with 1 conflict: conflict with "oc" using operator.openshift.io/v1`}, step.StateBroken, "others own fields"},
		"secret":   {"HyperConverged", says{applied: `token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl rejected`}, step.StateBroken, "refuses it"},
		// The message is cut right before the @, without which a password is not known as one.
		"long":      {"HyperConverged", says{applied: strings.Repeat("x", 490) + " https://admin:hunter2@registry.example"}, step.StateBroken, "refuses it"},
		"installed": {"Subscription", says{values: map[string]string{"installed": "kubevirt-hyperconverged-operator.v4.20.1"}}, step.StateOK, "v4.20.1"},
		"waiting":   {"Subscription", says{values: map[string]string{"phase": "UpgradePending"}}, step.StatePending, "UpgradePending"},
		"unsolved":  {"Subscription", says{values: map[string]string{"resolutionFailed": "True", "resolutionFailedReason": "ConstraintsNotSatisfiable"}}, step.StateBroken, "ConstraintsNotSatisfiable"},
		"webhook":   {"HyperConverged", says{applied: `Internal error occurred: failed calling webhook "x": connection refused`}, step.StatePending, "does not answer"},
		"denied":    {"HyperConverged", says{applied: `admission webhook "x" denied the request: it cannot be`}, step.StateBroken, "refuses it"},
		"plain":     {"Namespace", says{}, step.StateOK, "there"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHub(t, true)
			deliver(t, api, delivery(t, rendered(t)))
			spread(t, api)
			report(t, api, sites.AlikeName, map[string]says{one.kind: one.says})
			found, _ := verdicts(t, api)
			got := found[one.kind]
			if got.State != one.state || !strings.Contains(got.Message, one.text) || strings.ContainsAny(got.Message, "\x1b") ||
				strings.Contains(got.Message, "eyJ") || strings.Contains(got.Message, "hunter2") {
				t.Errorf("%s: %s", got.State, got.Message)
			}
		})
	}
}

// Before the hub's controller has spread anything, a site is not good; a lost site's last words are old.
func TestWhatIsNotKnownIsNotGood(t *testing.T) {
	api := newHub(t, true)
	deliver(t, api, delivery(t, rendered(t)))
	found, heard := verdicts(t, api)
	if got := found["HyperConverged"]; got.State != step.StatePending || !strings.Contains(got.Message, "not delivered it") {
		t.Errorf("%s: %s", got.State, got.Message)
	}
	if len(heard) != 1 || !strings.HasPrefix(heard[0], "east: the hub heard of it ") {
		t.Errorf("%v", heard)
	}
	lost := newHub(t, false)
	deliver(t, lost, delivery(t, rendered(t)))
	spread(t, lost)
	report(t, lost, sites.AlikeName, map[string]says{"HyperConverged": {values: map[string]string{"available": "True"}}})
	found, _ = verdicts(t, lost)
	if got := found["HyperConverged"]; got.State != step.StatePending ||
		!strings.Contains(got.Message, "not available (ManagedClusterLeaseUpdateStopped); last known: available") {
		t.Errorf("%s: %s", got.State, got.Message)
	}
}

// What a site says of an older ManifestWork says nothing of the one that is there.
func TestOldReportsDoNotCount(t *testing.T) {
	api := newHub(t, true)
	deliver(t, api, delivery(t, rendered(t)))
	spread(t, api)
	report(t, api, sites.AlikeName, map[string]says{"HyperConverged": {values: map[string]string{"available": "True"}}})
	w := api.Object(t, kube.ManifestWork, "east", sites.AlikeName).DeepCopy()
	w.SetGeneration(10)
	put(t, api, w)
	found, _ := verdicts(t, api)
	if got := found["HyperConverged"]; got.State != step.StatePending || !strings.Contains(got.Message, "not tried it yet") {
		t.Errorf("%s: %s", got.State, got.Message)
	}
}

// The deleteOption that counts is the one at the moment of the deletion, not the one that the run has first seen.
func TestRemovalReadsDeleteOptionAgain(t *testing.T) {
	for _, one := range []struct {
		kind            kube.Kind
		namespace, name string
		option          []string
	}{
		{kube.ManifestWork, "east", sites.OwnName, []string{"spec", "deleteOption", "propagationPolicy"}},
		{kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName,
			[]string{"spec", "manifestWorkTemplate", "deleteOption", "propagationPolicy"}},
	} {
		t.Run(one.kind.Kind, func(t *testing.T) {
			api := newHub(t, true)
			deliver(t, api, delivery(t, rendered(t)))
			steps, err := sites.Removal(t.Context(), api.Client)
			if err != nil {
				t.Fatal(err)
			}
			changed := api.Object(t, one.kind, one.namespace, one.name).DeepCopy()
			_ = unstructured.SetNestedField(changed.Object, "Foreground", one.option...)
			put(t, api, changed)
			i := slices.IndexFunc(steps, func(s step.Step) bool { return strings.HasPrefix(s.Title, one.kind.Kind+" ") })
			if _, err := steps[i].Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "not Orphan") {
				t.Errorf("%v", err)
			}
			if api.Object(t, one.kind, one.namespace, one.name) == nil {
				t.Error("deleted, with what it brought")
			}
		})
	}
}

// A removal deletes what delivers, only with Orphan, and nothing else of a site.
func TestRemovalOrphans(t *testing.T) {
	api := newHub(t, true)
	deliver(t, api, delivery(t, rendered(t)))
	api.Put(t, `{apiVersion: work.open-cluster-management.io/v1, kind: ManifestWork, metadata: {name: other, namespace: east}, spec: {}}`)
	deletes(t, api, kube.ManifestWork, "east", sites.OwnName)
	if err := remove(t, api); err == nil || !strings.Contains(err.Error(), "not Orphan") ||
		api.Object(t, kube.ManifestWork, "east", sites.OwnName) == nil {
		t.Errorf("%v", err)
	}
	deliver(t, api, delivery(t, rendered(t)))
	if err := remove(t, api); err != nil {
		t.Fatal(err)
	}
	if api.Object(t, kube.ManifestWork, "east", sites.OwnName) != nil || api.Object(t, kube.ManifestWork, "east", "other") == nil ||
		api.Object(t, kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName) != nil {
		t.Error("not all, or too much")
	}
}

// remove stops the delivery.
func remove(t *testing.T, api *kubetest.API) error {
	t.Helper()
	steps, err := sites.Removal(t.Context(), api.Client)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Run(t.Context(), step.Options{Timeout: 2 * time.Second, Transient: kube.IsTransient}).Err()
}

// deletes makes the deletion of an object of the delivery delete what it brought.
func deletes(t *testing.T, api *kubetest.API, kind kube.Kind, namespace, name string) {
	t.Helper()
	path := []string{"spec", "deleteOption", "propagationPolicy"}
	if kind == kube.ManifestWorkReplicaSet {
		path = []string{"spec", "manifestWorkTemplate", "deleteOption", "propagationPolicy"}
	}
	one := api.Object(t, kind, namespace, name).DeepCopy()
	if err := unstructured.SetNestedField(one.Object, "Foreground", path...); err != nil {
		t.Fatal(err)
	}
	put(t, api, one)
}

// Whoever changes deleteOption right before the deletion, or has changed it in what goes with it, does not have hcctl
// delete what was brought.
func TestRemovalOfWhatNoLongerOrphans(t *testing.T) {
	for name, one := range map[string]struct {
		kind            kube.Kind
		namespace, name string
		meanwhile       bool
		why             string
	}{
		"a ManifestWork, meanwhile":           {kube.ManifestWork, "east", sites.OwnName, true, "not Orphan"},
		"a ManifestWorkReplicaSet, meanwhile": {kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName, true, "not Orphan"},
		"what goes with a ManifestWorkReplicaSet": {kube.ManifestWork, "east", sites.AlikeName, false,
			"has not written Orphan"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHub(t, true)
			deliver(t, api, delivery(t, rendered(t)))
			spread(t, api)
			change := func() { deletes(t, api, one.kind, one.namespace, one.name) }
			if one.meanwhile {
				api.Before("delete "+one.kind.Resource().GroupResource().String(), change)
			} else {
				change()
			}
			if err := remove(t, api); err == nil || !strings.Contains(err.Error(), one.why) {
				t.Errorf("%v", err)
			}
			if api.Object(t, one.kind, one.namespace, one.name) == nil ||
				one.name == sites.AlikeName && api.Object(t, kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName) == nil {
				t.Error("it is deleted")
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	if _, err := sites.Read(rendered(t, `{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}, stringData: {a: hunter2}}`)); err == nil ||
		!strings.Contains(err.Error(), "no place in a ManifestWork") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	if _, err := sites.Read(t.TempDir()); err == nil {
		t.Error("an empty directory")
	}
	api := newHub(t, true)
	d := delivery(t, rendered(t))
	d.Own["north"] = d.Own["east"]
	if _, err := sites.Prepare(t.Context(), api.Client, d); err == nil || !strings.Contains(err.Error(), "no ManagedCluster north") {
		t.Errorf("%v", err)
	}
	if _, err := sites.Look(t.Context(), api.Client); err == nil || !strings.Contains(err.Error(), "no site") {
		t.Errorf("%v", err)
	}
}

// What is written is in the CRDs of every multicluster engine.
func TestWorksConform(t *testing.T) {
	api := newHub(t, true)
	deliver(t, api, delivery(t, rendered(t)))
	for kind, of := range map[string]*unstructured.Unstructured{
		"ManifestWork":           api.Object(t, kube.ManifestWork, "east", sites.OwnName),
		"ManifestWorkReplicaSet": api.Object(t, kube.ManifestWorkReplicaSet, "fleets", sites.AlikeName),
	} {
		table, err := contracts.TableOf("work.open-cluster-management.io", kind)
		if err != nil {
			t.Fatal(err)
		}
		for minor := 3; minor <= 11; minor++ {
			schemas, err := crd.Schemas(table, contracts.Release{Major: 2, Minor: minor})
			if err != nil {
				t.Fatal(err)
			}
			if minor >= 9 && kind == "ManifestWorkReplicaSet" { // as the API server fills in the CRD's default
				_ = unstructured.SetNestedField(of.Object, "Background", "spec", "cascadeDeletionPolicy")
			}
			for _, schema := range schemas {
				if problems, err := crd.Problems(schema, of.Object); err != nil || len(problems) > 0 {
					t.Errorf("2.%d %s: %v %v", minor, kind, problems, err)
				}
			}
		}
	}
}
