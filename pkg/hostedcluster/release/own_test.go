package release

import (
	"errors"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

// Without ClusterImageSets a new cluster gets the release of the management cluster, if the operator supports it.
func TestTheManagementClustersRelease(t *testing.T) {
	const none = "no release image was given, and none was found; the HyperShift operator supports 4.20, 4.19"
	version := func(desired string, history ...any) hostedtest.Object {
		return hostedtest.Object{"metadata": hostedtest.Object{"name": "version"}, "status": hostedtest.Object{
			"desired": hostedtest.Object{"version": desired, "image": "registry.example/" + desired}, "history": history}}
	}
	partial := hostedtest.Object{"state": "Partial", "version": "4.20.9", "image": "registry.example/4.20.9"}
	completed := hostedtest.Object{"state": "Completed", "version": "4.20.3", "image": "registry.example/4.20.3"}
	for name, tc := range map[string]struct {
		version         hostedtest.Object
		want, from, err string
	}{
		"completed": {version("4.20.9", partial, completed), "registry.example/4.20.3",
			"the management cluster's own release 4.20.3", ""},
		"none completed": {version("4.20.9", partial), "registry.example/4.20.9",
			"the management cluster's own release 4.20.9", ""},
		"not supported": {version("4.18.1"), "", "", "the management cluster's own version 4.18.1 is not supported either"},
		"no version":    {nil, "", "", none},
		"no image": {hostedtest.Object{"metadata": hostedtest.Object{"name": "version"}, "status": hostedtest.Object{
			"desired": hostedtest.Object{"version": "4.20.1"}}}, "", "", "4.20.1 is not supported either"},
	} {
		w := hostedtest.NewWorld(t)
		w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
			"data": hostedtest.Object{"supported-versions": `{"versions":["4.20","4.19"]}`}})
		if tc.version != nil {
			w.Set("ClusterVersion", tc.version)
		}
		got, err := Resolve(t.Context(), w.Client, Request{})
		if got.Image != tc.want || got.From != tc.from || (err == nil) != (tc.err == "") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		var missing *NoReleaseError
		if tc.err != "" && (!errors.As(err, &missing) || !strings.Contains(err.Error(), tc.err) ||
			missing.Failure() != failure.Misused || !strings.Contains(missing.Hint().String(), "--release-image")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatCannotBeReadForARelease(t *testing.T) {
	for request, words := range map[string]string{
		"get " + hostedtest.SupportedPath + "/supported-versions": "ConfigMap hypershift/supported-versions: ",
		"get " + hostedtest.VersionsPath + "/version":             "ClusterVersion version: ",
		"get " + hostedtest.ImageSetsPath:                         "",
	} {
		w := hostedtest.NewWorld(t)
		w.Forbid(request)
		if _, err := Resolve(t.Context(), w.Client, Request{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", request, err)
		}
	}
	w := hostedtest.NewWorld(t)
	v := exactly("4.20.9")
	if _, err := Resolve(t.Context(), w.Client, Request{Version: v}); err == nil ||
		err.Error() != `version "4.20.9": no ClusterImageSet of the management cluster offers it` {
		t.Errorf("%v", err)
	}
	if got, err := SupportedVersions(t.Context(), w.Client); err != nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
	w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
		"data": hostedtest.Object{"supported-versions": `{"versions":["4.15","4.14","4.13"]}`}})
	if got, err := SupportedVersions(t.Context(), w.Client); err != nil || strings.Join(got, " ") != "4.15 4.14" {
		t.Errorf("%q, %v", got, err)
	}
	w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
		"data": hostedtest.Object{"supported-versions": `4.20`}})
	if got, err := SupportedVersions(t.Context(), w.Client); err == nil || got != nil ||
		!strings.HasPrefix(err.Error(), "ConfigMap hypershift/supported-versions: ") {
		t.Errorf("%q, %v", got, err)
	}
}
