package timeline

import (
	"fmt"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
)

// OfCluster returns the creation of a hosted cluster by the times in its own objects, in whole seconds: the last
// transitions of the conditions that are create's milestones, and the version history. now is the end of milestones
// that are not reached.
func OfCluster(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, on string, now time.Time) *Run {
	begin := hc.CreationTimestamp.Time
	r := &Run{Title: fmt.Sprintf("Creation of hosted cluster %s/%s", hc.Namespace, hc.Name), On: on, Begun: begin,
		Clock: "conditions", End: "done"}
	reached := follow.MilestoneTimes(hc, pools)
	rollout := reached[len(reached)-1].At
	before, from := "", 0.0
	for _, m := range reached {
		s := &Step{ID: string(m.Step()), Title: milestoneTitle(m), From: from, begun: true}
		if before != "" {
			s.Needs = []string{before}
		}
		before = s.ID
		r.Steps = append(r.Steps, s)
		part := Part{Kind: Waiting, From: from, For: milestoneTitle(m), Object: m.Kind}
		switch at := m.At.Sub(begin).Seconds(); {
		case m.At.IsZero():
			s.To, s.Outcome = max(now.Sub(begin).Seconds(), from), NotEnded
			r.unmet = s
			if !rollout.IsZero() {
				// The condition was True when the roll-out was complete, and is no longer.
				s.To, s.Outcome, s.Last = from, "done", "it held once and does not now"
				r.unmet = s
			}
		case m.Name != follow.RolloutMilestone && !rollout.IsZero() && m.At.After(rollout):
			s.To, s.Outcome = from, "done"
			s.Last = fmt.Sprintf("when is not known: a condition changed again %s after the roll-out", m.At.Sub(rollout))
		default:
			s.To, s.Outcome = max(at, from), "done"
		}
		part.To = s.To
		if part.Seconds() > 0 {
			s.Parts = []Part{part}
		}
		from, r.Seconds = s.To, max(r.Seconds, s.To)
		if s.Outcome == NotEnded {
			r.End = "under way"
			break
		}
	}
	r.markCritical()
	return r
}

// Unmet reports whether a milestone is currently not met.
func (r *Run) Unmet() bool { return r.unmet != nil }

// Because adds the cause why the last unmet milestone is not met. It must only be called if Unmet returns true.
func (r *Run) Because(cause string) {
	r.unmet.Last = strings.TrimPrefix(r.unmet.Last+": "+sanitize.Value(cause), ": ")
}

// milestoneTitle returns the condition of a milestone.
func milestoneTitle(m follow.Reached) string {
	if len(m.Conditions) == 0 {
		return "the first release has rolled out"
	}
	return m.Kind + " " + strings.Join(m.Conditions, ", ")
}
