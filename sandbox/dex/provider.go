// Package dex plays Dex: an OpenID Connect provider that reads Dex's configuration file, with static passwords and
// static clients. It speaks discovery, keys, the authorization code flow with PKCE, and the password grant.
package dex

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"
	"sigs.k8s.io/yaml"
)

// config are the fields of the file that this provider uses.
type config struct {
	Issuer string `json:"issuer"`
	Expiry struct {
		IDTokens string `json:"idTokens"`
	} `json:"expiry"`
	OAuth2 struct {
		PasswordConnector string `json:"passwordConnector"`
	} `json:"oauth2"`
	StaticClients []struct {
		ID           string   `json:"id"`
		Secret       string   `json:"secret"`
		Public       bool     `json:"public"`
		RedirectURIs []string `json:"redirectURIs"`
	} `json:"staticClients"`
	EnablePasswordDB bool `json:"enablePasswordDB"`
	StaticPasswords  []struct {
		Email    string   `json:"email"`
		Hash     string   `json:"hash"`
		Username string   `json:"username"`
		UserID   string   `json:"userID"`
		Groups   []string `json:"groups"`
	} `json:"staticPasswords"`
}

// localConnector is the connector of static passwords (dexidp/dex, server/connectors/resolve.go).
const localConnector = "local"

// request is a login that a client has asked for; once the user has logged in, the code stands for it.
type request struct {
	client, redirect, state, nonce, challenge string
	claims                                    map[string]any
}

// Provider answers as Dex. Its key and its open logins are in memory, as with Dex's storage of that type.
type Provider struct {
	// Config reads the configuration file as it is now.
	Config func(r *http.Request) ([]byte, error)

	key  *rsa.PrivateKey
	mu   sync.Mutex
	open map[string]request
}

const (
	keyBits = 2048
	keyID   = "sandbox"
	// tokenLife is Dex's default.
	tokenLife = 24 * time.Hour
)

// New returns a provider with a key of its own.
func New(config func(r *http.Request) ([]byte, error)) (*Provider, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("make the key of Dex: %w", err)
	}
	return &Provider{Config: config, key: key, open: map[string]request{}}, nil
}

// ServeHTTP answers below the path of the issuer.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := p.Config(r)
	c := config{}
	if err == nil {
		err = yaml.Unmarshal(data, &c)
	}
	issuer, bad := url.Parse(c.Issuer)
	if err != nil || bad != nil {
		http.Error(w, "the configuration cannot be read", http.StatusInternalServerError)
		return
	}
	at, ok := strings.CutPrefix(r.URL.Path, strings.TrimSuffix(issuer.Path, "/"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	switch at {
	case "/healthz":
		_, _ = fmt.Fprint(w, "Health check passed")
	case "/.well-known/openid-configuration":
		answer(w, http.StatusOK, discovery(c.Issuer))
	case "/keys":
		answer(w, http.StatusOK, p.keys())
	case "/auth":
		p.authorize(w, r, c)
	case "/auth/local/login":
		p.login(w, r, c)
	case "/token":
		p.token(w, r, c)
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // nobody to tell
}

func refuse(w http.ResponseWriter, code int, reason string) {
	answer(w, code, map[string]string{"error": reason})
}

func discovery(issuer string) map[string]any {
	return map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/auth", "token_endpoint": issuer + "/token",
		"jwks_uri": issuer + "/keys", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		"grant_types_supported":            []string{"authorization_code", "password"},
		"code_challenge_methods_supported": []string{"S256"},
		"scopes_supported":                 []string{"openid", "email", "groups", "profile"},
	}
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *Provider) keys() map[string]any {
	return map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keyID,
		"n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes())}}}
}

// redirects reports whether a browser may be sent there for a client, by Dex's rule (server/authflow/request.go).
func (c config) redirects(id, to string) bool {
	for _, client := range c.StaticClients {
		if client.ID != id {
			continue
		}
		if len(client.RedirectURIs) > 0 || !client.Public {
			return slices.Contains(client.RedirectURIs, to)
		}
		u, err := url.Parse(to)
		return err == nil && u.Scheme == "http" &&
			(u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
	}
	return false
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request, c config) {
	q := r.URL.Query()
	in := request{client: q.Get("client_id"), redirect: q.Get("redirect_uri"), state: q.Get("state"),
		nonce: q.Get("nonce"), challenge: q.Get("code_challenge")}
	if !c.redirects(in.client, in.redirect) || q.Get("response_type") != "code" {
		http.Error(w, "Unregistered redirect_uri.", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, c.Issuer+"/auth/local/login?state="+p.remember(in), http.StatusFound)
}

func (p *Provider) remember(in request) string {
	id := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[id] = in
	return id
}

// take returns what stands for an ID, once.
func (p *Provider) take(id string) (request, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	in, ok := p.open[id]
	delete(p.open, id)
	return in, ok
}

func (p *Provider) login(w http.ResponseWriter, r *http.Request, c config) {
	if r.Method != http.MethodPost {
		_, _ = fmt.Fprint(w, `<form method="post"><input name="login"><input name="password" type="password"></form>`)
		return
	}
	in, ok := p.take(r.URL.Query().Get("state"))
	claims := c.user(r.PostFormValue("login"), r.PostFormValue("password"))
	if !ok || in.claims != nil || claims == nil {
		http.Error(w, "Invalid Email Address and Password.", http.StatusUnauthorized)
		return
	}
	in.claims = claims
	to, err := url.Parse(in.redirect)
	if err != nil {
		http.Error(w, "Unregistered redirect_uri.", http.StatusBadRequest)
		return
	}
	q := to.Query()
	q.Set("code", p.remember(in))
	q.Set("state", in.state)
	to.RawQuery = q.Encode()
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// user are the claims of a user with a static password; nil if there is none with these.
func (c config) user(email, password string) map[string]any {
	for _, u := range c.StaticPasswords {
		if !c.EnablePasswordDB || !strings.EqualFold(u.Email, email) ||
			bcrypt.CompareHashAndPassword([]byte(u.Hash), []byte(password)) != nil {
			continue
		}
		return map[string]any{"sub": encode([]byte(u.UserID)), "email": u.Email, "email_verified": true,
			"name": u.Username, "groups": u.Groups}
	}
	return nil
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request, c config) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	known := false
	for _, client := range c.StaticClients {
		same := subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) == 1
		known = known || client.ID == id && (client.Public || same)
	}
	if !known {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	var claims map[string]any
	nonce := ""
	switch grant := r.PostFormValue("grant_type"); {
	case grant == "authorization_code":
		in, ok := p.take(r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if ok && in.claims != nil && in.client == id && in.redirect == r.PostFormValue("redirect_uri") &&
			(in.challenge == "" || in.challenge == encode(sum[:])) {
			claims, nonce = in.claims, in.nonce
		}
	case grant == "password" && c.OAuth2.PasswordConnector == localConnector:
		claims = c.user(r.PostFormValue("username"), r.PostFormValue("password"))
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	if claims == nil {
		refuse(w, http.StatusUnauthorized, "access_denied")
		return
	}
	signed, life, err := p.sign(c, claims, id, nonce)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "server_error")
		return
	}
	answer(w, http.StatusOK, map[string]any{"access_token": signed, "id_token": signed, "token_type": "bearer",
		"expires_in": int(life.Seconds())})
}

// sign makes the token of a user for a client.
func (p *Provider) sign(c config, user map[string]any, client, nonce string) (string, time.Duration, error) {
	life := tokenLife
	if d, err := time.ParseDuration(c.Expiry.IDTokens); err == nil {
		life = d
	}
	now := time.Now()
	claims := maps.Clone(user)
	claims["iss"], claims["aud"] = c.Issuer, client
	claims["iat"], claims["exp"] = now.Unix(), now.Add(life).Unix()
	if nonce != "" {
		claims["nonce"] = nonce
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", 0, err
	}
	text := encode([]byte(`{"alg":"RS256","kid":"`+keyID+`","typ":"JWT"}`)) + "." + encode(payload)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", 0, err
	}
	return text + "." + encode(signature), life, nil
}
