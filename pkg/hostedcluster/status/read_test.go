package status

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const (
	podsPath        = "/api/v1/namespaces/clusters-kv-00/pods"
	vmsPath         = "/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines"
	deploymentsPath = "/apis/apps/v1/namespaces/clusters-kv-00/deployments"
	servicesPath    = "/api/v1/namespaces/clusters-kv-00-services"
	operatorPath    = "/apis/apps/v1/namespaces/hypershift/deployments/operator"
	setsPath        = "/apis/apps/v1/namespaces/clusters-kv-00/statefulsets"
	secretPath      = "/api/v1/namespaces/clusters/secrets/kv-00-admin-kubeconfig"
)

// workloadObject is a Deployment or StatefulSet with three pods that are ready.
func workloadObject(kind, name string) object {
	return object{"apiVersion": "apps/v1", "kind": kind, "metadata": object{"name": name},
		"spec": object{"replicas": 3}, "status": object{"readyReplicas": 3}}
}

// secret holds an admin kubeconfig.
func secret(kubeconfig string) object {
	return object{"apiVersion": "v1", "kind": "Secret",
		"metadata": object{"namespace": "clusters", "name": "kv-00-admin-kubeconfig"},
		"data":     object{"kubeconfig": base64.StdEncoding.EncodeToString([]byte(kubeconfig))}}
}

func running() object {
	return cluster("clusters", "kv-00", "1", object{
		"kubeconfig": object{"name": "kv-00-admin-kubeconfig"},
		"version": object{"desired": object{"version": "4.20.3", "image": "x"},
			"history": []any{object{"state": "Completed", "version": "4.20.3", "image": "x", "startedTime": long,
				"verified": false}}},
		"conditions": said("Available True AsExpected"),
	})
}

// management is a management cluster with a hosted cluster that runs and has that admin kubeconfig.
func management(t *testing.T, kubeconfig string) *fake {
	return &fake{t: t, answers: map[string]any{
		clustersPath: []any{}, allPath: []any{}, clustersPath + "/kv-00": running(), secretPath: secret(kubeconfig),
		poolsPath: []any{nodePool("kv-00", "kv-00", object{"replicas": 1},
			object{"replicas": 1, "conditions": said("Ready True")}), nodePool("other", "other", object{"replicas": 9}, nil)},
		podsPath: []any{
			object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "etcd-0",
				"ownerReferences": []any{object{"kind": "StatefulSet", "name": "etcd", "controller": true}}},
				"status": object{"phase": "Running", "conditions": said("Ready True")}},
			object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "etcd-1",
				"ownerReferences": []any{object{"kind": "StatefulSet", "name": "etcd", "controller": true}}},
				"status": object{"phase": "Running", "conditions": said("Ready True")}},
			object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "etcd-2",
				"ownerReferences": []any{object{"kind": "StatefulSet", "name": "etcd", "controller": true}}},
				"status": object{"phase": "Running", "conditions": said("Ready True")}},
		},
		deploymentsPath: []any{workloadObject("Deployment", "kube-apiserver")},
		operatorPath: object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "operator"},
			"status": object{"observedGeneration": 1, "readyReplicas": 1, "availableReplicas": 1}},
		setsPath: []any{workloadObject("StatefulSet", "etcd")},
		vmsPath: []any{object{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": object{"name": "kv-00-a"},
			"status": object{"ready": true, "printableStatus": "Running"}}},
	}}
}

// inside is the hosted cluster's API server, and the admin kubeconfig.
func inside(t *testing.T) (*fake, string) {
	f := &fake{t: t, answers: map[string]any{
		"/api/v1/nodes": []any{object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": "kv-00-a"},
			"status": object{"conditions": said("Ready True")}}},
		"/api/v1/pods": []any{},
		"/apis/certificates.k8s.io/v1/certificatesigningrequests": []any{},
		"/apis/config.openshift.io/v1/clusteroperators": []any{object{"apiVersion": "config.openshift.io/v1",
			"kind": "ClusterOperator", "metadata": object{"name": "dns"},
			"status": object{"conditions": said("Available True", "Degraded False")}}},
	}}
	_, kubeconfig := kubetest.Hosted(t, f)
	return f, kubeconfig
}

func TestOfAsksFewThings(t *testing.T) {
	guest, kubeconfig := inside(t)
	f := management(t, kubeconfig)
	r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(r); got != "ok, ready" || *r.ControlPlane.Ready != 6 || *r.Machines.Total != 1 ||
		*r.NodePools.Total != 1 {
		t.Errorf("%s, %+v", got, r)
	}
	var asked []string
	for _, u := range append(f.asked(), guest.asked()...) {
		path, query, _ := strings.Cut(u, "?")
		if strings.Contains(query, "continue=") {
			path += " once more"
		}
		asked = append(asked, path)
	}
	sort.Strings(asked)
	want := []string{
		podsPath, podsPath + " once more", secretPath, "/api/v1/nodes", "/apis/config.openshift.io/v1/clusteroperators",
		clustersPath + "/kv-00", poolsPath, vmsPath, deploymentsPath, setsPath, servicesPath,
		managedPath, operatorPath, "/api/v1/pods", "/apis/certificates.k8s.io/v1/certificatesigningrequests",
	}
	sort.Strings(want)
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

const managedPath = "/apis/cluster.open-cluster-management.io/v1/managedclusters/kv-00"

// How the hub sees a cluster is told, and a cluster that has long not joined is a warning. One of its name that is not
// its own is not told of.
func TestOfTellsOfTheManagedCluster(t *testing.T) {
	joined := object{"type": "ManagedClusterJoined", "status": "True"}
	for name, tc := range map[string]struct {
		mode       string
		accepted   bool
		conditions []any
		want       Part
	}{
		"available": {"Hosted", true, []any{joined, object{"type": "ManagedClusterConditionAvailable", "status": "True"}},
			Part{Kind: managedKind, Name: "kv-00", Health: OK, Message: "available, in set blue"}},
		"not accepted": {"Hosted", false, nil, Part{Kind: managedKind, Name: "kv-00", Health: Warning,
			Message: "the hub does not accept it: hubAcceptsClient is false"}},
		"unreachable": {"Hosted", true, []any{joined, object{"type": "ManagedClusterConditionAvailable", "status": "False",
			"reason": "ManagedClusterKubeAPIServerUnavailable"}}, Part{Kind: managedKind, Name: "kv-00", Health: Warning,
			Message: "its klusterlet does not reach its API server: ManagedClusterKubeAPIServerUnavailable"}},
		"another's": {"Default", true, nil, Part{}},
	} {
		f := management(t, "not a kubeconfig")
		f.answers[managedPath] = object{"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
			"metadata": object{"name": "kv-00", "labels": object{"cluster.open-cluster-management.io/clusterset": "blue"},
				"annotations": object{"import.open-cluster-management.io/klusterlet-deploy-mode": tc.mode}},
			"spec": object{"hubAcceptsClient": tc.accepted}, "status": object{"conditions": tc.conditions}}
		r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		got := r.ManagedCluster
		got.Hint = hint.Text{}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What a cluster has outside of it counts, if the namespace is its own.
func TestOfTellsOfServices(t *testing.T) {
	const within = "/apis/apps/v1/namespaces/clusters-kv-00-services/deployments"
	uid, _ := running()["metadata"].(object)["uid"].(string)
	for of, want := range map[string]Health{uid: Failing, "another": 0} {
		f := management(t, "not a kubeconfig")
		f.answers[servicesPath] = object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{
			"name": "clusters-kv-00-services", "labels": object{"app.kubernetes.io/managed-by": "hcctl"},
			"annotations":   object{"hcctl.dev/hosted-cluster": "clusters/kv-00", "hcctl.dev/hosted-cluster-uid": of},
			"managedFields": []any{object{"manager": "hcctl", "operation": "Update"}}}}
		f.answers[within] = []any{
			object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "dex", "generation": 1,
				"creationTimestamp": long}, "spec": object{"replicas": 1}, "status": json.RawMessage(healthtest.RolledOut(1, 1, 1))},
			object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "jump-host",
				"generation": 1, "creationTimestamp": long}, "spec": object{"replicas": 1}, "status": object{"observedGeneration": 1}},
		}
		r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		if r.Services.Health != want {
			t.Errorf("of %q: %+v", of, r.Services)
		}
		if want == Failing && (*r.Services.Ready != 1 || *r.Services.Total != 2 ||
			r.Services.Parts[0].Message != "0 of 1 pods are ready") {
			t.Errorf("%+v", r.Services)
		}
	}
}

// Who may not read the namespace of the services does not know whether there are any.
func TestOfSaysThatServicesCannotBeRead(t *testing.T) {
	f := management(t, "not a kubeconfig")
	f.answers[servicesPath] = http.StatusForbidden
	r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Services; p.Health != Unknown || !strings.HasPrefix(p.Message, "whether the cluster has services cannot be "+
		"read: not allowed") || !strings.Contains(p.Hint.String(),
		"hcctl rbac --for viewer --namespace clusters --cluster-name kv-00") {
		t.Errorf("got %+v", p)
	}
}

func TestOfSaysWhatCannotBeRead(t *testing.T) {
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()
	f := management(t, kubetest.AdminKubeconfig(gone.URL, nil))
	f.answers[podsPath], f.answers[vmsPath] = http.StatusForbidden, http.StatusForbidden
	r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	unreachable := fmt.Sprintf("the hosted API server could not be asked: the API server at %s does not answer: "+
		`connection refused; nor is it reached through the management cluster: not allowed: pods of kube-apiserver in `+
		`namespace clusters-kv-00: User "dev" may not`, gone.URL)
	want := `unknown, ready: not allowed: User "dev" may not
  unknown Pods: not allowed: User "dev" may not
  unknown VirtualMachines: not allowed: User "dev" may not
  unknown Nodes: ` + unreachable + `
  unknown ClusterOperators: ` + unreachable
	if diff := cmp.Diff(want, outline(r)); diff != "" {
		t.Error(diff)
	}
	f.answers[secretPath] = http.StatusForbidden
	if r, err = Of(t.Context(), f.client(), "clusters", "kv-00"); err != nil ||
		!strings.Contains(r.Nodes.Message, "read Secret clusters/kv-00-admin-kubeconfig") || r.Nodes.Health != Unknown {
		t.Errorf("a Secret that may not be read: %v, %+v", err, r.Nodes)
	}
}

// A kubeconfig with anything that the operator does not write is a trouble of the cluster that waiting does not cure,
// and nobody is asked with it.
func TestOfAKubeconfigThatIsRefused(t *testing.T) {
	guest, kubeconfig := inside(t)
	f := management(t, strings.Replace(kubeconfig, "    server:", "    insecure-skip-tls-verify: true\n    server:", 1))
	r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	why := "the hosted API server is not asked: Secret clusters/kv-00-admin-kubeconfig, key kubeconfig, " +
		"clusters[0].cluster.insecure-skip-tls-verify is refused: " +
		"it switches off the verification of the server"
	if diff := cmp.Diff("broken, ready: "+why+"\n  broken Nodes: "+why+"\n  broken ClusterOperators: "+why,
		outline(r)); diff != "" {
		t.Error(diff)
	}
	if r.Health != Broken || !strings.Contains(r.Nodes.Hint.String(),
		"oc get secret kv-00-admin-kubeconfig --namespace clusters "+
			"--show-managed-fields") || len(guest.asked()) > 0 {
		t.Errorf("%s, %q, asked %v", r.Health, r.Nodes.Hint.String(), guest.asked())
	}
}

func TestOfWhatIsNotThere(t *testing.T) {
	f := management(t, "")
	delete(f.answers, clustersPath+"/kv-00")
	_, err := Of(t.Context(), f.client(), "clusters", "kv-00")
	var missing *hostedcluster.NotFoundError
	want := `no hosted cluster "kv-00" in namespace "clusters"; there is none at all; ` +
		`still there: 1 NodePool in namespace clusters, 1 VM and 3 pods in namespace clusters-kv-00`
	if !errors.As(err, &missing) || err.Error() != want {
		t.Errorf("something is left of it: %v", err)
	}
	f.answers[podsPath], f.answers[vmsPath], f.answers[poolsPath] = []any{}, []any{}, []any{}
	if _, err := Of(t.Context(), f.client(), "clusters", "kv-00"); err == nil ||
		strings.Contains(err.Error(), "still there") {
		t.Errorf("nothing is left of it: %v", err)
	}
}

// A list asks two questions, and then of each cluster of a short one, but nothing that the list has answered. Here that
// is all that may be read.
func TestFleetAsksTwice(t *testing.T) {
	one, two, three := running(), cluster("dev", "b", "1", nil), running()
	one["spec"].(object)["pausedUntil"] = "true"
	three["metadata"].(object)["name"] = "c"
	f := &fake{t: t, answers: map[string]any{allPath: []any{one, two, three},
		allPoolsPath: []any{nodePool("kv-00", "kv-00", object{"replicas": 1},
			object{"replicas": 1, "conditions": said("Ready True")})}}}
	selector, _ := labels.Parse("env=lab")
	reports, err := Fleet(t.Context(), f.client(), "", selector)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range reports {
		got = append(got, fmt.Sprintf("%s/%s %s %s", r.Namespace, r.Name, r.Health, r.Phase))
	}
	// The third is on a page of its own: what stands in the first must not show through.
	want := []string{"dev/b failing creating", "clusters/c unknown no workers", "clusters/kv-00 unknown paused"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	asked := slices.DeleteFunc(f.asked(), func(u string) bool {
		return !strings.Contains(u, "hypershift.openshift.io") ||
			strings.Contains(u, "controlplanecomponents")
	})
	if len(asked) != 3 || strings.Contains(strings.Join(asked, " "), allPoolsPath+"?labelSelector") {
		t.Errorf("asked %q", asked)
	}
	var uninstalled *hostedcluster.NotInstalledError
	if _, err := Fleet(t.Context(), (&fake{t: t}).client(), "", nil); !errors.As(err, &uninstalled) {
		t.Errorf("without HyperShift: %v", err)
	}
}

// The components of a control plane are read while it is not available, and only then.
func TestComponentsAreReadOfAControlPlaneThatIsNotAvailable(t *testing.T) {
	const path = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters-kv-00/controlplanecomponents"
	for available, want := range map[string]bool{"True": false, "False": true} {
		_, kubeconfig := inside(t)
		f := management(t, kubeconfig)
		hc := running()
		hc["status"].(object)["conditions"] = said("Available " + available + " R")
		f.answers[clustersPath+"/kv-00"] = hc
		f.answers[path] = []any{object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "ControlPlaneComponent",
			"metadata": object{"namespace": "clusters-kv-00", "name": "packageserver"},
			"status":   object{"conditions": said("RolloutComplete False ReconciliationError no image")}}}
		report, err := Of(t.Context(), f.client(), "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(report.ControlPlane.Parts, func(p Part) bool {
			return p.Name == "packageserver" && p.Message == "no image"
		})
		asked := slices.ContainsFunc(f.asked(), func(url string) bool { return strings.HasPrefix(url, path) })
		if told != want || asked != want {
			t.Errorf("Available %s: told %t, asked %t, want %t", available, told, asked, want)
		}
	}
}

// A certificate that ends soon or has ended is told with what to do, whoever made it.
func TestOfTellsOfCertificatesThatEnd(t *testing.T) {
	const within = "/apis/apps/v1/namespaces/clusters-kv-00-services/deployments"
	uid, _ := running()["metadata"].(object)["uid"].(string)
	for name, tc := range map[string]struct {
		left time.Duration
		from string
		want Part
	}{
		"long": {31 * 24 * time.Hour, "", Part{Health: OK}},
		"soon": {29 * 24 * time.Hour, "", Part{Health: Warning, Message: "its certificate ends at ",
			Hint: hint.New("hcctl apply -f FILE")}},
		"over": {-time.Hour, "", Part{Health: Failing, Message: "its certificate has ended at ",
			Hint: hint.New("renews it")}},
		"a gift": {time.Hour, "mine", Part{Health: Warning, Message: "its certificate ends at ",
			Hint: hint.New("put a new one into Secret clusters/mine")}},
	} {
		f := management(t, "not a kubeconfig")
		f.answers[servicesPath] = object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{
			"name": "clusters-kv-00-services", "labels": object{"app.kubernetes.io/managed-by": "hcctl"},
			"annotations":   object{"hcctl.dev/hosted-cluster": "clusters/kv-00", "hcctl.dev/hosted-cluster-uid": uid},
			"managedFields": []any{object{"manager": "hcctl", "operation": "Update"}}}}
		annotations := object{"hcctl.dev/certificate-until": time.Now().Add(tc.left).UTC().Format(time.RFC3339)}
		if tc.from != "" {
			annotations["hcctl.dev/certificate-from"] = tc.from
		}
		f.answers[within] = []any{object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "dex",
			"generation": 1, "creationTimestamp": long, "annotations": annotations}, "spec": object{"replicas": 1},
			"status": json.RawMessage(healthtest.RolledOut(1, 1, 1))}}
		r, err := Of(t.Context(), f.client(), "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		got := r.Services
		if got.Health != tc.want.Health || *got.Ready != 1 || len(got.Parts) > 0 != (tc.want.Message != "") {
			t.Errorf("%s: %+v", name, got)
		}
		for _, p := range got.Parts {
			if !strings.HasPrefix(p.Message, tc.want.Message) || !strings.Contains(p.Hint.String(), tc.want.Hint.String()) {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}
