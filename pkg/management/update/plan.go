package update

import (
	"context"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// Plan describes what an update requires; its JSON is described in docs/schema/management-update.json.
type Plan struct {
	step.TypeMeta
	// Version is the installed version, and Channel is the update channel, or "" if there is none.
	Version string `json:"version"`
	Channel string `json:"channel,omitempty"`
	// Target is the target version. It is empty if none was requested and none is offered.
	Target string `json:"target,omitempty"`
	// Through is the minor version between the two of an EUS-to-EUS update, such as "4.19".
	Through string `json:"through,omitempty"`
	// Verdict is the most severe of the findings.
	Verdict management.Verdict `json:"verdict"`
	// Findings have the most severe first.
	Findings management.Findings `json:"findings"`
	// Order lists the steps in their order; it is empty without a target.
	Order []Step `json:"order"`
	// Offers are the versions on offer, the newest first.
	Offers []release.Update `json:"offers"`
}

// Of plans the update to a version, by default to the newest recommended one. It fails with the error of Validate, or
// if the ClusterVersion cannot be read; other read errors become findings. It sends about 15 requests, more if lists
// have more pages.
func Of(ctx context.Context, c *kube.Client, target string) (*Plan, error) {
	if err := Validate(target); err != nil {
		return nil, err
	}
	w, err := read(ctx, c)
	if err != nil {
		return nil, err
	}
	return w.plan(target)
}

func (w *snapshot) plan(target string) (*Plan, error) {
	now, err := installed(w.version)
	if err != nil {
		return nil, err
	}
	offers := offersOf(w.version)
	r, err := routeTo(now, target, offers)
	if err != nil {
		return nil, err
	}
	p := &Plan{TypeMeta: step.NewTypeMeta("ManagementUpdate"), Version: now.String(),
		Channel: w.version.Spec.Channel, Order: []Step{}, Offers: append([]release.Update{}, offers...)}
	if r.known {
		p.Target = r.to.String()
	}
	if r.twoSteps() {
		p.Through = r.through().MinorName()
	}
	operators := w.installedOperators()
	for _, f := range [][]step.Finding{
		judgeOffer(w.version, r, offers), judgeVersion(w.version, r), w.judgeClusterOperators(r),
		w.judgeConfigPools(r), w.judgeBudgets(), w.judgeRequests(r), judgeOperators(operators, r), w.judgeBundles(r),
		w.judgeHosted(r),
	} {
		p.Findings = append(p.Findings, f...)
	}
	step.GravestFirst(p.Findings)
	p.Verdict = management.Verdict(step.Gravest(p.Findings))
	if r.known {
		p.Order = w.order(r, operators, p.Findings)
	}
	return p, nil
}

// behind reports whether a hosted cluster's minor is more than two behind the target's.
func (r route) behind(v hostedcluster.Version) bool {
	return r.known && r.to.MinorNumber()-v.MinorNumber() > supportedBehind
}
