package update

import (
	"slices"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// theVersion is the name of the only ClusterVersion in findings.
const theVersion = "ClusterVersion version"

// offersOf lists the offers of the update service.
func offersOf(cv *configv1.ClusterVersion) []release.Update {
	return release.Updates(cv.Status.AvailableUpdates, cv.Status.ConditionalUpdates)
}

// judgeOffer reports whether the update service offers the target. A version that is not offered is unknown, never
// possible.
func judgeOffer(cv *configv1.ClusterVersion, r route, offers []release.Update) []step.Finding {
	const look = "oc adm upgrade shows what the update service says"
	retrieved := clusterCondition(cv, configv1.RetrievedUpdates)
	if retrieved.False() {
		return []step.Finding{step.Unknown("the update service reports nothing: %s",
			retrieved.Describe()).On(theVersion).WithHint("set a channel (oc adm upgrade channel stable-%s), or see why it "+
			"cannot be reached; a disconnected cluster has its own update service", r.channelMinor())}
	}
	if !r.known {
		return []step.Finding{step.Unknown("no update is offered in channel %s, and none was asked for: this lists only "+
			"what blocks any update",
			orNone(cv.Spec.Channel)).On(theVersion).
			WithHint("give %s VERSION, or set another channel: oc adm upgrade channel CHANNEL", hint.Flag("to"))}
	}
	if r.twoSteps() {
		return []step.Finding{judgeFirstStep(cv, r, offers)}
	}
	i := slices.IndexFunc(offers, func(o release.Update) bool { return o.Version == r.to.String() })
	if i < 0 {
		return []step.Finding{step.Unknown("the update service does not offer %s in channel %s, so it "+
			"is not known whether %s may be updated to it", r.to, orNone(cv.Spec.Channel), r.from).On(theVersion).
			WithHint("%s", look)}
	}
	return []step.Finding{judgeUpdate(offers[i])}
}

// judgeFirstStep judges the offer of the minor version between: the second step is offered only after the first.
func judgeFirstStep(cv *configv1.ClusterVersion, r route, offers []release.Update) step.Finding {
	between := r.through().MinorName()
	for _, o := range offers {
		v, _ := hostedcluster.ParseVersion(o.Version)
		if v.MinorNumber() == r.through().MinorNumber() && o.Source == release.Recommended {
			return step.Unknown("the first step is offered (%s); whether %s is offered from there is known "+
				"only after it", o.Version, r.to).On(theVersion).
				WithHint("plan the second step when the cluster runs %s", between)
		}
	}
	return step.Unknown("the update service recommends no %s in channel %s, which comes before %s",
		between, orNone(cv.Spec.Channel), r.to).On(theVersion).
		WithHint("oc adm upgrade channel eus-%s", r.to.MinorName())
}

func judgeUpdate(o release.Update) step.Finding {
	known := release.RisksText(o.Risks)
	switch {
	case o.Source == release.NotRecommended:
		return step.Failing("%s is not recommended for this cluster: %s", o.Version, known).On(theVersion).
			WithHint("choose another version, or accept the risk: oc adm upgrade --allow-not-recommended")
	case o.Source == release.Undecided:
		return step.Unknown("it is not known whether the risks of %s apply to this cluster: %s", o.Version,
			known).On(theVersion)
	case known != "":
		return step.OK("%s is offered; risks that do not apply to this cluster: %s", o.Version, known).On(theVersion)
	}
	return step.OK("%s is offered", o.Version).On(theVersion)
}

// channelMinor returns the minor version whose channel offers the target.
func (r route) channelMinor() string {
	if r.known {
		return r.to.MinorName()
	}
	return r.from.MinorName()
}

func orNone(s string) string {
	if s == "" {
		return "(none is set)"
	}
	return s
}

// clusterCondition returns a condition of the ClusterVersion.
func clusterCondition(cv *configv1.ClusterVersion, kind configv1.ClusterStatusConditionType) kube.Condition {
	return health.OperatorCondition(cv.Status.Conditions, kind)
}
