package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// fleetPlan is the document of apply --dry-run and delete clusters --dry-run.
type fleetPlan struct {
	report.PlanDocument
	// Lost says of each cluster that is deleted what goes that cannot be brought back.
	Lost []lostWith `json:"lost,omitempty"`
	// Outside names what goes with each that is outside its own namespaces.
	Outside []outsideOf `json:"outside,omitempty"`
}

// lostWith is what goes with a cluster, "namespace/name".
type lostWith struct {
	Cluster string   `json:"cluster"`
	Lost    []string `json:"lost"`
}

// outsideOf is what goes with a cluster, "namespace/name", and is outside its own namespaces.
type outsideOf struct {
	Cluster string   `json:"cluster"`
	Outside []string `json:"outside"`
}

// planApply says what apply would create or change, as the API server sees it, and whether there is room for all that is new.
func (a *app) planApply(ctx context.Context, t *target, wanted []fleet.Wanted, look fleet.Look, f fleetFlags) error {
	var apply *fleet.Apply
	p, err := a.planFleet(ctx, t, f, func(dry *target) (steps []step.Step, err error) {
		look.Planner = dry.Client
		if apply, err = fleet.PrepareApply(ctx, t.Client, wanted, look); err != nil {
			return nil, err
		}
		return apply.Steps(), nil
	})
	if err != nil {
		return err
	}
	if err := a.printFleetPlan(p, "FleetPlan", fmt.Sprintf("What hcctl apply would do on %s", t), nil, f.output); err != nil {
		return err
	}
	if err := a.fleetPreflight(ctx, t, apply, f.skipPreflight); err != nil {
		return err
	}
	return p.verdict()
}

// planDeletes says what delete clusters would remove, and what is lost with it.
func (a *app) planDeletes(ctx context.Context, t *target, named []fleet.Name, f deleteClustersFlags) error {
	var del *fleet.Delete
	p, err := a.planFleet(ctx, t, f.fleetFlags, func(dry *target) (steps []step.Step, err error) {
		if del, err = fleet.PrepareDelete(ctx, dry.Client, named, f.Options, f.reads()); err != nil {
			return nil, err
		}
		return del.Steps(), nil
	})
	if err != nil {
		return err
	}
	a.tellAbsent(del)
	a.tellLeft(del)
	if len(del.Members) == 0 && f.output == "" {
		err := say(a.streams.Err, "There is nothing to delete.\n")
		return err
	}
	for _, m := range del.Members {
		if things := del.Outside[m.Subject()]; len(things) > 0 {
			p.outside = append(p.outside, outsideOf{m.Subject(), things})
		}
	}
	if err := a.printFleetPlan(p, "FleetDeletePlan", fmt.Sprintf("What hcctl delete clusters would remove from %s", t), lostOf(del), f.output); err != nil {
		return err
	}
	return p.verdict()
}

// lostOf is what goes with the clusters, in their order.
func lostOf(del *fleet.Delete) []lostWith {
	var all []lostWith
	for _, m := range del.Members {
		if things := del.Lost[m.Subject()]; len(things) > 0 {
			all = append(all, lostWith{m.Subject(), things})
		}
	}
	return all
}

// planFleet walks the steps of many clusters for a client that changes nothing.
func (a *app) planFleet(ctx context.Context, t *target, f fleetFlags, build func(*target) ([]step.Step, error)) (*planned, error) {
	return plan(ctx, t, func(dry *target) (*step.Graph, error) {
		steps, err := build(dry)
		if err != nil {
			return nil, err
		}
		return step.New(steps...)
	}, func(opt *step.Options) { opt.Timeout = f.timeout })
}

func (a *app) printFleetPlan(p *planned, kind, title string, lost []lostWith, output string) error {
	if output != "" {
		write := writeJSON
		if output == "yaml" {
			write = writeYAML
		}
		return write(a.streams.Out, fleetPlan{report.NewPlanDocument(kind, p.steps(a.here)), lost, p.outside})
	}
	if err := a.printPlan(p, "", kind, title); err != nil {
		return err
	}
	for _, one := range lost {
		tell(a.streams.Out, "Lost for good with %s: %s\n", one.Cluster, one.Lost)
	}
	for _, one := range p.outside {
		tell(a.streams.Out, "Outside the namespaces of %s: %s\n", one.Cluster, strings.Join(one.Outside, ", "))
	}
	tell(a.streams.Err, "%s Nothing was changed.\n", tallySubjects(p.subjects()))
	return nil
}

// plannedSubject is what would become of one cluster.
type plannedSubject struct {
	name           string
	changes, fails bool
}

// subjects are the clusters of a plan, in its order.
func (p *planned) subjects() []plannedSubject {
	var all []plannedSubject
	place := map[string]int{}
	for _, f := range p.forecasts {
		i, ok := place[f.Step.Subject]
		if !ok {
			i = len(all)
			place[f.Step.Subject], all = i, append(all, plannedSubject{name: f.Step.Subject})
		}
		one := step.Forecasts{f}
		all[i].changes = all[i].changes || one.Changes()
		all[i].fails = all[i].fails || one.Err() != nil
	}
	return all
}

// tallySubjects counts the clusters, such as "3 hosted clusters: 1 would fail, 1 to do, 1 with nothing to do."
func tallySubjects(all []plannedSubject) string {
	fail, do, keep := 0, 0, 0
	for _, s := range all {
		switch {
		case s.fails:
			fail++
		case s.changes:
			do++
		default:
			keep++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{fail, "%d would fail"}, {do, "%d to do"}, {keep, "%d with nothing to do"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf(part.text, part.n))
		}
	}
	noun := "hosted clusters"
	if len(all) == 1 {
		noun = "hosted cluster"
	}
	return fmt.Sprintf("%d %s: %s.", len(all), noun, strings.Join(parts, ", "))
}
