package deletion

import (
	"context"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// recheckInfra is the interval of checks on the infrastructure cluster, which is not watched.
const recheckInfra = 2 * time.Second

// infraVMs has the worker VMs on an infrastructure cluster. HyperShift removes them; hcctl only checks that, and
// deletes nothing there.
type infraVMs struct {
	site infrastructure.Site
	// unread is the error if that cluster cannot be read.
	unread error
}

// findInfra keeps the connection to the infrastructure cluster, because its kubeconfig is deleted with the cluster.
func (d *Plan) findInfra(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) {
	if hc == nil || !hostedcluster.PlatformOf(hc).Elsewhere() {
		return
	}
	d.infra = &infraVMs{}
	if d.infra.site, d.infra.unread = infrastructure.SiteOf(ctx, r, hc); d.infra.unread != nil {
		d.Left = append(d.Left, "what HyperShift may leave of the worker VMs elsewhere: "+d.infra.unread.Error())
		return
	}
	left, err := d.infra.left(ctx)
	if err != nil {
		d.Left = append(d.Left, "what HyperShift may leave of the worker VMs elsewhere: "+kube.Explain(err))
	} else if len(left) > 0 {
		d.Lost = append(d.Lost, plural.Count(len(left), "object")+" of the infrastructure cluster, namespace "+
			d.infra.site.Namespace+": "+plural.Few(left, 3))
	}
}

// left returns the names of the cluster's remaining objects there.
func (e *infraVMs) left(ctx context.Context) ([]string, error) {
	var names []string
	vms, err := kube.ListAll(ctx, e.site.Cluster.Client, &kubevirtv1.VirtualMachineList{},
		func(l *kubevirtv1.VirtualMachineList) []kubevirtv1.VirtualMachine { return l.Items }, e.site.VMs()...)
	if err != nil {
		return nil, err
	}
	for i := range vms {
		names = append(names, "VirtualMachine "+vms[i].Name)
	}
	volumes, err := kube.ListAll(ctx, e.site.Cluster.Client, kube.DataVolume.NewList(),
		func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items }, e.site.VMs()...)
	if err != nil {
		return nil, err
	}
	for i := range volumes {
		names = append(names, "DataVolume "+volumes[i].GetName())
	}
	slices.Sort(names)
	return names, nil
}

// gone is OK once no object of the cluster remains there. If that cluster cannot be read, it is only a warning, so that
// the deletion does not wait.
func (e *infraVMs) gone(ctx context.Context, _ kube.Reader) step.Finding {
	on, err := "infrastructure cluster", e.unread
	var left []string
	if err == nil {
		on = fmt.Sprintf("namespace %s of infrastructure cluster %s", e.site.Namespace, e.site.Cluster.Config().Host)
		left, err = e.left(ctx)
	}
	switch {
	case err != nil:
		return step.Finding{State: step.StateWarning, Message: "whether worker VMs are left there was not looked at: " +
			kube.Explain(err)}.On("%s", on)
	case len(left) > 0:
		return step.Pending("still there: %s", plural.Few(left, 3)).On("%s", on).RecheckAfter(recheckInfra).
			WithHint("%s", hint.New("HyperShift removes them; on that cluster: oc -n %s get virtualmachines,datavolumes",
				e.site.Namespace))
	}
	return step.OK("nothing of it is left").On("%s", on)
}
