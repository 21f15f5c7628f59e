package kube

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// A watch that adds objects without an end is ended.
func TestAWatchHoldsNoMoreThanAList(t *testing.T) {
	c := serve(t, true, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !r.URL.Query().Has("watch") {
			_, _ = io.WriteString(w, `{"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[]}`)
			return
		}
		for i := range 200 {
			_, _ = fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", item(fmt.Sprintf("n%04d", i), 32<<10))
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, transport.GuestOf("clusters", "kv-00"), func(r *transport.Retry) { r.Limits.List.Memory = 2 << 20 })
	m := c.NewInformers(t.Context())
	defer m.Close()
	w := m.Watch()
	for deadline := time.After(20 * time.Second); ; {
		var l corev1.NodeList
		if err := c.Reader(w).List(t.Context(), &l); transport.IsTooLarge(err) {
			if want := "a watch of nodes"; !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
			return
		}
		select {
		case <-w.Changed():
		case <-deadline:
			t.Fatal("the watch goes on")
		}
	}
}
