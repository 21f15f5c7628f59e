package kubetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watch sends the events after the requested version.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q query) {
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	// The end of the request must wake its watch.
	defer s.onEnd(r)()
	s.mu.Lock()
	defer s.mu.Unlock()
	broken := s.broken
	for {
		if version < s.oldest {
			s.mu.Unlock()
			_ = json.NewEncoder(w).Encode(Object{"type": "ERROR", "object": status(http.StatusGone, metav1.StatusReasonExpired)})
			_ = flush()
			s.mu.Lock()
			return
		}
		next, _ := slices.BinarySearchFunc(s.events, version+1, func(e event, v int) int { return e.version - v })
		batch := s.events[next:]
		if len(batch) == 0 {
			if r.Context().Err() != nil || s.broken != broken {
				return
			}
			s.more.Wait()
			continue
		}
		s.mu.Unlock()
		for _, e := range batch {
			if version = e.version; q.has(e.namespace, e.name) {
				_, _ = w.Write(e.line)
			}
		}
		_ = flush()
		s.mu.Lock()
	}
}

// onEnd wakes the watches when the request ends. The returned function stops that.
func (s *Server) onEnd(r *http.Request) func() {
	over := make(chan struct{})
	go func() {
		select {
		case <-r.Context().Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			s.more.Broadcast()
		case <-over:
		}
	}()
	return func() { close(over) }
}
