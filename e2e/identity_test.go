package e2e

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// identityTime bounds what oidc waits for: the API server reads its providers anew, and a token ends.
const identityTime = 2 * time.Minute

// oidcCommand: oidc KUBECONFIG ISSUER CLIENT USER PASSWORD PATH WANT
//
// logs in at the issuer as a browser does, by the authorization code flow with PKCE, and asks the API server of the
// kubeconfig for the path with the token. WANT is the code of the answer, which is waited for; "expires" for one that is
// 200 and, with the same token, 401 later; or "refused" where no login succeeds. The issuer's authorities are in the
// variable CA.
func oidcCommand(ts *testscript.TestScript, neg bool, args []string) {
	const count = 7
	if neg || len(args) != count {
		ts.Fatalf("usage: oidc KUBECONFIG ISSUER CLIENT USER PASSWORD PATH WANT")
	}
	p, done := browse(ts)
	defer done()
	config, err := clientcmd.BuildConfigFromFlags("", ts.MkAbs(args[0]))
	ts.Check(err)
	anonymous := rest.AnonymousClientConfig(config)
	p.api, err = rest.HTTPClientFor(anonymous)
	ts.Check(err)
	p.host, p.issuer, p.client, p.user, p.password, p.path = config.Host, args[1], args[2], args[3], args[4], args[5]
	p.secret, p.back = "example-secret", "http://localhost:8000/"
	switch want := args[6]; want {
	case "refused":
		p.refused(ts)
	case "expires":
		token := p.until(ts, "200")
		for code := "200"; code != "401"; {
			code, err = p.ask(token)
			ts.Check(err)
		}
	default:
		p.until(ts, want)
	}
}

// oauthCommand: oauth ISSUER CLIENT SECRET CALLBACK USER PASSWORD WANT
//
// logs in at the issuer as the OAuth server of a hosted cluster does: by the authorization code flow, with the client's
// secret in base64, and back to CALLBACK, where [identity-provider-name] is dex. WANT is a regular expression for the
// claims of the ID token, or "refused".
func oauthCommand(ts *testscript.TestScript, neg bool, args []string) {
	const count = 7
	if neg || len(args) != count {
		ts.Fatalf("usage: oauth ISSUER CLIENT SECRET CALLBACK USER PASSWORD WANT")
	}
	p, done := browse(ts)
	defer done()
	secret, err := base64.StdEncoding.DecodeString(args[2])
	ts.Check(err)
	p.issuer, p.client, p.secret, p.user, p.password = args[0], args[1], string(secret), args[4], args[5]
	p.back = strings.ReplaceAll(args[3], "[identity-provider-name]", "dex")
	if args[6] == "refused" {
		p.refused(ts)
		return
	}
	token, err := p.login()
	ts.Check(err)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		ts.Fatalf("the ID token is no JWT: %s", token)
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	ts.Check(err)
	if !regexp.MustCompile(args[6]).Match(claims) {
		ts.Fatalf("the claims are %s, want %s", claims, args[6])
	}
}

// browse is somebody with a browser, until done is called.
func browse(ts *testscript.TestScript) (p browsing, done func()) {
	ctx, cancel := context.WithTimeout(context.Background(), identityTime)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(ts.Getenv("CA"))) {
		ts.Fatalf("CA has no certificates")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	p = browsing{ctx: ctx, browser: &http.Client{Transport: transport, Timeout: 10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	return p, func() {
		cancel()
		transport.CloseIdleConnections()
	}
}

// refused fails if the issuer lets the user in.
func (p browsing) refused(ts *testscript.TestScript) {
	if _, err := p.login(); err == nil {
		ts.Fatalf("%s was let in", p.user)
	} else if !errors.Is(err, errRefused) {
		ts.Fatalf("%v", err)
	}
}

// browsing is somebody with a browser.
type browsing struct {
	ctx                  context.Context
	browser, api         *http.Client
	host, issuer, client string
	user, password, path string
	// secret is that of the client, back where the issuer sends the browser.
	secret, back string
}

// errRefused is that the issuer does not let somebody in.
var errRefused = errors.New("the login is refused")

// until logs in and asks until the answer has the code, and returns the token.
func (p browsing) until(ts *testscript.TestScript, want string) string {
	last := ""
	for p.ctx.Err() == nil {
		token, err := p.login()
		if err == nil {
			if last, err = p.ask(token); err == nil && last == want {
				return token
			}
		}
		if err != nil {
			last = err.Error()
		}
		select {
		case <-p.ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	ts.Fatalf("%s gets %s, want %s", p.user, last, want)
	return ""
}

// ask returns the code of the API server's answer to a token.
func (p browsing) ask(token string) (string, error) {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodGet, p.host+p.path, http.NoBody)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := p.api.Do(req)
	if err != nil {
		return "", err
	}
	return strconv.Itoa(resp.StatusCode), resp.Body.Close()
}

// login is the authorization code flow with PKCE; it returns the ID token.
func (p browsing) login() (string, error) {
	const verifier = "a-verifier-of-more-than-forty-three-characters-0"
	back, err := url.Parse(p.back)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{"client_id": {p.client}, "redirect_uri": {p.back}, "response_type": {"code"}, "state": {"s"},
		"scope": {"openid email groups"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}}
	form, err := p.send(http.MethodGet, p.issuer+"/auth?"+q.Encode(), nil)
	if err != nil {
		return "", err
	}
	sent, err := p.send(http.MethodPost, form.location, url.Values{"login": {p.user},
		"password": {p.password}})
	if err != nil {
		return "", err
	}
	if sent.code == http.StatusUnauthorized {
		return "", errRefused
	}
	to, err := url.Parse(sent.location)
	if err != nil || to.Host != back.Host || to.Path != back.Path || to.Query().Get("state") != "s" {
		return "", fmt.Errorf("after the login %d, %q", sent.code, sent.location)
	}
	answer, err := p.send(http.MethodPost, p.issuer+"/token", url.Values{"grant_type": {"authorization_code"},
		"client_id": {p.client}, "client_secret": {p.secret}, "code": {to.Query().Get("code")},
		"redirect_uri": {p.back}, "code_verifier": {verifier}})
	if err != nil {
		return "", err
	}
	var tokens struct {
		IDToken string `json:"id_token"`
	}
	if err := json.Unmarshal(answer.body, &tokens); err != nil || tokens.IDToken == "" {
		return "", fmt.Errorf("the issuer gave no token: %d %s", answer.code, answer.body)
	}
	return tokens.IDToken, nil
}

// reply is an answer of the issuer.
type reply struct {
	code     int
	location string
	body     []byte
}

// send sends a request and reads the answer.
func (p browsing) send(method, to string, form url.Values) (reply, error) {
	req, err := http.NewRequestWithContext(p.ctx, method, to, strings.NewReader(form.Encode()))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := p.browser.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return reply{resp.StatusCode, resp.Header.Get("Location"), body}, err
}
