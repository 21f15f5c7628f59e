package hostedcluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func set(version, arch, channel, visible string) object {
	return object{
		"metadata": object{"name": "img" + version + "-" + arch + "-appsub", "labels": object{"channel": channel, "visible": visible}},
		"spec":     object{"releaseImage": "quay.io/openshift-release-dev/ocp-release:" + version + "-" + arch},
	}
}

func TestReleaseRequests(t *testing.T) {
	world := map[string]any{
		imageSetsPath: items(set("4.20.3", "multi", "stable", "true"), set("4.20.4", "multi", "fast", "true"), set("4.20.1", "multi", "stable", "false"),
			set("4.21.0-rc.1", "multi", "candidate", "true"), set("4.19.9", "x86_64", "stable", "true"), set("4.19.8", "s390x", "stable", "true")),
		supportedPath + "/supported-versions": object{"data": object{"supported-versions": `{"versions":["4.20","4.19"]}`}},
		versionsPath + "/version":             object{"status": object{"history": []any{object{"state": "Completed", "version": "4.18.7", "image": "quay.io/x/y@sha256:0123"}}}},
	}
	const repo = "quay.io/openshift-release-dev/ocp-release:"
	for name, tc := range map[string]struct {
		r    ReleaseRequest
		want Release
		err  string
	}{
		"default":              {ReleaseRequest{}, Release{repo + "4.20.4-multi", "ClusterImageSet img4.20.4-multi-appsub", "4.20.4"}, ""},
		"image":                {ReleaseRequest{Image: "quay.io/a/b:4.20.9-multi"}, Release{"quay.io/a/b:4.20.9-multi", "--release-image", "4.20.9"}, ""},
		"version":              {ReleaseRequest{Version: "4.20.3"}, Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
		"version, hidden":      {ReleaseRequest{Version: "4.20.1"}, Release{repo + "4.20.1-multi", "ClusterImageSet img4.20.1-multi-appsub", "4.20.1"}, ""},
		"version, candidate":   {ReleaseRequest{Version: "4.21.0-rc.1"}, Release{repo + "4.21.0-rc.1-multi", "ClusterImageSet img4.21.0-rc.1-multi-appsub", "4.21.0-rc.1"}, ""},
		"version, own":         {ReleaseRequest{Version: "4.18.7"}, Release{"quay.io/x/y@sha256:0123", "the management cluster's own release", "4.18.7"}, ""},
		"version, of no set":   {ReleaseRequest{Version: "4.20.9"}, Release{}, `--version "4.20.9": no ClusterImageSet of the management cluster offers it; there are 4.20.4, 4.20.3, 4.20.1`},
		"version, of no minor": {ReleaseRequest{Version: "4.16.1"}, Release{}, `--version "4.16.1": no ClusterImageSet of the management cluster offers it; there are 4.20.4, 4.20.3, 4.20.1, 4.19.9, 4.21.0-rc.1`},
		"channel stable":       {ReleaseRequest{Channel: "stable-4.20"}, Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
		"channel fast":         {ReleaseRequest{Channel: "fast-4.20"}, Release{repo + "4.20.4-multi", "ClusterImageSet img4.20.4-multi-appsub", "4.20.4"}, ""},
		"channel candidate":    {ReleaseRequest{Channel: "candidate-4.21"}, Release{repo + "4.21.0-rc.1-multi", "ClusterImageSet img4.21.0-rc.1-multi-appsub", "4.21.0-rc.1"}, ""},
		"channel without":      {ReleaseRequest{Channel: "stable-4.21"}, Release{}, `--channel "stable-4.21": no ClusterImageSet of the management cluster offers it; there are 4.21.0-rc.1`},
		"another architecture": {ReleaseRequest{Channel: "stable-4.19", Arch: "s390x"}, Release{repo + "4.19.8-s390x", "ClusterImageSet img4.19.8-s390x-appsub", "4.19.8"}, ""},
		"version and channel":  {ReleaseRequest{Version: "4.20.3", Channel: "fast-4.20"}, Release{repo + "4.20.3-multi", "ClusterImageSet img4.20.3-multi-appsub", "4.20.3"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ResolveRelease(t.Context(), fakeAPI(t, world), tc.r)
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
