package main_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// olmIsAtRest fails if OLM wrote a copied ClusterServiceVersion again and again: such a write costs the API server much
// more than a read. r must have been started with --audit.
func olmIsAtRest(t *testing.T, r *running) {
	t.Helper()
	file, err := os.Open(filepath.Join(r.dir, "logs", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	writes, requests := map[string]int{}, 0
	for events := json.NewDecoder(file); ; {
		var event struct {
			Verb, UserAgent string
			ObjectRef       struct{ Resource, Namespace, Name, Subresource string }
		}
		err := events.Decode(&event)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break // the API server still writes
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(event.UserAgent, "olm/") {
			continue
		}
		requests++
		if o := event.ObjectRef; event.Verb == "update" && o.Resource == "clusterserviceversions" && o.Subresource == "" {
			writes[o.Namespace+"/"+o.Name]++
		}
	}
	if requests == 0 {
		t.Error("the audit log has no request of OLM")
	}
	for name, n := range writes {
		if n > 2 {
			t.Errorf("OLM has written ClusterServiceVersion %s %d times", name, n)
		}
	}
}
