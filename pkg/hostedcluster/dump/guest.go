package dump

import (
	"context"
	"errors"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
)

// guest collects the hosted cluster's own objects.
func (d *Dump) guest(ctx context.Context) string {
	if d.hc == nil {
		d.gap("the hosted cluster itself",
			errors.New("its HostedCluster, which has its kubeconfig, could not be read or is gone"))
		return "not asked: there is no HostedCluster"
	}
	// The first request shows within a short time whether it answers. Later ones may take longer.
	c, err := guest.Connect(ctx, d.client, d.hc)
	if err == nil {
		_, err = c.ServerVersion(ctx)
	}
	var hosted guest.CachedClient
	if err == nil {
		c, err = hosted.Client(ctx, d.client, d.hc)
	}
	if err != nil {
		d.gap("the hosted cluster itself", err)
		if _, refused := guest.RefusedFinding(err); refused {
			return "not asked: its kubeconfig is refused"
		}
		return "it does not answer"
	}
	bounded, cancel := context.WithTimeout(ctx, guestTime)
	defer cancel()
	n := d.gather(bounded, source{c, guestBase, make(chan struct{}, maxParallelGuest), requestTimeout}, []query{
		{resource: "clusterversions.config.openshift.io"},
		{resource: "clusteroperators.config.openshift.io"},
		{resource: "infrastructures.config.openshift.io"},
		{resource: "networks.config.openshift.io"},
		{resource: "ingresses.config.openshift.io"},
		{resource: "ingresscontrollers.operator.openshift.io"},
		{resource: "nodes"},
		{resource: "namespaces"},
		{resource: "pods"},
		{resource: "events"},
		{resource: "storageclasses.storage.k8s.io"},
		{resource: "persistentvolumes"},
		{resource: "persistentvolumeclaims"},
		{resource: "services"},
		{resource: "certificatesigningrequests.certificates.k8s.io"},
		{resource: "apiservices.apiregistration.k8s.io", only: notAvailable},
	})
	if bounded.Err() != nil && ctx.Err() == nil {
		d.gap("the rest of the hosted cluster", bounded.Err())
	}
	return plural.Count(n, "object")
}

// guestBase is the directory of the hosted cluster's own objects.
const guestBase = "hosted-cluster/"
