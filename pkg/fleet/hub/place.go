package hub

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management/score"
	"github.com/hcctl/hcctl/pkg/step"
)

// scoreFor returns the score for placing new clusters: the one for single replicas if all of them have single
// replicas.
func scoreFor(wanted map[fleet.ClusterName]fleet.DesiredCluster, unassigned []fleet.ClusterName) string {
	for _, name := range unassigned {
		if wanted[name].Options.ControlPlaneAvailabilityPolicy != string(hyperv1.SingleReplica) {
			return score.Free
		}
	}
	return score.FreeSingleReplica
}

// placed is the result of place.
type placed struct {
	at         map[fleet.ClusterName]string
	candidates []Candidate
	// got is the number of new clusters for each site.
	got map[string]int64
}

// place chooses the sites of new clusters among those of the Placement. How many clusters fit comes from a
// site's own valid count, less the clusters assigned since, or else from an AddOnPlacementScore.
func place(ctx context.Context, c *kube.Client, unassigned []fleet.ClusterName, at map[fleet.ClusterName]location,
	sites map[string]*Site, scoreName string, opt ApplyOptions) (*placed, error) {
	candidates, err := Candidates(ctx, c, opt.Placement, scoreName)
	if err != nil {
		return nil, err
	}
	var refused []string
	candidates = slices.DeleteFunc(candidates, func(one Candidate) bool {
		s := sites[one.Site]
		if s == nil || s.Refused == "" {
			return false
		}
		refused = append(refused, fmt.Sprintf("%s (%s)", one.Site, s.Refused))
		return true
	})
	if len(candidates) == 0 {
		return nil, &NoSiteError{fmt.Sprintf("Placement %s has chosen no management cluster that may have hosted "+
			"clusters: %s", opt.Placement, strings.Join(refused, ", ")),
			hint.New("change its predicates, or the labels of these ManagedClusters")}
	}
	reports, err := score.Reports(ctx, c)
	if err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(one Candidate) bool { return one.Site == opt.MoveFrom })
	for i := range candidates {
		candidates[i].count(reports, at, scoreName)
	}
	out := &placed{at: Assign(unassigned, candidates), candidates: candidates, got: map[string]int64{}}
	for _, site := range out.at {
		out.got[site]++
	}
	return out, nil
}

// count sets the number of the site's clusters, and its room by its own count.
func (c *Candidate) count(reports map[string]score.Report, at map[fleet.ClusterName]location, scoreName string) {
	report, found := reports[c.Site]
	if c.Report = report; !found {
		c.Report.Why = "it has not been asked for it yet"
	}
	var counted time.Time
	if report.Count != nil {
		counted = report.Count.At
	}
	since := int64(0)
	for _, one := range at {
		if one.has(c.Site) {
			c.Has++
		}
		if one.since(c.Site, counted) {
			since++
		}
	}
	if report.Count == nil {
		return
	}
	left := report.Count.Less(since)
	c.Report.Count = &left
	free := left.Free
	if scoreName == score.FreeSingleReplica {
		free = left.FreeSingleReplica
	}
	c.Free = &free
}

// uncounted returns the sites whose room is not known, with the reasons.
func (p *placed) uncounted() map[string]string {
	out := map[string]string{}
	for _, c := range p.candidates {
		if c.Free == nil {
			out[c.Site] = c.Report.Why
		}
	}
	return out
}

// steps returns the steps that deliver the sites' counts to the hub, less the new clusters.
func (p *placed) steps(c *kube.Client) []step.Step {
	var all []step.Step
	for _, one := range p.candidates {
		count := one.Report.Count
		if count != nil {
			left := count.Less(p.got[one.Site])
			count = &left
		}
		all = append(all, score.Steps(c, one.Site, count)...)
	}
	return all
}

// scoresTimeout bounds the writing of scores: a hub that does not accept them must not block clusters.
const scoresTimeout = 30 * time.Second

// Scores are the numbers of further hosted clusters that the sites of a hub report.
type Scores struct {
	// Free is the number of further hosted clusters for each site. Unknown is why it is not known for the
	// others.
	Free    map[string]int64
	Unknown map[string]string
	steps   []step.Step
}

// ReadScores reads the counts of the sites that an Apply has queried, less the clusters assigned to them since.
// It only reads.
func ReadScores(ctx context.Context, c *kube.Client) (*Scores, error) {
	at, err := locations(ctx, c)
	if err != nil {
		return nil, err
	}
	reports, err := score.Reports(ctx, c)
	if err != nil {
		return nil, err
	}
	all := placed{}
	out := &Scores{Free: map[string]int64{}}
	for _, site := range slices.Sorted(maps.Keys(reports)) {
		one := Candidate{Site: site}
		if one.count(reports, at, score.Free); one.Free != nil {
			out.Free[site] = *one.Free
		}
		all.candidates = append(all.candidates, one)
	}
	out.Unknown, out.steps = all.uncounted(), all.steps(c)
	return out, nil
}

// Write writes the counts as the sites' AddOnPlacementScores. The error lists what could not be written.
func (s *Scores) Write(ctx context.Context) error { return writeScores(ctx, s.steps) }

// WriteScores makes the sites report their room, and writes the reports as their AddOnPlacementScores, less the
// new clusters. The error lists what could not be written; clusters can be placed without it.
func (a *Apply) WriteScores(ctx context.Context) error {
	return writeScores(ctx, a.sites)
}

func writeScores(ctx context.Context, steps []step.Step) error {
	graph, err := step.New(steps...)
	if err != nil {
		return err
	}
	return graph.Run(ctx, step.Options{Timeout: scoresTimeout, Transient: kube.IsTransient, Explain: kube.Explain}).Err()
}
