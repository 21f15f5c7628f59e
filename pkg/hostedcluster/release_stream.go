package hostedcluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The CI's release server, one host an architecture, as HyperShift's own CLI asks it.
const (
	releaseServer  = "https://%s.ocp.releases.ci.openshift.org"
	streamPatience = 20 * time.Second
	// longestAnswer bounds what is read of it, in bytes.
	longestAnswer = 16 << 20
)

// ofStream asks the CI's release server for the newest accepted release of a stream that the operator supports. It is the one thing hcctl
// asks of the internet, and only where a person says --release-stream.
func ofStream(ctx context.Context, server, stream string, supported []string) (Release, error) {
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	address := server + "/api/v1/releasestream/" + url.PathEscape(stream) + "/tags"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return Release{}, flagError("release-stream", stream, "not the name of a stream")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return Release{}, flagError("release-stream", stream, "the release server cannot be asked: %v", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return Release{}, flagError("release-stream", stream, "%s answers %s", address, res.Status)
	}
	var answer struct {
		Tags []struct {
			Name     string `json:"name"`
			PullSpec string `json:"pullSpec"`
			Phase    string `json:"phase"`
		} `json:"tags"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, longestAnswer)).Decode(&answer); err != nil {
		return Release{}, flagError("release-stream", stream, "%s does not answer with a list of releases", address)
	}
	var sets []ImageSet
	for _, tag := range answer.Tags {
		v, ok := ParseVersion(tag.Name)
		if ok && v.Candidate == "" && tag.PullSpec != "" && (tag.Phase == "" || tag.Phase == "Accepted") && slices.Contains(supported, v.MinorName()) {
			sets = append(sets, ImageSet{Name: tag.Name, Image: tag.PullSpec, Version: v})
		}
	}
	s, ok := newest(sets)
	if !ok {
		return Release{}, flagError("release-stream", stream, "has no release that the HyperShift operator supports (%s)", strings.Join(supported, ", "))
	}
	return Release{Image: s.Image, From: "release stream " + stream + " of " + req.URL.Host, Version: s.Version.String()}, nil
}

// streamServer is where a stream is asked for: its name ends in its architecture, amd64 where it does not.
func streamServer(stream string) string {
	for _, arch := range []string{"multi", "arm64", "ppc64le", "s390x"} {
		if strings.HasSuffix(stream, "-"+arch) {
			return fmt.Sprintf(releaseServer, arch)
		}
	}
	return fmt.Sprintf(releaseServer, "amd64")
}
