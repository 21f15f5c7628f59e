package redact

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// known are the very values of the Secrets that were read. Wherever one turns up, in a log, a ConfigMap, an argument,
// it is replaced, whatever its form.
type known struct {
	mu       sync.RWMutex
	values   map[string]bool
	replacer *strings.Replacer
	// learnt are the hashes of contents whose values are there already: a Secret that is waited for is read again and
	// again.
	learnt map[[sha256.Size]byte]bool
}

// What is shorter is found by chance, and what is longer is found by its form.
const (
	shortestKnown = 8
	longestKnown  = 16 << 10
)

// plainKeys are keys of Secrets whose values are no secret, and are found everywhere.
var plainKeys = regexp.MustCompile(
	`(?i)^(namespace|type|name|username|user|server|url|host|hostname|endpoint|port|region|bucket|version|(service-)?ca(-bundle)?(\.crt|\.pem)?|.*\.(crt|pub))$`)

// wordish is what may be a name rather than a secret: one word, or several joined by dashes or dots, of letters only.
var wordish = regexp.MustCompile(`^[A-Za-z]+([-. ][A-Za-z]+)*$`)

// learn takes the content of one Secret.
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

// add takes a value, and the forms it has within others.
func (k *known) add(value string) {
	value = strings.TrimSpace(value)
	if len(value) < shortestKnown || len(value) > longestKnown || strings.HasPrefix(value, "-----BEGIN CERTIFICATE") ||
		wordish.MatchString(value) && len(value) < 24 {
		return
	}
	k.values[value] = true
	for _, form := range formsOf(value) {
		if len(form) >= shortestKnown {
			k.values[form] = true
		}
	}
}

// formsOf are the forms in which a value turns up within others: in base64 as a whole and wherever it begins,
// hexadecimal, in a URL, in JSON.
func formsOf(value string) []string {
	plain := []byte(value)
	out := []string{base64.StdEncoding.EncodeToString(plain), hex.EncodeToString(plain), url.QueryEscape(value),
		url.PathEscape(value)}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, string(quoted[1:len(quoted)-1]))
	}
	for shift := range 3 {
		// Four characters stand for three bytes; those that stand for bytes of others too are left.
		blob := base64.StdEncoding.EncodeToString(append(make([]byte, shift), plain...))
		out = append(out, blob[4*((shift+2)/3):4*((shift+len(plain))/3)])
	}
	return out
}

// addParts takes the secrets of a registry's credentials one by one.
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

// ofUsers are the fields of a kubeconfig's users that are secret.
var ofUsers = regexp.MustCompile(`(?m)^[\s-]*["']?(?:token|password|client-key-data)["']?:\s*["']?([^\s"']+)`)

// addUsers takes the secrets of a kubeconfig one by one.
func (k *known) addUsers(value []byte) {
	for _, found := range ofUsers.FindAllSubmatch(value, -1) {
		k.add(string(found[1]))
		if plain, err := base64.StdEncoding.DecodeString(string(found[1])); err == nil {
			k.add(string(plain))
		}
	}
}

// replace is s without the values.
func (k *known) replace(s string) string {
	k.mu.RLock()
	r := k.replacer
	k.mu.RUnlock()
	if r == nil {
		r = k.build()
	}
	return r.Replace(s)
}

// build sorts the longest first: of two that begin alike the replacer takes the one it is given first.
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
