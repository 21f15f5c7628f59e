package upgrade_test

import (
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const repo = "registry.example/ocp-release:"

func image(version string) string { return repo + version + "-multi" }

// cluster is a HostedCluster with that history, the newest first; a version that ends with "?" is Partial.
func cluster(history ...string) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{
		Namespace: "clusters", Name: "kv-00", UID: "kv-00", Generation: 3,
	}}
	hc.Status.Version = &hyperv1.ClusterVersionStatus{}
	for i, h := range history {
		version, state := h, configv1.CompletedUpdate
		if v, partial := strings.CutSuffix(h, "?"); partial {
			version, state = v, configv1.PartialUpdate
		}
		if i == 0 {
			hc.Spec.Release.Image = image(version)
			hc.Status.Version.Desired = configv1.Release{Version: version, Image: image(version)}
		}
		hc.Status.Version.History = append(hc.Status.Version.History,
			configv1.UpdateHistory{Version: version, State: state, Image: image(version)})
	}
	return hc
}

// edited is the cluster after the edit.
func edited(hc *hyperv1.HostedCluster, edit func(*hyperv1.HostedCluster)) *hyperv1.HostedCluster {
	edit(hc)
	return hc
}

func condition(hc *hyperv1.HostedCluster, kind, status, reason, message string) *hyperv1.HostedCluster {
	hc.Status.Conditions = append(hc.Status.Conditions, metav1.Condition{
		Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, Message: message,
		ObservedGeneration: hc.Generation,
	})
	return hc
}

func notUpgradeable(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
	return condition(hc, "ClusterVersionUpgradeable", "False", "IncompatibleOperatorsInstalled",
		"operator foo is incompatible with the next minor")
}

// available offers versions in the channel stable-4.19.
func available(hc *hyperv1.HostedCluster, versions ...string) *hyperv1.HostedCluster {
	hc.Spec.Channel = "stable-4.19"
	for _, v := range versions {
		hc.Status.Version.AvailableUpdates = append(hc.Status.Version.AvailableUpdates,
			configv1.Release{Version: v, Image: image(v)})
	}
	return hc
}

// risky offers a version with a risk.
func risky(hc *hyperv1.HostedCluster, version string) *hyperv1.HostedCluster {
	hc.Status.Version.ConditionalUpdates = []configv1.ConditionalUpdate{{
		Release: configv1.Release{Version: version, Image: image(version)},
		Risks:   []configv1.ConditionalUpdateRisk{{Name: "Slow", Message: "may be\n slow", URL: "https://example.com/slow"}},
	}}
	return hc
}

// pools are NodePools of kv-00, pool-a and so on, with nodes of those versions.
func pools(versions ...string) []*hyperv1.NodePool {
	var list []*hyperv1.NodePool
	for i, v := range versions {
		np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "pool-" + string(rune('a'+i))}}
		np.Spec.ClusterName, np.Spec.Release.Image, np.Status.Version = "kv-00", image(v), v
		list = append(list, np)
	}
	return list
}

// editedPools are the pools after an edit of each.
func editedPools(list []*hyperv1.NodePool, edit func(*hyperv1.NodePool)) []*hyperv1.NodePool {
	for _, np := range list {
		edit(np)
	}
	return list
}

// management is the API server of a management cluster with hosted clusters, node pools and ClusterImageSets.
type management struct {
	clusters, pools, sets, configs *kubetest.Server
	// planes and components are those of the control planes.
	planes, components *kubetest.Server
	client             *kube.Client
}

// manage has the cluster with its pools, and a ClusterImageSet for each version.
func manage(t *testing.T, hc *hyperv1.HostedCluster, nodePools []*hyperv1.NodePool, offered ...string) *management {
	t.Helper()
	const group = "hypershift.openshift.io/v1beta1"
	m := &management{
		clusters: kubetest.New(group, "HostedCluster", "hostedclusters"),
		pools:    kubetest.New(group, "NodePool", "nodepools"),
		sets:     kubetest.New("hive.openshift.io/v1", "ClusterImageSet", "clusterimagesets"),
		configs:  kubetest.New("v1", "ConfigMap", "configmaps"),

		planes:     kubetest.New(group, "HostedControlPlane", "hostedcontrolplanes"),
		components: kubetest.New(group, "ControlPlaneComponent", "controlplanecomponents"),
	}
	if hc != nil {
		m.clusters.Put(hc)
	}
	for _, np := range nodePools {
		m.pools.Put(np)
	}
	for _, version := range offered {
		m.imageSet("img"+version, image(version))
	}
	m.configs.Set(kubetest.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": kubetest.Object{"namespace": "hypershift", "name": "supported-versions"},
		"data":     kubetest.Object{"supported-versions": `{"versions":["4.20","4.19","4.18","4.17","4.16"]}`},
	})
	var err error
	if m.client, err = kube.New(kubetest.Together(m.clusters, m.pools, m.sets, m.configs, m.planes,
		m.components)); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *management) imageSet(name, releaseImage string) {
	m.sets.Set(kubetest.Object{
		"apiVersion": "hive.openshift.io/v1", "kind": "ClusterImageSet", "metadata": kubetest.Object{"name": name},
		"spec": kubetest.Object{"releaseImage": releaseImage},
	})
}

// list is what Lists says of kv-00.
func (m *management) list(t *testing.T) *upgrade.List {
	t.Helper()
	l, err := upgrade.Lists(t.Context(), m.client, "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// request is one for kv-00 with all its pools.
func request(edit func(*upgrade.Request)) upgrade.Request {
	r := upgrade.Request{Namespace: "clusters", Name: "kv-00", NodePools: []string{"all"}, Wait: upgrade.WaitComplete}
	if edit != nil {
		edit(&r)
	}
	return r
}

// prepare decides on an upgrade of kv-00 that is allowed.
func (m *management) prepare(t *testing.T, edit func(*upgrade.Request)) *upgrade.Plan {
	t.Helper()
	p, err := upgrade.Prepare(t.Context(), m.client, request(edit))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
