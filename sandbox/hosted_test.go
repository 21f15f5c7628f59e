package main_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"path/filepath"
)

// host is a sandbox's cluster on which tests create hosted clusters.
type host struct {
	t *testing.T
	client.Client
}

func hostOf(t *testing.T, dir string) *host {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	c, err := client.New(config, client.Options{Scheme: hostedScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, Client: c}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "clusters"}}
	if err := c.Create(t.Context(), ns); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return h
}

func hostedScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, hyperv1.AddToScheme, kubevirtv1.AddToScheme, cdiv1.AddToScheme, configv1.Install,
		routev1.Install,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func releaseOf(version string) hyperv1.Release {
	return hyperv1.Release{Image: "quay.io/openshift-release-dev/ocp-release:" + version + "-multi"}
}

// cluster creates a small HostedCluster and the objects that it needs.
func (h *host) cluster(name, version string, change ...func(*hyperv1.HostedCluster)) *hyperv1.HostedCluster {
	h.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name + "-pull-secret"},
		Data:       map[string][]byte{".dockerconfigjson": []byte(`{"auths":{"quay.io":{"auth":"dTpw"}}}`)},
	}
	h.must(h.Create(h.t.Context(), secret))
	publish := func(service hyperv1.ServiceType,
		kind hyperv1.PublishingStrategyType) hyperv1.ServicePublishingStrategyMapping {
		return hyperv1.ServicePublishingStrategyMapping{Service: service,
			ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: kind}}
	}
	hc := &hyperv1.HostedCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name},
		Spec: hyperv1.HostedClusterSpec{
			Release:    releaseOf(version),
			PullSecret: corev1.LocalObjectReference{Name: secret.Name},
			Platform: hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtPlatformSpec{
				BaseDomainPassthrough: ptr.To(true),
			}},
			ControllerAvailabilityPolicy: hyperv1.SingleReplica,
			Etcd: hyperv1.EtcdSpec{ManagementType: hyperv1.Managed, Managed: &hyperv1.ManagedEtcdSpec{
				Storage: hyperv1.ManagedEtcdStorageSpec{Type: hyperv1.PersistentVolumeEtcdStorage},
			}},
			Services: []hyperv1.ServicePublishingStrategyMapping{
				publish(hyperv1.APIServer, hyperv1.LoadBalancer), publish(hyperv1.Ignition, hyperv1.Route),
				publish(hyperv1.Konnectivity, hyperv1.Route), publish(hyperv1.OAuthServer, hyperv1.Route),
			},
		},
	}
	for _, c := range change {
		c(hc)
	}
	// After the start from a recording, an operator's webhooks may refuse connections for a moment.
	eventually(h.t, 20*time.Second, func() error { return h.Create(h.t.Context(), hc.DeepCopy()) })
	h.must(h.Get(h.t.Context(), client.ObjectKeyFromObject(hc), hc))
	return hc
}

// pool creates a NodePool of a cluster.
func (h *host) pool(cluster, name, version string, replicas int32,
	change ...func(*hyperv1.NodePool)) *hyperv1.NodePool {
	h.t.Helper()
	np := &hyperv1.NodePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name},
		Spec: hyperv1.NodePoolSpec{
			ClusterName: cluster, Release: releaseOf(version), Replicas: ptr.To(replicas),
			Management: hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeReplace},
			Platform: hyperv1.NodePoolPlatform{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtNodePoolPlatform{
				Compute: &hyperv1.KubevirtCompute{Memory: ptr.To(resource.MustParse("4Gi")), Cores: ptr.To[uint32](2)},
				RootVolume: &hyperv1.KubevirtRootVolume{KubevirtVolume: hyperv1.KubevirtVolume{
					Type:       hyperv1.KubevirtVolumeTypePersistent,
					Persistent: &hyperv1.KubevirtPersistentVolume{Size: ptr.To(resource.MustParse("32Gi"))},
				}},
			}},
		},
	}
	for _, c := range change {
		c(np)
	}
	h.must(h.Create(h.t.Context(), np))
	return np
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// change reads an object and applies a change to it.
func change[T client.Object](h *host, o T, what func(T)) {
	h.t.Helper()
	eventually(h.t, 10*time.Second, func() error {
		if err := h.Get(h.t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		what(o)
		return h.Update(h.t.Context(), o)
	})
}

// awaits reads an object until missing returns "", and fails with the last result.
func awaits[T client.Object](h *host, o T, within time.Duration, missing func(T) string) {
	h.t.Helper()
	eventually(h.t, within, func() error {
		if err := h.Get(h.t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		if what := missing(o); what != "" {
			return fmt.Errorf("%T %s: %s", o, o.GetName(), what)
		}
		return nil
	})
	if h.t.Failed() {
		h.t.FailNow()
	}
}

// says returns "" if a HostedCluster's condition is "STATUS REASON", else the actual condition.
func says(hc *hyperv1.HostedCluster, kind hyperv1.ConditionType, want string) string {
	c := meta.FindStatusCondition(hc.Status.Conditions, string(kind))
	if c == nil {
		return "no condition " + string(kind)
	}
	if got := string(c.Status) + " " + c.Reason; got != want {
		return fmt.Sprintf("%s is %s: %s", kind, got, c.Message)
	}
	return ""
}

// poolSays does the same for a NodePool.
func poolSays(np *hyperv1.NodePool, kind, want string) string {
	c := poolCondition(np, kind)
	if got := string(c.Status) + " " + c.Reason; got != want {
		return fmt.Sprintf("%s is %q: %s", kind, got, c.Message)
	}
	return ""
}

func poolCondition(np *hyperv1.NodePool, kind string) hyperv1.NodePoolCondition {
	for _, c := range np.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return hyperv1.NodePoolCondition{}
}

// completed returns "" once the newest entry of the history is Completed with that version.
func completed(version string) func(*hyperv1.HostedCluster) string {
	return func(hc *hyperv1.HostedCluster) string {
		v := hc.Status.Version
		if v == nil || len(v.History) == 0 || v.History[0].State != configv1.CompletedUpdate ||
			v.History[0].Version != version {
			return fmt.Sprintf("history is %+v", v)
		}
		return ""
	}
}

// guest returns a client of a hosted cluster, with its admin kubeconfig.
func (h *host) guest(name string) client.Client {
	h.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name + "-admin-kubeconfig"}}
	h.must(h.Get(h.t.Context(), client.ObjectKeyFromObject(secret), secret))
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
	h.must(err)
	c, err := client.New(config, client.Options{Scheme: hostedScheme(h.t)})
	h.must(err)
	return c
}

func nodesOf(ctx context.Context, c client.Client, pool string) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	err := c.List(ctx, list, client.MatchingLabels{hyperv1.NodePoolLabel: pool})
	return list.Items, err
}

func (h *host) machines(cluster, pool string) []kubevirtv1.VirtualMachine {
	h.t.Helper()
	list := &kubevirtv1.VirtualMachineList{}
	h.must(h.List(h.t.Context(), list, client.InNamespace("clusters-"+cluster),
		client.MatchingLabels{hyperv1.NodePoolNameLabel: pool}))
	return list.Items
}
