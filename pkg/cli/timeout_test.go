package cli

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// timedCommands are command lines of all commands with --timeout. Words in capitals are files.
var timedCommands = map[string]string{
	"apply":              "-f CLUSTER --yes",
	"backup":             "kv-00 --output-file OUT",
	"bootstrap":          "--yes",
	"check":              "",
	"create cluster":     "--name kv-00 --pull-secret PULL --yes",
	"create nodepool":    "kv-00-b --cluster-name kv-00 --yes",
	"delete cluster":     "kv-00 --yes",
	"delete clusters":    "kv-00 kv-01 --yes",
	"delete nodepool":    "kv-00 --yes",
	"density":            "--count 1 -f CLUSTER --yes",
	"describe cluster":   "kv-00",
	"describe nodepool":  "kv-00",
	"dump":               "kv-00 --output-file OUT",
	"events":             "kv-00",
	"exporter":           "--once",
	"get machines":       "kv-00",
	"gitops approve":     "x.v1.0.0 --subscription x --namespace y --yes",
	"gitops register":    "kv-00 --yes",
	"graph":              "",
	"kubeconfig":         "kv-00 --wait",
	"maintenance":        "worker-1 --plan",
	"pause":              "kv-00",
	"resume":             "kv-00 kv-01",
	"scale":              "kv-00 --replicas 2",
	"schedule":           "-l env=dev --stop @daily --image r.example.com/hcctl:1 --apply --yes",
	"start":              "kv-00",
	"status":             "",
	"stop":               "-l a=b --yes",
	"uninstall":          "--yes",
	"update cluster":     "kv-00 --labels a=b",
	"update nodepool":    "kv-00 --node-labels a=b",
	"upgrade cluster":    "kv-00 --version 4.20.4 --yes",
	"upgrade management": "--plan",
	"upgrade nodepool":   "kv-00 --yes",
	"wait cluster":       "kv-00",
	"wait nodepool":      "kv-00",
}

// begunFirst are commands whose run or check begins right after both versions are read, and what they end with: a
// report says what was not answered. Both are asked for at the same time, so the server may be gone after one of them.
var begunFirst = map[string]struct {
	code int
	text string
}{
	"bootstrap":      {cmdutil.ExitBroken, "s  cluster/version                   broken"},
	"check":          {cmdutil.ExitMissing, "Nodes: the API server does not answer: no answer in time"},
	"graph":          {cmdutil.ExitDone, "Nodes: the API server does not answer: no answer in time"},
	"gitops approve": {cmdutil.ExitTimedOut, "gitops/approval                   timed out"},
	"schedule":       {cmdutil.ExitTimedOut, "timed out"},
}

// A cluster that never answers, and one that goes away after its first answer, end no command later than its --timeout.
func TestTheTimeoutBoundsWhatIsReadBeforeTheRun(t *testing.T) {
	paths := timedPaths(newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil)))
	if diff := slices.Compare(paths, slices.Sorted(maps.Keys(timedCommands))); diff != 0 {
		t.Fatalf("the commands with --timeout are\n%q, those of the test\n%q", paths, slices.Sorted(maps.Keys(timedCommands)))
	}
	var ended sync.WaitGroup // more at a time than tests may be
	for path, args := range timedCommands {
		for name, serve := range map[string]func(*testing.T) *brokenServer{"silent": newSilentServer, "gone": newGoneServer} {
			server, words := serve(t), strings.Fields(path+" "+args)
			for i, word := range words {
				words[i] = fileNamed(t, word)
			}
			ended.Go(func() { runTimed(t, name, server, words) })
		}
	}
	ended.Wait()
}

func runTimed(t *testing.T, name string, server *brokenServer, words []string) {
	t.Helper()
	line := strings.Join(words, " ")
	var out, errs bytes.Buffer
	began := time.Now()
	code := Main(t.Context(), append(words, "--timeout", "2s", "--server", server.url),
		cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, func(string) string { return "" })
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("%s, %s: it took %s", line, name, took)
	}
	want, text := cmdutil.ExitTimedOut, "timed out after 2s (--timeout): waited for"
	if server.refusesFirst.Load() && code == cmdutil.ExitError { // the first request may be refused at once
		want, text = cmdutil.ExitError, "cannot reach "+server.url
	}
	for begun, end := range begunFirst {
		if server.version.Load() && server.openShift.Load() && strings.HasPrefix(line, begun) {
			want, text = end.code, end.text
		}
	}
	said := out.String() + errs.String()
	if strings.Contains(said, "cluster/version                   timed out") { // its answer was lost on the way
		want, text = cmdutil.ExitTimedOut, "cluster/version                   timed out"
	}
	if code != want || !strings.Contains(said, text) || !strings.Contains(said, server.url) {
		t.Errorf("%s, %s: exit %d, want %d and %q:\n%s", line, name, code, want, text, said)
	}
}

// fileNamed makes a file for a word in capitals.
func fileNamed(t *testing.T, word string) string {
	t.Helper()
	text := map[string]string{"PULL": `{"auths":{"registry.example.com":{"auth":"YTpi"}}}`, "OUT": "",
		"CLUSTER": "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: kv-00}\n"}
	content, is := text[word]
	if !is {
		return word
	}
	path := filepath.Join(t.TempDir(), word+".yaml")
	if content != "" {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// timedPaths are the commands with --timeout.
func timedPaths(root *cobra.Command) []string {
	var paths []string
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		// restore reads a whole backup first, and then does as update cluster.
		if cmd.Flags().Lookup("timeout") != nil && cmd.Name() != "restore" {
			paths = append(paths, strings.TrimPrefix(cmd.CommandPath(), "hcctl "))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	slices.Sort(paths)
	return paths
}

// brokenServer is an API server that does not answer.
type brokenServer struct {
	url string
	// version and openShift are whether their versions were answered, refusesFirst whether neither was before it
	// refused connections.
	version, openShift, refusesFirst atomic.Bool
}

// newSilentServer accepts connections and never answers.
func newSilentServer(t *testing.T) *brokenServer {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &brokenServer{url: "http://" + l.Addr().String()}
}

// newGoneServer says its version, and refuses all connections from the next request on.
func newGoneServer(t *testing.T) *brokenServer {
	t.Helper()
	b := &brokenServer{}
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version":
			b.version.Store(true)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"major":"1","minor":"33","gitVersion":"v1.33.2"}`)
		case strings.HasPrefix(r.URL.Path, "/apis/config.openshift.io/v1/clusterversions"):
			b.openShift.Store(true)
			http.NotFound(w, r)
		default:
			b.refusesFirst.Store(b.refusesFirst.Load() || !b.version.Load() && !b.openShift.Load())
			_ = s.Listener.Close()
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(s.Close)
	b.url = s.URL
	return b
}
