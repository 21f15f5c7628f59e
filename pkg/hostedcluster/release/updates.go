package release

import (
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Recommendation is how the update service rates a release.
type Recommendation string

// The recommendations.
const (
	// Recommended means that it is in status.availableUpdates, or a conditional update whose risks do not apply.
	Recommended Recommendation = "recommended"
	// NotRecommended means that risks apply.
	NotRecommended Recommendation = "not-recommended"
	// Undecided means that it is unknown whether the risks apply.
	Undecided Recommendation = "undecided"
)

// Update is a release that the update service offers.
type Update struct {
	Version string         `json:"version"`
	Source  Recommendation `json:"source"`
	Risks   []Risk         `json:"risks,omitempty"`
	Image   string         `json:"-"`
	// Conditional is set if the release is in status.conditionalUpdates.
	Conditional bool `json:"-"`
}

// Risk is a warning of the update service.
type Risk struct {
	Name    string `json:"name"`
	Message string `json:"message,omitempty"`
	URL     string `json:"url,omitempty"`
}

// The limits of what is read from the update service's answer.
const (
	maxUpdates = 200
	maxRisks   = 20
)

// Updates lists the offered releases, each version once, the newest first. Releases without a valid version are left
// out.
func Updates(available []configv1.Release, conditional []configv1.ConditionalUpdate) []Update {
	var all []Update
	add := func(u Update) {
		if hostedcluster.ExactVersion(u.Version) && len(all) < maxUpdates &&
			!slices.ContainsFunc(all, func(have Update) bool { return have.Version == u.Version }) {
			all = append(all, u)
		}
	}
	for _, r := range available {
		add(Update{Version: r.Version, Image: r.Image, Source: Recommended})
	}
	for i := range conditional {
		c := &conditional[i]
		u := Update{Version: c.Release.Version, Image: c.Release.Image, Source: Undecided, Conditional: true}
		switch recommended := meta.FindStatusCondition(c.Conditions, "Recommended"); {
		case recommended == nil:
		case recommended.Status == metav1.ConditionTrue:
			u.Source = Recommended
		case recommended.Status == metav1.ConditionFalse:
			u.Source = NotRecommended
		}
		for _, r := range c.Risks[:min(len(c.Risks), maxRisks)] {
			u.Risks = append(u.Risks, Risk{r.Name, strings.Join(strings.Fields(r.Message), " "), r.URL})
		}
		add(u)
	}
	slices.SortStableFunc(all, func(a, b Update) int {
		v, _ := hostedcluster.ParseVersion(a.Version)
		w, _ := hostedcluster.ParseVersion(b.Version)
		return w.CompareAge(v)
	})
	return all
}

// RisksText formats the risks for a user.
func RisksText(risks []Risk) string {
	texts := make([]string, 0, len(risks))
	for _, r := range risks {
		text := r.Name
		if r.Message != "" {
			text += ": " + r.Message
		}
		if r.URL != "" {
			text += " (" + r.URL + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}
