package follow

import (
	"context"
	"fmt"
	"net"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const ingressGroup = "ingress"

// The IDs of the ingress steps.
const (
	ingressServiceStep step.ID = "ingress/service"
	ingressRouteStep   step.ID = "ingress/route"
	ingressDNSStep     step.ID = "hosted/dns"
)

// ingress creates the ingress of a hosted cluster's applications.
type ingress struct {
	mode options.IngressMode
	// version is the release's version, or "" if it is not known before the cluster exists.
	version string
	// baseDomain is the cluster's own, or "" if it is a subdomain of the management cluster's.
	baseDomain string
	resolve    func(ctx context.Context, host string) ([]string, error)
}

// CreateIngress adds steps that create the ingress of the hosted cluster's applications. version is the release's
// version, or "" if it is unknown. baseDomain is the cluster's own, or "".
func (f *Cluster) CreateIngress(mode options.IngressMode, version, baseDomain string) {
	f.ingress = &ingress{mode: mode, version: version, baseDomain: baseDomain, resolve: net.DefaultResolver.LookupHost}
}

// steps returns the ingress steps. They need nodes for the hosted cluster's router.
func (i ingress) steps(f *Cluster, before ...step.ID) []step.Step {
	if i.mode == options.IngressOperator ||
		i.baseDomain == "" && i.mode == options.IngressAuto && operatorPassesThrough(i.version) {
		return nil
	}
	service := step.Step{
		ID: ingressServiceStep, Title: "Service for *.apps", Group: ingressGroup, Needs: before,
		Check: f.client.Reading(f.withHostedCluster(i.unlessOperator(f, f.serviceReady))),
		Apply: f.applyWith(func(ctx context.Context, hc *hyperv1.HostedCluster) (step.Change, error) {
			ports, err := f.routerPorts(ctx, f.client, hc)
			if err != nil {
				return "", err
			}
			return f.client.Apply(ctx, appsService(hc, ports))
		}),
	}
	if i.baseDomain != "" {
		return []step.Step{
			service,
			{
				ID:       ingressDNSStep,
				Title:    "DNS of *.apps",
				Group:    ingressGroup,
				Severity: step.Advisory,
				Needs:    []step.ID{ingressServiceStep},
				Check:    f.client.Reading(f.withHostedCluster(i.dnsFinding)),
			},
		}
	}
	return []step.Step{service, {
		ID: ingressRouteStep, Title: "Route for *.apps", Group: ingressGroup, Needs: []step.ID{ingressServiceStep},
		Check: f.client.Reading(f.withHostedCluster(i.unlessOperator(f, f.routeAdmitted))),
		Apply: f.applyWith(func(ctx context.Context, hc *hyperv1.HostedCluster) (step.Change, error) {
			return f.client.Apply(ctx, appsRoute(hc))
		}),
	}}
}

// unlessOperator runs check unless the operators create the ingress for this version.
func (i ingress) unlessOperator(f *Cluster, check clusterCheck) clusterCheck {
	return func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		if i.mode == options.IngressAuto && i.baseDomain == "" {
			switch version := hostedcluster.ReleaseVersion(hc); {
			case version == "":
				return step.Pending("the hosted cluster does not say its version yet, which decides what creates this").
					On("HostedCluster %s", f.key())
			case operatorPassesThrough(version):
				return step.OK("the HyperShift operator makes it for %s", version).On("HostedCluster %s", f.key())
			}
		}
		return check(ctx, r, hc)
	}
}

// operatorPassesThrough reports whether the operators create Service and Route for guests of that version: from 4.12.2
// on.
func operatorPassesThrough(of string) bool {
	v, ok := hostedcluster.ParseVersion(of)
	return ok && !v.Before(hostedcluster.Version{Major: 4, Minor: 12, Patch: 2})
}

// applyWith reads the HostedCluster for a step that writes.
func (f *Cluster) applyWith(
	apply func(context.Context, *hyperv1.HostedCluster) (step.Change, error)) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		hc := &hyperv1.HostedCluster{}
		if err := f.client.Get(ctx, f.key(), hc); err != nil {
			return "", fmt.Errorf("HostedCluster %s: %w", f.key(), err)
		}
		return apply(ctx, hc)
	}
}

// withGuest runs a read of the hosted API server within guest.Timeout, which reads as r does.
func (f *Cluster) withGuest(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster,
	ask func(context.Context, kube.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	hosted, err := f.guest.Reader(ctx, r, hc)
	if err != nil {
		return err
	}
	return ask(ctx, hosted)
}
