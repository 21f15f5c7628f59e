package creation

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

const keyPath = hostedtest.SecretsPath + "/kv-00-etcd-encryption-key"

// forget takes the UID of the HostedCluster off a Secret.
func forget(w *hostedtest.World, name string) {
	change(w, "Secret", name, func(o hostedtest.Object) {
		delete(metaOf(o)["annotations"].(hostedtest.Object), hostedcluster.ClusterUIDAnnotation)
	})
}

func mark(w *hostedtest.World, name string) any {
	return metaOf(w.Of("Secret").Object("clusters", name))["annotations"].(hostedtest.Object)[hostedcluster.ClusterUIDAnnotation]
}

// What a create made before the HostedCluster existed gets its UID, and nothing of others does.
func TestObjectsGetTheUID(t *testing.T) {
	o := flags(t, "")
	w := created(t, o)
	expect(t, prepared(t, w, o).Steps(), marksStep, step.StateOK, "they carry its UID", "HostedCluster clusters/kv-00")
	forget(w, "kv-00-etcd-encryption-key")
	p := prepared(t, w, o)
	expect(t, p.Steps(), marksStep, step.StateMissing, "does not carry the UID of HostedCluster clusters/kv-00 yet",
		"Secret clusters/kv-00-etcd-encryption-key")
	does(t, p.Steps(), marksStep, step.Configured)
	expect(t, p.Steps(), marksStep, step.StateOK)
	does(t, p.Steps(), marksStep, step.Unchanged)
	if got := mark(w, "kv-00-etcd-encryption-key"); got != "uid-of-kv-00" {
		t.Errorf("marked %v", got)
	}
	for name, edit := range map[string]func(meta hostedtest.Object){
		"by another's hand": func(m hostedtest.Object) { m["managedFields"] = []any{hostedtest.Object{"manager": "oc"}} },
		"of another cluster": func(m hostedtest.Object) {
			m["annotations"].(hostedtest.Object)[hostedcluster.ClusterAnnotation] = "team/kv-00"
		},
		"of another infraID": func(m hostedtest.Object) { m["labels"].(hostedtest.Object)[hostedcluster.InfraLabel] = "x" },
		"not hcctl's":        func(m hostedtest.Object) { delete(m["labels"].(hostedtest.Object), kube.ManagedByLabel) },
	} {
		w := created(t, o)
		forget(w, "kv-00-etcd-encryption-key")
		change(w, "Secret", "kv-00-etcd-encryption-key", func(o hostedtest.Object) { edit(metaOf(o)) })
		p := prepared(t, w, o)
		expect(t, p.Steps(), marksStep, step.StateOK)
		does(t, p.Steps(), marksStep, step.Unchanged)
		if got := mark(w, "kv-00-etcd-encryption-key"); got != nil {
			t.Errorf("%s: marked %v", name, got)
		}
	}
}

func TestObjectsThatCannotBeMarked(t *testing.T) {
	o := flags(t, "")
	w := created(t, o)
	forget(w, "kv-00-etcd-encryption-key")
	p := prepared(t, w, o)
	// One that changes meanwhile is read again.
	w.Refuse("patch "+keyPath, http.StatusConflict)
	does(t, p.Steps(), marksStep, step.Unchanged)
	expect(t, p.Steps(), marksStep, step.StateMissing, "does not carry the UID")
	w.Allow()
	w.Refuse("patch "+keyPath, http.StatusBadRequest)
	fails(t, p.Steps(), marksStep, "Secret clusters/kv-00-etcd-encryption-key: ")
	w.Allow()
	w.Forbid("patch " + keyPath)
	does(t, p.Steps(), marksStep, step.Unchanged)
	expect(t, p.Steps(), marksStep, step.StateOK, "they do not: not allowed: ",
		"delete uses its name and infraID instead")

	w = created(t, o)
	p = prepared(t, w, o)
	w.Refuse("get "+keyPath, http.StatusBadRequest)
	expect(t, p.Steps(), marksStep, step.StateUnknown, "HostedCluster clusters/kv-00",
		"Secret clusters/kv-00-etcd-encryption-key: ")
	fails(t, p.Steps(), marksStep, "Secret clusters/kv-00-etcd-encryption-key: ")
	w.Allow()
	w.Forbid("get " + keyPath)
	expect(t, p.Steps(), marksStep, step.StateOK, "they carry its UID")
	w.Of("Secret").Delete("clusters", "kv-00-etcd-encryption-key")
	w.Allow()
	expect(t, prepared(t, w, o).Steps(), marksStep, step.StateOK, "they carry its UID")

	// Of a new cluster the UID is read.
	w = world(t)
	p = prepared(t, w, o)
	expect(t, p.Steps(), marksStep, step.StateBroken, "was deleted meanwhile", "HostedCluster clusters/kv-00")
	fails(t, p.Steps(), marksStep, "HostedCluster clusters/kv-00: gone")
	w.Forbid("get " + hostedClusterPath)
	expect(t, p.Steps(), marksStep, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
	fails(t, p.Steps(), marksStep, "HostedCluster clusters/kv-00: ")
}

// A create marks at once what it has made itself.
func TestMarksAreTried(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, ""))
	attempt := func(id step.ID) (step.Change, step.Finding) {
		return steptest.Find(t, p.Steps(), id).Attempt(t.Context())
	}
	if change, f := attempt(marksStep); change != "" || f.State != step.StatePending ||
		f.Message != "the HostedCluster is another's" {
		t.Errorf("%q, %+v", change, f)
	}
	for _, id := range []step.ID{pullSecretStep, encryptionKeyStep, hostedClusterStep} {
		attempt(id)
	}
	w.Refuse("patch "+keyPath, http.StatusBadRequest)
	if change, f := attempt(marksStep); change != "" || f.State != step.StateUnknown ||
		f.Object != "HostedCluster clusters/kv-00" {
		t.Errorf("%q, %+v", change, f)
	}
	w.Allow()
	if change, f := attempt(marksStep); change != step.Configured || f.State != step.StateOK {
		t.Errorf("%q, %+v", change, f)
	}
	if mark(w, "kv-00-etcd-encryption-key") != "uid-of-kv-00" || mark(w, "kv-00-pull-secret") != "uid-of-kv-00" {
		t.Error("not marked")
	}
	planned := prepared(t, world(t), flags(t, "")).For(w.Client)
	if steptest.Find(t, planned.Steps(), marksStep).Attempt != nil {
		t.Error("a plan writes")
	}
	expect(t, planned.Steps(), marksStep, step.StateOK, "they get it as soon as it exists", "HostedCluster clusters/kv-00")
	if existing := prepared(t, w, flags(t, "")); steptest.Find(t, existing.Steps(), marksStep).Attempt != nil {
		t.Error("an existing cluster is marked without a look")
	}
}

func TestThePoolOfAnExistingClusterIsMarked(t *testing.T) {
	o := flags(t, "--metallb-pool tenants")
	w := world(t)
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", nil, "other"))
	run(t, prepared(t, w, o))
	serves := func(mark string) {
		pool := hostedtest.AddressPool("tenants", nil, "other", "clusters-kv-00")
		metaOf(pool)["annotations"] = hostedtest.Object{hostedcluster.ServesPrefix + "clusters-kv-00": mark}
		w.Set("IPAddressPool", pool)
	}
	for mark, want := range map[string]step.State{"clusters/kv-00": step.StateMissing,
		"clusters/kv-00/uid-of-kv-00": step.StateOK,
		"team/kv-00":                  step.StateOK, "": step.StateOK} {
		serves(mark)
		p := prepared(t, w, o)
		f := steptest.Check(t, p.Steps(), marksStep)
		if f.State != want {
			t.Errorf("%q: %s %s", mark, f.State, f.Message)
		}
		if want == step.StateMissing {
			does(t, p.Steps(), marksStep, step.Configured)
			got := metaOf(w.Of("IPAddressPool").Object("metallb-system", "tenants"))["annotations"].(hostedtest.Object)
			if got[hostedcluster.ServesPrefix+"clusters-kv-00"] != "clusters/kv-00/uid-of-kv-00" {
				t.Errorf("marked %v", got)
			}
		}
	}
	serves("team/kv-00")
	p := prepared(t, w, o)
	expect(t, p.Steps(), addressPoolStep, step.StateBroken, `for HostedCluster "team/kv-00"`, "choose another --name")
	w.Of("IPAddressPool").Delete("metallb-system", "tenants")
	expect(t, p.Steps(), addressPoolStep, step.StateBroken, "does not exist")
	fails(t, p.Steps(), addressPoolStep, "IPAddressPool tenants: ")
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", nil, "other"))
	w.Forbid("patch " + hostedtest.AddressPoolsPath + "/tenants")
	fails(t, p.Steps(), addressPoolStep, "IPAddressPool tenants: ")
	w.Forbid("get " + hostedtest.AddressPoolsPath + "/tenants")
	expect(t, p.Steps(), addressPoolStep, step.StateUnknown, "not allowed", "IPAddressPool metallb-system/tenants")
}

func TestWhatPrepareCannotRead(t *testing.T) {
	for request, words := range map[string]string{
		"get " + hostedClusterPath:                      "HostedCluster clusters/kv-00: ",
		"get " + keyPath:                                "read Secret clusters/kv-00-etcd-encryption-key: ",
		"get " + hostedtest.ConfigPath + "/pull-secret": "read Secret openshift-config/pull-secret: ",
	} {
		w := world(t)
		w.Forbid(request)
		if _, err := Prepare(t.Context(), w.Client, nil, flags(t, "")); err == nil || !strings.HasPrefix(err.Error(), words) {
			t.Errorf("%s: %v", request, err)
		}
	}
	w := world(t)
	w.Forbid("get /api/v1/nodes")
	if _, err := Prepare(t.Context(), w.Client, nil, flags(t, "--service-publishing-strategy NodePort")); err == nil ||
		!strings.HasPrefix(err.Error(), "look for the address of a node: ") {
		t.Errorf("%v", err)
	}
	w.Refuse("get "+hostedtest.AllPath, http.StatusBadRequest)
	if _, err := Prepare(t.Context(), w.Client, nil, flags(t, "--infra-id mine-1")); err == nil ||
		!strings.HasPrefix(err.Error(), "list HostedClusters: ") {
		t.Errorf("%v", err)
	}
	// That of an existing cluster has its own pull secret.
	o := flags(t, "")
	w = created(t, o)
	w.Of("Secret").Delete("openshift-config", "pull-secret")
	if p := prepared(t, w, o); string(p.Inputs.PullSecret) != hostedtest.PullSecret {
		t.Errorf("%s", p.Inputs.PullSecret)
	}
	w.Refuse("get "+hostedtest.SecretsPath+"/kv-00-pull-secret", http.StatusBadRequest)
	if _, err := Prepare(t.Context(), w.Client, nil, o); err == nil ||
		!strings.HasPrefix(err.Error(), "read Secret clusters/kv-00-pull-secret: ") {
		t.Errorf("%v", err)
	}
	// What is in the way may not be readable; one that cannot be read now is an error.
	w = world(t)
	reads := 0
	w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == keyPath {
			reads++
		}
		if r.URL.Path == keyPath && reads == 2 {
			kubetest.Refuse(out, http.StatusBadRequest, metav1.StatusReasonBadRequest)
			return true
		}
		return false
	}
	if _, err := Prepare(t.Context(), w.Client, nil, o); err == nil ||
		!strings.HasPrefix(err.Error(), "read Secret clusters/kv-00-etcd-encryption-key: ") {
		t.Errorf("%v", err)
	}
	w = world(t)
	w.Set("Secret", hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00-etcd-encryption-key", nil)})
	if _, err := Prepare(t.Context(), w.Client, nil, o); err == nil ||
		!strings.Contains(err.Error(), "it does not say who wrote it") {
		t.Errorf("%v", err)
	}
}
