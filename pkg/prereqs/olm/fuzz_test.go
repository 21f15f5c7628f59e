package olm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/step"
)

// FuzzOLM: whatever OLM writes into its objects, one finding in one of the states comes of it.
func FuzzOLM(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","namespace":"b"},"status":{"conditions":[{"type":"ResolutionFailed",`+
		`"status":"True","reason":"ConstraintsNotSatisfiable","message":"no operators found in package a"}]}}`),
		[]byte(`{"status":{"phase":"Failed","conditions":[{"type":"Installed","status":"False","message":"m"}]}}`))
	f.Add([]byte(`{"status":{"phase":"Pending","reason":"RequirementsNotMet","requirementStatus":[{`+
		`"kind":"CustomResourceDefinition","name":"a","status":"NotPresent"}]}}`),
		[]byte(`{"status":{"phase":"RequiresApproval"}}`))
	f.Add([]byte(`{"spec":{"customresourcedefinitions":{"owned":[{"name":"a"}]}},"status":{"phase":"Failed",`+
		`"reason":"InstallCheckFailed","lastTransitionTime":"2024-01-01T00:00:00Z"}}`),
		[]byte(`{}`))
	f.Fuzz(func(t *testing.T, object, other []byte) {
		sub, csv, plan := &olmv1alpha1.Subscription{}, &olmv1alpha1.ClusterServiceVersion{}, &olmv1alpha1.InstallPlan{}
		if json.Unmarshal(other, plan) != nil {
			plan = nil
		}
		var found []step.Finding
		if json.Unmarshal(object, sub) == nil {
			found = append(found, judgeSubscription(sub, plan, time.Now()))
		}
		if json.Unmarshal(object, csv) == nil {
			found = append(found, judgeVersion(csv), judgeRequirements(csv, plan, time.Unix(1700000000, 0)))
		}
		for _, f := range found {
			if f.State == step.StateUnknown || f.Message == "" {
				t.Fatalf("nothing is made of it: %+v", f)
			}
		}
	})
}

// FuzzChannels: a channel that is chosen is one on offer.
func FuzzChannels(f *testing.F) {
	f.Add("stable-4.20,stable-2.10,stable-2.11", "4.20.3")
	f.Add("stable-2.17,stable-5.0", "5.1.0-rc.1")
	f.Fuzz(func(t *testing.T, offered, version string) {
		openShift, err := semver.NewVersion(version)
		if err != nil {
			return
		}
		channels := strings.Split(offered, ",")
		for _, choose := range []func(string, []string, *semver.Version) (string, error){stableOfMinor, newestEngine} {
			got, err := choose("", channels, openShift)
			if err == nil && !strings.Contains(","+offered+",", ","+got+",") || err == nil && got == "" {
				t.Fatalf("%q was chosen of %q", got, offered)
			}
		}
	})
}
