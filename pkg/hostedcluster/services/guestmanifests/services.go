package guestmanifests

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// NetworkPlugInID is the step ID of --cni.
	NetworkPlugInID step.ID = "services/network-plug-in"
	// ManifestsID is the step ID of --guest-manifests.
	ManifestsID step.ID = "services/guest-manifests"
)

// NetworkPlugIn is the service of --cni. Without a network plug-in no node becomes Ready.
func NetworkPlugIn() service.Service {
	return service.Service{
		ID: NetworkPlugInID, Title: "network plug-in", Before: []step.ID{"hosted/nodes"}, Page: "docs/services.md",
		For:   func(o options.Validated) bool { return len(o.CNI) > 0 },
		Check: checkOf(func(o options.Validated) manifests.List { return o.CNI }),
		Apply: applyOf(func(o options.Validated) manifests.List { return o.CNI }),
	}
}

// Manifests is the service of --guest-manifests.
func Manifests() service.Service {
	return service.Service{
		ID: ManifestsID, Title: "manifests in the hosted cluster", After: []step.ID{NetworkPlugInID},
		Page:  "docs/services.md",
		For:   func(o options.Validated) bool { return len(o.GuestManifests) > 0 },
		Check: checkOf(func(o options.Validated) manifests.List { return o.GuestManifests }),
		Apply: applyOf(func(o options.Validated) manifests.List { return o.GuestManifests }),
	}
}

func applyOf(list func(options.Validated) manifests.List) func(context.Context, service.Tenant) (step.Change, error) {
	return func(ctx context.Context, t service.Tenant) (step.Change, error) {
		t.Done.Set(false)
		hosted, err := t.GuestClient(ctx)
		if err != nil {
			return "", err
		}
		return list(t.Options).Apply(ctx, hosted)
	}
}

// checkOf compares each object once with a live read. Later checks read as the engine decides.
func checkOf(
	list func(options.Validated) manifests.List) func(context.Context, service.Tenant, kube.Reader) step.Finding {
	return func(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
		all := list(t.Options)
		hosted, err := t.GuestClient(ctx)
		if err != nil {
			return service.Unreached(err, t)
		}
		bounded, cancel := context.WithTimeout(ctx, guest.Timeout)
		defer cancel()
		if !t.Done.Is() {
			if f := all.CheckApplied(bounded, hosted); f != nil {
				return f.RecheckAfter(guest.Timeout)
			}
			t.Done.Set(true)
		}
		done := step.OK("%s applied", plural.Count(len(all), "object")).On("HostedCluster %s", kube.Name(t.Cluster))
		if t.WriteOnly || !t.Workers() {
			return done
		}
		reader := r.From(hosted)
		if f := all.CheckUp(bounded, reader); f != nil {
			return withoutNodes(bounded, reader, *f).RecheckAfter(guest.Timeout)
		}
		return joined(bounded, reader, done)
	}
}

// withoutNodes turns the failure of a workload into Pending while no node is Ready. Its controller may have given up
// only because it had no node, or no SecurityContextConstraints, which a new cluster gets late.
func withoutNodes(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	if f.State != step.StateBroken || !f.Trouble {
		return f
	}
	var nodes corev1.NodeList
	switch err := r.List(ctx, &nodes); {
	case err != nil:
		return unreadNodes(err, f.Object)
	case slices.ContainsFunc(nodes.Items, func(n corev1.Node) bool { return health.NodeReady(&n) }):
		return f
	}
	f.State, f.Trouble = step.StatePending, len(nodes.Items) > 0
	f.Message += "; no node is ready that its pods could run on"
	return f
}

// joined waits for the first node: without nodes, DaemonSets need no pods and count as up.
func joined(ctx context.Context, r kube.Reader, done step.Finding) step.Finding {
	var nodes corev1.NodeList
	switch err := r.List(ctx, &nodes, client.Limit(1)); {
	case err != nil:
		return unreadNodes(err, done.Object).RecheckAfter(guest.Timeout)
	case len(nodes.Items) == 0:
		return step.Pending("%s, and no node has joined yet that its pods could run on", done.Message).
			On("%s", done.Object).RecheckAfter(guest.Timeout)
	}
	done.Message += " and up"
	return done
}

func unreadNodes(err error, object string) step.Finding {
	return step.Unknown("the nodes of the hosted cluster cannot be read: %s", kube.Explain(err)).On("%s", object)
}
