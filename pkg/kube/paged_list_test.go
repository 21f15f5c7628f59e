package kube

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

type named struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

// A page that breaks off is asked for again, and nobody sees its objects twice.
func TestDecodedAsksAgainForAPageThatBreaksOff(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Query().Get("continue") == "":
			_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"a"}}],"metadata":{"continue":"on"}}`)
		case asked < 4:
			_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"b"}},{"meta`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"b"}},{"metadata":{"name":"c"}}]}`)
		}
	}))
	t.Cleanup(s.Close)
	c, err := New(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = ListDecoded(t.Context(), c, HostedCluster, func(n *named) { got = append(got, n.Metadata.Name) })
	if want := "a b c"; err != nil || strings.Join(got, " ") != want || asked != 4 {
		t.Errorf("got %q after %d requests, %v; want %s", got, asked, err, want)
	}
}
