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
	// Cluster is the last read HostedCluster.
	Cluster *hyperv1.HostedCluster
	// Client writes to the management cluster.
	Client *kube.Client
	// WriteOnly is set if the run ends before there are nodes, so that a service does not wait for its workloads.
	WriteOnly bool
	// Last is set if the options request no service outside the hosted cluster.
	Last bool
	// Guest is the connection to the hosted cluster.
	Guest *Guest
	// Done records for the run what need not be checked again.
	Done *Done
}

// Workers reports whether the options request worker nodes.
func (t Tenant) Workers() bool {
	for _, pool := range t.Options.NodePools {
		if pool.MaxReplicas > 0 || pool.Replicas > 0 {
			return true
		}
	}
	return false
}

// Done records for the time of a run that a check has succeeded. Apply resets it.
type Done struct {
	mu    sync.Mutex
	value bool
}

// Set sets the value.
func (d *Done) Set(value bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.value = value
}

// Is returns the last value that was set.
func (d *Done) Is() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.value
}

// Guest connects to the hosted cluster, and caches the connection. The zero value is ready for use.
type Guest struct {
	cached guest.CachedClient
	mu     sync.Mutex
	live   *kube.Client
	plan   *kube.Client
}

// GuestClient returns a client of the hosted cluster. It only plans changes if the management cluster's client does. It
// returns the errors of guest.Connect.
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

// GuestReader returns a Reader of the hosted cluster that reads as r does. It returns the errors of guest.Connect.
func (t Tenant) GuestReader(ctx context.Context, r kube.Reader) (kube.Reader, error) {
	hosted, err := t.GuestClient(ctx)
	if err != nil {
		return nil, err
	}
	return r.From(hosted), nil
}

// Unreached returns the finding for a hosted cluster that cannot be reached.
func Unreached(err error, t Tenant) step.Finding {
	return guest.Unknown("the hosted cluster cannot be asked", err, t.Cluster)
}
