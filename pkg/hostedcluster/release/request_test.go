package release

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

func set(version, arch, channel, visible string) hostedtest.Object {
	return hostedtest.Object{
		"metadata": hostedtest.Object{
			"name":   "img" + version + "-" + arch + "-appsub",
			"labels": hostedtest.Object{"channel": channel, "visible": visible},
		},
		"spec": hostedtest.Object{"releaseImage": "quay.io/openshift-release-dev/ocp-release:" + version + "-" + arch},
	}
}

// exactly is a version in a request.
func exactly(s string) hostedcluster.Version {
	v, ok := hostedcluster.ParseVersion(s)
	if !ok {
		panic(s)
	}
	return v
}

// named is a channel in a request.
func named(s string) options.Channel {
	c, err := options.ParseChannel(s)
	if err != nil {
		panic(err)
	}
	return c
}

func TestReleaseRequests(t *testing.T) {
	world := map[string]any{
		hostedtest.ImageSetsPath: hostedtest.Items(
			set("4.20.3", "multi", "stable", "true"),
			set("4.20.4", "multi", "fast", "true"),
			set("4.20.1", "multi", "stable", "false"),
			set(
				"4.21.0-rc.1",
				"multi",
				"candidate",
				"true",
			),
			set("4.19.9", "x86_64", "stable", "true"),
			set("4.19.8", "s390x", "stable", "true"),
		),
		hostedtest.SupportedPath + "/supported-versions": hostedtest.Object{
			"data": hostedtest.Object{"supported-versions": `{"versions":["4.20","4.19"]}`},
		},
		hostedtest.VersionsPath + "/version": hostedtest.Object{
			"status": hostedtest.Object{
				"history": []any{hostedtest.Object{"state": "Completed", "version": "4.18.7", "image": "quay.io/x/y@sha256:0123"}},
			},
		},
	}
	const repo = "quay.io/openshift-release-dev/ocp-release:"
	for name, tc := range map[string]struct {
		r    Request
		want Release
		err  string
	}{
		"default": {Request{}, Release{repo + "4.20.4-multi", "ClusterImageSet img4.20.4-multi-appsub", "4.20.4"},
			""},
		"image": {Request{Image: "quay.io/a/b:4.20.9-multi"},
			Release{"quay.io/a/b:4.20.9-multi", "--release-image", "4.20.9"}, ""},
		"version": {Request{Version: exactly("4.20.3")},
			Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
		"version, hidden": {Request{Version: exactly("4.20.1")},
			Release{repo + "4.20.1-multi", "ClusterImageSet img4.20.1-multi-appsub", "4.20.1"}, ""},
		"version, candidate": {Request{Version: exactly("4.21.0-rc.1")},
			Release{repo + "4.21.0-rc.1-multi", "ClusterImageSet img4.21.0-rc.1-multi-appsub", "4.21.0-rc.1"}, ""},
		"version, own": {Request{Version: exactly("4.18.7")}, Release{"quay.io/x/y@sha256:0123", "the management cluster's " +
			"own release", "4.18.7"}, ""},
		"version, of no set": {Request{Version: exactly("4.20.9")}, Release{},
			`version "4.20.9": no ClusterImageSet of the ` +
				`management cluster offers it; there are 4.20.4, 4.20.3, 4.20.1`},
		"version, of no minor": {Request{Version: exactly("4.16.1")}, Release{},
			`version "4.16.1": no ClusterImageSet of the ` +
				`management cluster offers it; there are 4.20.4, 4.20.3, 4.20.1, 4.19.9, 4.21.0-rc.1`},
		"channel stable": {Request{Channel: named("stable-4.20")},
			Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
		"channel fast": {Request{Channel: named("fast-4.20")},
			Release{repo + "4.20.4-multi", "ClusterImageSet img4.20.4-multi-appsub", "4.20.4"}, ""},
		"channel candidate": {Request{Channel: named("candidate-4.21")},
			Release{repo + "4.21.0-rc.1-multi", "ClusterImageSet img4.21.0-rc.1-multi-appsub", "4.21.0-rc.1"}, ""},
		"channel without": {Request{Channel: named("stable-4.21")}, Release{}, `channel "stable-4.21": no ClusterImageSet ` +
			`of the management cluster offers it; there are 4.21.0-rc.1`},
		"another architecture": {Request{Channel: named("stable-4.19"), Arch: "s390x"},
			Release{repo + "4.19.8-s390x", "ClusterImageSet img4.19.8-s390x-appsub", "4.19.8"}, ""},
		"version and channel": {Request{Version: exactly("4.20.3"), Channel: named("fast-4.20")},
			Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Resolve(t.Context(), hostedtest.ReadOnly(t, world), tc.r)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("got %v, want %s", err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}
