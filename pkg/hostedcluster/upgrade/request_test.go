package upgrade_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
)

func TestRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*upgrade.Request)
		flag   string
		words  string
	}{
		"none":      {nil, "", ""},
		"version":   {func(r *upgrade.Request) { r.Version = "4.20.4" }, "", ""},
		"candidate": {func(r *upgrade.Request) { r.Version = "4.21.0-rc.1" }, "", ""},
		"no version": {func(r *upgrade.Request) { r.Version = "4.20" }, "version",
			"not a version"},
		"image as version": {func(r *upgrade.Request) { r.Version = "4.20.4-x86_64" }, "version", "not a version"},
		"version and image": {func(r *upgrade.Request) { r.Version, r.ReleaseImage = "4.20.4", image("4.20.4") },
			"release-image", "give one of --version, --release-image"},
		"forced and more": {func(r *upgrade.Request) { r.Version, r.ForceTo = "4.20.4", image("4.20.4") }, "force-to",
			"give one of --version, --force-to"},
		"image": {func(r *upgrade.Request) { r.ReleaseImage = image("4.20.4") }, "", ""},
		"image with blank": {func(r *upgrade.Request) { r.ReleaseImage = "a/b c" }, "release-image",
			"not an image reference"},
		"version as image": {func(r *upgrade.Request) { r.ForceTo = "4.20.4" }, "force-to", "not an image reference"},
		"channel":          {func(r *upgrade.Request) { r.Channel = "stable 4.20" }, "channel", "not a channel"},
		"longest channel":  {func(r *upgrade.Request) { r.Channel = strings.Repeat("x", 100) }, "", ""},
		"longer channel":   {func(r *upgrade.Request) { r.Channel = strings.Repeat("x", 101) }, "channel", "not a channel"},
		"wait":             {func(r *upgrade.Request) { r.Wait = "nodes" }, "wait", "none, complete"},
		"no wait":          {func(r *upgrade.Request) { r.Wait = upgrade.WaitNone }, "", ""},
		"all and one":      {func(r *upgrade.Request) { r.NodePools = []string{"all", "a"} }, "node-pools", "all, none"},
		"none and one":     {func(r *upgrade.Request) { r.NodePools = []string{"a", "none"} }, "node-pools", "all, none"},
		"no pools":         {func(r *upgrade.Request) { r.NodePools = nil }, "node-pools", "all, none"},
		"two pools":        {func(r *upgrade.Request) { r.NodePools = []string{"a", "b"} }, "", ""},
		"no pool goes":     {func(r *upgrade.Request) { r.NodePools = []string{"none"} }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := request(tc.change).Validate()
			var wrong *options.Error
			switch {
			case tc.flag == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.flag != "" && (!errors.As(err, &wrong) || wrong.Field != tc.flag ||
				!strings.Contains(wrong.Detail, tc.words)):
				t.Errorf("%v, want an error about --%s with %q", err, tc.flag, tc.words)
			}
		})
	}
}

func TestPoolFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		version, image string
		wait           upgrade.Wait
		flag           string
	}{
		"none":    {"", "", upgrade.WaitComplete, ""},
		"both":    {"4.20.4", image("4.20.4"), upgrade.WaitComplete, "release-image"},
		"version": {"4.20", "", upgrade.WaitComplete, "version"},
		"image":   {"", "4.20.4", upgrade.WaitComplete, "release-image"},
		"wait":    {"", "", "nodes", "wait"},
	} {
		err := upgrade.ValidatePool(tc.version, tc.image, tc.wait)
		var wrong *options.Error
		if (tc.flag == "") != (err == nil) || tc.flag != "" && (!errors.As(err, &wrong) || wrong.Field != tc.flag) {
			t.Errorf("%s: %v, want an error about %q", name, err, tc.flag)
		}
	}
}

func TestTargeted(t *testing.T) {
	for _, tc := range []struct {
		r    upgrade.Request
		want bool
	}{
		{upgrade.Request{Channel: "stable-4.20"}, false}, {upgrade.Request{Version: "4.20.4"}, true},
		{upgrade.Request{ReleaseImage: "a/b"}, true}, {upgrade.Request{ForceTo: "a/b"}, true},
	} {
		if tc.r.Targeted() != tc.want {
			t.Errorf("%+v: want %v", tc.r, tc.want)
		}
	}
}
