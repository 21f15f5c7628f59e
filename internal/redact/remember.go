package redact

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// remembered has the secrets of this process: its credentials, and the Secrets that it read and wrote. It is global,
// because output has no access to the connection.
var remembered memory

// memory stores secrets quickly, because requests wait for it, and processes them only for output.
type memory struct {
	mu     sync.Mutex
	unread []map[string][]byte
	known  known
	// credential is the last Authorization header.
	credential atomic.Pointer[string]
}

// Remember makes Secrets, Message and Text redact the content of a Secret from now on. The caller must not change the
// map afterwards.
func Remember(data map[string][]byte) {
	if len(data) == 0 {
		return
	}
	remembered.mu.Lock()
	defer remembered.mu.Unlock()
	remembered.unread = append(remembered.unread, data)
}

// RememberValues remembers secrets without a name. It ignores values with fewer than 8 characters, which would match by
// chance.
func RememberValues(values ...string) {
	for _, v := range values {
		if v != "" {
			Remember(map[string][]byte{"": []byte(v)})
		}
	}
}

// RememberNamed remembers the value of a variable or field if its name is that of a secret.
func RememberNamed(name, value string) {
	if secretName(name) {
		RememberValues(value)
	}
}

// RememberCredential remembers the value of an Authorization header. Repeated calls with one value are cheap.
func RememberCredential(header string) {
	if last := remembered.credential.Load(); header == "" || last != nil && *last == header {
		return
	}
	remembered.credential.Store(&header)
	scheme, value, _ := strings.Cut(header, " ")
	RememberValues(value)
	if !strings.EqualFold(scheme, "Basic") {
		return
	}
	if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
		rememberUser(string(plain))
	}
}

// userAt matches the user in a URL, even in an invalid one: a password may contain characters that a URL must not.
var userAt = lazyregexp.New(`^\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://)?(.*)@`)

// RememberURL remembers the user in a URL, such as that of a proxy, even if the URL is invalid.
func RememberURL(raw string) {
	found := userAt.FindStringSubmatch(raw)
	if found == nil {
		return
	}
	rememberUser(found[1])
	if plain, err := url.PathUnescape(found[1]); err == nil && plain != found[1] {
		rememberUser(plain)
	}
}

// rememberUser remembers "user:password".
func rememberUser(both string) {
	_, password, _ := strings.Cut(both, ":")
	if password != "" {
		RememberValues(both, password)
	}
}

// replace returns s with the remembered values redacted.
func (m *memory) replace(s string) string {
	m.mu.Lock()
	unread := m.unread
	m.unread = nil
	m.mu.Unlock()
	for _, data := range unread {
		m.known.learn(data)
	}
	return m.known.replace(s)
}
