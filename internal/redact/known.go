package redact

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// known has the values of Secrets that were read. They are replaced everywhere, for example in a log, a ConfigMap or an
// argument.
type known struct {
	mu       sync.RWMutex
	values   map[string]bool
	replacer *strings.Replacer
	// learnt has the hashes of known contents, because a Secret may be read many times.
	learnt map[[sha256.Size]byte]bool
}

// Limits of a known value, in bytes. Shorter values would match by chance; longer ones are found by their form.
const (
	minKnown = 8
	maxKnown = 16 << 10
)

// plainKeys matches keys of Secrets whose values are public and frequent.
var plainKeys = lazyregexp.New(
	`(?i)^(namespace|type|name|username|user|server|url|host|hostname|endpoint|port|` +
		`region|bucket|version|(service-)?ca(-bundle)?(\.crt|\.pem)?|.*\.(crt|pub))$`)

// likeName matches values that may be names: words of letters, joined by dashes, dots or spaces.
var likeName = lazyregexp.New(`^[A-Za-z]+([-. ][A-Za-z]+)*$`)

// learn adds the content of one Secret.
func (k *known) learn(data map[string][]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil {
		k.values, k.learnt = map[string]bool{}, map[[sha256.Size]byte]bool{}
	}
	for key, value := range data {
		sum := sha256.Sum256(value)
		if k.learnt[sum] || plainKeys.MatchString(key) {
			continue
		}
		k.learnt[sum], k.replacer = true, nil
		k.add(string(value))
		k.addParts(value)
		k.addUsers(value)
	}
}

// add adds a value in all its encodings.
func (k *known) add(value string) {
	value = strings.TrimSpace(value)
	if len(value) < minKnown || len(value) > maxKnown || strings.HasPrefix(value, "-----BEGIN CERTIFICATE") ||
		likeName.MatchString(value) && len(value) < 24 {
		return
	}
	k.values[value] = true
	for _, form := range formsOf(value) {
		if len(form) >= minKnown {
			k.values[form] = true
		}
	}
}

// formsOf returns the encodings of a value: base64 of the whole and at any offset, hexadecimal, URL, JSON.
func formsOf(value string) []string {
	plain := []byte(value)
	out := []string{base64.StdEncoding.EncodeToString(plain), hex.EncodeToString(plain), url.QueryEscape(value),
		url.PathEscape(value)}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, string(quoted[1:len(quoted)-1]))
	}
	for shift := range 3 {
		// Four characters encode three bytes. Characters that also encode other bytes are left out.
		blob := base64.StdEncoding.EncodeToString(append(make([]byte, shift), plain...))
		out = append(out, blob[4*((shift+2)/3):4*((shift+len(plain))/3)])
	}
	return out
}

// addParts adds the single secrets of registry credentials.
func (k *known) addParts(value []byte) {
	var config struct {
		Auths map[string]struct {
			Auth     string `json:"auth"`
			Password string `json:"password"`
		} `json:"auths"`
	}
	if json.Unmarshal(value, &config) != nil {
		return
	}
	for _, one := range config.Auths {
		k.add(one.Auth)
		k.add(one.Password)
		if plain, err := base64.StdEncoding.DecodeString(one.Auth); err == nil {
			_, password, _ := strings.Cut(string(plain), ":")
			k.add(string(plain))
			k.add(password)
		}
	}
}

// userSecrets matches the secret fields of a kubeconfig's users.
var userSecrets = lazyregexp.New(`(?m)^[\s-]*["']?(?:token|password|client-key-data)["']?:\s*["']?([^\s"']+)`)

// addUsers adds the single secrets of a kubeconfig.
func (k *known) addUsers(value []byte) {
	for _, found := range userSecrets.Get().FindAllSubmatch(value, -1) {
		k.add(string(found[1]))
		if plain, err := base64.StdEncoding.DecodeString(string(found[1])); err == nil {
			k.add(string(plain))
		}
	}
}

// replace returns s with the known values redacted.
func (k *known) replace(s string) string {
	k.mu.RLock()
	r := k.replacer
	k.mu.RUnlock()
	if r == nil {
		r = k.build()
	}
	return r.Replace(s)
}

// build creates the replacer with the longest values first, because earlier values take precedence.
func (k *known) build() *strings.Replacer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.replacer != nil {
		return k.replacer
	}
	values := make([]string, 0, len(k.values))
	for v := range k.values {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(values))
	for _, v := range values {
		pairs = append(pairs, v, placeholder(len(v)))
	}
	k.replacer = strings.NewReplacer(pairs...)
	return k.replacer
}
