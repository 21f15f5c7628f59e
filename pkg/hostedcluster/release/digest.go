package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// The registry and repository of OpenShift's releases. A stream's release must come from there; no credentials are
// needed.
const (
	releaseRegistry   = "quay.io"
	releaseRepository = "openshift-release-dev/ocp-release"
)

// byImage is the hint for a release that a server names and hcctl refuses.
var byImage = fmt.Sprintf("give it with %s if you trust it", hint.Flag("release-image"))

// maxToken is the maximum size, in bytes, of the answer with an anonymous token.
const maxToken = 64 << 10

var (
	digestForm = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)
	realmForm  = lazyregexp.New(`(?i)^Bearer .*\brealm="([^"]+)"`)
	serverName = lazyregexp.New(`(?i)\bservice="([A-Za-z0-9._:-]+)"`)
)

// manifestTypes are the media types of manifests, for one architecture or several.
func manifestTypes() []string {
	return []string{
		"application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.docker.distribution.manifest.v2+json",
		"application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json",
	}
}

// pinned returns the release by its digest, so that the image pulled later is the one found now. It refuses a release
// in another registry or repository, or with a tag of another version.
func (l lookup) pinned(ctx context.Context, s ImageSet) (string, error) {
	repository := releaseRegistry + "/" + releaseRepository
	rest, official := strings.CutPrefix(s.Image, repository)
	if official {
		if digest, by := strings.CutPrefix(rest, "@"); by && digestForm.MatchString(digest) {
			return s.Image, nil
		}
	}
	tag, tagged := strings.CutPrefix(rest, ":")
	switch v, ok := releaseVersionOf(tag); {
	case !official || !tagged:
		return "", fmt.Errorf("the release server names the image %q: hcctl takes those of %s alone; %s",
			s.Image, repository, byImage)
	case !ok || v != s.Version:
		return "", fmt.Errorf("the release server names the image %q, which is of another version; %s", s.Image, byImage)
	}
	digest, err := l.digest(ctx, tag)
	if err != nil {
		return "", fmt.Errorf("the digest of %s cannot be read: %w; give it with %s", s.Image, err,
			hint.Flag("release-image"))
	}
	return repository + "@" + digest, nil
}

// digest asks the registry for the digest of a tag's manifest.
func (l lookup) digest(ctx context.Context, tag string) (string, error) {
	address := l.registry + "/v2/" + releaseRepository + "/manifests/" + tag
	res, err := request(ctx, http.MethodHead, address, "")
	if err != nil {
		return "", err
	}
	_ = res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized {
		token, err := l.anonymousToken(ctx, res.Header.Get("WWW-Authenticate"))
		if err != nil {
			return "", err
		}
		if res, err = request(ctx, http.MethodHead, address, token); err != nil {
			return "", err
		}
		_ = res.Body.Close()
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the registry answers %s", res.Status)
	}
	digest := res.Header.Get("Docker-Content-Digest")
	if !digestForm.MatchString(digest) {
		return "", errors.New("the registry does not report it")
	}
	return digest, nil
}

// anonymousToken requests an anonymous token. It only sends the request to the registry's own host.
func (l lookup) anonymousToken(ctx context.Context, challenge string) (string, error) {
	realm := realmForm.FindStringSubmatch(challenge)
	if realm == nil {
		return "", errors.New("the registry asks for credentials, and hcctl sends none")
	}
	at, err := url.Parse(realm[1])
	if err != nil || at.Scheme+"://"+at.Host != l.registry || at.User != nil {
		return "", fmt.Errorf("the registry refers to another host for a token, %q, and hcctl does not follow", realm[1])
	}
	query := url.Values{"scope": {"repository:" + releaseRepository + ":pull"}}
	if m := serverName.FindStringSubmatch(challenge); m != nil {
		query.Set("service", m[1])
	}
	at.RawQuery = query.Encode()
	res, err := request(ctx, http.MethodGet, at.String(), "")
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Token string `json:"token"`
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the registry answers %s when it is asked for a token", res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxToken)).Decode(&answer); err != nil || answer.Token == "" {
		return "", errors.New("the registry gives no token to anonymous users")
	}
	return answer.Token, nil
}

// hostOf returns the host of a URL.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}
