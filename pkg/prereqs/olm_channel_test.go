package prereqs

import (
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestChannels(t *testing.T) {
	offered := []string{"stable-2.2", "stable-2.3", "stable-2.4", "stable-2.6", "stable-2.9", "stable-2.10", "stable-2.11", "preview"}
	for name, tc := range map[string]struct {
		rule      channelRule
		offered   []string
		openShift string
		want, err string
	}{
		"preset":                        {rule: defaultChannel, offered: []string{"stable", "candidate"}, openShift: "4.20.3", want: "stable"},
		"odf follows OpenShift":         {rule: stableOfMinor, offered: []string{"stable-4.19", "stable-4.20"}, openShift: "4.20.3", want: "stable-4.20"},
		"odf not mirrored":              {rule: stableOfMinor, offered: []string{"stable-4.19"}, openShift: "4.20.3", err: "is stable-4.20, but the catalog offers stable-4.19"},
		"mce on 4.12":                   {rule: newestEngine, offered: offered, openShift: "4.12.45", want: "stable-2.2"},
		"mce on 4.13":                   {rule: newestEngine, offered: offered, openShift: "4.13.1", want: "stable-2.3"},
		"mce on 4.14":                   {rule: newestEngine, offered: offered, openShift: "4.14.1", want: "stable-2.6"},
		"mce on 4.16":                   {rule: newestEngine, offered: offered, openShift: "4.16.1", want: "stable-2.10"},
		"mce 2.10 is newer than 2.9":    {rule: newestEngine, offered: []string{"stable-2.10", "stable-2.9"}, openShift: "4.19.0", want: "stable-2.10"},
		"mce 5 on a later OpenShift":    {rule: newestEngine, offered: append(offered, "stable-2.17", "stable-5.0"), openShift: "4.23.0", want: "stable-5.0"},
		"mce 5 not on an old OpenShift": {rule: newestEngine, offered: append(offered, "stable-5.0"), openShift: "4.12.0", want: "stable-2.2"},
		"mce too old":                   {rule: newestEngine, offered: []string{"stable-2.2"}, openShift: "4.20.3", err: "needs channel stable-2.10 or later, but the catalog offers stable-2.2"},
		"mce too new":                   {rule: newestEngine, offered: []string{"stable-2.7"}, openShift: "4.14.3", err: "needs channel stable-2.4 to stable-2.6"},
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

func TestBestCatalog(t *testing.T) {
	manifest := func(pkg, catalog string) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"packageName": pkg, "catalogSource": catalog}}}
	}
	for name, tc := range map[string]struct {
		offered []unstructured.Unstructured
		want    string
	}{
		"none":                    {nil, ""},
		"only other packages":     {[]unstructured.Unstructured{manifest("other", "redhat-operators")}, ""},
		"red hat before all":      {[]unstructured.Unstructured{manifest("p", "community-operators"), manifest("p", "aaa"), manifest("p", "redhat-operators")}, "redhat-operators"},
		"a mirror before others":  {[]unstructured.Unstructured{manifest("p", "aaa"), manifest("p", "cs-redhat-operator-index-v4-16")}, "cs-redhat-operator-index-v4-16"},
		"the community last":      {[]unstructured.Unstructured{manifest("p", "community-operators"), manifest("p", "own")}, "own"},
		"by name among the equal": {[]unstructured.Unstructured{manifest("p", "b"), manifest("p", "a")}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if m := bestCatalog(tc.offered, "p"); m != nil {
				got, _, _ = unstructured.NestedString(m.Object, "status", "catalogSource")
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
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
				"annotations":  map[string]any{"operatorframework.io/suggested-namespace": "suggested"},
				"installModes": []any{map[string]any{"type": "OwnNamespace", "supported": false}, map[string]any{"type": "AllNamespaces", "supported": true}},
			}},
		},
	}}}
	o := readOffer(manifest, "stable", "fallback")
	if o.csv != "x.v1" || o.namespace != "suggested" || o.catalog != "cs" || o.modes["OwnNamespace"] || !o.modes["AllNamespaces"] {
		t.Errorf("got %+v", o)
	}
	if o := readOffer(manifest, "other", "fallback"); o.namespace != "fallback" {
		t.Errorf("without a suggestion the namespace is %q, want the row's", o.namespace)
	}
}
