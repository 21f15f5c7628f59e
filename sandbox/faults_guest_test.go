package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What a test writes into a hosted cluster stays there, and what its operators would make of it follows: no simulator
// takes it back.
func TestWhatIsWrittenIntoAGuestStays(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "1")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9")
	np := h.pool("kv", "kv", "4.19.9", 2, func(np *hyperv1.NodePool) {
		np.Spec.Management.UpgradeType = hyperv1.UpgradeTypeInPlace
	})
	awaits(h, hc, 2*time.Minute, completed("4.19.9"))
	awaits(h, np, time.Minute, func(np *hyperv1.NodePool) string {
		return poolSays(np, "AllNodesHealthy", "True AsExpected")
	})
	g := h.guest("kv")

	t.Run("pods that do not run", func(t *testing.T) {
		for name, waiting := range map[string]corev1.ContainerStateWaiting{
			"openshift-ingress/router-default-1": {Reason: "CrashLoopBackOff",
				Message: "back-off 5m0s restarting failed container=router"},
			"openshift-console/console-1": {Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
		} {
			namespace, pod, _ := strings.Cut(name, "/")
			crashing(t, g, namespace, pod, waiting)
		}
	})
	nodes, err := nodesOf(t.Context(), g, "kv")
	h.must(err)
	t.Run("pressure", func(t *testing.T) {
		writeStatus(t, g, &nodes[0], func(n *corev1.Node) {
			setNode(n, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue,
				Reason: "KubeletHasDiskPressure", Message: "kubelet has disk pressure"})
		})
		awaits(h, np, 30*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "AllNodesHealthy", "False NodeConditionsFailed")
		})
		nodeHealth(t, h, nodes[0].Name, "Node condition DiskPressure is True")
	})
	t.Run("lost and cordoned", func(t *testing.T) {
		writeStatus(t, g, &nodes[1], func(n *corev1.Node) {
			for i := range n.Status.Conditions {
				setNode(n, corev1.NodeCondition{Type: n.Status.Conditions[i].Type, Status: corev1.ConditionUnknown,
					Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."})
			}
		})
		nodes[0].Spec.Unschedulable = true
		h.must(g.Patch(t.Context(), &nodes[0], client.RawPatch(types.MergePatchType,
			[]byte(`{"spec":{"unschedulable":true}}`))))
		nodeHealth(t, h, nodes[1].Name, "Node condition MemoryPressure is Unknown. Node condition DiskPressure is Unknown. "+
			"Node condition PIDPressure is Unknown. Node condition Ready is Unknown")
	})
	t.Run("cluster operator", func(t *testing.T) {
		console := &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: "console"}}
		h.must(g.Get(t.Context(), client.ObjectKeyFromObject(console), console))
		writeStatus(t, g, console, func(o *configv1.ClusterOperator) {
			for i := range o.Status.Conditions {
				if c := &o.Status.Conditions[i]; c.Type == configv1.OperatorDegraded {
					c.Status, c.Reason, c.Message = "True", "SyncLoopRefresh_FailedUpdate", "no pod of console runs"
				}
			}
		})
		awaits(h, hc, time.Minute, func(hc *hyperv1.HostedCluster) string {
			if c := meta.FindStatusCondition(hc.Status.Conditions, "ClusterVersionSucceeding"); c == nil ||
				c.Reason != "ClusterOperatorDegraded" || c.Message != "Cluster operator console is degraded" {
				return fmt.Sprintf("ClusterVersionSucceeding %+v", c)
			}
			return ""
		})
		h.must(g.Get(t.Context(), client.ObjectKeyFromObject(console), console))
		for _, c := range console.Status.Conditions {
			if c.Type == configv1.OperatorDegraded && c.Reason != "SyncLoopRefresh_FailedUpdate" {
				t.Errorf("console: %+v", c)
			}
		}
	})
	t.Run("a request for a certificate", func(t *testing.T) {
		h.must(g.Create(t.Context(), kubeletRequest(t, "csr-x1")))
	})
	t.Run("machine config daemon", func(t *testing.T) {
		h.must(g.Patch(t.Context(), &nodes[0], client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{`+
			`"machineconfiguration.openshift.io/state":"Degraded",`+
			`"machineconfiguration.openshift.io/reason":"disk is full"}}}`))))
		change(h, np, func(np *hyperv1.NodePool) { np.Spec.Release = releaseOf("4.19.3") })
		awaits(h, np, time.Minute, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "UpdatingVersion"); c.Reason != "InplaceUpgradeFailed" ||
				c.Message != "Node "+nodes[0].Name+" in nodepool degraded: disk is full" {
				return fmt.Sprintf("UpdatingVersion %+v", c)
			}
			return poolSays(np, "UpdatingConfig", "False InplaceUpgradeFailed")
		})
	})
	// Several rounds of the simulators later all of it is still there.
	for name, reason := range map[string]string{"openshift-ingress/router-default-1": "CrashLoopBackOff",
		"openshift-console/console-1": "ImagePullBackOff"} {
		namespace, pod, _ := strings.Cut(name, "/")
		p := &corev1.Pod{}
		h.must(g.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: pod}, p))
		if got := p.Status.ContainerStatuses[0].State.Waiting; got == nil || got.Reason != reason {
			t.Errorf("pod %s: %+v", name, got)
		}
	}
	for i, want := range []string{"DiskPressure True", "Ready Unknown"} {
		n := &corev1.Node{}
		h.must(g.Get(t.Context(), client.ObjectKeyFromObject(&nodes[i]), n))
		var has bool
		for _, c := range n.Status.Conditions {
			has = has || fmt.Sprint(c.Type, " ", c.Status) == want
		}
		if !has || n.Spec.Unschedulable != (i == 0) {
			t.Errorf("node %d: %+v, unschedulable %t, want %s", i, n.Status.Conditions, n.Spec.Unschedulable, want)
		}
	}
	h.must(g.Get(t.Context(), client.ObjectKey{Name: "csr-x1"}, &certificatesv1.CertificateSigningRequest{}))
}

// A drain that a disruption budget holds, and certificates that nobody approves.
func TestFaultsOfNodesInAGuest(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "1")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9")
	np := h.pool("kv", "kv", "4.19.9", 1)
	awaits(h, hc, 2*time.Minute, completed("4.19.9"))
	g := h.guest("kv")
	nodes, err := nodesOf(t.Context(), g, "kv")
	h.must(err)

	t.Run("drain", func(t *testing.T) {
		namespace(t, g, "shop")
		pod := runningOn(nodes[0].Name, "shop", "db-0")
		h.must(g.Create(t.Context(), pod))
		writeStatus(t, g, pod, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodRunning
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		})
		budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"},
			Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: ptr.To(intstr.FromInt32(1)),
				Selector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}
		h.must(g.Create(t.Context(), budget))
		change(h, np, func(np *hyperv1.NodePool) { np.Spec.Release = releaseOf("4.19.3") })
		awaits(h, np, time.Minute, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AllMachinesReady"); c.Reason != "Draining" || !strings.Contains(c.Message,
				"* Pod shop/db-0: cannot evict pod as it would violate the pod's disruption budget. "+
					"The disruption budget db needs 1 healthy pods and has 1 currently") {
				return fmt.Sprintf("AllMachinesReady %+v", c)
			}
			return poolSays(np, "UpdatingVersion", "True AsExpected")
		})
		m := read(t, h.Client, "cluster.x-k8s.io/v1beta1", "Machine", "clusters-kv", nodes[0].Name)
		if got := condition(m, "DrainingSucceeded"); got != "False Draining" || text(m, "status", "phase") != "Deleting" {
			t.Errorf("Machine: DrainingSucceeded %s, %v", got, m.Object["status"])
		}
		h.must(g.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
		h.must(g.Delete(t.Context(), budget))
		eventually(t, time.Minute, func() error {
			if err := g.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); !apierrors.IsNotFound(err) {
				return fmt.Errorf("the pod is still there: %w", err)
			}
			return nil
		})
		awaits(h, np, time.Minute, func(np *hyperv1.NodePool) string {
			return poolSays(np, "UpdatingVersion", "False AsExpected")
		})
	})
	t.Run("machine that failed", func(t *testing.T) {
		m := read(t, h.Client, "cluster.x-k8s.io/v1beta1", "Machine", "clusters-kv", h.machines("kv", "kv")[0].Name)
		h.must(h.Status().Patch(t.Context(), m, client.RawPatch(types.MergePatchType, []byte(
			`{"status":{"phase":"Failed","failureReason":"UpdateError","failureMessage":"the infrastructure is gone"}}`))))
		vm := read(t, h.Client, "kubevirt.io/v1", "VirtualMachine", "clusters-kv", m.GetName())
		h.must(h.Patch(t.Context(), vm, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"runStrategy":"Halted"}}`))))
		eventually(t, time.Minute, func() error {
			m := read(t, h.Client, "cluster.x-k8s.io/v1beta1", "Machine", "clusters-kv", m.GetName())
			if got := condition(m, "InfrastructureReady"); !strings.HasPrefix(got, "False") ||
				text(m, "status", "phase") != "Failed" {
				return fmt.Errorf("phase %s, InfrastructureReady %s", text(m, "status", "phase"), got)
			}
			return nil
		})
	})
	t.Run("requests for certificates", func(t *testing.T) {
		late := h.pool("kv", "late", "4.19.9", 1, faulty[*hyperv1.NodePool]("csrs-pending"))
		requests := &certificatesv1.CertificateSigningRequestList{}
		eventually(t, time.Minute, func() error {
			if err := g.List(t.Context(), requests); err != nil || len(requests.Items) != 1 {
				return fmt.Errorf("%d requests: %w", len(requests.Items), err)
			}
			return nil
		})
		csr := &requests.Items[0]
		if csr.Spec.Username != "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper" ||
			len(csr.Status.Conditions) > 0 {
			t.Errorf("the request: %+v", csr)
		}
		awaits(h, late, 20*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "AllNodesHealthy", "False NodeProvisioning")
		})
		csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Approved"})
		h.must(g.SubResource("approval").Update(t.Context(), csr))
		awaits(h, late, time.Minute, func(np *hyperv1.NodePool) string {
			return poolSays(np, "AllNodesHealthy", "True AsExpected")
		})
	})
}

// nodeHealth waits for the message of NodeHealthy of a Machine in clusters-kv.
func nodeHealth(t *testing.T, h *host, name, want string) {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		m := read(t, h.Client, "cluster.x-k8s.io/v1beta1", "Machine", "clusters-kv", name)
		list, _, _ := unstructured.NestedSlice(m.Object, "status", "conditions")
		for _, c := range list {
			if c, ok := c.(map[string]any); ok && c["type"] == "NodeHealthy" && c["message"] == want {
				return nil
			}
		}
		return fmt.Errorf("Machine %s: %v", name, list)
	})
}

func namespace(t *testing.T, c client.Client, name string) {
	t.Helper()
	err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

func runningOn(node, namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
		Labels: map[string]string{"app": name}}, Spec: corev1.PodSpec{NodeName: node,
		Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/" + name}}}}
}

// crashing creates a pod of a hosted cluster whose container waits.
func crashing(t *testing.T, c client.Client, in, name string, waiting corev1.ContainerStateWaiting) {
	t.Helper()
	namespace(t, c, in)
	pod := runningOn("", in, name)
	if err := c.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	writeStatus(t, c, pod, func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: p.Spec.Containers[0].Image,
			RestartCount: 12, State: corev1.ContainerState{Waiting: &waiting}}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse,
			Reason: "ContainersNotReady"}}
	})
}

// writeStatus changes the newest status of an object by a merge patch, as kubectl patch --subresource=status does.
func writeStatus[T client.Object](t *testing.T, c client.Client, o T, what func(T)) {
	t.Helper()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	before, _ := o.DeepCopyObject().(client.Object)
	what(o)
	if err := c.Status().Patch(t.Context(), o, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func setNode(n *corev1.Node, c corev1.NodeCondition) {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == c.Type {
			n.Status.Conditions[i] = c
			return
		}
	}
	n.Status.Conditions = append(n.Status.Conditions, c)
}

// kubeletRequest is a kubelet's request for a certificate.
func kubeletRequest(t *testing.T, name string) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{
		Organization: []string{"system:nodes"}, CommonName: "system:node:" + name}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: certificatesv1.KubeAPIServerClientKubeletSignerName,
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
		}}
}
