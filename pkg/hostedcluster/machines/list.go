package machines

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Machine is one worker VM. Scripts rely on the tags: docs/schema/machines.json.
type Machine struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	NodePool  string `json:"nodePool"`
	// Node is the hosted cluster's node, from Cluster API's Machine; empty until it has joined.
	Node string `json:"node,omitempty"`
	// Host is the node of the management or infrastructure cluster that runs the VM. Rack and Zone are from its labels.
	// They are empty if the VM does not run, or if the node has no such label.
	Host      string   `json:"host,omitempty"`
	Rack      string   `json:"rack,omitempty"`
	Zone      string   `json:"zone,omitempty"`
	Addresses []string `json:"addresses"`
	// State is KubeVirt's printable status of the VM, such as Running.
	State string `json:"state"`
	Ready bool   `json:"ready"`
	// BootImage is the source of the root volume.
	BootImage string    `json:"bootImage,omitempty"`
	Created   time.Time `json:"created"`
}

// Gap is something that could not be read, with the reason.
type Gap struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// List holds the worker VMs of a hosted cluster.
type List struct {
	Machines []Machine
	// NotRead lists what could not be read in addition to the VMs.
	NotRead []Gap
}

// Read lists the worker VMs of a hosted cluster by name. It returns a *hostedcluster.NotFoundError, the error of
// hostedcluster.CheckVMs, or the error of listing the VMs. Other failed reads are in NotRead.
func Read(ctx context.Context, r kube.Reader, namespace, name string) (List, error) {
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return List{}, err
	}
	if err := hostedcluster.CheckVMs(hc); err != nil {
		return List{}, err
	}
	site, err := infrastructure.SiteOf(ctx, r, hc)
	if err != nil {
		return List{}, err
	}
	inside := client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name))
	var vms kubevirtv1.VirtualMachineList
	var running map[string]*kubevirtv1.VirtualMachineInstance
	var hosts map[string]map[string]string
	var joined map[string]string
	failed := make([]error, 4)
	var wg sync.WaitGroup
	wg.Go(func() { failed[0] = site.Reader.List(ctx, &vms, site.VMs()...) })
	wg.Go(func() { running, failed[1] = readInstances(ctx, site) })
	wg.Go(func() { hosts, failed[2] = readHosts(ctx, site.Reader) })
	wg.Go(func() { joined, failed[3] = readNodes(ctx, r, inside) })
	wg.Wait()
	if failed[0] != nil {
		return List{}, fmt.Errorf("VirtualMachines in namespace %s: %w", site.Namespace, failed[0])
	}
	out := List{Machines: []Machine{}}
	for i, what := range []string{"hosts and addresses", "racks and zones of hosts", "nodes of the hosted cluster"} {
		if err := failed[i+1]; err != nil {
			out.NotRead = append(out.NotRead, Gap{what, kube.Explain(err)})
		}
	}
	for i := range vms.Items {
		vm := &vms.Items[i]
		pool, worker := vm.Labels[hyperv1.NodePoolNameLabel]
		if !worker {
			continue
		}
		m := Machine{Name: vm.Name, Namespace: vm.Namespace, NodePool: pool, Node: joined[vm.Name], Addresses: []string{},
			State: cmp.Or(string(vm.Status.PrintableStatus), "Unknown"), Ready: vm.Status.Ready, BootImage: bootImage(vm),
			Created: vm.CreationTimestamp.UTC()}
		if vmi := running[vm.Name]; vmi != nil {
			m.Host, m.Addresses = vmi.Status.NodeName, addresses(vmi)
			m.Rack, m.Zone = RackOf(hosts[m.Host]), hosts[m.Host][corev1.LabelTopologyZone]
		}
		out.Machines = append(out.Machines, m)
	}
	slices.SortFunc(out.Machines, func(a, b Machine) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func readInstances(
	ctx context.Context, site infrastructure.Site) (map[string]*kubevirtv1.VirtualMachineInstance, error) {
	var list kubevirtv1.VirtualMachineInstanceList
	err := site.Reader.List(ctx, &list, site.VMs()...)
	running := map[string]*kubevirtv1.VirtualMachineInstance{}
	for i := range list.Items {
		running[list.Items[i].Name] = &list.Items[i]
	}
	return running, err
}

// readHosts returns the labels of the nodes of the VMs' cluster, by node.
func readHosts(ctx context.Context, r kube.Reader) (map[string]map[string]string, error) {
	var list corev1.NodeList
	err := r.List(ctx, &list)
	hosts := map[string]map[string]string{}
	for i := range list.Items {
		hosts[list.Items[i].Name] = list.Items[i].Labels
	}
	return hosts, err
}

// readNodes returns the names of the hosted cluster's nodes, by VM. In every version, Cluster API writes both names
// into a Machine; its KubevirtMachine has the name of the VM.
func readNodes(ctx context.Context, r kube.Reader, inside client.InNamespace) (map[string]string, error) {
	kind, err := r.DiscoverResource(ctx, schema.GroupResource{Group: "cluster.x-k8s.io", Resource: "machines"})
	if err != nil {
		return nil, err
	}
	list := kind.NewList()
	err = r.List(ctx, list, inside)
	joined := map[string]string{}
	for i := range list.Items {
		m := &list.Items[i]
		if vm := kube.Text(m, "spec", "infrastructureRef", "name"); vm != "" {
			joined[vm] = kube.Text(m, "status", "nodeRef", "name")
		}
	}
	return joined, err
}

// RackOf returns the value of a node's rack label: "rack", or else the first by name that ends in "/rack", such as
// topology.rook.io/rack.
func RackOf(labels map[string]string) string {
	if rack := labels["rack"]; rack != "" {
		return rack
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if strings.HasSuffix(key, "/rack") && labels[key] != "" {
			return labels[key]
		}
	}
	return ""
}

func addresses(vmi *kubevirtv1.VirtualMachineInstance) []string {
	all := []string{}
	for _, nic := range vmi.Status.Interfaces {
		for _, ip := range append(slices.Clone(nic.IPs), nic.IP) {
			if ip = sanitize.Value(ip); ip != "" && !slices.Contains(all, ip) {
				all = append(all, ip)
			}
		}
	}
	return all
}

// bootImage returns the source of a VM's first volume: an image, or the volume that it is cloned from.
func bootImage(vm *kubevirtv1.VirtualMachine) string {
	for _, volume := range vm.Spec.DataVolumeTemplates {
		switch source := volume.Spec.Source; {
		case source == nil:
		case source.Registry != nil && source.Registry.URL != nil:
			return strings.TrimPrefix(*source.Registry.URL, "docker://")
		case source.HTTP != nil:
			return source.HTTP.URL
		case source.PVC != nil:
			return "PersistentVolumeClaim " + source.PVC.Namespace + "/" + source.PVC.Name
		}
	}
	return ""
}
