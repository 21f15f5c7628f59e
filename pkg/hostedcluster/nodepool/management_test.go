package nodepool_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

var (
	none  = hostedcluster.Size{}
	three = hostedcluster.Size{Min: 3, Max: 3}
	auto  = hostedcluster.Size{Min: 2, Max: 5, Auto: true}
	// gone is when something was deleted.
	gone = ptr.To(metav1.NewTime(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)))
)

// cluster is the hosted cluster kv-00, which runs 4.20.3.
func cluster(edits ...func(*hyperv1.HostedCluster)) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00", Generation: 3}}
	hc.Spec.Platform.Type, hc.Spec.Release.Image = hyperv1.KubevirtPlatform, "registry.example/ocp-release:4.20.4-multi"
	hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{
		{State: configv1.PartialUpdate, Version: "4.20.4", Image: "registry.example/ocp-release:4.20.4-multi"},
		{State: configv1.CompletedUpdate, Version: "4.20.3", Image: "registry.example/ocp-release:4.20.3-multi"},
	}}
	for _, edit := range edits {
		edit(hc)
	}
	return hc
}

func clusterGoes(hc *hyperv1.HostedCluster) { hc.DeletionTimestamp = gone }

func clusterPaused(hc *hyperv1.HostedCluster) { hc.Spec.PausedUntil = ptr.To("true") }

func elsewhere(hc *hyperv1.HostedCluster) {
	hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{Credentials: &hyperv1.KubevirtPlatformCredentials{}}
}

// pool is a NodePool of kv-00.
func pool(name string, size hostedcluster.Size, edits ...func(*hyperv1.NodePool)) *hyperv1.NodePool {
	np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name,
		UID: types.UID("uid-" + name)}}
	np.Spec.ClusterName = "kv-00"
	if size.Auto {
		np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: int32(size.Min), Max: int32(size.Max)}
	} else {
		np.Spec.Replicas = ptr.To(int32(size.Min))
	}
	for _, edit := range edits {
		edit(np)
	}
	return np
}

func poolGoes(np *hyperv1.NodePool) { np.DeletionTimestamp = gone }

func annotated(name, value string) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) { metav1.SetMetaDataAnnotation(&np.ObjectMeta, name, value) }
}

func pausedUntil(value string) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) { np.Spec.PausedUntil = &value }
}

// management is the API server of a management cluster with hosted clusters, node pools and VMs.
type management struct {
	clusters, pools, vms, configs *kubetest.Server
	client                        *kube.Client
}

// manage has the cluster, unless it is nil, and its pools.
func manage(t *testing.T, hc *hyperv1.HostedCluster, nodePools ...*hyperv1.NodePool) *management {
	t.Helper()
	const group = "hypershift.openshift.io/v1beta1"
	m := &management{
		clusters: kubetest.New(group, "HostedCluster", "hostedclusters"),
		pools:    kubetest.New(group, "NodePool", "nodepools"),
		vms:      kubetest.New("kubevirt.io/v1", "VirtualMachine", "virtualmachines"),
		configs:  kubetest.New("v1", "ConfigMap", "configmaps"),
	}
	if hc != nil {
		m.clusters.Put(hc)
	}
	for _, np := range nodePools {
		m.pools.Put(np)
	}
	var err error
	if m.client, err = kube.New(kubetest.Together(m.clusters, m.pools, m.vms, m.configs)); err != nil {
		t.Fatal(err)
	}
	return m
}

// pool is a NodePool as the server has it now.
func (m *management) pool(t *testing.T, name string) *hyperv1.NodePool {
	t.Helper()
	np, err := hostedcluster.FindPool(t.Context(), m.client, "clusters", name)
	if err != nil {
		t.Fatal(err)
	}
	return np
}

// cluster is the HostedCluster as the server has it now.
func (m *management) cluster(t *testing.T) *hyperv1.HostedCluster {
	t.Helper()
	hc, err := hostedcluster.Find(t.Context(), m.client, "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	return hc
}

// does fails unless the step's Apply makes that change.
func does(t *testing.T, s step.Step, want step.Change) {
	t.Helper()
	if change, err := s.Apply(t.Context()); err != nil || change != want {
		t.Errorf("%s: %q, %v, want %q", s.ID, change, err, want)
	}
}

// fails fails unless the step's Apply returns an error with the words.
func fails(t *testing.T, s step.Step, words string) {
	t.Helper()
	if change, err := s.Apply(t.Context()); err == nil || change != "" || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %q, %v, want an error with %q", s.ID, change, err, words)
	}
}

// refuses fails unless the error has the words.
func refuses(t *testing.T, name string, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want an error with %q", name, err, words)
	}
}

// touched fails unless the steps, of the pool's own object, say when others touch it.
func touched(t *testing.T, m *management, name string, s step.Step) {
	t.Helper()
	np := m.pool(t, name)
	poolGoes(np)
	m.pools.Put(np)
	steptest.Expect(t, s.Check(t.Context(), nil), step.StateBroken, "being deleted", "NodePool clusters/"+name)
	m.pools.Delete("clusters", name)
	steptest.Expect(t, s.Check(t.Context(), nil), step.StateBroken, "deleted meanwhile", "NodePool clusters/"+
		name)
	fails(t, s, "NodePool clusters/"+name+": ")
	m.pools.Forbid("")
	steptest.Expect(t, s.Check(t.Context(), nil), step.StateUnknown, "not allowed", "NodePool clusters/"+name)
}
