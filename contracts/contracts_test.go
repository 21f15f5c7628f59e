package contracts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseReleases(t *testing.T) {
	newest := Release{4, 21}
	for text, want := range map[string]struct{ has, lacks string }{
		"4.12-4.15":    {"4.12 4.15", "4.11 4.16"},
		"4.14+":        {"4.14 4.21", "4.13 4.22"},
		"4.18":         {"4.18", "4.17 4.19"},
		"2.2,2.5-2.11": {"2.2 2.5 2.11", "2.3 2.4 2.12"},
		"2.6, 2.8":     {"2.6 2.8", "2.7"},
	} {
		releases, err := ParseReleases(text, newest)
		if err != nil {
			t.Fatal(err)
		}
		for what, list := range map[bool]string{true: want.has, false: want.lacks} {
			for _, one := range strings.Fields(list) {
				r, err := ParseRelease(one)
				if err != nil {
					t.Fatal(err)
				}
				if releases.Has(r) != what {
					t.Errorf("%s has %s: %v", text, r, !what)
				}
			}
		}
	}
	for _, text := range []string{"", "4", "4.x", "4.12-", "4.15-4.12", "newest"} {
		if got, err := ParseReleases(text, newest); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// A span from one major version to the next ends, by the step that is known, or fails.
func TestAll(t *testing.T) {
	for text, want := range map[string]string{
		"2.9-2.11":          "[2.9 2.10 2.11]",
		"4.22-5.1":          "[4.22 4.23 5.0 5.1]",
		"4.23-5.0":          "[4.23 5.0]",
		"2.16-5.0":          "[2.16 2.17 5.0]",
		"4.22-4.23,5.0-5.1": "[4.22 4.23 5.0 5.1]",
		"5.0-6.1":           "no release is known to follow 5.0",
		"4.24-5.0":          "no release is known to follow 4.24",
	} {
		releases, err := ParseReleases(text, Release{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := releases.All()
		if got := fmt.Sprint(all); err != nil && !strings.Contains(err.Error(), want) || err == nil && got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseFacets(t *testing.T) {
	number, five := int64(3), float64(5)
	for text, want := range map[string]Facets{
		"": {},
		`required enum=xfs|ext4|"" default="xfs y"`: {Required: true, Enum: []string{"xfs", "ext4", ""},
			Default: json.RawMessage(`"xfs y"`)},
		`default={"a":{"b":"1 2"}} CEL:self == "a b" || !has(self.x) CEL:size(self) > 0`: {
			Default: json.RawMessage(`{"a":{"b":"1 2"}}`), Rules: []string{`self == "a b" || !has(self.x)`, "size(self) > 0"}},
		"list=map(clusterSet,name) items:{minLength=3 CEL:self.a != 'b'}": {ListType: "map",
			ListKeys: []string{"clusterSet", "name"}, Items: &Facets{MinLength: &number, Rules: []string{"self.a != 'b'"}}},
		"pattern=^[a-z=]+(\\.x)?$ int-or-string nullable": {Pattern: "^[a-z=]+(\\.x)?$", IntOrString: true, Nullable: true},
		"minimum=5 maxItems=3 format=int32 list=set": {Minimum: &five, MaxItems: &number, Format: "int32",
			ListType: "set"},
		"default={} minProperties=3 maxProperties=3 CEL:oldSelf == self": {Default: json.RawMessage(`{}`),
			MinProperties: &number, MaxProperties: &number, Rules: []string{"oldSelf == self"}},
		"preserve-unknown embedded-resource": {PreserveUnknown: true, Embedded: true},
	} {
		got, err := parseFacets(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"requierd", "minLength=x", "default=", "list=heap", "items:{required", "size=3"} {
		if got, err := parseFacets(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestTables(t *testing.T) {
	table, err := TableOf("lvm.topolvm.io", "LVMCluster")
	if err != nil {
		t.Fatal(err)
	}
	if table.CRD != "lvmclusters.lvm.topolvm.io" || table.Newest != (Release{5, 1}) || table.StatusOnly {
		t.Errorf("got %+v", table)
	}
	has := func(release Release, path string) bool {
		return slices.ContainsFunc(table.In(release, "v1alpha1"), func(f Field) bool { return f.String() == path })
	}
	const at = "spec.storage.deviceClasses[]."
	for path, since := range map[string]int{"default": 13, "fstype": 14, "name": 12, "thinPoolConfig.metadataSize": 18} {
		for minor := 12; minor <= 23; minor++ {
			if has(Release{4, minor}, at+path) != (minor >= since) {
				t.Errorf("4.%d: %s is there: %v", minor, path, minor < since)
			}
		}
	}
	if got := table.Clamp(Release{5, 2}); got != table.Newest {
		t.Errorf("the nearest to 5.2 is %s", got)
	}
	if got := table.Clamp(Release{4, 11}); got != (Release{4, 12}) {
		t.Errorf("the nearest to 4.11 is %s", got)
	}
	if _, err := TableOf("lvm.topolvm.io", "Cluster"); err == nil {
		t.Error("an unknown kind has a table")
	}
}

func TestATableWithAMistakeIsRefused(t *testing.T) {
	const first = "# as.a; source repo o/r; versions seen: 4.12-4.21\n"
	for name, text := range map[string]string{
		"no first line":    "spec\tobject\t\t4.12\n",
		"too few columns":  first + "spec\tobject\t4.12\n",
		"an unknown facet": first + "spec\tobject\tlarge\t4.12\n",
		"no releases":      first + "spec\tobject\t\t\n",
	} {
		if err := (&Table{}).read([]byte(text)); err == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// The name of a constant is not its value: that mistake is why these facts are kept.
func TestWords(t *testing.T) {
	words, err := ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"DaemonSetsAvailable", "VGsReady", "storage.openshift.com/local-volume-protection",
		"local-pv-1a2b3c", "klusterlet-one", "hypershift-install-job-x2x4", "ocs-storagecluster-ceph-rbd", "Discovering"} {
		if len(words.Find(word)) == 0 {
			t.Errorf("%s is not found", word)
		}
	}
	for _, word := range []string{"DaemonSetsAvailableAndConfigured", "DeploySuccess", "local-volume-1a2b3c", "clusterlet",
		"storage.openshift.com/no-such-finalizer", ""} {
		if found := words.Find(word); len(found) > 0 {
			t.Errorf("%q is found: %+v", word, found)
		}
	}
	found := words.Find("VGStatusReady")
	if len(found) > 0 {
		t.Errorf("the name of a constant is a word: %+v", found)
	}
	domains := words.Domains()
	if !domains["storage.openshift.com"] || domains["quay.io"] {
		t.Errorf("domains %v", domains)
	}
}

func TestGone(t *testing.T) {
	words, err := ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"VGsReady": false, "PreSync": false, "maestro-preview": false, "MultiClusterEngineFailure": true, "no-such-word": false,
		"io.openshift.hypershift.ignition-server-healthz-handler": true, "EtcdBackupSucceeded": false} {
		if got := words.Gone(word); got != want {
			t.Errorf("%s is gone: %t", word, got)
		}
	}
}

func TestAWordKnowsItsReleases(t *testing.T) {
	words, err := ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	in := func(value, component string, release Release) bool {
		return slices.ContainsFunc(words.Find(value), func(w Word) bool {
			return w.Component == component && w.Value == value && w.Releases.Has(release) && len(w.Releases) > 0
		})
	}
	if in("ResourcesAvailable", "lvms", Release{4, 16}) || !in("ResourcesAvailable", "lvms", Release{4, 17}) {
		t.Error("LVM Storage has ResourcesAvailable from 4.17 on")
	}
	if !in("cnv-mtv-integrations-preview", "acm", Release{2, 15}) ||
		in("cnv-mtv-integrations-preview", "acm", Release{2, 13}) {
		t.Error("ACM has cnv-mtv-integrations-preview in 2.15, not in 2.13")
	}
}
