package fakeapi

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// World is a management cluster that keeps what is written to it.
type World struct {
	*kube.Client
	// Answer may answer a request in place of the server and return true. It may be nil.
	Answer func(w http.ResponseWriter, r *http.Request) bool
	// MayNot are what the user is told not to have the permission for, as "verb resource".
	MayNot []string

	kinds []worldKind

	mu       sync.Mutex
	refusals []refusal
	writes   []string
}

type worldKind struct {
	groupVersion, kind, plural string
	namespaced                 bool
	server                     *kubetest.Server
}

type refusal struct {
	request string
	code    int
	reason  metav1.StatusReason
}

// NewWorld returns a management cluster with the kinds that hosted clusters consist of, and no object.
func NewWorld(t testing.TB) *World {
	t.Helper()
	const hypershift, cluster = "hypershift.openshift.io/v1beta1", "cluster.x-k8s.io/v1beta1"
	w := &World{kinds: []worldKind{
		{groupVersion: "v1", kind: "Namespace", plural: "namespaces"},
		{groupVersion: "v1", kind: "PersistentVolume", plural: "persistentvolumes"},
		{groupVersion: "v1", kind: "Node", plural: "nodes"},
		{groupVersion: "storage.k8s.io/v1", kind: "StorageClass", plural: "storageclasses"},
		{groupVersion: "cluster.open-cluster-management.io/v1", kind: "ManagedCluster", plural: "managedclusters"},
		{groupVersion: "cluster.open-cluster-management.io/v1beta2", kind: "ManagedClusterSet", plural: "managedclustersets"},
		{groupVersion: "hive.openshift.io/v1", kind: "ClusterImageSet", plural: "clusterimagesets"},
		{groupVersion: "config.openshift.io/v1", kind: "ClusterVersion", plural: "clusterversions"},
		{groupVersion: hypershift, kind: "HostedCluster", plural: "hostedclusters", namespaced: true},
		{groupVersion: hypershift, kind: "HostedControlPlane", plural: "hostedcontrolplanes", namespaced: true},
		{groupVersion: hypershift, kind: "ControlPlaneComponent", plural: "controlplanecomponents", namespaced: true},
		{groupVersion: hypershift, kind: "NodePool", plural: "nodepools", namespaced: true},
		{groupVersion: cluster, kind: "Cluster", plural: "clusters", namespaced: true},
		{groupVersion: cluster, kind: "Machine", plural: "machines", namespaced: true},
		{groupVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true},
		{groupVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true},
		{groupVersion: "v1", kind: "Service", plural: "services", namespaced: true},
		{groupVersion: "v1", kind: "Pod", plural: "pods", namespaced: true},
		{groupVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", namespaced: true},
		{groupVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true},
		{groupVersion: "route.openshift.io/v1", kind: "Route", plural: "routes", namespaced: true},
		{groupVersion: "kubevirt.io/v1", kind: "VirtualMachine", plural: "virtualmachines", namespaced: true},
		{groupVersion: "kubevirt.io/v1", kind: "VirtualMachineInstance", plural: "virtualmachineinstances", namespaced: true},
		{groupVersion: "metallb.io/v1beta1", kind: "IPAddressPool", plural: "ipaddresspools", namespaced: true},
		{groupVersion: "metallb.io/v1beta1", kind: "MetalLB", plural: "metallbs", namespaced: true},
		{groupVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
			plural: "network-attachment-definitions", namespaced: true},
	}}
	for i := range w.kinds {
		k := &w.kinds[i]
		k.server = kubetest.New(k.groupVersion, k.kind, k.plural)
	}
	config := kubetest.Connect(w)
	config.ContentConfig = rest.ContentConfig{ContentType: "application/json"} // the server does not speak Protobuf
	var err error
	if w.Client, err = kube.New(config); err != nil {
		t.Fatal(err)
	}
	return w
}

// Of returns the objects of a kind.
func (w *World) Of(kind string) *kubetest.Server {
	for _, k := range w.kinds {
		if k.kind == kind {
			return k.server
		}
	}
	panic("no kind " + kind)
}

// Set stores objects of a kind.
func (w *World) Set(kind string, objects ...Object) {
	for _, k := range w.kinds {
		for _, o := range objects {
			if k.kind == kind {
				o["apiVersion"], o["kind"] = k.groupVersion, k.kind
				k.server.Set(o)
			}
		}
	}
}

// Remove takes away the CRD of a kind.
func (w *World) Remove(kind string) {
	w.kinds = slices.DeleteFunc(w.kinds, func(k worldKind) bool { return k.kind == kind })
}

// Refuse answers requests with this error. A request is such as "get /api/v1/pods", and "get /api/v1/*" are all whose
// path begins so.
func (w *World) Refuse(request string, code int, reason metav1.StatusReason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusals = append(w.refusals, refusal{request, code, reason})
}

// Forbid refuses requests for lack of permission.
func (w *World) Forbid(request string) {
	w.Refuse(request, http.StatusForbidden, metav1.StatusReasonForbidden)
}

// Allow ends all refusals.
func (w *World) Allow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusals = nil
}

// Writes returns the writes so far that were not refused, as "delete /api/v1/namespaces/clusters", and forgets them.
func (w *World) Writes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes := w.writes
	w.writes = nil
	return strings.Join(writes, "\n")
}

// ServeHTTP implements http.Handler.
func (w *World) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if w.Answer != nil && w.Answer(out, r) {
		return
	}
	request := strings.ToLower(r.Method) + " " + r.URL.Path
	w.mu.Lock()
	refused := slices.IndexFunc(w.refusals, func(f refusal) bool {
		begin, all := strings.CutSuffix(f.request, "*")
		return f.request == request || all && strings.HasPrefix(request, begin)
	})
	if refused >= 0 {
		f := w.refusals[refused]
		w.mu.Unlock()
		kubetest.Refuse(out, f.code, f.reason)
		return
	}
	review := strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews")
	if r.Method != http.MethodGet && !review && r.URL.Query().Get("dryRun") == "" {
		w.writes = append(w.writes, request)
	}
	w.mu.Unlock()
	for _, k := range w.kinds {
		if k.server.Serves(r) {
			k.server.ServeHTTP(out, r)
			return
		}
	}
	switch {
	case review:
		w.review(out, r)
	case r.Method == http.MethodGet && w.discover(out, r.URL.Path):
	default:
		http.Error(out, "404 page not found", http.StatusNotFound)
	}
}
