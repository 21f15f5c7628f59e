package update

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func TestRoutes(t *testing.T) {
	for _, tc := range []struct{ from, target, want, through string }{
		{"4.20.3", "4.20.8", "", ""}, {"4.20.3", "4.21.0", "", ""}, {"4.20.3", "4.22.1", "", "4.21"},
		{"4.19.3", "4.20.1", "", ""}, {"4.20.3", "4.21.0-rc.1", "", ""},
		{"4.20.3", "4.20.3", "--to 4.20.3: the cluster runs it already", ""},
		{"4.20.3", "4.20.2", "--to 4.20.2: the cluster runs 4.20.3, and OpenShift does not go back to an older version", ""},
		{"4.20.3", "4.19.9", "--to 4.19.9: the cluster runs 4.20.3, and OpenShift does not go back to an older version", ""},
		{"4.20.3", "4.23.0", "--to 4.23.0: the cluster runs 4.20.3, and OpenShift takes one minor version at a time (two " +
			"between even minors of OpenShift 4)", ""},
		{"4.19.3", "4.21.0", "--to 4.21.0: the cluster runs 4.19.3, and OpenShift takes one minor version at a time (two " +
			"between even minors of OpenShift 4)", ""},
		// OpenShift 5.0 is 4.23: the next one after 4.22, and nobody knows which of 5 are EUS.
		{"4.22.1", "5.0.0", "", ""}, {"4.23.5", "5.1.0", "", ""}, {"4.23.2", "5.0.5", "", ""}, {"5.0.2", "4.23.5", "", ""},
		{"4.22.1", "5.1.0", "--to 5.1.0: the cluster runs 4.22.1, and OpenShift takes one minor version at a time (two " +
			"between even minors of OpenShift 4)", ""},
	} {
		from, _ := hostedcluster.ParseVersion(tc.from)
		r, err := routeTo(from, tc.target, nil)
		text := ""
		if err != nil {
			text = err.Error()
			if failure.Of(err) != failure.Misused || failure.Hint(err).IsZero() {
				t.Errorf("%s: %#v", tc.target, err)
			}
		}
		through := ""
		if err == nil && r.twoSteps() {
			through = r.through().MinorName()
		}
		if text != tc.want || through != tc.through {
			t.Errorf("%s to %s: %q through %q, want %q through %q", tc.from, tc.target, text, through, tc.want, tc.through)
		}
	}
	from, _ := hostedcluster.ParseVersion("4.22.1")
	if _, err := routeTo(from, "5.1.0", nil); failure.Hint(err).String() != "plan a step to 4.23 or 5.0 first" {
		t.Errorf("from 4.22 to 5.1: %v", err)
	}
	for _, bad := range []string{"4.20", "latest", "4.20.8x", " 4.20.8", "v4.20.8"} {
		if Validate(bad) == nil {
			t.Errorf("%q is taken for a version", bad)
		}
	}
	if Validate("") != nil || Validate("4.20.8") != nil {
		t.Error("a version is refused")
	}
}

// Without a target the newest that is recommended is planned for, never one with risks.
func TestTheDefaultTarget(t *testing.T) {
	cv := conditional(offered(openShift(), "4.20.5", "4.20.10", "4.20.9", "x\n"), "4.21.0", "False")
	now, err := installed(cv)
	if err != nil {
		t.Fatal(err)
	}
	r, err := routeTo(now, "", offersOf(cv))
	if err != nil || !r.known || r.to.String() != "4.20.10" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := routeTo(now, "", nil); err != nil || r.known || r.minors() != 0 {
		t.Errorf("nothing on offer: %+v, %v", r, err)
	}
}

func TestTheInstalledVersion(t *testing.T) {
	cv := openShift()
	cv.Status.History = []configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.21.0"},
		{State: configv1.CompletedUpdate, Version: "4.20.3"}}
	if v, err := installed(cv); err != nil || v.String() != "4.20.3" {
		t.Errorf("a version that is not complete yet counts: %v, %v", v, err)
	}
	cv.Status.History, cv.Status.Desired.Version = nil, ""
	if _, err := installed(cv); err == nil {
		t.Error("no version is none")
	}
}

func TestOffers(t *testing.T) {
	const channel = "in channel stable-4.20"
	for name, tc := range map[string]struct {
		cv     *configv1.ClusterVersion
		target string
		want   string
	}{
		"recommended": {offered(openShift(), "4.20.8"), "4.20.8", "clear ClusterVersion version: 4.20.8 is offered"},
		"not offered": {offered(openShift(), "4.20.7"), "4.20.8", "unknown ClusterVersion version: the update service does " +
			"not offer 4.20.8 " + channel},
		"no target": {openShift(), "", "unknown ClusterVersion version: no update is offered " + channel},
		"risks that apply": {conditional(openShift(), "4.20.8", "False"), "4.20.8", "blocked ClusterVersion version: 4.20.8 " +
			"is not recommended for this cluster: Slow: may be slow (https://example.com/slow)"},
		"risks that do not": {conditional(openShift(), "4.20.8", "True"), "4.20.8", "clear ClusterVersion version: 4.20.8 " +
			"is offered; risks that do not apply"},
		"risks that may":        {conditional(openShift(), "4.20.8", "Unknown"), "4.20.8", "unknown ClusterVersion version: it"},
		"risks nobody tells of": {conditional(openShift(), "4.20.8", ""), "4.20.8", "unknown ClusterVersion version: it is"},
		"no update service": {offered(openShift("RetrievedUpdates False NoChannel no channel"), "4.20.8"), "4.20.8",
			"unknown ClusterVersion version: the update service reports nothing: RetrievedUpdates False (NoChannel): no channel"},
		"two steps, nothing between": {offered(openShift(), "4.20.8"), "4.22.1", "unknown ClusterVersion version: the update " +
			"service recommends no 4.21"},
		"two steps, the first with risks": {conditional(openShift(), "4.21.2", "False"), "4.22.1", "unknown ClusterVersion " +
			"version: the update service recommends no 4.21"},
		"two steps": {offered(openShift(), "4.21.2"), "4.22.1", "unknown ClusterVersion version: the first step is offered " +
			"(4.21.2)"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, judgeOffer(tc.cv, to(t, tc.target), offersOf(tc.cv)), tc.want)
		})
	}
}
