package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// The ways to hosted clusters: two of them with one name, a name in place of an address, nobody at the address.
func TestTroubleOnTheWayToAGuest(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "newest", "--speed", "20", "--lean", "--guests", "1")
	h := hostOf(t, r.dir)
	byName := func(hc *hyperv1.HostedCluster) {
		for i := range hc.Spec.Services {
			s := &hc.Spec.Services[i]
			switch s.Service {
			case hyperv1.APIServer:
				s.LoadBalancer = &hyperv1.LoadBalancerPublishingStrategy{Hostname: "api." + hc.Name + ".example.com"}
			case hyperv1.Ignition:
				s.Route = &hyperv1.RoutePublishingStrategy{Hostname: "ignition.example.com"}
			}
		}
		h.must(h.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters",
			Name: hc.Name + "-key"}, Data: map[string][]byte{"key": []byte("thirty-two bytes, a key of AES !")}}))
		h.must(h.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters",
			Name: hc.Name + "-key-2"}, Data: map[string][]byte{"key": []byte("thirty-two bytes, another key !!")}}))
		hc.Spec.SecretEncryption = &hyperv1.SecretEncryptionSpec{Type: hyperv1.AESCBC,
			AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: hc.Name + "-key"}}}
	}
	a := h.cluster("a", "4.20.3", byName)
	np := h.pool("a", "a", "4.20.3", 1)
	awaits(h, a, 2*time.Minute, completed("4.20.3"))
	address := ""
	t.Run("name of the API server", func(t *testing.T) {
		s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-a", Name: "kube-apiserver"}}
		h.must(h.Get(t.Context(), client.ObjectKeyFromObject(s), s))
		address = s.Status.LoadBalancer.Ingress[0].IP
		if a.Status.ControlPlaneEndpoint.Host != "api.a.example.com" ||
			s.Annotations[hyperv1.ExternalDNSHostnameAnnotation] != "api.a.example.com" {
			t.Errorf("endpoint %+v, Service %+v", a.Status.ControlPlaneEndpoint, s.Annotations)
		}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "a-admin-kubeconfig"}}
		h.must(h.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
		config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
		h.must(err)
		if config.Host != "https://api.a.example.com:6443" {
			t.Errorf("the kubeconfig names %s", config.Host)
		}
		// What DNS would do: the certificate has the name.
		config.TLSClientConfig.ServerName, config.Host = "api.a.example.com", "https://"+address+":6443"
		c, err := client.New(config, client.Options{Scheme: hostedScheme(t)})
		h.must(err)
		h.must(c.List(t.Context(), &corev1.NodeList{}))
	})
	t.Run("Routes with one host", func(t *testing.T) {
		b := h.cluster("b", "4.20.3", byName)
		late := h.pool("b", "b", "4.20.3", 1)
		route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-b", Name: "ignition-server"}}
		eventually(t, time.Minute, func() error {
			if err := h.Get(t.Context(), client.ObjectKeyFromObject(route), route); err != nil {
				return err
			}
			if len(route.Status.Ingress) != 1 || route.Status.Ingress[0].Conditions[0].Reason != "HostAlreadyClaimed" {
				return fmt.Errorf("Route %+v", route.Status)
			}
			return nil
		})
		awaits(h, late, time.Minute, func(np *hyperv1.NodePool) string {
			if what := poolSays(np, "AllMachinesReady", "True AsExpected"); what != "" {
				return what
			}
			return poolSays(np, "ReachedIgnitionEndpoint", "False ignitionNotReached")
		})
		h.must(h.Delete(t.Context(), b))
	})
	t.Run("encryption and connection", func(*testing.T) {
		awaits(h, a, 20*time.Second, func(hc *hyperv1.HostedCluster) string {
			return says(hc, "EtcdDataEncryptionUpToDate", "True ReEncryptionCompleted")
		})
		change(h, a, func(hc *hyperv1.HostedCluster) {
			hc.Annotations[fault.Annotation] = "reencryption-stuck,data-plane-cut"
			hc.Spec.SecretEncryption.AESCBC.ActiveKey.Name = "a-key-2"
		})
		awaits(h, a, 20*time.Second, func(hc *hyperv1.HostedCluster) string {
			if what := says(hc, "DataPlaneConnectionAvailable", "False KonnectivityAgentPodsNotFound"); what != "" {
				return what
			}
			return says(hc, "EtcdDataEncryptionUpToDate", "False ReEncryptionWaitingForKASConvergence")
		})
	})
	t.Run("nobody answers", func(*testing.T) {
		change(h, a, func(hc *hyperv1.HostedCluster) { hc.Annotations[fault.Annotation] = "kas-unreachable" })
		awaits(h, a, 30*time.Second, func(hc *hyperv1.HostedCluster) string {
			if c := meta.FindStatusCondition(hc.Status.Conditions, "Available"); c == nil ||
				!strings.HasPrefix(c.Message, "health check to APIServer endpoint "+address+" failed: ") {
				return fmt.Sprintf("Available %+v", c)
			}
			if what := says(hc, hyperv1.KubeAPIServerAvailable, "True AsExpected"); what != "" {
				return what
			}
			return says(hc, hyperv1.HostedClusterAvailable, "False KASLoadBalancerNotReachable")
		})
		change(h, a, func(hc *hyperv1.HostedCluster) { delete(hc.Annotations, fault.Annotation) })
		awaits(h, a, time.Minute, func(hc *hyperv1.HostedCluster) string {
			return says(hc, hyperv1.HostedClusterAvailable, "True AsExpected")
		})
	})
	t.Run("network of the machines", func(*testing.T) {
		network := ipnet.MustParseCIDR(h.machineAddress(np) + "/24")
		h.cluster("c", "4.20.3", func(hc *hyperv1.HostedCluster) {
			hc.Spec.Networking.ClusterNetwork = []hyperv1.ClusterNetworkEntry{{CIDR: *network}}
		})
		c := h.pool("c", "c", "4.20.3", 1)
		awaits(h, c, time.Minute, func(np *hyperv1.NodePool) string {
			return poolSays(np, "ClusterNetworkCIDRConflict", "True InvalidConfiguration")
		})
	})
}

// machineAddress is the address of a pool's first machine.
func (h *host) machineAddress(np *hyperv1.NodePool) string {
	h.t.Helper()
	vm := h.machines(np.Spec.ClusterName, np.Name)[0]
	pods := &corev1.PodList{}
	h.must(h.List(h.t.Context(), pods, client.InNamespace(vm.Namespace),
		client.MatchingLabels{"vm.kubevirt.io/name": vm.Name}))
	return pods.Items[0].Status.PodIP
}

// The real MetalLB says in an Event that no address is left, and the control plane repeats it.
func TestNoAddressForAGuest(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "0",
		"--fault", "metallb-pool-empty")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9")
	told(t, h, "Service", "clusters-kv", "kube-apiserver", "AllocationFailed", "no available IPs")
	awaits(h, hc, 30*time.Second, func(hc *hyperv1.HostedCluster) string {
		c := meta.FindStatusCondition(hc.Status.Conditions, "InfrastructureReady")
		if c == nil || c.Status != "False" || !strings.Contains(c.Message, "no available IPs") {
			return fmt.Sprintf("InfrastructureReady %+v", c)
		}
		return ""
	})
}
