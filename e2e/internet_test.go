package e2e

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// internet is a proxy that lets nobody through and keeps in mind where they wanted to go. Go's HTTP clients ask it for
// every host that is not loopback, and a sandbox is loopback, so that nobody should ask it for anything.
type internet struct {
	server *httptest.Server
	mu     sync.Mutex
	asked  []string
}

func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.asked = append(n.asked, r.Host)
	n.mu.Unlock()
	http.Error(w, "nobody gets to "+r.Host, http.StatusBadGateway)
}

// taken are the hosts that were asked for, each once, since the last look.
func (n *internet) taken() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.asked
	n.asked = nil
	slices.Sort(out)
	return slices.Compact(out)
}

// internetCommand: internet away | internet asked [HOST:PORT]...
//
// away puts a proxy in the way of every host but loopback, by HTTP_PROXY and HTTPS_PROXY; asked wants just these hosts
// to have been asked for since.
func internetCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: internet away | internet asked [HOST:PORT]...")
	}
	h := harnessOf(ts)
	switch args[0] {
	case "away":
		n := &internet{}
		n.server = httptest.NewUnstartedServer(n)
		n.server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelError)
		n.server.Start()
		ts.Defer(n.server.Close)
		h.internet = n
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			ts.Setenv(name, n.server.URL)
		}
		ts.Setenv("NO_PROXY", "")
		ts.Setenv("no_proxy", "")
	case "asked":
		if h.internet == nil {
			ts.Fatalf("internet away comes first")
		}
		if got := h.internet.taken(); !slices.Equal(got, args[1:]) {
			ts.Fatalf("asked for [%s], want [%s]", strings.Join(got, " "), strings.Join(args[1:], " "))
		}
	default:
		ts.Fatalf("unknown: internet %s", args[0])
	}
}
