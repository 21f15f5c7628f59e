package status

import (
	"context"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// infraVMs holds what was read of worker VMs that run on an infrastructure cluster.
type infraVMs struct {
	site infrastructure.Site
	vms  result[kubevirtv1.VirtualMachine]
	// pods are all pods of the namespace: those that import disks have no label of the cluster.
	pods result[corev1.Pod]
}

// maxInfraRead limits the reads on the infrastructure cluster, because a Secret chooses its address.
const maxInfraRead = 30 * time.Second

func readInfraVMs(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) *infraVMs {
	site, err := infrastructure.SiteOf(ctx, r, hc)
	e := &infraVMs{site: site}
	if err != nil {
		e.vms.err, e.pods.err = err, err
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, maxInfraRead)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		e.vms = pages(ctx, site.Reader, &kubevirtv1.VirtualMachineList{},
			func(l *kubevirtv1.VirtualMachineList) []kubevirtv1.VirtualMachine { return l.Items }, site.VMs()...)
	})
	wg.Go(func() {
		e.pods = pages(ctx, site.Reader, &corev1.PodList{}, func(l *corev1.PodList) []corev1.Pod { return l.Items },
			client.InNamespace(site.Namespace))
	})
	wg.Wait()
	if e.vms.err != nil {
		e.vms.err = &infrastructure.NotReachedError{Of: site.Of, Namespace: site.Namespace, Err: e.vms.err}
	}
	return e
}

// walker returns the walker that explains worker VMs: one for the infrastructure cluster, or that of the control plane.
func (e *infraVMs) walker(v *snapshot, control *cause.Walker) *cause.Walker {
	if e == nil || e.site.Cluster == nil {
		return control
	}
	w := cause.NewElsewhere(v.hc, e.site.Reader, e.site.Namespace)
	if e.pods.err == nil {
		w.GivePods(e.pods.items)
	}
	return w
}
