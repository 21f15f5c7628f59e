package kube

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Meter counts the requests of a client and the errors in their answers. The zero value is ready to use.
type Meter struct {
	mu     sync.Mutex
	counts Counts
	// errors has the times of the last answers with 429 or 5xx, the oldest first.
	errors []time.Time
}

// Counts are the requests of a client. A watch is one request, however long it lasts.
type Counts struct {
	Total int64
	// ByVerb is keyed by the API verbs: get, list, watch, create, update, patch, delete.
	ByVerb map[string]int64
	// Throttled counts answers with 429, Failed those with 5xx.
	Throttled, Failed int64
}

// maxErrors is the maximum number of error times that are kept.
const maxErrors = 1000

// Wrap returns a RoundTripper that counts the requests to next. It is for rest.Config.Wrap.
func (m *Meter) Wrap(next http.RoundTripper) http.RoundTripper { return metered{m, next} }

// Counts returns the counts so far.
func (m *Meter) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.counts
	out.ByVerb = maps.Clone(out.ByVerb)
	return out
}

// Errors returns the number of answers with 429 or 5xx in the last period of this length, at most 1000.
func (m *Meter) Errors(within time.Duration) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, since := 0, time.Now().Add(-within)
	for _, at := range m.errors {
		if at.After(since) {
			n++
		}
	}
	return n
}

type metered struct {
	meter *Meter
	next  http.RoundTripper
}

func (t metered) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	m := t.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts.Total++
	if m.counts.ByVerb == nil {
		m.counts.ByVerb = map[string]int64{}
	}
	m.counts.ByVerb[verbOf(r)]++
	if err != nil {
		return resp, err
	}
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		m.counts.Throttled++
	case resp.StatusCode >= http.StatusInternalServerError:
		m.counts.Failed++
	default:
		return resp, nil
	}
	if m.errors = append(m.errors, time.Now()); len(m.errors) > maxErrors {
		m.errors = m.errors[1:]
	}
	return resp, nil
}

// verbOf returns the verb as in the API server's audit log. A path with a name after the resource means one object. The
// resource comes after the version in /api (and after "namespaces/NAME"), and after group and version in /apis.
func verbOf(r *http.Request) string {
	switch r.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		return "delete"
	}
	if w := r.URL.Query().Get("watch"); w == "true" || w == "1" {
		return "watch"
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	skip := map[string]int{"api": 2, "apis": 3}[parts[0]]
	if skip == 0 || len(parts) <= skip {
		return "get"
	}
	parts = parts[skip:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) == 1 {
		return "list"
	}
	return "get"
}
