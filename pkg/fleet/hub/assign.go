package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/management/score"
)

// EnvironmentLabel is the label of a cluster's environment (docs/environments.md).
const EnvironmentLabel = "env"

// Candidate is a site that the Placement has chosen.
type Candidate struct {
	Site string
	// Free is the number of further clusters that fit; nil without a score.
	Free *int64
	// Report is the site's own count, less the clusters assigned since. It overrides a score for Free.
	Report score.Report
	// Has is the number of clusters that are assigned to the site.
	Has int
}

// Candidates reads the sites that a Placement has chosen, with their valid scores of that name. It returns an
// error if the Placement does not exist or has chosen none.
func Candidates(ctx context.Context, c *kube.Client, placement types.NamespacedName, scoreName string) ([]Candidate,
	error) {
	var sites []string
	type decision struct {
		Status struct {
			Decisions []struct{ ClusterName string }
		}
	}
	err := kube.ListDecoded(ctx, c, kube.PlacementDecision, func(d *decision) {
		for _, one := range d.Status.Decisions {
			if one.ClusterName != "" {
				sites = append(sites, one.ClusterName)
			}
		}
	}, client.InNamespace(placement.Namespace), client.MatchingLabels{clusterv1beta1.PlacementLabel: placement.Name})
	switch {
	case kube.IsKindMissing(err):
		return nil, NoHub()
	case err != nil:
		return nil, fmt.Errorf("list PlacementDecisions of Placement %s: %w", placement, err)
	case len(sites) == 0:
		return nil, noDecision(ctx, c, placement)
	}
	free, err := scores(ctx, c, scoreName)
	if err != nil {
		return nil, err
	}
	slices.Sort(sites)
	var all []Candidate
	for _, site := range slices.Compact(sites) {
		all = append(all, Candidate{Site: site, Free: free[site]})
	}
	return all, nil
}

// scores reads the valid scores of a name for all sites.
func scores(ctx context.Context, c *kube.Client, name string) (map[string]*int64, error) {
	type placementScore struct {
		Metadata struct{ Name, Namespace string }
		Status   struct {
			ValidUntil *metav1.Time
			Scores     []struct {
				Name  string
				Value int64
			}
		}
	}
	free, now := map[string]*int64{}, c.Now()
	err := kube.ListDecoded(ctx, c, kube.AddOnPlacementScore, func(s *placementScore) {
		until := s.Status.ValidUntil
		if s.Metadata.Name != score.Name || until != nil && until.Time.Before(now) {
			return
		}
		for _, one := range s.Status.Scores {
			if one.Name == name {
				free[s.Metadata.Namespace] = &one.Value
			}
		}
	})
	if err != nil && !kube.IsKindMissing(err) {
		return nil, fmt.Errorf("list AddOnPlacementScores: %w", err)
	}
	return free, nil
}

// NoSiteError means that a hosted cluster cannot be assigned to a site.
type NoSiteError struct {
	Why  string
	Next hint.Text
}

func (e *NoSiteError) Error() string { return e.Why }

// Hint returns what to do.
func (e *NoSiteError) Hint() hint.Text { return e.Next }

// Failure returns the kind of the error.
func (*NoSiteError) Failure() failure.Kind { return failure.Missing }

// noDecision returns why a Placement has chosen no site.
func noDecision(ctx context.Context, c *kube.Client, placement types.NamespacedName) error {
	p := kube.Placement.New()
	err := c.Get(ctx, placement, p)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read Placement %s: %w", placement, err)
	}
	if err != nil {
		return &NoSiteError{fmt.Sprintf("there is no Placement %q in namespace %q", placement.Name, placement.Namespace),
			hint.New("docs/fleets.md shows one; %s NAMESPACE/NAME chooses it", hint.Flag("placement"))}
	}
	why := kube.FindCondition(kube.Conditions(p), clusterv1beta1.PlacementConditionSatisfied)
	text := "it has decided nothing yet"
	if why.Status != "" {
		text = why.Describe()
	}
	return &NoSiteError{fmt.Sprintf("Placement %s has chosen no management cluster: %s", placement, text),
		hint.New("oc -n %s describe placement %s shows its predicates", placement.Namespace, placement.Name)}
}

// Assign chooses a site for each cluster, in order: the site with the most room left, and among sites without a
// score the one with the fewest clusters. It updates the candidates with what they get. A cluster for which no
// site has room is not in the result.
func Assign(clusters []fleet.ClusterName, candidates []Candidate) map[fleet.ClusterName]string {
	out := map[fleet.ClusterName]string{}
	for _, c := range clusters {
		slices.SortFunc(candidates, better)
		if len(candidates) == 0 || candidates[0].Free != nil && *candidates[0].Free <= 0 {
			continue
		}
		best := &candidates[0]
		if best.Has++; best.Free != nil {
			left := *best.Free - 1
			best.Free = &left
		}
		out[c] = best.Site
	}
	return out
}

// better orders candidates, the best first. A site without a score comes after one with room, and before one
// without room.
func better(a, b Candidate) int {
	class := func(c Candidate) int {
		switch {
		case c.Free == nil:
			return 1
		case *c.Free > 0:
			return 0
		}
		return 2
	}
	room := func(c Candidate) int64 {
		if c.Free == nil {
			return 0
		}
		return *c.Free
	}
	return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(room(b), room(a)), cmp.Compare(a.Has, b.Has),
		strings.Compare(a.Site, b.Site))
}
