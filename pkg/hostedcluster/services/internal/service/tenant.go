package service

import (
	"context"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Tenant is the hosted cluster that gets a service.
type Tenant struct {
	Options options.Validated
	// Cluster is the HostedCluster as it was read last.
	Cluster *hyperv1.HostedCluster
	// Client writes to the management cluster.
	Client *kube.Client
	// WriteOnly means that the run ends before there are nodes, so that a service does not wait for its workloads.
	WriteOnly bool
	// Last tells that the options ask for no service outside of the hosted cluster.
	Last bool
	// Guest is the connection to the hosted cluster.
	Guest *Guest
	// Done remembers during a run what need not be looked at again.
	Done *Done
}

// Workers reports whether the cluster is to have worker nodes.
func (t Tenant) Workers() bool {
	for _, pool := range t.Options.NodePools {
		if pool.MaxReplicas > 0 || pool.Replicas > 0 {
			return true
		}
	}
	return false
}

// Done remembers for the time of a run that something was found as it has to be. Apply forgets it.
type Done struct {
	mu sync.Mutex
	is bool
}

// Set remembers or forgets.
func (d *Done) Set(is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.is = is
}

// Is tells what is remembered.
func (d *Done) Is() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.is
}

// Guest connects to the hosted cluster, and keeps the connection. The zero value is ready for use.
type Guest struct {
	cached guest.CachedClient
	mu     sync.Mutex
	live   *kube.Client
	plan   *kube.Client
}

// GuestClient returns a client of the hosted cluster that writes there, or only plans to if the management cluster's
// client only plans. It fails as guest.Connect does.
func (t Tenant) GuestClient(ctx context.Context) (*kube.Client, error) {
	hosted, err := t.Guest.cached.Client(ctx, t.Client, t.Cluster)
	if err != nil || !t.Client.IsPlanning() {
		return hosted, err
	}
	t.Guest.mu.Lock()
	defer t.Guest.mu.Unlock()
	if t.Guest.live != hosted {
		t.Guest.live = hosted
		t.Guest.plan, _ = hosted.Planning(nil)
	}
	return t.Guest.plan, nil
}

// GuestReader returns a Reader of the hosted cluster that reads as r does. It fails as guest.Connect does.
func (t Tenant) GuestReader(ctx context.Context, r kube.Reader) (kube.Reader, error) {
	hosted, err := t.GuestClient(ctx)
	if err != nil {
		return nil, err
	}
	return r.From(hosted), nil
}

// Unreached is the finding about a hosted cluster that cannot be asked.
func Unreached(err error, t Tenant) step.Finding {
	return guest.Unknown("the hosted cluster cannot be asked", err, t.Cluster)
}
