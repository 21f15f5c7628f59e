package prereqs

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/step"
)

// mostCounted bounds the ranges whose addresses are counted one by one.
const mostCounted = 1 << 10

// counted are a range's addresses one by one: what the arithmetic has to agree with. False if there are too many.
func counted(r addressRange) (map[netip.Addr]bool, bool) {
	all := map[netip.Addr]bool{}
	for a := r.first; ; a = a.Next() {
		all[a] = true
		if a == r.last {
			return all, true
		}
		if len(all) > mostCounted || !a.IsValid() {
			return nil, false
		}
	}
}

// FuzzRanges compares the arithmetic of ranges with counting.
func FuzzRanges(f *testing.F) {
	f.Add("192.0.2.32/28", "192.0.2.40-192.0.2.50", "192.0.2.47-192.0.2.60")
	f.Add("fd00::1-fd00::9", "fd00::/125", "fd00::8-fd00::8")
	f.Add("255.255.255.250-255.255.255.255", "255.255.255.252/30", "0.0.0.0/32")
	f.Add("::ffff:192.0.2.1-::ffff:192.0.2.9", "192.0.2.1-192.0.2.9", "192.0.2.0/24")
	f.Add("1.1.1.1-1.1.1.2", "1.1.1.2-1.1.1.3", "1.1.1.1-1.1.1.3")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var ranges []addressRange
		var sets []map[netip.Addr]bool
		for _, text := range []string{a, b, c} {
			r, err := parseRange(text)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r\x1b") {
					t.Fatalf("want one line: %q", err)
				}
				return
			}
			if r.first.Is4In6() || r.last.Is4In6() || r.first.Is4() != r.last.Is4() || r.last.Less(r.first) || r.text != text {
				t.Fatalf("%q was taken as %+v", text, r)
			}
			set, ok := counted(r)
			if !ok {
				return
			}
			if uint64(len(set)) != r.size() {
				t.Fatalf("%s has %d addresses, not %d", text, len(set), r.size())
			}
			ranges, sets = append(ranges, r), append(sets, set)
		}
		shared, covered := false, true
		for address := range sets[0] {
			shared = shared || sets[1][address]
			covered = covered && (sets[1][address] || sets[2][address])
			if ranges[1].has(address) != sets[1][address] {
				t.Fatalf("%s has %s: %v", b, address, ranges[1].has(address))
			}
		}
		if ranges[0].overlaps(ranges[1]) != shared || ranges[1].overlaps(ranges[0]) != shared {
			t.Fatalf("%s and %s share addresses: %v", a, b, shared)
		}
		if ranges[0].coveredBy(ranges[1:]) != covered {
			t.Fatalf("%s is covered by %s and %s: %v", a, b, c, covered)
		}
	})
}

// FuzzClusterPullSecret: what is said of the cluster's pull secret tells nothing of its values.
func FuzzClusterPullSecret(f *testing.F) {
	const planted = "hunter2Zq7"
	f.Add(`{"auths":{"quay.io":{"auth":"`, `"}}}`)
	f.Add(`{"auths":{"quay.io":{"username":"u","password":"`, `"}}}`)
	f.Add(`{"auths":`, `}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		content := []byte(before + planted + after)
		registries, err := readPullSecret(content)
		var names struct {
			Auths map[string]any `json:"auths"`
		}
		if json.Unmarshal(content, &names) == nil {
			for name := range names.Auths {
				if strings.Contains(name, planted) {
					return
				}
			}
			if err == nil && len(registries) != len(names.Auths) {
				t.Fatalf("%d registries, not %d", len(registries), len(names.Auths))
			}
		}
		if err != nil && strings.Contains(err.Error(), planted) || strings.Contains(strings.Join(registries, " "), planted) {
			t.Fatalf("it is told: %v %v", registries, err)
		}
	})
}

// FuzzOLM: whatever OLM writes into its objects, one finding in one of the states comes of it.
func FuzzOLM(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","namespace":"b"},"status":{"conditions":[{"type":"ResolutionFailed","status":"True","reason":"ConstraintsNotSatisfiable","message":"no operators found in package a"}]}}`), []byte(`{"status":{"phase":"Failed","conditions":[{"type":"Installed","status":"False","message":"m"}]}}`))
	f.Add([]byte(`{"status":{"phase":"Pending","reason":"RequirementsNotMet","requirementStatus":[{"kind":"CustomResourceDefinition","name":"a","status":"NotPresent"}]}}`), []byte(`{"status":{"phase":"RequiresApproval"}}`))
	f.Add([]byte(`{"spec":{"customresourcedefinitions":{"owned":[{"name":"a"}]}},"status":{"phase":"Failed","reason":"InstallCheckFailed","lastTransitionTime":"2024-01-01T00:00:00Z"}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, object, other []byte) {
		sub, csv, plan := &olmv1alpha1.Subscription{}, &olmv1alpha1.ClusterServiceVersion{}, &olmv1alpha1.InstallPlan{}
		if json.Unmarshal(other, plan) != nil {
			plan = nil
		}
		var found []step.Finding
		if json.Unmarshal(object, sub) == nil {
			found = append(found, judgeSubscription(sub, plan))
		}
		if json.Unmarshal(object, csv) == nil {
			found = append(found, judgeVersion(csv), judgeRequirements(csv, plan, time.Unix(1700000000, 0)))
		}
		for _, f := range found {
			if f.State == step.Unknown || f.Message == "" {
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
