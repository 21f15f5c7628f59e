package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// The CI's release server, with one host for each architecture, as in HyperShift's own CLI.
const (
	releaseServer = "https://%s.ocp.releases.ci.openshift.org"
	streamTimeout = 20 * time.Second
	// maxAnswer is the maximum size of an answer, in bytes.
	maxAnswer = 16 << 20
)

var (
	// releaseName matches the server's name of a release: its version and, for some architectures, a suffix.
	releaseName = lazyregexp.New(`^(\d+\.\d+\.\d+)(?:-(?:multi|x86_64|amd64|aarch64|arm64|ppc64le|s390x))?$`)
)

// lookup finds the release of a stream.
type lookup struct {
	// server is the URL of the release server, registry the URL of the releases' registry.
	server, registry string
}

// lookupFor returns the lookup for a stream.
func lookupFor(stream string) lookup {
	return lookup{streamServer(stream), "https://" + releaseRegistry}
}

// ofStream queries the CI's release server for the newest accepted release of a stream that the operator supports, and
// the registry for its digest. These are hcctl's only requests to the internet, only with --release-stream, and without
// credentials. Redirects are not followed.
func (l lookup) ofStream(ctx context.Context, wanted options.Stream, supported []string) (Release, error) {
	ctx, cancel := context.WithTimeout(ctx, streamTimeout)
	defer cancel()
	stream := wanted.Name
	answer, err := l.tags(ctx, stream)
	if err != nil {
		return Release{}, options.Errorf("releaseStream", stream, "%v", err)
	}
	var sets []ImageSet
	for _, tag := range answer.Tags {
		v, ok := releaseVersionOf(tag.Name)
		if ok && beginsWith(v, wanted.Numbers) && (tag.Phase == "" || tag.Phase == "Accepted") && v.MinorIn(supported) {
			sets = append(sets, ImageSet{Name: tag.Name, Image: tag.PullSpec, Version: v})
		}
	}
	s, ok := newest(sets)
	if !ok {
		return Release{}, options.Errorf("releaseStream", stream,
			"has no release that the HyperShift operator supports (%s)", strings.Join(supported, ", "))
	}
	image, err := l.pinned(ctx, s)
	if err != nil {
		return Release{}, options.Errorf("releaseStream", stream, "its newest release is %s, but %v", s.Version, err)
	}
	return Release{Image: image, From: "release stream " + stream + " of " + hostOf(l.server),
		Version: s.Version.String()}, nil
}

// streamTags is the release server's list of a stream.
type streamTags struct {
	Tags []struct {
		Name     string `json:"name"`
		PullSpec string `json:"pullSpec"`
		Phase    string `json:"phase"`
	} `json:"tags"`
}

func (l lookup) tags(ctx context.Context, stream string) (streamTags, error) {
	var answer streamTags
	address := l.server + "/api/v1/releasestream/" + stream + "/tags"
	res, err := request(ctx, http.MethodGet, address, "")
	if err != nil {
		return answer, fmt.Errorf("the release server cannot be asked: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("%s answers %s", address, res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer, fmt.Errorf("the answer of %s was cut short: %w", address, err)
	case len(data) > maxAnswer:
		return answer, fmt.Errorf("%s answers with more than %d MiB, which is not a list of releases", address,
			maxAnswer>>20)
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&answer); err != nil {
		return answer, fmt.Errorf("%s does not answer with a list of releases", address)
	}
	return answer, nil
}

// httpClient sends requests to the internet, through the proxies of the environment. It does not follow redirects,
// because another host would then decide about the release.
var httpClient = &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("it redirects to host %q, and hcctl does not follow", r.URL.Host)
}}

// request sends a request without a body, with the anonymous token if it is not empty.
func request(ctx context.Context, method, address, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return nil, errors.New("its address is not a URL")
	}
	req.Header.Set("Accept", strings.Join(manifestTypes(), ", ")+", application/json;q=0.5")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := httpClient.Do(req)
	if err != nil && res != nil {
		_ = res.Body.Close() // a refused redirect still has a response
	}
	return res, err
}

// releaseVersionOf returns the version of a release's full name, or false for candidates and nightly builds.
func releaseVersionOf(name string) (hostedcluster.Version, bool) {
	m := releaseName.FindStringSubmatch(name)
	if m == nil {
		return hostedcluster.Version{}, false
	}
	return hostedcluster.ParseVersion(m[1])
}

// beginsWith reports whether a version begins with these numbers.
func beginsWith(v hostedcluster.Version, numbers []string) bool {
	for i, n := range []int{v.Major, v.Minor, v.Patch} {
		if i < len(numbers) && numbers[i] != strconv.Itoa(n) {
			return false
		}
	}
	return true
}

// streamServer returns the release server of a stream. The stream's name ends with its architecture, or it is amd64.
func streamServer(stream string) string {
	for _, arch := range []string{"multi", "arm64", "ppc64le", "s390x"} {
		if strings.HasSuffix(stream, "-"+arch) {
			return fmt.Sprintf(releaseServer, arch)
		}
	}
	return fmt.Sprintf(releaseServer, "amd64")
}
