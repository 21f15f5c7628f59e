package creation

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// checkExpiry rejects an expiry in the past. An expiry before the creation is invalid, so that the cluster would never
// expire.
func (p *Plan) checkExpiry(context.Context, kube.Reader) step.Finding {
	now := p.client.Now()
	at, err := hostedcluster.ParseExpiry(p.Options.Expires, now)
	if err != nil || !at.After(now) {
		return step.Missing("%s has passed already", p.Options.Expires).On("%s", hint.Flag("expires")).
			WithHint("give a later time, or how long the cluster may exist, such as %s 6h", hint.Flag("expires"))
	}
	return step.OK("expires at %s", at.Format("2006-01-02 15:04 MST"))
}

// ownerLimitStep counts again after the HostedCluster is written, because concurrent creates do not see each other.
const ownerLimitStep step.ID = "objects/owner-limit"

// ownerLimitSteps returns that step for a new cluster.
func (p *Plan) ownerLimitSteps(after []step.ID) []step.Step {
	if !p.fresh || p.planning || p.MaxClusters == 0 {
		return nil
	}
	return []step.Step{{ID: ownerLimitStep, Title: "the owner has no more than it may", Group: ObjectsGroup, Needs: after,
		Severity: step.Required, Check: func(ctx context.Context, _ step.Reads) step.Finding {
			f := p.checkOwnerLimit(ctx, p.client)
			if f.State == step.StateMissing {
				f = step.Broken("%s", f.Message).On("%s", f.Object).WithHint("%s takes this one away again",
					hint.Run("delete cluster", hostedcluster.Argument(p.Options.Namespace, p.Options.Name)))
			}
			return f
		}}}
}

// checkOwnerLimit counts the owner's hosted clusters in all namespaces, without those created after this one. One
// created in the same second counts: two creates that both fail are better than none.
func (p *Plan) checkOwnerLimit(ctx context.Context, r kube.Reader) step.Finding {
	owner := p.Options.Owner
	all := &metav1.PartialObjectMetadataList{}
	all.SetGroupVersionKind(kube.HostedCluster.NewList().GroupVersionKind())
	if err := r.List(ctx, all, client.MatchingLabels{hostedcluster.OwnerLabel: owner}); err != nil {
		return kube.Unknown(err).On("HostedClusters")
	}
	var names []string
	self := slices.IndexFunc(all.Items, func(o metav1.PartialObjectMetadata) bool {
		return client.ObjectKeyFromObject(&o) == p.key()
	})
	for i := range all.Items {
		if self < 0 || i != self && !all.Items[self].CreationTimestamp.Before(&all.Items[i].CreationTimestamp) {
			names = append(names, kube.Name(&all.Items[i]))
		}
	}
	if len(names) < p.MaxClusters {
		return step.OK("%q has %s of at most %d", owner, plural.Count(len(names), "hosted cluster"), p.MaxClusters)
	}
	return step.Missing("has %s already, and at most %d are allowed: %s", plural.Count(len(names), "hosted cluster"),
		p.MaxClusters, plural.Few(names, 20)).On("owner %s", owner).WithHint("%s shows them with their ends, %s deletes "+
		"those that have expired", hint.Run("get clusters").Flag("A").Flag("owner", owner).Flag("o", "wide"),
		hint.Run("delete clusters").Flag("A").Flag("owner", owner).Flag("expired"))
}
