package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestDestroyingNeedsYesWithoutATerminal: a pipe is no consent, whatever is in it. The commands fail before they send
// anything; a dry run needs no consent.
func TestDestroyingNeedsYesWithoutATerminal(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		http.Error(w, "no", http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	home(t, server.URL)
	for _, command := range []string{
		"delete cluster kv-00", "delete clusters kv-00 kv-01", "delete clusters -l fleet=lab", "delete nodepool kv-00",
		"stop cluster kv-00", "upgrade nodepool kv-00 --version 4.20.4", "uninstall", "uninstall --include-storage",
		"delete cluster kv-00 -o json",
	} {
		for _, typed := range []string{"", "n\n", "y\n"} {
			code, out, errs := hcctlTyped(t, typed, strings.Fields(command)...)
			if code != cmdutil.ExitUsage || out != "" || strings.Count(errs, "\n") != 2 ||
				!strings.Contains(errs, "needs --yes here") {
				t.Errorf("%s, typed %q: exit %d\n%s%s", command, typed, code, out, errs)
			}
		}
		if requests != 0 {
			t.Fatalf("%s: %d requests before the consent", command, requests)
		}
	}
	for _, command := range []string{"delete cluster kv-00 --dry-run", "delete nodepool kv-00 --dry-run",
		"stop cluster kv-00 --dry-run", "start cluster kv-00", "uninstall --dry-run", "delete cluster kv-00 --yes",
		"scale nodepool kv-00 --replicas 3"} {
		before := requests
		if code, _, errs := hcctl(t, strings.Fields(command)...); code == cmdutil.ExitUsage || requests == before {
			t.Errorf("%s: exit %d\n%s", command, code, errs)
		}
	}
}
