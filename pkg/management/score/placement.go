package score

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Name names the AddOnPlacementScore in each site's namespace. Free and FreeSingleReplica name its scores.
const (
	Name              = "hcctl"
	Free              = "hostedClustersFree"
	FreeSingleReplica = "hostedClustersFreeSingleReplica"
)

// MaxScore is the highest score that Open Cluster Management accepts. A score of hcctl is never negative.
const MaxScore = 100

// docs is the page about scores.
const docs = "docs/fleets.md"

// Steps returns the steps that make a site report its count, and write its score. count is nil if it is unknown: then
// the score stays as it is until it expires. The steps have the site in their IDs, because a graph may contain several
// sites.
func Steps(c *kube.Client, site string, count *Count) []step.Step {
	all := []step.Step{requestReport(c, site)}
	if count != nil {
		all = append(all, writeScore(c, site, *count))
	}
	return all
}

// requestReport returns the step that makes the site report its count.
func requestReport(c *kube.Client, site string) step.Step {
	key := client.ObjectKey{Namespace: site, Name: WorkName}
	return step.Step{ID: step.ID(site + "/capacity/report"), Subject: site, Title: "reports its room", Docs: docs,
		Severity: step.Advisory,
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			err := r.Get(ctx, key, &workv1.ManifestWork{})
			switch {
			case apierrors.IsNotFound(err):
				return step.Missing("not asked for it yet").On("ManifestWork %s", key)
			case err != nil:
				return kube.Unknown(err).On("ManifestWork %s", key)
			}
			return step.OK("asked for it").On("ManifestWork %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return c.CreateOnce(ctx, Work(site)) },
	}
}

// status is the part of the AddOnPlacementScore's status that hcctl writes.
type status struct {
	Scores     []item       `json:"scores"`
	ValidUntil *metav1.Time `json:"validUntil"`
}

type item struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

func statusOf(count Count) status {
	until := metav1.NewTime(count.At.Add(ValidFor).UTC().Truncate(time.Second))
	return status{ValidUntil: &until, Scores: []item{{Free, bounded(count.Free)},
		{FreeSingleReplica, bounded(count.FreeSingleReplica)}}}
}

func bounded(n int64) int64 { return min(max(n, 0), MaxScore) }

func (s status) same(other status) bool {
	if len(s.Scores) != len(other.Scores) || other.ValidUntil == nil || !s.ValidUntil.Equal(other.ValidUntil) {
		return false
	}
	for i := range s.Scores {
		if s.Scores[i] != other.Scores[i] {
			return false
		}
	}
	return true
}

// writeScore returns the step that writes the count as the site's score.
func writeScore(c *kube.Client, site string, count Count) step.Step {
	key, want := client.ObjectKey{Namespace: site, Name: Name}, statusOf(count)
	return step.Step{ID: step.ID(site + "/capacity/score"), Subject: site, Title: "score", Docs: docs,
		Severity: step.Advisory,
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := kube.AddOnPlacementScore.New()
			err := r.Get(ctx, key, have)
			switch {
			case kube.IsKindMissing(err):
				return step.OK("this hub has no scores").On("AddOnPlacementScore %s", key)
			case apierrors.IsNotFound(err):
				return step.Missing("not there yet").On("AddOnPlacementScore %s", key)
			case err != nil:
				return kube.Unknown(err).On("AddOnPlacementScore %s", key)
			}
			raw, err := json.Marshal(have.Object["status"])
			var is status
			if err != nil || json.Unmarshal(raw, &is) != nil || !want.same(is) {
				return step.Missing("differs from what the site has counted").On("AddOnPlacementScore %s", key)
			}
			return step.OK("room for %d, until %s", bounded(count.Free), want.ValidUntil.Format(time.RFC3339)).
				On("AddOnPlacementScore %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			one := kube.AddOnPlacementScore.New()
			one.SetNamespace(site)
			one.SetName(Name)
			change, err := c.CreateOnce(ctx, one)
			if err != nil || c.IsPlanning() {
				return change, err
			}
			patch, err := json.Marshal(map[string]any{"status": want})
			if err != nil {
				return "", err
			}
			one = kube.AddOnPlacementScore.New()
			one.SetNamespace(site)
			one.SetName(Name)
			if err := c.Patch(ctx, one, client.RawPatch(types.MergePatchType, patch), client.Subresource("status")); err != nil {
				return "", fmt.Errorf("AddOnPlacementScore %s, status: %w", key, err)
			}
			if change == step.Unchanged {
				change = step.Configured
			}
			return change, nil
		},
	}
}
