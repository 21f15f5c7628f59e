package services

import (
	"context"
	"errors"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/defaultclass"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/guestmanifests"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/identity"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/jumphost"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/managedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/nodetopology"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

type (
	// Service is one service of a hosted cluster.
	Service = service.Service
	// Description describes how to use a service.
	Description = service.Description
	// Wiring is the configuration that a service writes into a HostedCluster.
	Wiring = service.Wiring
)

// All lists all services, in the order of output.
func All() []Service {
	return []Service{
		guestmanifests.NetworkPlugIn(), guestmanifests.Manifests(), defaultclass.Service(), nodetopology.Service(),
		managedcluster.Service(), jumphost.Service(), identity.Provider(), identity.Dex(), identity.GroupRoles(),
	}
}

// unlisted returns the services outside the hosted cluster that a document with a list of services does not list.
func unlisted(o options.Validated) []Service {
	if !o.TenantServices.Listed {
		return nil
	}
	return slices.DeleteFunc(All(), func(s Service) bool { return s.Remove == nil || s.For(o) })
}

// Asked returns the services that the options request.
func Asked(o options.Validated) []Service {
	return slices.DeleteFunc(All(), func(s Service) bool { return !s.For(o) })
}

// Milestones are the steps of a hosted cluster between which its services run.
type Milestones struct {
	// Steps are all milestones, in order.
	Steps []step.Step
	// API is the milestone that every service needs, except the early ones. Written is what those need.
	API     step.ID
	Written []step.ID
	// WriteOnly is set if the milestones end before there are nodes.
	WriteOnly bool
	// Reading turns a check of a HostedCluster into a kube.Check that first reads it.
	Reading func(func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding) kube.Check
}

// Among inserts the requested services among the milestones: after the API server answers, or before that if it needs
// the service, and before the milestones that depend on the service.
func Among(c *kube.Client, o options.Validated, m Milestones) []step.Step {
	requested, dropped := Asked(o), unlisted(o)
	at := slices.IndexFunc(m.Steps, func(s step.Step) bool { return s.ID == m.API }) + 1
	if len(requested)+len(dropped) == 0 || at == 0 {
		return m.Steps
	}
	steps := slices.Clone(m.Steps)
	tenant := service.Tenant{Options: o, Client: c, WriteOnly: m.WriteOnly, Guest: &service.Guest{},
		Last: !slices.ContainsFunc(requested, func(s Service) bool { return s.Remove != nil })}
	var own []step.Step
	for _, s := range dropped {
		s.Title, s.Check, s.Apply = "no "+s.Title, s.Removed, s.Remove
		s.Needs, s.After, s.Before = nil, nil, nil
		own = append(own, stepOf(s, tenant, m))
	}
	for _, s := range requested {
		t := tenant
		t.Done = &service.Done{}
		own = append(own, stepOf(s, t, m))
		for i := range steps {
			if slices.Contains(s.Before, steps[i].ID) {
				steps[i].Needs = append(slices.Clone(steps[i].Needs), s.ID)
			}
		}
	}
	early := func(s step.Step) bool { return !slices.Contains(s.Needs, m.API) }
	return slices.Concat(slices.DeleteFunc(slices.Clone(own), func(s step.Step) bool { return !early(s) }), steps[:at],
		slices.DeleteFunc(own, early), steps[at:])
}

// stepOf converts a service into a step of the engine. It drops needed milestones that are not among the steps.
func stepOf(s Service, t service.Tenant, m Milestones) step.Step {
	needs := []step.ID{m.API}
	if s.Early {
		needs = slices.Clone(m.Written)
	}
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

// Refuse returns why the requested services could not work with a HostedCluster; see Service.Refuse. It reads nothing
// if the options request no service.
func Refuse(ctx context.Context, c *kube.Client, r kube.Reader, o options.Validated, hc *hyperv1.HostedCluster) error {
	t := service.Tenant{Cluster: hc, Client: c, Options: o, Guest: &service.Guest{}}
	var errs []error
	if o.TenantServices.JumpHost != nil || o.TenantServices.Dex != nil {
		_, f := t.FindNamespace(ctx, r)
		errs = append(errs, service.Refusal("name", o.Name, f))
	}
	for _, s := range Asked(o) {
		if s.Refuse != nil {
			errs = append(errs, s.Refuse(ctx, t, r))
		}
	}
	return errors.Join(errs...)
}

// Wirings returns what the services write into the HostedCluster's configuration, without services that change nothing.
// The error is an *option.Error.
func Wirings(o options.Validated, hc *hyperv1.HostedCluster) ([]Wiring, error) {
	var out []Wiring
	for _, s := range Asked(o) {
		if s.Wires == nil {
			continue
		}
		w, err := s.Wires(service.Tenant{Cluster: hc, Options: o})
		if err != nil {
			return nil, err
		}
		if w.Configuration != nil {
			out = append(out, w)
		}
	}
	return out, nil
}

// Describe describes how to use the existing services of a hosted cluster, in the order of All. It returns the first
// error of a read.
func Describe(ctx context.Context, c *kube.Client, r kube.Reader, hc *hyperv1.HostedCluster) ([]Description, error) {
	var out []Description
	for _, s := range All() {
		if s.Describe == nil {
			continue
		}
		d, err := s.Describe(ctx, service.Tenant{Cluster: hc, Client: c, Guest: &service.Guest{}}, r)
		if err != nil {
			return nil, err
		}
		if d != nil {
			d.Name, d.Title = strings.TrimPrefix(string(s.ID), service.Group+"/"), s.Title
			out = append(out, *d)
		}
	}
	return out, nil
}

// Rights returns the rules of all services: what create and apply need, and what the deletion of a cluster needs in
// addition.
func Rights() service.Rights {
	all := service.OutsideRights()
	for _, s := range All() {
		all.Check = append(all.Check, s.Rights.Check...)
		all.Apply = append(all.Apply, s.Rights.Apply...)
		all.Remove = append(all.Remove, s.Rights.Remove...)
	}
	return all
}
