package cmdutil

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// fleetPlan is the document of apply --dry-run and delete clusters --dry-run.
type fleetPlan struct {
	report.PlanDocument
	// Lost lists what is lost for good with each deleted cluster.
	Lost []LostWith `json:"lost,omitempty"`
	// Outside lists what is deleted outside of each cluster's own namespaces.
	Outside []OutsideOf `json:"outside,omitempty"`
}

// LostWith is what is lost with a cluster, "namespace/name".
type LostWith struct {
	Cluster string   `json:"cluster"`
	Lost    []string `json:"lost"`
}

// OutsideOf is what is deleted outside of the namespaces of a cluster, "namespace/name".
type OutsideOf struct {
	Cluster string   `json:"cluster"`
	Outside []string `json:"outside"`
}

// Removes records what is lost with a cluster, and which of its objects are outside its namespaces.
func (p *Planned) Removes(cluster string, lost, outside []string) {
	if len(lost) > 0 {
		p.Lost = append(p.Lost, LostWith{cluster, lost})
	}
	if len(outside) > 0 {
		p.Outside = append(p.Outside, OutsideOf{cluster, outside})
	}
}

// PlanFleet plans the steps of many clusters with a client that changes nothing.
func PlanFleet(ctx context.Context, t *Target, f FleetFlags,
	build func(*Target) ([]step.Step, error)) (*Planned, error) {
	return PlanWrites(ctx, t, func(dry *Target) (*step.Graph, error) {
		steps, err := build(dry)
		if err != nil {
			return nil, err
		}
		return step.New(steps...)
	}, func(opt *step.Options) { opt.Timeout = f.Timeout })
}

// PrintFleet prints the plan of many clusters in the format of --output.
func (s *Plans) PrintFleet(p *Planned, kind, title, output string) error {
	if output == FormatHTML {
		return s.PrintPage(p, title, p.warnings()...)
	}
	if output != "" {
		write := WriteJSON
		if output == "yaml" {
			write = WriteYAML
		}
		return write(s.streams.Out, fleetPlan{s.document(p, kind), p.Lost, p.Outside})
	}
	if err := s.Print(p, "", kind, title); err != nil {
		return err
	}
	for _, one := range p.Lost {
		Tell(s.streams.Out, "Lost for good with %s: %s\n", one.Cluster, one.Lost)
	}
	for _, one := range p.Outside {
		Tell(s.streams.Out, "Outside the namespaces of %s: %s\n", one.Cluster, strings.Join(one.Outside, ", "))
	}
	Tell(s.streams.Err, "%s Nothing was changed.\n", TallySubjects(cmp.Or(p.Noun, "hosted cluster"), p.Subjects()))
	return nil
}

// warnings returns what would be lost with the clusters, and which of their objects are outside their
// namespaces.
func (p *Planned) warnings() []string {
	var out []string
	for _, one := range p.Lost {
		out = append(out, fmt.Sprintf("Lost for good with %s: %s", one.Cluster, strings.Join(one.Lost, ", ")))
	}
	for _, one := range p.Outside {
		out = append(out, fmt.Sprintf("Outside the namespaces of %s: %s", one.Cluster, strings.Join(one.Outside, ", ")))
	}
	return out
}

// PlannedSubject is the plan for one cluster.
type PlannedSubject struct {
	name           string
	changes, fails bool
}

// Subjects returns the clusters of a plan in its order.
func (p *Planned) Subjects() []PlannedSubject {
	var all []PlannedSubject
	place := map[string]int{}
	for _, f := range p.Forecasts {
		i, ok := place[f.Step.Subject]
		if !ok {
			i = len(all)
			place[f.Step.Subject], all = i, append(all, PlannedSubject{name: f.Step.Subject})
		}
		one := step.Forecasts{f}
		all[i].changes = all[i].changes || one.Changes()
		all[i].fails = all[i].fails || one.Err() != nil
	}
	return all
}

// TallySubjects counts the clusters, or the things that noun names, such as "3 hosted clusters: 1 would fail, 1
// to do, 1 with nothing to do."
func TallySubjects(noun string, all []PlannedSubject) string {
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
	return fmt.Sprintf("%s: %s.", plural.Count(len(all), noun), strings.Join(parts, ", "))
}
