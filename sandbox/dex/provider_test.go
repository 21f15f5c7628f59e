package dex

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const file = `
issuer: %
oauth2: {passwordConnector: local}
staticClients:
- {id: cli, public: true}
- {id: web, secret: s3cret, redirectURIs: ["https://web.example.com/callback"]}
enablePasswordDB: true
staticPasswords:
- {email: ada@example.com, username: ada, userID: "1", groups: [admins],
   hash: $2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W}
`

func TestProvider(t *testing.T) {
	config := ""
	p, err := New(func(*http.Request) ([]byte, error) { return []byte(config), nil })
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p)
	defer server.Close()
	issuer := server.URL + "/dex"
	config = strings.Replace(file, "%", issuer, 1)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(to string, want int) *http.Response {
		t.Helper()
		resp, err := browser.Get(to)
		if err != nil || resp.StatusCode != want {
			t.Fatalf("%s: %v, %v", to, resp, err)
		}
		return resp
	}
	token := func(form url.Values, want int) string {
		t.Helper()
		resp, err := browser.PostForm(issuer+"/token", form)
		if err != nil || resp.StatusCode != want {
			t.Fatalf("%v: %v, %v", form, resp, err)
		}
		var out struct {
			IDToken string `json:"id_token"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out.IDToken
	}
	// Where a browser may be sent: Dex's rule.
	for query, want := range map[string]int{
		"client_id=cli&redirect_uri=http://localhost:8000/x":             http.StatusFound,
		"client_id=cli&redirect_uri=http://127.0.0.1:1":                  http.StatusFound,
		"client_id=cli&redirect_uri=http://evil.example.com":             http.StatusBadRequest,
		"client_id=cli&redirect_uri=https://localhost":                   http.StatusBadRequest,
		"client_id=web&redirect_uri=https://web.example.com/callback":    http.StatusFound,
		"client_id=web&redirect_uri=https://web.example.com/callback/x":  http.StatusBadRequest,
		"client_id=nobody&redirect_uri=https://web.example.com/callback": http.StatusBadRequest,
	} {
		get(issuer+"/auth?response_type=code&"+query, want)
	}
	// The code flow, with PKCE: a code is good once, and only with the verifier.
	verifier := "v"
	sum := sha256.Sum256([]byte(verifier))
	code := func(password string) string {
		resp := get(issuer+"/auth?response_type=code&client_id=cli&redirect_uri=http://localhost:8000&state=s"+
			"&code_challenge="+base64.RawURLEncoding.EncodeToString(sum[:]), http.StatusFound)
		sent, err := browser.PostForm(resp.Header.Get("Location"), url.Values{"login": {"ada@example.com"},
			"password": {password}})
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(sent.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		return to.Query().Get("code")
	}
	if code("wrong") != "" {
		t.Error("a wrong password is taken")
	}
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {"cli"}, "code": {code("password")},
		"redirect_uri": {"http://localhost:8000"}, "code_verifier": {"another"}}
	token(form, http.StatusUnauthorized)
	form.Set("code", code("password"))
	form.Set("code_verifier", verifier)
	signed := token(form, http.StatusOK)
	token(form, http.StatusUnauthorized)

	// The token is signed with a key that the issuer shows.
	var keys struct{ Keys []struct{ N, E string } }
	if err := json.NewDecoder(get(issuer+"/keys", http.StatusOK).Body).Decode(&keys); err != nil {
		t.Fatal(err)
	}
	decode := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	parts := strings.Split(signed, ".")
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(decode(keys.Keys[0].N)),
		E: int(new(big.Int).SetBytes(decode(keys.Keys[0].E)).Int64())}
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], decode(parts[2])); err != nil {
		t.Error(err)
	}
	if claims := string(decode(parts[1])); !strings.Contains(claims, `"groups":["admins"]`) ||
		!strings.Contains(claims, `"aud":"cli"`) || !strings.Contains(claims, `"iss":"`+issuer+`"`) {
		t.Errorf("claims %s", claims)
	}

	// The password grant; a client with a secret has to know it; a user who is taken out is not let in.
	grant := url.Values{"grant_type": {"password"}, "client_id": {"web"}, "client_secret": {"s3cret"},
		"username": {"ada@example.com"}, "password": {"password"}}
	token(grant, http.StatusOK)
	grant.Set("client_secret", "x")
	token(grant, http.StatusUnauthorized)
	grant.Set("client_secret", "s3cret")
	config, _, _ = strings.Cut(config, "staticPasswords")
	token(grant, http.StatusUnauthorized)
}
