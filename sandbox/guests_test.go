package main_test

import (
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bare removes the fields that the defaulting webhook sets from a HostedCluster.
func bare(hc *hyperv1.HostedCluster) {
	hc.Spec.Release.Image, hc.Spec.Services, hc.Spec.Platform.Kubevirt = "", nil, nil
}

// withBaseDomain gives a HostedCluster a domain of its own.
func withBaseDomain(domain string) func(*hyperv1.HostedCluster) {
	return func(hc *hyperv1.HostedCluster) {
		hc.Spec.DNS.BaseDomain, hc.Spec.Platform.Kubevirt = domain, &hyperv1.KubevirtPlatformSpec{}
	}
}

// nodePort returns the HTTPS port of a guest's router.
func (h *host) nodePort(guest client.Client) int32 {
	h.t.Helper()
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-ingress", Name: "router-nodeport-default"}}
	eventually(h.t, 60*time.Second, func() error { return guest.Get(h.t.Context(), client.ObjectKeyFromObject(s), s) })
	for _, p := range s.Spec.Ports {
		if p.Name == "https" {
			return p.NodePort
		}
	}
	h.t.Fatalf("no port https: %+v", s.Spec.Ports)
	return 0
}

// apps creates the load balancer for *.apps of a cluster with a base domain.
func (h *host) apps(name string, port int32) {
	h.t.Helper()
	h.must(h.Create(h.t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-" + name, Name: name + "-apps"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"kubevirt.io": "virt-launcher"},
			Ports: []corev1.ServicePort{{Name: "https-443", Port: 443, TargetPort: intstr.FromInt32(port)}},
		},
	}))
}

// operatorSays returns a function that returns "" if a guest's cluster operator has a condition with that status and
// reason.
func operatorSays(kind configv1.ClusterStatusConditionType, want string) func(*configv1.ClusterOperator) string {
	return func(o *configv1.ClusterOperator) string {
		for _, c := range o.Status.Conditions {
			if got := string(c.Status) + " " + c.Reason; c.Type == kind && got != want {
				return string(kind) + " is " + got + ": " + c.Message
			}
		}
		return ""
	}
}

func operatorOf(name string) *configv1.ClusterOperator {
	return &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// kubeconfigThere returns "" once a hosted cluster has its admin kubeconfig.
func kubeconfigThere(hc *hyperv1.HostedCluster) string {
	if hc.Status.KubeConfig == nil {
		return "no kubeconfig yet"
	}
	return ""
}

func stays(kind hyperv1.ConditionType, want string) func(*hyperv1.HostedCluster) string {
	return func(hc *hyperv1.HostedCluster) string { return says(hc, kind, want) }
}

// Under multicluster-engine 2.10 a hosted cluster has ClusterImageSets and webhooks. The roll-out of a guest depends on
// a working path to its applications, which needs a DNS record.
func TestWorldOfHostedClusters(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--fault", "apps-dns-missing", "--fault",
		"cidr-false-alarm")
	set := read(t, clusterOf(t, r.dir, "kubeconfig"), "hive.openshift.io/v1", "ClusterImageSet", "",
		"img4.20.3-multi-appsub")
	if set.GetLabels()["channel"] != "stable" || set.GetLabels()["visible"] != "true" {
		t.Errorf("ClusterImageSet: labels %v", set.GetLabels())
	}
	h := hostOf(t, r.dir)
	plain := h.cluster("plain", "", bare)
	if image := plain.Spec.Release.Image; image != "quay.io/openshift-release-dev/ocp-release:4.20.8-multi" ||
		len(plain.Spec.Services) != 4 {
		t.Errorf("defaults: release image %s, services %v", image, plain.Spec.Services)
	}
	np := h.pool("plain", "plain", "", 1, func(np *hyperv1.NodePool) { np.Spec.Release.Image = "" })
	if np.Spec.Release.Image != plain.Spec.Release.Image {
		t.Errorf("defaults: release image of the NodePool is %s", np.Spec.Release.Image)
	}
	patched := plain.DeepCopy()
	patched.Annotations = map[string]string{hyperv1.JSONPatchAnnotation: "[{]"}
	err := h.Update(t.Context(), patched)
	if err == nil ||
		!strings.Contains(err.Error(),
			`admission webhook "hostedclusters.hypershift.openshift.io" denied the request: wrong json patch structure`) {
		t.Errorf("a broken JSON patch: %v", err)
	}

	own := h.cluster("own", "4.19.4", withBaseDomain("lab.example.com"))
	h.pool("own", "own", "4.19.4", 1)
	awaits(h, own, 60*time.Second, kubeconfigThere)
	guest := h.guest("own")
	h.apps("own", h.nodePort(guest))
	awaits(h, own, 60*time.Second, stays(hyperv1.ClusterVersionSucceeding, "False ClusterOperatorsNotAvailable"))
	if completed("4.19.4")(own) == "" {
		t.Error("own: the roll-out is complete without a DNS record")
	}
	inside := &host{t: t, Client: guest}
	awaits(inside, operatorOf("console"), 60*time.Second,
		operatorSays(configv1.OperatorAvailable, "False RouteHealth_FailedGet"))
	awaits(inside, operatorOf("ingress"), 60*time.Second, operatorSays(configv1.OperatorDegraded, "True IngressDegraded"))

	awaits(h, plain, 60*time.Second, completed("4.20.8"))
	// Everything else is fine.
	awaits(h, np, 30*time.Second, func(np *hyperv1.NodePool) string {
		if c := poolCondition(np, hyperv1.NodePoolClusterNetworkCIDRConflictType); !strings.Contains(c.Message,
			"with ip [10.132.0.2] collides with cluster-network cidr [10.132.0.0/14]") {
			return "no alarm: " + c.Message
		}
		return poolSays(np, hyperv1.NodePoolReadyConditionType, "True AsExpected")
	})
	inside = &host{t: t, Client: h.guest("plain")}
	awaits(inside, operatorOf("console"), 10*time.Second, operatorSays(configv1.OperatorAvailable, "True AsExpected"))
	// The management cluster's router serves *.apps until its policy forbids that.
	key := named("operator.openshift.io/v1", "IngressController", "openshift-ingress-operator", "default")
	forbid := []byte(`{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsDisallowed"}}}`)
	h.must(h.Patch(t.Context(), key, client.RawPatch("application/merge-patch+json", forbid)))
	awaits(h, plain, 60*time.Second, stays(hyperv1.ClusterVersionSucceeding, "False ClusterOperatorsNotAvailable"))
	if what := completed("4.20.8")(plain); what != "" {
		t.Errorf("plain, after its roll-out was complete: %s", what)
	}
}
