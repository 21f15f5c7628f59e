package cli

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kept are the fields that stay as they are in planted objects: without them an object would not be read, or not be
// that object.
var kept = map[string]bool{
	"apiVersion": true, "kind": true, "namespace": true, "name": true, "uid": true, "resourceVersion": true,
	"creationTimestamp": true, "lastTransitionTime": true,
	"type": true, "state": true, "clusterName": true, "lastTimestamp": true, "startedTime": true, "verified": true,
	"replicas": true, "nodeName": true,
}

// planted is v with the words around every string that may have any.
func planted(v any, words string) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, inner := range v {
			text, is := inner.(string)
			switch {
			case kept[key] || is && (text == "True" || text == "False"):
				out[key] = inner
			default:
				out[key] = planted(inner, words)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range v {
			out = append(out, planted(inner, words))
		}
		return out
	case string:
		return words + v + words
	}
	return v
}

// plantedCluster is a HostedCluster that is up, with all that people are told of one.
func plantedCluster() object {
	const image = "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"
	condition := func(kind, status string) object {
		return object{"type": kind, "status": status, "reason": "Because", "message": "a message of " + kind,
			"lastTransitionTime": "2026-01-01T00:00:00Z"}
	}
	release := func(version string) object {
		return object{"version": version, "image": strings.Replace(image, "4.20.3", version, 1),
			"channels": []any{"stable-4.20"}, "url": "https://example.com/errata"}
	}
	return object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": object{"namespace": "clusters", "name": "kv-00", "uid": "u", "resourceVersion": "1",
			"creationTimestamp": "2026-01-01T00:00:00Z", "labels": object{"env": "lab"},
			"annotations": object{"note": "mine"}, "finalizers": []any{"example.com/hold"}},
		"spec": object{"infraID": "kv-00", "channel": "stable-4.20", "clusterID": "id",
			"dns": object{"baseDomain": "apps.example.com"}, "platform": object{"type": "KubeVirt"},
			"release":  object{"image": strings.Replace(image, "4.20.3", "4.20.4", 1)},
			"services": []any{object{"service": "APIServer", "servicePublishingStrategy": object{"type": "LoadBalancer"}}}},
		"status": object{
			"controlPlaneEndpoint": object{"host": "api.example.com", "port": 6443},
			"kubeconfig":           object{"name": "kv-00-admin-kubeconfig"},
			"kubeadminPassword":    object{"name": "kv-00-kubeadmin-password"},
			"version": object{
				"desired": release("4.20.4"), "availableUpdates": []any{release("4.20.5")},
				"conditionalUpdates": []any{object{"release": release("4.20.6"), "risks": []any{object{"name": "Slow",
					"message": "may be slow", "url": "https://example.com"}}}},
				"history": []any{object{"state": "Completed", "version": "4.20.3", "image": image,
					"startedTime": "2026-01-01T00:00:00Z", "verified": true}},
			},
			"conditions": []any{condition("Available", "False"), condition("Degraded", "True"),
				condition("ClusterVersionUpgradeable", "False"), condition("ValidReleaseImage", "False"),
				condition("Progressing", "True"), condition("ClusterVersionSucceeding", "False")},
		},
	}
}

// plantedWorld is what a management cluster and a hosted one answer, with the words in every string that may have any.
func plantedWorld(t *testing.T, words string) *httptest.Server {
	t.Helper()
	one := func(name string, spec, status object) object {
		return object{"metadata": object{"name": name, "namespace": "clusters-kv-00",
			"creationTimestamp": "2026-01-01T00:00:00Z", "labels": object{"a": "b"}}, "spec": spec, "status": status}
	}
	conditions := []any{object{"type": "Ready", "status": "False", "reason": "Because", "message": "it is not"},
		object{"type": "Degraded", "status": "True", "reason": "Because", "message": "it is"},
		object{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}}
	items := func(objects ...any) object {
		list := object{"metadata": object{"resourceVersion": "1"}, "items": append([]any{}, objects...)}
		if len(objects) > 0 && objects[0].(object)["kind"] != nil {
			list["apiVersion"], list["kind"] = objects[0].(object)["apiVersion"], objects[0].(object)["kind"].(string)+"List"
		}
		return list
	}
	hosted := hostileAPI(t, words, map[string]any{
		"/version":                     object{"gitVersion": "v1.33.5"},
		"/apis/config.openshift.io/v1": object{"resources": []any{object{"name": "consoles", "kind": "Console"}}},
		"/apis/config.openshift.io/v1/consoles/cluster": object{"apiVersion": "config.openshift.io/v1", "kind": "Console",
			"status": object{"consoleURL": "https://console.kv-00.example"}},
		"/api/v1/nodes": items(one("node-1"+words, object{}, object{"conditions": conditions})),
		"/apis/config.openshift.io/v1/clusteroperators": items(one("ingress"+words, object{},
			object{"conditions": conditions})),
	})
	cluster := plantedCluster()
	pool := object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": object{"namespace": "clusters", "name": "kv-00", "creationTimestamp": "2026-01-01T00:00:00Z"},
		"spec":     object{"clusterName": "kv-00", "replicas": 2, "release": object{"image": "quay.io/x/y:4.20.2-multi"}},
		"status":   object{"replicas": 1, "version": "4.20.2", "conditions": conditions}}
	set := object{"apiVersion": "hive.openshift.io/v1", "kind": "ClusterImageSet",
		"metadata": object{"name": "img4.20.8-multi" + words, "labels": object{"channel": "fast", "visible": "true"}},
		"spec":     object{"releaseImage": "quay.io/openshift-release-dev/ocp-release:4.20.8-multi"}}
	host := one("host-1"+words, object{}, object{"conditions": conditions})
	machine := one("kv-00-a"+words, object{}, object{"printableStatus": "ErrorUnschedulable", "conditions": conditions})
	machine["apiVersion"], machine["kind"] = "kubevirt.io/v1", "VirtualMachine"
	const supportedAt = "/api/v1/namespaces/hypershift/configmaps/supported-versions"
	const hypershift = "/apis/hypershift.openshift.io/v1beta1/"
	mgmt := hostileAPI(t, words, map[string]any{
		"/version":   object{"gitVersion": "v1.33.5"},
		clustersPath: items(cluster), everyPath: items(cluster), clustersPath + "/kv-00": cluster,
		poolsPath: items(pool), hypershift + "nodepools": items(pool), poolsPath + "/kv-00": pool,
		"/api/v1/namespaces/clusters-kv-00/pods": items(one("etcd-0"+words, object{"nodeSelector": object{"a": "b"}},
			object{"phase": "Pending", "conditions": conditions,
				"containerStatuses": []any{object{"name": "etcd", "image": "i", "imageID": "i",
					"state": object{"waiting": object{"reason": "ImagePullBackOff", "message": "no such image"}}}}})),
		"/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines": items(machine),
		"/apis/hive.openshift.io/v1/clusterimagesets":                    items(set),
		"/api/v1/namespaces/clusters/secrets":                            items(),
		"/api/v1/namespaces/clusters/configmaps":                         items(),
		"/api/v1/nodes":                                                  items(host),
		supportedAt:                                                      object{"data": object{"supported-versions": `{"versions":["4.20","4.21"]}`}},
	})
	plantDayTwo(mgmt.Config.Handler.(*hostileServer))
	admin := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: a,
contexts: [{name: a, context: {cluster: a, user: a}}],
clusters: [{name: a, cluster: {server: %q, certificate-authority-data: %s}}], users: [{name: a, user: {token: t}}]}`,
		hosted.URL,
		base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: hosted.Certificate().Raw})))
	answers, secrets := mgmt.Config.Handler.(*hostileServer).answers, "/api/v1/namespaces/clusters/secrets/"
	answers[secrets+"kv-00-admin-kubeconfig"] = secretOf("kubeconfig", admin)
	answers[secrets+"kv-00-kubeadmin-password"] = secretOf("password", "aaaaa"+words)
	const pullSecret = `{"auths":{"quay.io":{"auth":"dTpw"}}}`
	answers["/api/v1/namespaces/openshift-config/secrets/pull-secret"] = secretOf(".dockerconfigjson", pullSecret)
	return mgmt
}

// plantDayTwo adds what the plans for the management cluster read: all of it is in their way, with the words.
func plantDayTwo(h *hostileServer) {
	conditions := []any{object{"type": "Degraded", "status": "True", "reason": "Because", "message": "it is"},
		object{"type": "Upgradeable", "status": "False", "reason": "Because", "message": "it is not"},
		object{"type": "LiveMigratable", "status": "False", "reason": "Because", "message": "it cannot"},
		object{"type": "Failing", "status": "True", "reason": "Because", "message": "it fails"}}
	add := func(path, apiVersion, kind string, o object) {
		o["apiVersion"], o["kind"] = apiVersion, kind
		if o["metadata"] == nil {
			o["metadata"] = object{"namespace": "clusters-kv-00", "name": "x" + h.words}
		}
		h.answers[path] = planted(object{"apiVersion": apiVersion, "kind": kind + "List", "items": []any{o}}, h.words)
	}
	h.answers["/apis/config.openshift.io/v1/clusterversions/version"] = planted(object{"apiVersion": "config.openshift.io/v1",
		"kind": "ClusterVersion", "metadata": object{"name": "version"}, "spec": object{"channel": "stable-4.20"},
		"status": object{"desired": object{"version": "4.20.3"}, "conditions": conditions,
			"conditionalUpdates": []any{object{"release": object{"version": "4.21.1", "image": "i"}, "risks": []any{
				object{"name": "Slow", "message": "may be slow", "url": "https://example.com"}}}},
			"history": []any{object{"state": "Completed", "version": "4.20.3", "image": "i"}}}}, h.words)
	add("/apis/config.openshift.io/v1/clusteroperators", "config.openshift.io/v1", "ClusterOperator",
		object{"status": object{"conditions": conditions}})
	add("/apis/machineconfiguration.openshift.io/v1/machineconfigpools", "machineconfiguration.openshift.io/v1",
		"MachineConfigPool", object{"status": object{"conditions": conditions}})
	add("/apis/policy/v1/poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", object{"spec": object{
		"selector": object{}}, "status": object{"disruptionsAllowed": 0, "expectedPods": 1}})
	add("/apis/apiserver.openshift.io/v1/apirequestcounts", "apiserver.openshift.io/v1", "APIRequestCount",
		object{"status": object{"removedInRelease": "1.34", "requestCount": 3, "last24h": []any{object{"byNode": []any{
			object{"byUser": []any{object{"username": "ann", "userAgent": "oc", "requestCount": 3}}}}}}}})
	add("/apis/operators.coreos.com/v1alpha1/clusterserviceversions", "operators.coreos.com/v1alpha1",
		"ClusterServiceVersion", object{"metadata": object{"namespace": "a" + h.words, "name": "odf-operator.v1" + h.words,
			"annotations": object{"operatorframework.io/properties": "{}"}}, "spec": object{"version": "4.20.1"},
			"status": object{"phase": "Failed", "message": "no"}})
	add("/api/v1/pods", "v1", "Pod", object{"spec": object{"nodeName": "host-9", "containers": []any{}},
		"status": object{"phase": "Running"}})
	h.answers["/api/v1/pods"].(object)["items"] = append(h.answers["/api/v1/pods"].(object)["items"].([]any), object{
		"metadata": object{"namespace": "b" + h.words, "name": "launcher" + h.words, "labels": object{
			"kubevirt.io": "virt-launcher"}, "annotations": object{"kubevirt.io/domain": "x" + h.words}},
		"spec": object{"nodeName": "host-9", "containers": []any{}}, "status": object{"phase": "Running"}})
	for _, namespace := range []string{"clusters", "clusters-kv-00"} {
		h.answers["/api/v1/namespaces/"+namespace+"/resourcequotas"] = object{"apiVersion": "v1",
			"kind": "ResourceQuotaList", "items": []any{}}
	}
	add("/apis/kubevirt.io/v1/virtualmachineinstances", "kubevirt.io/v1", "VirtualMachineInstance", object{
		"metadata": object{"namespace": "b" + h.words, "name": "x" + h.words}, "spec": object{},
		"status": object{"nodeName": "host-9", "conditions": conditions}})
	add("/apis/hco.kubevirt.io/v1beta1/hyperconvergeds", "hco.kubevirt.io/v1beta1", "HyperConverged",
		object{"spec": object{"evictionStrategy": "LiveMigrate"}})
	add("/apis/ceph.rook.io/v1/cephclusters", "ceph.rook.io/v1", "CephCluster", object{})
	nodes := h.answers["/api/v1/nodes"].(object)
	nodes["items"] = append(nodes["items"].([]any), object{"metadata": object{"name": "host-9", "labels": object{
		"kubevirt.io/schedulable": "true"}}})
	nodes["apiVersion"], nodes["kind"] = "v1", "NodeList"
}

// hostileServer answers with planted objects, warns with the words, and refuses all else with them.
type hostileServer struct {
	words   string
	answers map[string]any
	// lenient servers do not know what they have no answer for; others refuse it.
	lenient bool
}

func hostileAPI(t *testing.T, words string, answers map[string]any) *httptest.Server {
	t.Helper()
	h := &hostileServer{words: words, answers: map[string]any{}, lenient: true}
	for path, answer := range answers {
		if !strings.HasSuffix(path, "/supported-versions") && !strings.HasSuffix(path, "/v1") {
			answer = planted(answer, words)
		}
		h.answers[path] = answer
	}
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	return s
}

func (h *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Warning", fmt.Sprintf("299 - %q", h.words))
	w.Header().Set("Content-Type", "application/json")
	answer, ok := h.answers[r.URL.Path]
	if !ok && r.Method == http.MethodGet && h.lenient {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "not found: "+h.words)
		return
	}
	if !ok || r.Method != http.MethodGet || r.URL.Query().Get("watch") != "" {
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, "denied: "+h.words)
		return
	}
	if kind := listKinds[path.Base(r.URL.Path)]; kind != "" && answer.(object)["kind"] == nil {
		version := strings.TrimPrefix(strings.TrimPrefix(path.Dir(r.URL.Path), "/apis/"), "/api/")
		named := maps.Clone(answer.(object))
		named["kind"] = kind
		named["apiVersion"], _, _ = strings.Cut(version, "/namespaces/")
		answer = named
	}
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
		answer = object{"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
			"items": answer.(object)["items"]}
	}
	_ = json.NewEncoder(w).Encode(answer)
}
