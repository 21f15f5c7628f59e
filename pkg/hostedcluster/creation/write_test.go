package creation

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// All objects are written once, with one identity, and a second create changes nothing.
func TestACreateIsWrittenOnce(t *testing.T) {
	w := world(t)
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", nil, "other"))
	o := flags(t, "--metallb-pool tenants")
	p := prepared(t, w, o)
	p.hasNamespace = false // this server takes dry runs without one
	run(t, p)
	writes := strings.Split(w.Writes(), "\n")
	for _, path := range []string{"post " + hostedtest.NamespacesPath, "post " + hostedtest.SecretsPath,
		"post " + hostedtest.ClustersPath, "post " + hostedtest.PoolsPath, "patch " + hostedtest.AddressPoolsPath + "/tenants"} {
		if !slices.Contains(writes, path) {
			t.Errorf("no %s among\n%s", path, strings.Join(writes, "\n"))
		}
	}
	hc := w.Of("HostedCluster").Object("clusters", "kv-00")
	for _, name := range []string{"kv-00-pull-secret", "kv-00-etcd-encryption-key"} {
		m := metaOf(w.Of("Secret").Object("clusters", name))
		annotations, labels := m["annotations"].(hostedtest.Object), m["labels"].(hostedtest.Object)
		if annotations[hostedcluster.ClusterUIDAnnotation] != "uid-of-kv-00" ||
			labels[hostedcluster.InfraLabel] != specOf(hc)["infraID"] || labels[kube.ManagedByLabel] != kube.FieldOwner {
			t.Errorf("%s is marked %v, %v", name, annotations, labels)
		}
	}
	pool := w.Of("IPAddressPool").Object("metallb-system", "tenants")
	serves := specOf(pool)["serviceAllocation"].(hostedtest.Object)["namespaces"].([]any)
	annotations := metaOf(pool)["annotations"].(hostedtest.Object)
	if mark := annotations[hostedcluster.ServesPrefix+"clusters-kv-00"]; len(serves) != 2 ||
		serves[1] != "clusters-kv-00" || mark != "clusters/kv-00/uid-of-kv-00" || annotations["mine"] != "kept" {
		t.Errorf("the pool serves %v, marked %v", serves, annotations)
	}
	again := prepared(t, w, o)
	run(t, again)
	if writes := w.Writes(); writes != "" {
		t.Errorf("written again:\n%s", writes)
	}
	if again.Seen() != nil || (&Plan{}).Seen() != nil {
		t.Error("seen, though nothing was waited for")
	}
}

func TestTheHostedClusterIsThere(t *testing.T) {
	o := flags(t, "")
	for name, tc := range map[string]struct {
		edit  func(hostedtest.Object)
		state step.State
		words []string
	}{
		"as asked": {func(hostedtest.Object) {}, step.StateOK, []string{"exists"}},
		"being deleted": {func(o hostedtest.Object) { metaOf(o)["deletionTimestamp"] = gone }, step.StateBroken,
			[]string{"being deleted", "hcctl delete cluster kv-00 --namespace clusters"}},
		"of another network": {func(o hostedtest.Object) {
			specOf(o)["networking"].(hostedtest.Object)["clusterNetwork"] = []any{hostedtest.Object{"cidr": "192.168.0.0/16"}}
		}, step.StateBroken, []string{"192.168.0.0/16"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := created(t, o)
			p := prepared(t, w, o)
			change(w, "HostedCluster", "kv-00", tc.edit)
			expect(t, p.Steps(), hostedClusterStep, tc.state, append(tc.words, "HostedCluster clusters/kv-00")...)
			w.Forbid("get " + hostedClusterPath)
			expect(t, p.Steps(), hostedClusterStep, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
			w.Allow()
			w.Of("HostedCluster").Delete("clusters", "kv-00")
			expect(t, p.Steps(), hostedClusterStep, step.StateMissing, "does not exist; its release will be")
			does(t, p.Steps(), hostedClusterStep, step.Created)
			does(t, p.Steps(), hostedClusterStep, step.Unchanged)
			w.Of("HostedCluster").Delete("clusters", "kv-00")
			w.Forbid("post " + hostedtest.ClustersPath)
			fails(t, p.Steps(), hostedClusterStep, "HostedCluster clusters/kv-00: ")
		})
	}
	// Fields of a newer HyperShift are compared as they are written.
	newer := flags(t, "--ovn-kubernetes-mtu 1400")
	w := created(t, newer)
	p := prepared(t, w, newer)
	expect(t, p.Steps(), hostedClusterStep, step.StateOK)
	reads := 0
	w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == hostedClusterPath {
			reads++
		}
		if reads == 2 {
			kubetest.Refuse(out, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return reads == 2
	}
	expect(t, p.Steps(), hostedClusterStep, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
}

func TestTheNodePoolIsThere(t *testing.T) {
	o := flags(t, "--replicas 3")
	w := created(t, o)
	p := prepared(t, w, o)
	expect(t, p.Steps(), nodePoolStep, step.StateOK, "exists", "NodePool clusters/kv-00")
	change(w, "NodePool", "kv-00", func(o hostedtest.Object) { specOf(o)["replicas"] = 2 })
	expect(t, p.Steps(), nodePoolStep, step.StateOK, "2")
	change(w, "NodePool", "kv-00", func(o hostedtest.Object) { specOf(o)["clusterName"] = "other" })
	expect(t, p.Steps(), nodePoolStep, step.StateBroken, "other", "NodePool clusters/kv-00")
	change(w, "NodePool", "kv-00", func(o hostedtest.Object) { metaOf(o)["deletionTimestamp"] = gone })
	expect(t, p.Steps(), nodePoolStep, step.StateBroken, "being deleted", "wait until it is gone")
	w.Forbid("get " + poolPath)
	expect(t, p.Steps(), nodePoolStep, step.StateUnknown, "not allowed", "NodePool clusters/kv-00")
	w.Allow()
	w.Of("NodePool").Delete("clusters", "kv-00")
	expect(t, p.Steps(), nodePoolStep, step.StateMissing, "does not exist", "NodePool clusters/kv-00")
}

// What a file asks of a pool that is there is brought to it.
func TestAPoolIsAdjusted(t *testing.T) {
	o := flags(t, "--replicas 3")
	w := created(t, o)
	w.Set("Node", worker("n1"))
	p := prepared(t, w, o)
	p.Adjust = map[int]Adjust{0: {Size: true}}
	expect(t, p.Steps(), nodePoolStep, step.StateOK)
	does(t, p.Steps(), nodePoolStep, step.Unchanged)
	change(w, "NodePool", "kv-00", func(o hostedtest.Object) { specOf(o)["replicas"] = 2 })
	expect(t, p.Steps(), nodePoolStep, step.StateMissing, "the number of nodes is 2, asked for 3",
		"NodePool clusters/kv-00")
	does(t, p.Steps(), nodePoolStep, step.Configured)
	expect(t, p.Steps(), nodePoolStep, step.StateOK)
	if n := specOf(w.Of("NodePool").Object("clusters", "kv-00"))["replicas"]; n != float64(3) {
		t.Errorf("%v replicas", n)
	}
	change(w, "NodePool", "kv-00", func(o hostedtest.Object) { specOf(o)["replicas"] = 2 })
	w.Forbid("patch " + poolPath)
	fails(t, p.Steps(), nodePoolStep, "clusters/kv-00: ")
	w.Forbid("get " + poolPath)
	expect(t, p.Steps(), nodePoolStep, step.StateUnknown, "not allowed")
	fails(t, p.Steps(), nodePoolStep, "NodePool clusters/kv-00: ")
	w.Allow()
	w.Of("NodePool").Delete("clusters", "kv-00")
	expect(t, p.Steps(), nodePoolStep, step.StateMissing, "does not exist")
	does(t, p.Steps(), nodePoolStep, step.Created)
	reads := 0
	w.Answer = func(out http.ResponseWriter, _ *http.Request) bool {
		if reads++; reads == 2 {
			kubetest.Refuse(out, http.StatusForbidden, metav1.StatusReasonForbidden)
		}
		return reads == 2
	}
	expect(t, p.Steps(), nodePoolStep, step.StateUnknown, "not allowed", "NodePool clusters/kv-00")
}

func TestTheNamespaceIsThere(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, ""))
	expect(t, p.Steps(), namespaceStep, step.StateOK) // the dry runs have found it
	p.hasNamespace = false
	expect(t, p.Steps(), namespaceStep, step.StateMissing, "does not exist", "Namespace clusters")
	w.Set("Namespace", hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters"}})
	expect(t, p.Steps(), namespaceStep, step.StateOK, "exists", "Namespace clusters")
	does(t, p.Steps(), namespaceStep, step.Unchanged)
	w.Set("Namespace", hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters", "deletionTimestamp": gone}})
	expect(t, p.Steps(), namespaceStep, step.StatePending, "still being deleted", "Namespace clusters")
	w.Forbid("get " + hostedtest.NamespacesPath + "/clusters")
	expect(t, p.Steps(), namespaceStep, step.StateUnknown, "not allowed", "Namespace clusters")
}

// A namespace is written without a look where the dry runs found none.
func TestTheNamespaceIsTried(t *testing.T) {
	for name, tc := range map[string]struct {
		code    int
		reason  metav1.StatusReason
		message string
		change  step.Change
		state   step.State
	}{
		"made":  {0, "", "", step.Created, step.StateOK},
		"there": {http.StatusConflict, metav1.StatusReasonAlreadyExists, "it exists", step.Unchanged, step.StateOK},
		"being deleted": {http.StatusConflict, metav1.StatusReasonAlreadyExists, "object is being deleted: x", "",
			step.StateUnknown},
		"not allowed": {http.StatusForbidden, metav1.StatusReasonForbidden, "no", "", step.StateUnknown},
	} {
		w := world(t)
		w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path == hostedtest.NamespacesPath {
				return false
			}
			kubetest.Refuse(out, http.StatusNotFound, metav1.StatusReasonNotFound)
			return true
		}
		p := prepared(t, w, flags(t, ""))
		w.Answer = func(out http.ResponseWriter, _ *http.Request) bool {
			if tc.code != 0 {
				kubetest.Reply(out, tc.code, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
					Status: metav1.StatusFailure, Reason: tc.reason, Code: int32(tc.code), Message: tc.message})
			}
			return tc.code != 0
		}
		change, f := steptest.Find(t, p.Steps(), namespaceStep).Attempt(t.Context())
		if change != tc.change || f.State != tc.state {
			t.Errorf("%s: %q, %s %s", name, change, f.State, f.Message)
		}
	}
	// Where it is there, it is looked at.
	w := world(t)
	if p := prepared(t, w, flags(t, "")); steptest.Find(t, p.Steps(), namespaceStep).Attempt != nil {
		t.Error("tried without need")
	}
}

func TestSecretsOfAnExistingCluster(t *testing.T) {
	o := flags(t, "")
	w := created(t, o)
	p := prepared(t, w, o)
	const pull, key = "Secret clusters/kv-00-pull-secret", "Secret clusters/kv-00-etcd-encryption-key"
	expect(t, p.Steps(), pullSecretStep, step.StateOK, "exists", pull)
	change(w, "Secret", "kv-00-pull-secret", func(o hostedtest.Object) {
		o["data"] = hostedtest.Object{".dockerconfigjson": hostedtest.Encoded("{}")}
	})
	expect(t, p.Steps(), pullSecretStep, step.StateOK, "another content, which is left as it is", pull)
	change(w, "Secret", "kv-00-pull-secret", func(o hostedtest.Object) { o["data"] = hostedtest.Object{} })
	expect(t, p.Steps(), pullSecretStep, step.StateBroken, `has no key ".dockerconfigjson"`, "complete it", pull)
	change(w, "Secret", "kv-00-etcd-encryption-key", func(o hostedtest.Object) {
		o["data"] = hostedtest.Object{"key": hostedtest.Encoded("short")}
	})
	expect(t, p.Steps(), encryptionKeyStep, step.StateBroken, `its key "key" has 5 bytes instead of 32`, key)
	change(w, "Secret", "kv-00-etcd-encryption-key", func(o hostedtest.Object) { metaOf(o)["deletionTimestamp"] = gone })
	expect(t, p.Steps(), encryptionKeyStep, step.StatePending, "still being deleted", key)
	w.Of("Secret").Delete("clusters", "kv-00-etcd-encryption-key")
	expect(t, p.Steps(), encryptionKeyStep, step.StateMissing, "does not exist", key)
	w.Forbid("get " + hostedtest.SecretsPath + "/kv-00-pull-secret")
	expect(t, p.Steps(), pullSecretStep, step.StateUnknown, "not allowed", pull)
	w.Forbid("post " + hostedtest.SecretsPath)
	fails(t, p.Steps(), encryptionKeyStep, "Secret clusters/kv-00-etcd-encryption-key: ")
}

// ConfigMaps and other objects beside the HostedCluster are its own by their label.
func TestObjectsBesideTheHostedCluster(t *testing.T) {
	o := flags(t, "--metallb-addresses 192.0.2.0/28")
	w := world(t)
	p := prepared(t, w, o)
	var id step.ID
	for _, s := range p.Steps() {
		if strings.HasPrefix(string(s.ID), "objects/ipaddresspool-") {
			id = s.ID
		}
	}
	name := strings.TrimPrefix(string(id), "objects/ipaddresspool-")
	object := "IPAddressPool metallb-system/" + name
	expect(t, p.Steps(), id, step.StateMissing, "does not exist", object)
	does(t, p.Steps(), id, step.Created)
	expect(t, p.Steps(), id, step.StateOK, "exists", object)
	pool := w.Of("IPAddressPool").Object("metallb-system", name)
	metaOf(pool)["deletionTimestamp"] = gone
	w.Set("IPAddressPool", pool)
	expect(t, p.Steps(), id, step.StatePending, "still being deleted", object)
	w.Set("IPAddressPool", hostedtest.AddressPool(name, nil, "other"))
	expect(t, p.Steps(), id, step.StateBroken, "is there already", "it has no mark of hcctl", object)
	w.Forbid("get " + hostedtest.AddressPoolsPath + "/" + name)
	expect(t, p.Steps(), id, step.StateUnknown, "not allowed", object)
	w.Allow()
	w.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-00", "another", "", "10:00:00"))
	expect(t, prepared(t, w, o).Steps(), id, step.StateOK, "is not of this cluster; left as it is", object)
	w.Remove("IPAddressPool")
	expect(t, p.Steps(), id, step.StateBroken, "does not know the kind metallb.io/v1beta1, Kind=IPAddressPool",
		"hcctl check", object)
}

// A new cluster's objects are written at once, and a refusal is told.
func TestObjectsAreTried(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, ""))
	for _, id := range []step.ID{pullSecretStep, hostedClusterStep, nodePoolStep} {
		change, f := steptest.Find(t, p.Steps(), id).Attempt(t.Context())
		if change != step.Created || f.State != step.StateOK || !strings.Contains(f.Object, " clusters/kv-00") {
			t.Errorf("%s: %q, %+v", id, change, f)
		}
		change, f = steptest.Find(t, p.Steps(), id).Attempt(t.Context())
		if change != "" || f.State != step.StateUnknown || !strings.Contains(f.Object, " clusters/kv-00") {
			t.Errorf("%s again: %q, %+v", id, change, f)
		}
	}
	if steptest.Find(t, prepared(t, w, flags(t, "")).Steps(), hostedClusterStep).Attempt != nil {
		t.Error("a cluster that exists is tried")
	}
}

// MetalLB of OpenShift 4.12 has no pools for chosen namespaces: nothing is written, with and without the dry run.
func TestAPoolThatWouldServeEveryCluster(t *testing.T) {
	o := flags(t, "--metallb-addresses 192.0.2.0/28")
	old := func(out http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || r.URL.Path != hostedtest.AddressPoolsPath ||
			r.URL.Query().Get("fieldValidation") != "Strict" {
			return false
		}
		kubetest.Reply(out, http.StatusBadRequest, metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Reason: metav1.StatusReasonBadRequest, Code: http.StatusBadRequest,
			Message: `strict decoding error: unknown field "spec.serviceAllocation"`,
		})
		return true
	}
	const want = "IPAddressPool metallb-system/clusters-kv-00: this cluster's MetalLB does not know spec.serviceAllocation"
	w := world(t)
	p := prepared(t, w, o)
	w.Answer = old
	_, err := Prepare(t.Context(), w.Client, nil, o)
	var pool *PoolFieldError
	if !errors.As(err, &pool) || !strings.HasPrefix(err.Error(), want) ||
		!strings.HasPrefix(pool.Hint().String(), "leave out --metallb-addresses") {
		t.Errorf("%v", err)
	}
	fails(t, p.Steps(), "objects/ipaddresspool-clusters-kv-00", want)
	if w.Of("IPAddressPool").Object("metallb-system", "clusters-kv-00") != nil {
		t.Error("a pool for all is written")
	}
}

// A field that an older HyperShift does not know is an error if an option asks for it, and is left out otherwise.
func TestFieldsThatTheCRDDoesNotKnow(t *testing.T) {
	o := flags(t, "--kas-dns-name api.example.com")
	unknown := func(fields ...string) func(http.ResponseWriter, *http.Request) bool {
		return func(out http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path != hostedtest.ClustersPath ||
				r.URL.Query().Get("fieldValidation") != "Strict" {
				return false
			}
			message := "strict decoding error: "
			for _, f := range fields {
				message += `unknown field "` + f + `", `
			}
			kubetest.Reply(out, http.StatusBadRequest, metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
				Reason: metav1.StatusReasonBadRequest, Code: http.StatusBadRequest, Message: message,
			})
			return true
		}
	}
	const usual, asked = "spec.olmCatalogPlacement", "spec.kubeAPIServerDNSName"
	w := world(t)
	w.Answer = unknown(usual, asked)
	_, err := Prepare(t.Context(), w.Client, nil, o)
	var fields *UnknownFieldsError
	if !errors.As(err, &fields) || !slices.Equal(fields.Fields, []string{asked}) ||
		err.Error() != "HostedCluster clusters/kv-00: this cluster's HyperShift does not know "+asked ||
		fields.Hint().String() != "leave out --kas-dns-name; --kas-dns-name needs multicluster engine 2.9" {
		t.Errorf("%v", err)
	}
	w.Answer = unknown(usual, "spec.odd")
	if _, err = Prepare(t.Context(), w.Client, nil, o); !errors.As(err, &fields) ||
		fields.Hint().String() != "a newer multicluster engine may know it" {
		t.Errorf("%v", err)
	}
	w.Answer = unknown(usual)
	p := prepared(t, w, o)
	w.Answer = unknown(usual, asked)
	fails(t, p.Steps(), hostedClusterStep, "does not know "+asked)
	if w.Writes() != "" {
		t.Error("something is written")
	}
	w.Answer = unknown(usual)
	does(t, p.Steps(), hostedClusterStep, step.Created)
	does(t, p.Steps(), hostedClusterStep, step.Unchanged)
	if w.Of("HostedCluster").Object("clusters", "kv-00") == nil {
		t.Error("not written")
	}
	// Where such a field is lost, the values of the others are tried all the same.
	w = world(t)
	w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
		if unknown(usual)(out, r) {
			return true
		}
		refuse := r.Method == http.MethodPost && r.URL.Path == hostedtest.ClustersPath && r.URL.Query().Get("dryRun") != ""
		if refuse {
			kubetest.Refuse(out, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		}
		return refuse
	}
	var denied *DeniedError
	if _, err := Prepare(t.Context(), w.Client, nil, o); !errors.As(err, &denied) {
		t.Errorf("%v", err)
	}
	// Another refusal of the dry run is told as it is, or left for later.
	for reason, words := range map[metav1.StatusReason]string{
		metav1.StatusReasonInvalid:    "HostedCluster clusters/kv-00: this cluster's HyperShift refuses it: ",
		metav1.StatusReasonBadRequest: "HostedCluster clusters/kv-00: this cluster's HyperShift refuses it: ",
		metav1.StatusReasonForbidden:  "",
	} {
		w := world(t)
		w.Answer = func(out http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path != hostedtest.ClustersPath {
				return false
			}
			code := map[metav1.StatusReason]int{metav1.StatusReasonInvalid: 422, metav1.StatusReasonForbidden: 403,
				metav1.StatusReasonBadRequest: 400}[reason]
			kubetest.Refuse(out, code, reason)
			return true
		}
		_, err := Prepare(t.Context(), w.Client, nil, o)
		if words == "" && err != nil || words != "" && (err == nil || !strings.HasPrefix(err.Error(), words)) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func TestOptionsOfUsualFieldsWalk(t *testing.T) {
	fields := defaultFields()
	for _, want := range []string{"HostedCluster spec.olmCatalogPlacement", "HostedCluster metadata.name",
		"NodePool spec.platform.kubevirt.compute.cores", "HostedCluster spec.services[0].service",
		"HostedCluster spec.services"} {
		if _, ok := fields[want]; !ok {
			t.Errorf("%s is not usual", want)
		}
	}
	for field := range fields {
		if strings.Contains(field, "kubeAPIServerDNSName") {
			t.Error("a field that an option asks for is usual")
		}
	}
}

func TestOnePoolMore(t *testing.T) {
	w := created(t, flags(t, ""))
	o := flags(t, "")
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00", UID: "uid-of-kv-00"}}
	hc.Spec.InfraID = "kv-00-abcde"
	pool := o.NodePools[0]
	pool.Name = "more"
	config := "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig"
	pool.Config = append(pool.Config, options.File{Path: "a", Content: []byte(config)})
	n, err := PrepareNodePool(w.Client, hc, pool, "registry.example/r:4.20.3")
	if err != nil {
		t.Fatal(err)
	}
	if got := steptest.IDs(n.Steps("pool", "g")); got != "pool/configmap-more-config-1 pool/written" {
		t.Fatalf("%s", got)
	}
	if len(n.Objects()) != 2 || n.Objects()[1] != n.Pool || n.Objects()[0] != n.Configs[0] {
		t.Errorf("%v", n.Objects())
	}
	if needs := n.Steps("pool", "g")[1].Needs; len(needs) != 1 || needs[0] != "pool/configmap-more-config-1" {
		t.Errorf("needs %v", needs)
	}
	for _, s := range n.Steps("pool", "g") {
		expect(t, n.Steps("pool", "g"), s.ID, step.StateMissing, "does not exist", "clusters/more")
		does(t, n.Steps("pool", "g"), s.ID, step.Created)
		expect(t, n.Steps("pool", "g"), s.ID, step.StateOK, "exists")
	}
	change(w, "NodePool", "more", func(o hostedtest.Object) { specOf(o)["clusterName"] = "other" })
	expect(t, n.Steps("pool", "g"), "pool/written", step.StateBroken, "other")
}

func TestArchitectureOfPools(t *testing.T) {
	for arch, want := range map[hyperv1.PayloadArchType]string{hyperv1.AMD64: "amd64", hyperv1.ARM64: "amd64",
		hyperv1.Multi: "amd64", "": "amd64"} {
		hc := &hyperv1.HostedCluster{}
		hc.Status.PayloadArch = arch
		if got := payloadArch(hc); got != want {
			t.Errorf("%s: %s, want %s", arch, got, want)
		}
	}
	for name, ok := range map[string]bool{"workers": true, "Workers": false, "": false, "a.b": false,
		strings.Repeat("a", 63): true, strings.Repeat("a", 64): false} {
		if err := ValidatePoolName(name); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "at most 63") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPoolSkew(t *testing.T) {
	for name, tc := range map[string]struct{ pool, plane, want string }{
		"the same":   {"4.20.3", "4.20.3", ""},
		"older":      {"4.20.2", "4.20.3", ""},
		"newer":      {"4.20.4", "4.20.3", "its control plane runs 4.20.3, and a pool is never newer than that"},
		"three back": {"4.17.9", "4.20.3", ""},
		// The vendor's table: 5.0 is 4.23.
		"the other name":          {"5.0.4", "4.23.4", ""},
		"the other name, turned":  {"4.23.4", "5.0.4", ""},
		"newer by the other name": {"5.0.5", "4.23.4", "its control plane runs 4.23.4, and a pool is never newer than that"},
		"one back over 5.0":       {"4.22.9", "5.0.1", ""},
		"three back from 5.1":     {"4.21.9", "5.1.0", ""},
		"four back from 5.1": {"4.20.9", "5.1.0",
			"its control plane runs 5.1.0, and a pool may be 3 minor versions behind at most"},
		"four back": {"4.16.9", "4.20.3",
			"its control plane runs 4.20.3, and a pool may be 3 minor versions behind at most"},
		// The vendor's rows of dual versioning: HyperShift, support/supportedversion/version_test.go.
		"5.0 and one back":   {"4.22.0", "5.0.0", ""},
		"5.0 and three back": {"4.20.0", "5.0.0", ""},
		"5.0 and four back":  {"4.19.0", "5.0.0", "its control plane runs 5.0.0, and a pool may be 3 minor versions behind at most"},
		"5.0 and 4.23":       {"4.23.0", "5.0.0", ""},
		"4.23 and 5.0":       {"5.0.0", "4.23.0", ""},
		"4.23 and one back":  {"4.22.0", "4.23.0", ""},
		"5.0 and 5.1":        {"5.1.0", "5.0.0", "its control plane runs 5.0.0, and a pool is never newer than that"},
		"5.1 and three back": {"4.21.0", "5.1.0", ""},
		"5.1 and four back":  {"4.20.0", "5.1.0", "its control plane runs 5.1.0, and a pool may be 3 minor versions behind at most"},
		"5.0.3 and a patch":  {"4.22.7", "5.0.3", ""},
	} {
		pool, _ := hostedcluster.ParseVersion(tc.pool)
		plane, _ := hostedcluster.ParseVersion(tc.plane)
		if got := PoolSkew(pool, plane); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestWaysIn(t *testing.T) {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Name: "kv-00"}}
	if got := WaysIn(hc); got != (Ways{}) {
		t.Errorf("%+v", got)
	}
	hc.Status.ControlPlaneEndpoint = hyperv1.APIEndpoint{Host: "2001:db8::1", Port: 6443}
	hc.Spec.DNS.BaseDomain = "example.com"
	want := Ways{"https://[2001:db8::1]:6443", "https://console-openshift-console.apps.kv-00.example.com"}
	if got := WaysIn(hc); got != want {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]bool{"": true, "--service-publishing-strategy NodePort --api-server-address " +
		"192.0.2.7": false} {
		p := &Plan{Options: flags(t, text)}
		if p.ByLoadBalancer() != want {
			t.Errorf("%q: by load balancer %v", text, !want)
		}
	}
}
