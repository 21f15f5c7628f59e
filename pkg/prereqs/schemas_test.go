package prereqs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// written is a cluster of one release, and what steps of bootstrap write into it.
type written struct {
	objects  []string
	o        Options
	apply    []step.ID
	releases string
}

// releases parses a list of releases, such as "4.12-5.1".
func releases(t *testing.T, text string) []contracts.Release {
	t.Helper()
	spans, err := contracts.ParseReleases(text, contracts.Release{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := spans.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// worlds are clusters in which every step that writes an operator's object has to write one. VERSION stands for the
// release.
func worlds() map[string]written {
	const openShift, engines = "4.12-5.1", "2.2-2.11,2.17,5.0-5.1"
	operator := func(pkg, namespace, csv string) string {
		return prereqtest.Installed(pkg, namespace, csv+".vVERSION.1")
	}
	disks := ""
	for _, node := range []string{"w1", "w2", "w3"} {
		disks += workerWithDisk(node)
	}
	cluster := operator("odf-operator", "openshift-storage", "odf-operator") + disks
	volumes := volumeOn("w1") + volumeOn("w2") + volumeOn("w3")
	localStorage := operator("local-storage-operator", "openshift-local-storage", "local-storage-operator")
	searched := `
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeDiscovery,
  metadata: {name: auto-discover-devices, namespace: openshift-local-storage}}
` + disks
	lvm := operator("lvms-operator", "openshift-storage", "lvms-operator") + localStorage + searched
	metalLB := operator("metallb-operator", "metallb-system", "metallb-operator")
	engine := `
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine},
  spec: {targetNamespace: multicluster-engine, overrides: {components: [{name: local-cluster, enabled: false},
    {name: hypershift, enabled: false}, {name: hypershift-preview, enabled: false},
    {name: hypershift-local-hosting, enabled: false}]}}, status: {currentVersion: VERSION.1, phase: Available}}
`
	local := `
---
{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: local-cluster,
    labels: {local-cluster: "true"}}, spec: {hubAcceptsClient: true}}
`
	return map[string]written{
		"search for disks": {[]string{localStorage}, Options{}, []step.ID{storage.LocalVolumes}, openShift},
		"volumes":          {[]string{localStorage, searched}, Options{}, []step.ID{storage.LocalVolumes}, openShift},
		"Data Foundation":  {[]string{cluster, volumes}, Options{}, []step.ID{storage.Cluster}, openShift},
		"Data Foundation without the default class": {[]string{cluster, volumes, `
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast,
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: x.example}
`}, Options{}, []step.ID{storage.Cluster}, openShift},
		"Data Foundation with gateways left out": {[]string{cluster, volumes}, Options{Storage: storage.Options{
			Design: design.Options{Encryption: true, Gateways: "none", Spread: "nodes", DeviceSets: 3}}},
			[]step.ID{storage.Cluster}, openShift},
		"Data Foundation with a resource profile": {[]string{cluster, volumes}, Options{Storage: storage.Options{
			Design: design.Options{Profile: "performance"}}}, []step.ID{storage.Cluster}, "4.15-5.1"},
		"Data Foundation with a mark": {[]string{cluster, volumes}, Options{Storage: storage.Options{
			Design: design.Options{VirtualizationClass: "mark"}}}, []step.ID{storage.Cluster}, "4.14-5.1"},
		"LVM Storage": {[]string{lvm}, Options{Storage: storage.Options{Mode: storage.ModeLVM,
			Disks: disk.Options{Nodes: "kubernetes.io/hostname=w1"}}}, []step.ID{storage.LVMCluster}, openShift},
		"LVM Storage on several nodes": {[]string{lvm}, Options{Storage: storage.Options{Mode: storage.ModeLVM}},
			[]step.ID{storage.LVMCluster}, "4.14-5.1"},
		"hostpath provisioner": {nil, Options{Storage: storage.Options{Mode: storage.ModeHostPath}},
			[]step.ID{storage.HostPath}, openShift},
		"virtualization": {[]string{operator("kubevirt-hyperconverged", "openshift-cnv",
			"kubevirt-hyperconverged-operator"), storesV1beta1}, Options{}, []step.ID{prereq.HyperConverged}, openShift},
		"MetalLB": {[]string{metalLB}, Options{LoadBalancer: loadbalancer.Options{Mode: loadbalancer.ModeMetalLB,
			MetalLBRanges: []string{"192.0.2.32/28"}}}, []step.ID{loadbalancer.MetalLB, loadbalancer.Pool,
			loadbalancer.Advertisement}, openShift},
		"engine": {nil, Options{}, []step.ID{multicluster.Engine}, engines},
		"components": {[]string{engine, local}, Options{}, []step.ID{multicluster.Component, multicluster.LocalCluster},
			engines},
		"GitOps": {[]string{engine}, Options{With: OptionalGroups()}, []step.ID{gitops.ClusterSet, gitops.Binding,
			gitops.Placement}, engines},
		"GitOpsCluster": {nil, Options{With: OptionalGroups()}, []step.ID{gitops.GitOpsCluster}, "2.7-2.17,5.0-5.1"},
		"addon":         {[]string{engine, local}, Options{}, []step.ID{multicluster.HypershiftAddon}, engines},
	}
}

const storesV1beta1 = `
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: hyperconvergeds.hco.kubevirt.io},
  spec: {versions: [{name: v1beta1, served: true, storage: true}]}}
`

// workerWithDisk is a worker for storage, and its empty disk.
func workerWithDisk(name string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: %[1]s, labels: {node-role.kubernetes.io/worker: "",
    kubernetes.io/hostname: %[1]s, cluster.ocs.openshift.io/openshift-storage: ""}},
  status: {conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: local.storage.openshift.io/v1alpha1, kind: LocalVolumeDiscoveryResult,
  metadata: {name: discovery-result-%[1]s, namespace: openshift-local-storage}, spec: {nodeName: %[1]s},
  status: {discoveredTimeStamp: "2026-01-01T00:00:00Z", discoveredDevices: [{path: /dev/sdb, type: disk,
    deviceID: /dev/disk/by-id/wwn-%[1]s, size: 107374182400, property: NonRotational, status: {state: Available}}]}}
`, name)
}

// volumeOn is what the Local Storage Operator makes of that disk.
func volumeOn(node string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: local-pv-%[1]s,
    labels: {storage.openshift.com/owner-name: localblock, kubernetes.io/hostname: %[1]s},
    annotations: {storage.openshift.com/device-name: sdb, storage.openshift.com/device-id: wwn-%[1]s}},
  spec: {storageClassName: localblock, volumeMode: Block, capacity: {storage: 100Gi}}}
`, node)
}

// Every field that bootstrap writes is in the CRD of the release that it writes it to. The facts are those of package
// contracts; the sandbox's CRDs are made from the same.
func TestWhatBootstrapWritesIsInEveryReleasesCRD(t *testing.T) {
	found, kinds := map[string]bool{}, map[string]bool{}
	for name, w := range worlds() {
		for _, release := range releases(t, w.releases) {
			for _, problem := range w.problems(t, name, release, kinds) {
				found[problem] = true
			}
		}
	}
	for _, problem := range slices.Sorted(maps.Keys(found)) {
		t.Error(problem)
	}
	want := []string{"GitOpsCluster", "HostPathProvisioner", "HyperConverged", "IPAddressPool", "L2Advertisement", "LVMCluster", "LocalVolume",
		"LocalVolumeDiscovery", "ManagedClusterAddOn", "ManagedClusterSet", "ManagedClusterSetBinding", "MetalLB",
		"MultiClusterEngine", "Placement", "StorageCluster", "StorageSystem"}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(got, want) {
		t.Errorf("looked at %v, want %v", got, want)
	}
}

// problems applies the steps to a cluster of that release, and returns what its CRDs refuse.
func (w written) problems(t *testing.T, name string, release contracts.Release, kinds map[string]bool) []string {
	t.Helper()
	api := prereqtest.Serve(t)
	api.RegisterAll()
	for _, o := range w.objects {
		api.Put(t, strings.ReplaceAll(o, "VERSION", release.String()))
	}
	if strings.HasPrefix(w.releases, "4.") {
		api.Put(t, prereqtest.ClusterVersion(release.String()+".1"))
	}
	o, err := w.o.Validate()
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, id := range w.apply {
		before := len(api.Writes())
		if _, err := prereqtest.Apply(t, api.Client, prerequisites(o, nil), id); err != nil {
			t.Fatalf("%s, %s: %s: %v", name, release, id, err)
		}
		writes := api.Writes()[before:]
		if len(writes) == 0 {
			t.Errorf("%s, %s: %s wrote nothing", name, release, id)
		}
		for _, request := range writes {
			problems = append(problems, check(t, api, release, request, kinds)...)
		}
	}
	return problems
}

// check holds what a request has left behind to the schema of its kind. Kinds that the contracts do not have are the
// platform's.
func check(t *testing.T, api *prereqtest.API, release contracts.Release, r prereqtest.Request,
	kinds map[string]bool) []string {
	t.Helper()
	sent, gvk := sentBy(t, api, r)
	table, err := contracts.TableOf(gvk.Group, gvk.Kind)
	if err != nil {
		if gvk.Group == "" || gvk.Kind == "StorageClass" {
			return nil
		}
		t.Fatalf("%s: %v", r, err)
	}
	plural, _, _ := strings.Cut(table.CRD, ".")
	one := api.Object(t, kube.Kind{GroupVersionKind: gvk, Plural: plural,
		Namespaced: r.Namespace != ""}, r.Namespace, cmp.Or(r.Name, sent.GetName()))
	if one == nil {
		t.Fatalf("%s: there is no such object", r)
	}
	schemas, err := crd.Schemas(table, release)
	if err != nil {
		t.Fatal(err)
	}
	of := schemas[gvk.Version]
	if of == nil {
		of = schemas[""]
	}
	if of == nil {
		return []string{fmt.Sprintf("%s %s: no version %s", release, gvk.Kind, gvk.Version)}
	}
	kinds[gvk.Kind] = true
	// What an operator says is its own business.
	unstructured.RemoveNestedField(one.Object, "status")
	all, err := crd.Problems(of, one.Object)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i] = fmt.Sprintf("%s %s: %s", release, gvk.Kind, all[i])
	}
	return all
}

// sentBy is the body of a request, and its kind, which merge patches leave out.
func sentBy(t *testing.T, api *prereqtest.API, r prereqtest.Request) (*unstructured.Unstructured,
	schema.GroupVersionKind) {
	t.Helper()
	sent := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(r.Body), &sent.Object); err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	if gvk := sent.GroupVersionKind(); gvk.Kind != "" {
		return sent, gvk
	}
	gvk, err := api.Client.RESTMapper().KindFor(schema.ParseGroupResource(r.Resource).WithVersion(""))
	if err != nil {
		t.Fatal(err)
	}
	return sent, gvk
}
