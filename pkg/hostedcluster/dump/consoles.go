package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/subresource"
)

// consoleLog is the container of a VM's pod that stores the output of the serial console (KubeVirt 1.1 and later,
// unless HyperConverged or the VM disables it). Its log is collected with the others.
const consoleLog = "guest-console-log"

// consoles records the serial consoles of running VMs without a console log for a short time. It sends a line break
// first, so that a system shows its prompt.
func (d *Dump) consoles(ctx context.Context) string {
	var vms kubevirtv1.VirtualMachineInstanceList
	var pods corev1.PodList
	where := client.InNamespace(d.controlPlane())
	d.request(ctx, "the VMs for their consoles", func(ctx context.Context) error {
		return errors.Join(d.client.List(ctx, &vms, where), d.client.List(ctx, &pods, where))
	})
	consoles := consolesOf(vms.Items, pods.Items, d.client.Now())
	if len(consoles) > maxConsoles {
		d.gap(fmt.Sprintf("the consoles of %s", plural.Count(len(consoles)-maxConsoles, "other VM")),
			fmt.Errorf("left out: those of %d VMs are read at most", maxConsoles))
		consoles = consoles[:maxConsoles]
	}
	return plural.Count(d.writeLogs(ctx, d.largeSlots, consoles, d.console), "console")
}

// consolesOf returns the consoles of running VMs without a console log. VMs that are not healthy come first, because
// only maxConsoles are read.
func consolesOf(vms []kubevirtv1.VirtualMachineInstance, pods []corev1.Pod, now time.Time) []podLog {
	logged := func(vmi *kubevirtv1.VirtualMachineInstance) bool {
		return slices.ContainsFunc(pods, func(p corev1.Pod) bool {
			return cause.RunsVM(&p, vmi.Name) && slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers),
				func(c corev1.Container) bool { return c.Name == consoleLog })
		})
	}
	var unhealthy, healthy []podLog
	for i := range vms {
		vmi := &vms[i]
		l := podLog{namespace: vmi.Namespace, pod: vmi.Name, container: consoleLog, unit: "console"}
		switch {
		case vmi.Status.Phase != kubevirtv1.Running || logged(vmi):
		case health.Of(vmi, now).OK():
			healthy = append(healthy, l)
		default:
			unhealthy = append(unhealthy, l)
		}
	}
	return append(unhealthy, healthy...)
}

// console writes the output of a serial console during consoleTime. A console has no end, and the tenant controls its
// output.
func (d *Dump) console(ctx context.Context, l podLog) error {
	if !l.validNames() {
		return errName
	}
	stream, err := subresource.Dial(ctx, d.client.Config(), l.namespace, l.pod, "console")
	if err != nil {
		return err
	}
	end := time.AfterFunc(consoleTime, func() { _ = stream.Close() })
	defer end.Stop()
	_, _ = stream.Write([]byte("\r"))
	return d.writeLog(&console{stream, consoleBytes}, fmt.Sprintf("namespaces/%s/consoles/%s.log", l.namespace, l.pod))
}

// console reads a serial console until it is closed or the limit is reached. Every error counts as the end.
type console struct {
	io.ReadWriteCloser
	left int
}

// Read implements io.Reader.
func (c *console) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	n, err := c.ReadWriteCloser.Read(p[:min(len(p), c.left)])
	if c.left -= n; err != nil {
		err = io.EOF
	}
	return n, err
}
