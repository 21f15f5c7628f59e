package machines

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const world = `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters},
  spec: {platform: {type: KubeVirt, kubevirt: {}}}}
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: far, namespace: clusters},
  spec: {platform: {type: KubeVirt, kubevirt: {credentials: {infraNamespace: guests}}}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {topology.rook.io/rack: r1, topology.kubernetes.io/zone: z1}}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: kv-00-b, namespace: clusters-kv-00,
  creationTimestamp: "2026-03-01T10:00:00Z", labels: {hypershift.openshift.io/nodepool-name: kv-00}},
  spec: {dataVolumeTemplates: [{spec: {source: {pvc: {namespace: clusters-kv-00, name: cache}}}}]},
  status: {printableStatus: Starting}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: kv-00-a, namespace: clusters-kv-00,
  creationTimestamp: "2026-03-01T10:00:00Z", labels: {hypershift.openshift.io/nodepool-name: kv-00}},
  spec: {dataVolumeTemplates: [{spec: {source: {registry: {url: "docker://quay.io/rhcos:4.20"}}}}]},
  status: {printableStatus: Running, ready: true}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: other, namespace: clusters-kv-00}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: kv-00-a, namespace: clusters-kv-00},
  status: {nodeName: n1, interfaces: [{ipAddress: 10.0.0.1, ipAddresses: [10.0.0.1, "fd00::1"]}]}}
`

func TestRead(t *testing.T) {
	api := kubetest.Serve(t)
	api.Register(t, kube.HostedCluster, kube.VirtualMachineInstance, kube.Machine)
	api.Put(t, world)
	c := api.Client
	list, err := Read(t.Context(), c, "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Machines {
		list.Machines[i].Created = list.Machines[i].Created.UTC().Truncate(0)
	}
	want := []Machine{
		{Name: "kv-00-a", Namespace: "clusters-kv-00", NodePool: "kv-00", Host: "n1", Rack: "r1", Zone: "z1",
			Addresses: []string{"10.0.0.1", "fd00::1"}, State: "Running", Ready: true, BootImage: "quay.io/rhcos:4.20",
			Created: list.Machines[0].Created},
		{Name: "kv-00-b", Namespace: "clusters-kv-00", NodePool: "kv-00", Addresses: []string{}, State: "Starting",
			BootImage: "PersistentVolumeClaim clusters-kv-00/cache", Created: list.Machines[1].Created},
	}
	if diff := cmp.Diff(want, list.Machines); diff != "" {
		t.Error(diff)
	}
	if len(list.NotRead) != 0 {
		t.Errorf("%+v", list.NotRead)
	}
	var elsewhere *infrastructure.NotReachedError
	if _, err := Read(t.Context(), c, "clusters", "far"); !errors.As(err, &elsewhere) {
		t.Errorf("%v", err)
	}
	var none *hostedcluster.NotFoundError
	if _, err := Read(t.Context(), c, "clusters", "none"); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}

func TestRackOf(t *testing.T) {
	for want, labels := range map[string]map[string]string{
		"":  nil,
		"a": {"rack": "a", "a.example/rack": "b"},
		"b": {"topology.rook.io/rack": "b", "z.example/rack": "c", "a.example/rack": ""},
	} {
		if got := RackOf(labels); got != want {
			t.Errorf("%v: %q, want %q", labels, got, want)
		}
	}
}
