package describe

import (
	"context"
	"fmt"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Cluster describes a hosted cluster. It fails as status.Of does; NotRead lists everything else that cannot be read.
func Cluster(ctx context.Context, r kube.Reader, namespace, name string) (*Description, error) {
	var report *status.Report
	var found []unstructured.Unstructured
	var machines machineList
	var events eventList
	var reportErr, err error
	var wg sync.WaitGroup
	wg.Go(func() { report, reportErr = status.Of(ctx, r, namespace, name) })
	wg.Go(func() {
		found, err = status.List(ctx, r, status.Query{Resource: status.HostedClusters(), Namespace: namespace,
			Names: []string{name}})
	})
	wg.Go(func() { machines = readMachines(ctx, r, namespace, name) })
	wg.Go(func() { events = readEvents(ctx, r, namespace, name) })
	wg.Wait()
	switch {
	case reportErr != nil:
		return nil, reportErr
	case err != nil:
		return nil, err
	}
	u := &found[0]
	var hc hyperv1.HostedCluster
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &hc); err != nil {
		return nil, fmt.Errorf("%s %s is not as its API says: %w", hostedcluster.HostedClusterKind, name, err)
	}
	d := &Description{Namespace: namespace, Name: name, Created: hc.CreationTimestamp.UTC(), Health: report.Health,
		Phase: report.Phase, Message: line(report.Message), Settings: settings(u, options.Fields()),
		Addresses: addresses(&hc), Releases: releases(&hc)}
	workers := report.NodePools.Total == nil || *report.NodePools.Total > 0
	d.Conditions = evaluated(conditions.OfCluster(&hc), workers)
	for _, p := range report.NodePools.Parts {
		d.NodePools = append(d.NodePools, Pool{Name: p.Name, Health: p.Health, Message: line(p.Message)})
	}
	if report.NodePools.Health == status.Unknown && len(d.NodePools) == 0 {
		d.NotRead = append(d.NotRead, Gap{"node pools", line(report.NodePools.Message)})
	}
	machines.onlyJudged(report).addTo(d, "")
	events.addTo(d, func(health.Event) bool { return true })
	return d, nil
}

// addresses returns the addresses of the cluster's endpoints from its status and its spec.
func addresses(hc *hyperv1.HostedCluster) []Address {
	var out []Address
	add := func(what, address string) {
		if address != "" {
			out = append(out, Address{what, line(address)})
		}
	}
	if e := hc.Status.ControlPlaneEndpoint; e.Host != "" {
		add("API server", fmt.Sprintf("https://%s:%d", e.Host, e.Port))
	}
	add("API server by its own name", hc.Spec.KubeAPIServerDNSName)
	add("OAuth server", hc.Status.OAuthCallbackURLTemplate)
	add("ignition", hc.Status.IgnitionEndpoint)
	for _, s := range hc.Spec.Services {
		how := string(s.Type)
		switch {
		case s.LoadBalancer != nil && s.LoadBalancer.Hostname != "":
			how += " " + s.LoadBalancer.Hostname
		case s.Route != nil && s.Route.Hostname != "":
			how += " " + s.Route.Hostname
		case s.NodePort != nil:
			how += strings.TrimSuffix(fmt.Sprintf(" %s:%d", s.NodePort.Address, s.NodePort.Port), ":0")
		}
		add("published: "+line(string(s.Service)), how)
	}
	return out
}

func releases(hc *hyperv1.HostedCluster) []Release {
	if hc.Status.Version == nil {
		return nil
	}
	var out []Release
	for _, h := range hc.Status.Version.History {
		one := Release{Version: line(h.Version), State: line(string(h.State)), Image: line(h.Image),
			Started: h.StartedTime.UTC()}
		if h.CompletionTime != nil {
			one.Completed = h.CompletionTime.UTC()
		}
		out = append(out, one)
	}
	return out
}
