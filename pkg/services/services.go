package services

import (
	"context"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/services/guestmanifests"
	"github.com/hcctl/hcctl/pkg/services/internal/service"
	"github.com/hcctl/hcctl/pkg/step"
)

// Service is one service, see there.
type Service = service.Service

// All are the services there are, in the order in which they are shown.
func All() []Service {
	return []Service{guestmanifests.NetworkPlugIn(), guestmanifests.Manifests()}
}

// Asked are the services that the options ask for.
func Asked(o options.Validated) []Service {
	return slices.DeleteFunc(All(), func(s Service) bool { return !s.For(o) })
}

// Milestones are the steps that follow a hosted cluster, among which its services run.
type Milestones struct {
	// Steps are all of them, in order.
	Steps []step.Step
	// API is the milestone that every service needs.
	API step.ID
	// WriteOnly means that they end before there are nodes.
	WriteOnly bool
	// Reading makes a check of one about a HostedCluster that has just been read.
	Reading func(func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding) kube.Check
}

// Among puts the services that the options ask for among the milestones: after the API server answers, and before the
// milestones that cannot be reached without them.
func Among(c *kube.Client, o options.Validated, m Milestones) []step.Step {
	asked := Asked(o)
	at := slices.IndexFunc(m.Steps, func(s step.Step) bool { return s.ID == m.API }) + 1
	if len(asked) == 0 || at == 0 {
		return m.Steps
	}
	steps := slices.Clone(m.Steps)
	connection := &service.Guest{}
	var own []step.Step
	for _, s := range asked {
		t := service.Tenant{Options: o, Client: c, WriteOnly: m.WriteOnly, Guest: connection, Done: &service.Done{}}
		own = append(own, stepOf(s, t, m))
		for i := range steps {
			if slices.Contains(s.Before, steps[i].ID) {
				steps[i].Needs = append(slices.Clone(steps[i].Needs), s.ID)
			}
		}
	}
	return slices.Insert(steps, at, own...)
}

// stepOf is a service as the engine runs it. Milestones that are not followed are not needed.
func stepOf(s Service, t service.Tenant, m Milestones) step.Step {
	needs := []step.ID{m.API}
	for _, id := range s.Needs {
		if slices.ContainsFunc(m.Steps, func(s step.Step) bool { return s.ID == id }) {
			needs = append(needs, id)
		}
	}
	key := client.ObjectKey{Namespace: t.Options.Namespace, Name: t.Options.Name}
	return step.Step{
		ID: s.ID, Title: s.Title, Group: service.Group, Needs: needs, After: s.After, Timeout: s.Timeout, Docs: s.Page,
		Check: t.Client.Reading(m.Reading(
			func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
				t := t
				t.Cluster = hc
				return s.Check(ctx, t, r)
			})),
		Apply: func(ctx context.Context) (step.Change, error) {
			t := t
			t.Cluster = &hyperv1.HostedCluster{}
			if err := t.Client.Get(ctx, key, t.Cluster); err != nil {
				return "", err
			}
			return s.Apply(ctx, t)
		},
	}
}
