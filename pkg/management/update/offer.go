package update

import (
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Source is how the update service offers a version.
type Source string

// How the update service can offer a version.
const (
	// Recommended means it is in status.availableUpdates, or a conditional update whose risks do not apply.
	Recommended Source = "recommended"
	// NotRecommended means that risks apply.
	NotRecommended Source = "not-recommended"
	// Undecided means that it is not known whether the risks apply.
	Undecided Source = "undecided"
)

// Offer is a version that the update service offers.
type Offer struct {
	Version string `json:"version"`
	Source  Source `json:"source"`
	Risks   []Risk `json:"risks,omitempty"`
}

// Risk is what the update service warns of.
type Risk struct {
	Name    string `json:"name"`
	Message string `json:"message,omitempty"`
	URL     string `json:"url,omitempty"`
}

// theVersion is the one ClusterVersion.
const theVersion = "ClusterVersion version"

// mostOffers and mostRisks limit what is taken of the update service's answer.
const (
	mostOffers = 200
	mostRisks  = 20
)

// offersOf lists what is on offer, the newest first, each version once. A version that cannot be read is left out.
func offersOf(cv *configv1.ClusterVersion) []Offer {
	var all []Offer
	add := func(o Offer) {
		if hostedcluster.ExactVersion(o.Version) &&
			!slices.ContainsFunc(all, func(have Offer) bool { return have.Version == o.Version }) && len(all) < mostOffers {
			all = append(all, o)
		}
	}
	for _, r := range cv.Status.AvailableUpdates {
		add(Offer{Version: r.Version, Source: Recommended})
	}
	for i := range cv.Status.ConditionalUpdates {
		u := &cv.Status.ConditionalUpdates[i]
		o := Offer{Version: u.Release.Version, Source: Undecided}
		switch c := conditionOf(u.Conditions, "Recommended"); c.Status {
		case metav1.ConditionTrue:
			o.Source = Recommended
		case metav1.ConditionFalse:
			o.Source = NotRecommended
		case metav1.ConditionUnknown:
		}
		for _, risk := range u.Risks[:min(len(u.Risks), mostRisks)] {
			o.Risks = append(o.Risks, Risk{risk.Name, strings.Join(strings.Fields(risk.Message), " "), risk.URL})
		}
		add(o)
	}
	slices.SortStableFunc(all, func(a, b Offer) int {
		v, _ := hostedcluster.ParseVersion(a.Version)
		w, _ := hostedcluster.ParseVersion(b.Version)
		switch {
		case w.Before(v):
			return -1
		case v.Before(w):
			return 1
		}
		return 0
	})
	return all
}

func conditionOf(conditions []metav1.Condition, conditionType string) metav1.Condition {
	for _, c := range conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return metav1.Condition{}
}

// judgeOffer says whether the update service offers the target. What nobody offers is unknown, never possible.
func judgeOffer(cv *configv1.ClusterVersion, r route, offers []Offer) []step.Finding {
	const look = "oc adm upgrade shows what the update service says"
	retrieved := clusterCondition(cv, configv1.RetrievedUpdates)
	if retrieved.False() {
		return []step.Finding{step.Unknown("the update service reports nothing: %s",
			retrieved.Describe()).On(theVersion).WithHint("%s", "set a channel (oc adm upgrade channel stable-"+r.channelMinor()+
			"), or see why it cannot be reached; a disconnected cluster has its own update service")}
	}
	if !r.known {
		return []step.Finding{step.Unknown("no update is offered in channel %s, and none was asked for: this lists only what "+
			"blocks any update",
			orNone(cv.Spec.Channel)).On(theVersion).
			WithHint("give --to VERSION, or set another channel: oc adm upgrade channel CHANNEL")}
	}
	if r.twoSteps() {
		return []step.Finding{judgeFirstStep(cv, r, offers)}
	}
	i := slices.IndexFunc(offers, func(o Offer) bool { return o.Version == r.to.String() })
	if i < 0 {
		return []step.Finding{step.Unknown("the update service does not offer %s in channel %s, so it "+
			"is not known whether %s may be updated to it", r.to, orNone(cv.Spec.Channel), r.from).On(theVersion).
			WithHint("%s", look)}
	}
	return []step.Finding{offers[i].judge()}
}

// judgeFirstStep is about the minor between: the second step is offered only once the first is done.
func judgeFirstStep(cv *configv1.ClusterVersion, r route, offers []Offer) step.Finding {
	between := r.through().MinorName()
	for _, o := range offers {
		if v, _ := hostedcluster.ParseVersion(o.Version); v.MinorName() == between && o.Source == Recommended {
			return step.Unknown("the first step is offered (%s); whether %s is offered from there is known "+
				"only after it", o.Version, r.to).On(theVersion).
				WithHint("%s", "plan the second step when the cluster runs "+between)
		}
	}
	return step.Unknown("the update service recommends no %s in channel %s, which comes before %s",
		between, orNone(cv.Spec.Channel), r.to).On(theVersion).
		WithHint("%s", "oc adm upgrade channel eus-"+r.to.MinorName())
}

func (o Offer) judge() step.Finding {
	var risks []string
	for _, risk := range o.Risks {
		text := risk.Name
		if risk.Message != "" {
			text += ": " + risk.Message
		}
		if risk.URL != "" {
			text += " (" + risk.URL + ")"
		}
		risks = append(risks, text)
	}
	known := strings.Join(risks, "; ")
	switch {
	case o.Source == NotRecommended:
		return step.Failing("%s is not recommended for this cluster: %s", o.Version, known).On(theVersion).
			WithHint("choose another version, or accept the risk: oc adm upgrade --allow-not-recommended")
	case o.Source == Undecided:
		return step.Unknown("it is not known whether the risks of %s apply to this cluster: %s", o.Version,
			known).On(theVersion)
	case known != "":
		return step.OK("%s is offered; risks that do not apply to this cluster: %s", o.Version, known).On(theVersion)
	}
	return step.OK("%s is offered", o.Version).On(theVersion)
}

// channelMinor is the minor version whose channel offers the target.
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

// clusterCondition is a condition of the ClusterVersion.
func clusterCondition(cv *configv1.ClusterVersion, kind configv1.ClusterStatusConditionType) kube.Condition {
	return operatorCondition(cv.Status.Conditions, kind)
}

func operatorCondition(conditions []configv1.ClusterOperatorStatusCondition,
	kind configv1.ClusterStatusConditionType) kube.Condition {
	for _, c := range conditions {
		if c.Type == kind {
			return kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		}
	}
	return kube.Condition{Type: string(kind)}
}
