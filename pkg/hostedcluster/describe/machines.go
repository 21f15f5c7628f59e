package describe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/inspect"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// machineList has the worker VMs of a cluster, or the reasons why they are not known.
type machineList struct {
	items []Machine
	gaps  []Gap
}

// readMachines reads the worker VMs and their instances.
func readMachines(ctx context.Context, r kube.Reader, namespace, name string) machineList {
	inside := client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name))
	var vms []kubevirtv1.VirtualMachine
	running := map[string]*kubevirtv1.VirtualMachineInstance{}
	var vmErr, runErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		page := &kubevirtv1.VirtualMachineList{}
		vmErr = r.ListPages(ctx, page, func() { vms = append(vms, page.Items...) }, inside)
	})
	wg.Go(func() {
		page := &kubevirtv1.VirtualMachineInstanceList{}
		runErr = r.ListPages(ctx, page, func() {
			for i := range page.Items {
				running[page.Items[i].Name] = &page.Items[i]
			}
		}, inside)
	})
	wg.Wait()
	if vmErr != nil {
		return machineList{gaps: []Gap{{"worker VMs", line(kube.Explain(vmErr))}}}
	}
	var out machineList
	if runErr != nil {
		out.gaps = append(out.gaps, Gap{"nodes and addresses of worker VMs", line(kube.Explain(runErr))})
	}
	for i := range vms {
		vm := &vms[i]
		m := Machine{Name: vm.Name, Pool: line(vm.Labels[hyperv1.NodePoolNameLabel]),
			Status: line(string(vm.Status.PrintableStatus)), Ready: vm.Status.Ready, Created: vm.CreationTimestamp.UTC()}
		if vmi := running[vm.Name]; vmi != nil {
			m.Node = line(vmi.Status.NodeName)
			for _, nic := range vmi.Status.Interfaces {
				if nic.IP != "" && !slices.Contains(m.Addresses, line(nic.IP)) {
					m.Addresses = append(m.Addresses, line(nic.IP))
				}
			}
		}
		out.items = append(out.items, m)
	}
	slices.SortFunc(out.items, func(a, b Machine) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// onlyJudged returns the list unchanged if hcctl judges the cluster's machines, otherwise a gap with the reason. report
// may be nil.
func (l machineList) onlyJudged(report *status.Report) machineList {
	if report != nil && report.Machines.NotJudged {
		return machineList{gaps: []Gap{{"machines", line(report.Machines.Message)}}}
	}
	return l
}

// addTo adds the machines to a description; with a pool only those of the pool.
func (l machineList) addTo(d *Description, pool string) {
	d.Machines = []Machine{}
	for _, m := range l.items {
		if pool == "" || m.Pool == pool {
			d.Machines = append(d.Machines, m)
		}
	}
	if more := len(d.Machines) - maxMachines; more > 0 {
		d.Machines = d.Machines[:maxMachines]
		d.NotRead = append(d.NotRead, Gap{"worker VMs", fmt.Sprintf("%d more are left out", more)})
	}
	d.NotRead = append(d.NotRead, l.gaps...)
}

// eventList has the events of a cluster, or the error of reading them.
type eventList struct {
	items []health.Event
	err   error
}

func readEvents(ctx context.Context, r kube.Reader, namespace, name string) eventList {
	events, err := inspect.Events(ctx, r, namespace, name, inspect.EventOptions{})
	return eventList{events, err}
}

// addTo adds the newest of the selected events, but only a few of type Normal.
func (l eventList) addTo(d *Description, selects func(health.Event) bool) {
	d.Events = []health.Event{}
	normal := 0
	for _, e := range slices.Backward(l.items) {
		if !selects(e) {
			continue
		}
		if e.Type == corev1.EventTypeNormal {
			normal++
		}
		if len(d.Events) == maxEvents || e.Type == corev1.EventTypeNormal && normal > maxNormal {
			d.MoreEvents++
			continue
		}
		e.Message = line(e.Message)
		d.Events = append(d.Events, e)
	}
	slices.Reverse(d.Events)
	if l.err != nil {
		d.NotRead = append(d.NotRead, Gap{"events", line(kube.Explain(l.err))})
	}
}
