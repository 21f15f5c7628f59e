package olm

import (
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestChannels(t *testing.T) {
	offered := []string{"stable-2.2", "stable-2.3", "stable-2.4", "stable-2.6", "stable-2.9", "stable-2.10", "stable-2.11",
		"preview"}
	for name, tc := range map[string]struct {
		rule      channelRule
		offered   []string
		openShift string
		want, err string
	}{
		"preset": {rule: defaultChannel, offered: []string{"stable", "candidate"}, openShift: "4.20.3",
			want: "stable"},
		"odf follows OpenShift": {rule: stableOfMinor, offered: []string{"stable-4.19", "stable-4.20"},
			openShift: "4.20.3", want: "stable-4.20"},
		"odf not mirrored": {rule: stableOfMinor, offered: []string{"stable-4.19"}, openShift: "4.20.3",
			err: "is stable-4.20, but the catalog offers stable-4.19"},
		"odf that has only 5.0, on 4.23": {rule: stableOfMinor, offered: []string{"stable-4.22", "stable-5.0"},
			openShift: "4.23.1", want: "stable-5.0"},
		"odf that has only 4.23, on 5.0": {rule: stableOfMinor, offered: []string{"stable-4.23", "stable-5.1"},
			openShift: "5.0.2", want: "stable-4.23"},
		"odf that has both numbers": {rule: stableOfMinor, offered: []string{"stable-4.23", "stable-5.0"},
			openShift: "5.0.2", want: "stable-5.0"},
		"odf that has neither": {rule: stableOfMinor, offered: []string{"stable-4.22"}, openShift: "4.23.1",
			err: "the channel for OpenShift 4.23 is stable-4.23 or stable-5.0, but the catalog offers stable-4.22"},
		"mce on 4.12": {rule: newestEngine, offered: offered, openShift: "4.12.45", want: "stable-2.2"},
		"mce on 4.13": {rule: newestEngine, offered: offered, openShift: "4.13.1", want: "stable-2.3"},
		"mce on 4.14": {rule: newestEngine, offered: offered, openShift: "4.14.1", want: "stable-2.6"},
		"mce on 4.16": {rule: newestEngine, offered: offered, openShift: "4.16.1", want: "stable-2.10"},
		"mce 2.10 is newer than 2.9": {rule: newestEngine, offered: []string{"stable-2.10", "stable-2.9"},
			openShift: "4.19.0", want: "stable-2.10"},
		"mce 2.11 needs 4.19": {rule: newestEngine, offered: offered, openShift: "4.18.9", want: "stable-2.10"},
		"mce on 4.19": {rule: newestEngine, offered: append(offered, "stable-2.17"), openShift: "4.19.1",
			want: "stable-2.11"},
		"mce after the jump": {rule: newestEngine, offered: append(offered, "stable-2.17", "stable-5.0"),
			openShift: "4.20.1", want: "stable-2.17"},
		"mce 2.11 is not for 4.22": {rule: newestEngine, offered: offered, openShift: "4.22.0",
			err: "OpenShift 4.22 needs channel stable-2.17 or later"},
		"mce 5 on a later OpenShift": {rule: newestEngine, offered: append(offered, "stable-2.17", "stable-5.0"),
			openShift: "4.23.0", want: "stable-5.0"},
		"mce 5 not on an old OpenShift": {rule: newestEngine, offered: append(offered, "stable-5.0"), openShift: "4.12.0",
			want: "stable-2.2"},
		"mce known to run on 4.21": {rule: newestEngine, offered: append(offered, "stable-5.1", "stable-5.0", "stable-2.17"),
			openShift: "4.21.1", want: "stable-2.17"},
		"mce known to run on 4.22": {rule: newestEngine, offered: append(offered, "stable-5.1", "stable-2.17", "stable-5.0"),
			openShift: "4.22.1", want: "stable-2.17"},
		"mce nearest to 4.22": {rule: newestEngine, offered: append(offered, "stable-5.1", "stable-5.0"),
			openShift: "4.22.1", want: "stable-5.0"},
		"mce on 5.0": {rule: newestEngine, offered: append(offered, "stable-2.17", "stable-5.0", "stable-5.1"),
			openShift: "5.0.1", want: "stable-5.0"},
		"mce on 5.1": {rule: newestEngine, offered: append(offered, "stable-2.17", "stable-5.0", "stable-5.1"),
			openShift: "5.1.1", want: "stable-5.1"},
		"mce 2.17 is not for 5.1": {rule: newestEngine, offered: append(offered, "stable-2.17"), openShift: "5.1.1",
			err: "OpenShift 5.1 needs channel stable-5.1 or later"},
		"mce too old": {rule: newestEngine, offered: []string{"stable-2.2"}, openShift: "4.20.3",
			err: "needs channel stable-2.10 to stable-2.17, but the catalog offers stable-2.2"},
		"mce too new": {rule: newestEngine, offered: []string{"stable-2.7"}, openShift: "4.14.3",
			err: "needs channel stable-2.4 to stable-2.6"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.rule("stable", tc.offered, semver.MustParse(tc.openShift))
			switch {
			case tc.err != "":
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %q, %v; want an error with %q", got, err, tc.err)
				}
			case err != nil || got != tc.want:
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func TestChooseCatalog(t *testing.T) {
	manifest := func(pkg, catalog string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"packageName": pkg,
			"catalogSource": catalog}}}
	}
	for name, tc := range map[string]struct {
		offered []unstructured.Unstructured
		pin     string
		want    string
		err     string
	}{
		"none": {nil, "", "", errNotOffered.Error()},
		"only other packages": {[]unstructured.Unstructured{manifest("other", "redhat-operators")}, "", "",
			errNotOffered.Error()},
		"red hat before all": {[]unstructured.Unstructured{manifest("p", "community-operators"), manifest("p", "aaa"),
			manifest("p", "redhat-operators")}, "", "redhat-operators", ""},
		"a mirror before others": {[]unstructured.Unstructured{manifest("p", "aaa"),
			manifest("p", "cs-redhat-operator-index-v4-16")}, "", "cs-redhat-operator-index-v4-16", ""},
		"the community last": {[]unstructured.Unstructured{manifest("p", "community-operators"), manifest("p", "own")},
			"", "own", ""},
		"by name among the equal": {[]unstructured.Unstructured{manifest("p", "b"), manifest("p", "a")}, "", "a", ""},
		"pinned": {[]unstructured.Unstructured{manifest("p", "redhat-operators"), manifest("p", "own")},
			"own", "own", ""},
		"pinned, without it": {[]unstructured.Unstructured{manifest("p", "redhat-operators"), manifest("other", "own")},
			"own", "", "package p in catalog own: it does not offer the package; these do: redhat-operators"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			m, err := chooseCatalog(tc.offered, Operator{Package: "p", Pin: Pin{CatalogSource: tc.pin}})
			if m != nil {
				got, _, _ = unstructured.NestedString(m.Object, "status", "catalogSource")
			}
			if got != tc.want || (err != nil) != (tc.err != "") || err != nil && err.Error() != tc.err {
				t.Errorf("got %q, %v; want %q, %q", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestChooseChannel(t *testing.T) {
	channel := func(name string, versions ...string) any {
		entries := []any{}
		for _, v := range versions {
			entries = append(entries, map[string]any{"name": "multicluster-engine.v" + v})
		}
		return map[string]any{"name": name, "currentCSV": "multicluster-engine.v" + versions[0], "entries": entries}
	}
	old := map[string]any{"name": "stable-2.10", "currentCSV": "multicluster-engine.v2.10.1"}
	all := []any{channel("stable-2.11", "2.11.1", "2.11.0"), channel("stable-2.10", "2.10.1", "2.10.0"),
		channel("stable-2.9", "2.9.0")}
	v := func(version string) string { return "multicluster-engine.v" + version }
	for name, tc := range map[string]struct {
		channels  []any
		pin       Pin
		want, err string
	}{
		"what fits":      {all, Pin{}, "stable-2.11", ""},
		"pinned channel": {all, Pin{Channel: "stable-2.10"}, "stable-2.10", ""},
		"no such channel": {all, Pin{Channel: "stable-2.12"}, "",
			"it has no channel stable-2.12; it has stable-2.11, stable-2.10, stable-2.9"},
		"version in the channel that fits": {all, Pin{StartingCSV: v("2.11.0")}, "stable-2.11", ""},
		"version in another channel":       {all, Pin{StartingCSV: v("2.10.0")}, "stable-2.10", ""},
		"version in a channel that does not": {all, Pin{StartingCSV: v("2.9.0")}, "",
			"version multicluster-engine.v2.9.0 is in channel stable-2.9 only: OpenShift 4.20 needs channel stable-2.10"},
		"no such version": {all, Pin{StartingCSV: v("2.10.7")}, "",
			"it has no version multicluster-engine.v2.10.7; there are in channel stable-2.11 multicluster-engine.v2.11.1, " +
				"multicluster-engine.v2.11.0; in channel stable-2.10 "},
		"version and channel": {all, Pin{StartingCSV: v("2.10.0"), Channel: "stable-2.10"}, "stable-2.10",
			""},
		"version and another channel": {all, Pin{StartingCSV: v("2.10.0"), Channel: "stable-2.11"}, "",
			"it has no version multicluster-engine.v2.10.0; there are in channel stable-2.11 multicluster-engine.v2.11.1, " +
				"multicluster-engine.v2.11.0"},
		"older OLM tells the newest alone": {[]any{old}, Pin{StartingCSV: v("2.10.0")}, "stable-2.10", ""},
		"older OLM, version and pinned channel": {[]any{old}, Pin{StartingCSV: v("2.10.0"), Channel: "stable-2.10"},
			"stable-2.10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"channels": tc.channels,
				"defaultChannel": "stable-2.11"}}}
			op := MulticlusterEngine()
			op.Pin = tc.pin
			got, err := chooseChannel(manifest, op, semver.MustParse("4.20.3"))
			if got != tc.want || (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %q, %v; want %q, %q", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestReadOffer(t *testing.T) {
	manifest := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"catalogSource": "cs", "catalogSourceNamespace": "openshift-marketplace",
		"channels": []any{
			map[string]any{"name": "other", "currentCSV": "x.v9"},
			map[string]any{"name": "stable", "currentCSV": "x.v1", "currentCSVDesc": map[string]any{
				"annotations": map[string]any{"operatorframework.io/suggested-namespace": "suggested"},
				"installModes": []any{map[string]any{"type": "OwnNamespace", "supported": false},
					map[string]any{"type": "AllNamespaces", "supported": true}},
			}},
		},
	}}}
	o := readOffer(manifest, "stable", "fallback")
	if o.csv != "x.v1" || o.Namespace != "suggested" || o.catalog != "cs" || o.modes["OwnNamespace"] ||
		!o.modes["AllNamespaces"] {
		t.Errorf("got %+v", o)
	}
	if o := readOffer(manifest, "other", "fallback"); o.Namespace != "fallback" {
		t.Errorf("without a suggestion the namespace is %q, want the row's", o.Namespace)
	}
}

func TestEngineChannelStaysWithinTheSpan(t *testing.T) {
	offered := []string{"stable-2.8", "stable-2.9", "stable-2.10", "stable-2.11"}
	for openShift, want := range map[string]string{"4.17.1": "stable-2.10", "4.18.1": "stable-2.10",
		"4.19.1": "stable-2.11"} {
		if got, err := newestEngine("stable-2.11", offered, semver.MustParse(openShift)); got != want || err != nil {
			t.Errorf("OpenShift %s: got %s, %v, want %s", openShift, got, err, want)
		}
	}
}
