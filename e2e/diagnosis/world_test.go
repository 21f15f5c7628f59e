package diagnosis

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/internal/faultproxy"
	"github.com/hcctl/hcctl/internal/sandbox"
)

const (
	// namespace, name and inside are the hosted cluster's, and its control plane's namespace.
	namespace, name = "clusters", "kv-0001"
	inside          = namespace + "-" + name
	release         = "4.20.3"
	// later is how old all objects are for hcctl: proxies tell it that time.
	later = 2 * time.Hour
)

// world is a management cluster and a hosted cluster's API server, on both of which nothing changes an object but the
// test, and hcctl between them.
type world struct {
	management, hosted *cluster
	// hosting and guest are what hcctl asks in their place.
	hosting, guest *faultproxy.Proxy
	hcctl          *program.Program
	// kubeconfig is that of the hosted cluster, through the proxy.
	kubeconfig []byte
}

// newWorld starts it with one healthy hosted cluster.
func newWorld(t *testing.T) *world {
	t.Helper()

	management := sandbox.Start(t, "--still", "--profile", "ready", "--clusters", "1", "--pools", "1")
	hosted := sandbox.Start(t, "--still", "--profile", "ocp-4.20")
	w := &world{management: connect(t, management.Kubeconfig), hosted: connect(t, hosted.Kubeconfig)}
	w.hosting, w.guest = proxy(t, management.Kubeconfig), proxy(t, hosted.Kubeconfig)
	w.hcctl = program.New(t, w.hosting.Kubeconfig)
	var err error
	if w.kubeconfig, err = w.guest.KubeconfigFor(faultproxy.WithToken(w.guest.Token)); err != nil {
		t.Fatal(err)
	}
	w.fill(t)
	return w
}

func proxy(t *testing.T, kubeconfig string) *faultproxy.Proxy {
	t.Helper()
	p, err := faultproxy.Start(t.Context(), kubeconfig, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pass(p)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// pass makes a proxy change nothing but the time.
func pass(p *faultproxy.Proxy) {
	p.Use(func(int, *http.Request) faultproxy.Fault { return faultproxy.Later(later) })
}

// fill writes the healthy hosted cluster.
func (w *world) fill(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// No operator runs that would answer them.
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		if err := w.management.clear(ctx, kind, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range slices.Concat(controlPlane(), workers(), published()) {
		if err := w.management.write(ctx, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	secret := object{"kind": "Secret", "namespace": namespace, "name": name + "-admin-kubeconfig",
		"data": object{"kubeconfig": base64.StdEncoding.EncodeToString(w.kubeconfig)}}
	if err := w.management.write(ctx, secret, nil); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Node", "ClusterOperator"} {
		if err := w.hosted.clear(ctx, kind, guestOperators); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range inGuest() {
		if err := w.hosted.write(ctx, o, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// guestOperators are the ClusterOperators of the hosted cluster, of those that any cluster has.
var guestOperators = []string{"authentication", "console", "csi-snapshot-controller", "dns", "image-registry", "ingress",
	"insights", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-storage-version-migrator",
	"monitoring", "network", "node-tuning", "openshift-apiserver", "openshift-controller-manager", "openshift-samples",
	"operator-lifecycle-manager", "operator-lifecycle-manager-catalog", "operator-lifecycle-manager-packageserver",
	"service-ca", "storage"}

// replicas of a control plane that is highly available, as far as the world has its workloads.
var deployments = map[string]int{"kube-apiserver": 3, "openshift-apiserver": 3, "openshift-oauth-apiserver": 3,
	"oauth-openshift": 3, "kube-controller-manager": 2, "kube-scheduler": 2, "control-plane-operator": 1,
	"cluster-api": 1, "capi-provider": 1, "ignition-server": 2, "konnectivity-agent": 2, "cluster-version-operator": 1,
	"hosted-cluster-config-operator": 1, "machine-approver": 1, "kubevirt-csi-controller": 1,
	"kubevirt-cloud-controller-manager": 1}

const hash = "6c7d8f9b5d"

func controlPlane() []object {
	out := []object{{"kind": "Namespace", "name": inside}}
	names := make([]string, 0, len(deployments))
	for n := range deployments {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		replicas := deployments[n]
		out = append(out, object{"kind": "Deployment", "name": n, "spec": template(n, replicas), "status": object{
			"observedGeneration": 1, "replicas": replicas, "readyReplicas": replicas, "updatedReplicas": replicas,
			"availableReplicas": replicas, "conditions": []any{condition("Available", "True", "MinimumReplicasAvailable", ""),
				condition("Progressing", "True", "NewReplicaSetAvailable", "")}}})
		for i := range replicas {
			out = append(out, pod(fmt.Sprintf("%s-%s-%c", n, hash, 'a'+i), "ReplicaSet", n+"-"+hash, n, i))
		}
	}
	etcd := template("etcd", 3)
	etcd["serviceName"] = "etcd-discovery"
	out = append(out, object{"kind": "StatefulSet", "name": "etcd", "spec": etcd, "status": object{"observedGeneration": 1,
		"replicas": 3, "readyReplicas": 3, "updatedReplicas": 3, "currentReplicas": 3, "availableReplicas": 3,
		"currentRevision": "etcd-1", "updateRevision": "etcd-1"}})
	for i := range 3 {
		p := pod(fmt.Sprintf("etcd-%d", i), "StatefulSet", "etcd", "etcd", i)
		claim := fmt.Sprintf("data-etcd-%d", i)
		p["spec"].(object)["volumes"] = []any{object{"name": "data", "persistentVolumeClaim": object{"claimName": claim}}}
		out = append(out, p, volumeClaim(claim))
	}
	return out
}

func template(of string, replicas int) object {
	labels := object{"app": of}
	return object{"replicas": replicas, "selector": object{"matchLabels": labels}, "template": object{
		"metadata": object{"labels": labels}, "spec": object{"containers": []any{
			object{"name": of, "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev:" + of}}}}}
}

// pod is one that runs on a worker of the management cluster.
func pod(n, ownerKind, owner, app string, i int) object {
	return object{"kind": "Pod", "name": n, "metadata": object{"labels": object{"app": app}, "ownerReferences": []any{
		object{"apiVersion": "apps/v1", "kind": ownerKind, "name": owner, "uid": "u-" + owner, "controller": true}}},
		"spec": object{"nodeName": fmt.Sprintf("worker-%d", i), "containers": []any{object{"name": app,
			"image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev:" + app}}},
		"status": running(app)}
}

func running(container string) object {
	return object{"phase": "Running", "conditions": []any{condition("PodScheduled", "True", "", ""),
		condition("Initialized", "True", "", ""), condition("ContainersReady", "True", "", ""),
		condition("Ready", "True", "", "")}, "containerStatuses": []any{object{"name": container, "ready": true,
		"started": true, "restartCount": 0, "image": "x", "imageID": "x",
		"state": object{"running": object{"startedAt": "ago 2h"}}}}}
}

func volumeClaim(n string) object {
	return object{"kind": "PersistentVolumeClaim", "name": n, "spec": object{"accessModes": []any{"ReadWriteOnce"},
		"storageClassName": "ocs-storagecluster-ceph-rbd-virtualization", "volumeName": "pvc-" + n,
		"resources": object{"requests": object{"storage": "8Gi"}}}, "status": object{"phase": "Bound",
		"accessModes": []any{"ReadWriteOnce"}, "capacity": object{"storage": "8Gi"}}}
}

func condition(kind, status, reason, message string) object {
	return object{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": "ago 90m"}
}

// machineNames are those of the two workers.
var machineNames = []string{name + "-x7k2p-4zq9t", name + "-x7k2p-8wm6c"}

// workers are the machines of the pool, from Cluster API's down to their disks.
func workers() []object {
	var out []object
	for i, n := range machineNames {
		root := n + "-rhcos"
		volumes := []any{object{"name": "rhcos", "dataVolume": object{"name": root}}}
		domain := object{"devices": object{}}
		ready := []any{condition("Ready", "True", "", "")}
		launcher := pod("virt-launcher-"+n+"-k4b7s", "VirtualMachineInstance", n, "compute", i)
		launcher["metadata"] = object{"labels": object{"kubevirt.io": "virt-launcher", "vm.kubevirt.io/name": n}}
		out = append(out,
			object{"kind": "Machine", "name": n, "metadata": object{"annotations": object{
				"hypershift.openshift.io/nodePool": namespace + "/" + name}}, "spec": object{"clusterName": name,
				"bootstrap": object{"dataSecretName": "user-data-" + name}, "infrastructureRef": object{
					"apiVersion": "infrastructure.cluster.x-k8s.io/v1alpha1", "kind": "KubevirtMachine", "name": n,
					"namespace": inside}}, "status": object{"phase": "Running", "conditions": ready}},
			object{"kind": "VirtualMachine", "name": n, "spec": object{"runStrategy": "Always", "template": object{
				"spec": object{"domain": domain, "volumes": volumes}}}, "status": object{"ready": true, "created": true,
				"printableStatus": "Running", "conditions": ready}},
			object{"kind": "VirtualMachineInstance", "name": n, "spec": object{"domain": domain, "volumes": volumes},
				"status": object{"phase": "Running", "nodeName": fmt.Sprintf("worker-%d", i), "conditions": ready}},
			launcher,
			object{"kind": "DataVolume", "name": root, "spec": object{"source": object{"blank": object{}}},
				"status": object{"phase": "Succeeded", "progress": "100.0%"}},
			volumeClaim(root))
	}
	return out
}

// published are the Service and the Routes by which the control plane is reached.
func published() []object {
	out := []object{{"kind": "Service", "name": "kube-apiserver", "spec": object{"type": "LoadBalancer", "ports": []any{
		object{"name": "client", "port": 6443}}}, "status": object{"loadBalancer": object{"ingress": []any{
		object{"ip": "192.168.216.40"}}}}}}
	for _, n := range []string{"ignition-server", "konnectivity-server", "oauth"} {
		host := n + "-" + inside + ".apps.mgmt.example.com"
		out = append(out, object{"kind": "Route", "name": n, "spec": object{"host": host, "to": object{"kind": "Service",
			"name": n}}, "status": object{"ingress": []any{object{"host": host, "routerName": "default",
			"conditions": []any{condition("Admitted", "True", "", "")}}}}})
	}
	return out
}

// inGuest is what the hosted cluster has beside its ClusterOperators.
func inGuest() []object {
	var out []object
	for _, n := range machineNames {
		out = append(out, object{"kind": "Node", "name": n, "metadata": object{"labels": object{
			"hypershift.openshift.io/nodePool": name, "node-role.kubernetes.io/worker": ""}},
			"status": object{"nodeInfo": object{"kubeletVersion": "v1.33.5"}, "conditions": []any{
				condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
				condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
				condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
				condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")}}})
	}
	for app, ns := range map[string]string{"router": "openshift-ingress", "console": "openshift-console",
		"dns": "openshift-dns", "ovnkube-node": "openshift-ovn-kubernetes", "prometheus": "openshift-monitoring"} {
		p := pod(app+"-"+hash+"-a", "ReplicaSet", app+"-"+hash, app, 0)
		p["namespace"], p["spec"].(object)["nodeName"] = ns, machineNames[0]
		out = append(out, object{"kind": "Namespace", "name": ns}, p)
	}
	return out
}

// page is the document that the cases make a table of.
const page = "../../docs/dev/diagnosis.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
