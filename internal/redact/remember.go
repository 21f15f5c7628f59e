package redact

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// own is what this very process has of secrets: its credentials, and what it read and wrote. It is one for the process
// because what is printed does not know of which connection it tells, and a secret of one is none of another's.
var own memory

// memory takes secrets quickly, since that is done on the way of requests, and makes something of them only when there
// is something to print.
type memory struct {
	mu     sync.Mutex
	unread []map[string][]byte
	known  known
	// credential is the Authorization header that was seen last.
	credential atomic.Pointer[string]
}

// Remember takes the content of a Secret that was read or is to be written, so that Secrets, Message and Text leave it
// out wherever it turns up. The map must not be changed afterwards.
func Remember(data map[string][]byte) {
	if len(data) == 0 {
		return
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	own.unread = append(own.unread, data)
}

// RememberValues does so for secrets that have no name. Those of fewer than 8 characters are not taken: they would be
// found by chance.
func RememberValues(values ...string) {
	for _, v := range values {
		if v != "" {
			Remember(map[string][]byte{"": []byte(v)})
		}
	}
}

// RememberNamed does so for a variable or field whose name says that it is secret.
func RememberNamed(name, value string) {
	if secretName(name) {
		RememberValues(value)
	}
}

// RememberCredential does so for the value of an Authorization header. That of the last call costs nothing.
func RememberCredential(header string) {
	if last := own.credential.Load(); header == "" || last != nil && *last == header {
		return
	}
	own.credential.Store(&header)
	scheme, value, _ := strings.Cut(header, " ")
	RememberValues(value)
	if !strings.EqualFold(scheme, "Basic") {
		return
	}
	if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
		rememberUser(string(plain))
	}
}

// userAt is what stands for a user in something that is meant for a URL, be it one or not: a password may have
// characters that it should not have there.
var userAt = regexp.MustCompile(`^\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://)?(.*)@`)

// RememberURL does so for the user that stands in a URL, such as that of a proxy, even if it is none for its password's
// sake.
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

// rememberUser takes "user:password".
func rememberUser(both string) {
	_, password, _ := strings.Cut(both, ":")
	if password != "" {
		RememberValues(both, password)
	}
}

// replace is s without what is remembered.
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
