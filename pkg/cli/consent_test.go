package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// consentKind is what a command does to a cluster.
type consentKind int

// The kinds.
const (
	// reads changes nothing that exists: the command has no --yes.
	reads consentKind = iota
	// changes creates or changes something: it asks on a terminal, and goes on without one.
	changes
	// destroys always destroys something: without a terminal it needs --yes, before the first request.
	destroys
	// mayDestroy destroys something if the cluster is as in the lines below.
	mayDestroy
)

// consents says of every command what it does, and of those that destroy something, by which arguments. names is what
// the user has to read before the answer; without names the question is held elsewhere.
var consents = map[string]struct {
	kind  consentKind
	lines []string
	names []string
}{
	"apply":           {changes, []string{"-f fleet.yaml --skip-preflight all"}, nil},
	"bootstrap":       {changes, []string{"--only load-balancer/pool --metallb-range 192.0.2.0/28 --timeout 1s"}, nil},
	"create cluster":  {changes, []string{"--name kv-01 --version 4.20.8 --pull-secret pull.json --skip-preflight all"}, nil},
	"create nodepool": {changes, []string{"more --cluster-name kv-00"}, nil},
	"density":         {changes, []string{"--count 1 -f cluster.yaml --skip-preflight all"}, nil},
	"gitops approve":  {changes, []string{"x.v1.0.0 --subscription x --namespace y --timeout 1s"}, nil},
	"gitops register": {changes, []string{"kv-00"}, nil},
	"pause":           {changes, []string{"kv-00"}, nil},
	"resume":          {changes, []string{"kv-00"}, nil},
	"start":           {changes, []string{"kv-00"}, nil},

	"delete cluster":  {destroys, []string{"kv-00", "-l env=lab"}, []string{"clusters/kv-00", "all its data"}},
	"delete clusters": {destroys, []string{"kv-00", "-l env=lab"}, []string{"clusters/kv-00", "all its data"}},
	"delete nodepool": {destroys, []string{"kv-00"}, []string{"clusters/kv-00", "hosted cluster kv-00", "root volumes"}},
	"stop":            {destroys, []string{"kv-00"}, []string{"hosted cluster clusters/kv-00", "root volumes lost"}},
	"upgrade nodepool": {destroys, []string{"kv-00"}, []string{"clusters/kv-00", "hosted cluster kv-00",
		"replace its 1 VM"}},
	"schedule": {destroys, []string{"-l env=dev --stop @daily --image r.example.com/hcctl:1 --apply"},
		[]string{"env=dev in namespace clusters", "root volumes"}},
	"uninstall": {destroys, []string{"", "--include-storage"}, nil},     // its question follows its plan
	"restore":   {destroys, []string{"kv-00.tar.gz --name kv-00"}, nil}, // it reads a whole backup first
	"scale": {mayDestroy, []string{"kv-00 --replicas 0"}, []string{"clusters/kv-00", "hosted cluster kv-00",
		"lost for good: the workers' root volumes"}},
	"update cluster": {mayDestroy, []string{"kv-00 --http-proxy http://proxy.example.com:3128"}, []string{"clusters/kv-00",
		"replace all its nodes"}},
	"update nodepool": {mayDestroy, []string{"kv-00 --memory 9Gi"}, []string{"clusters/kv-00", "hosted cluster kv-00",
		"replace its 1 VM"}},
	"upgrade cluster": {mayDestroy, []string{"kv-00 --version 4.20.5"}, []string{"hosted cluster clusters/kv-00",
		"whose VMs are replaced"}},

	"backup": {}, "check": {}, "config init": {}, "config schema": {}, "config validate": {}, "console": {},
	"describe cluster": {}, "describe nodepool": {}, "disks": {}, "docs": {}, "dump": {},
	"events": {}, "exporter": {}, "exec": {}, "explain": {}, "get clusters": {}, "get machines": {}, "get nodepools": {}, "get services": {}, "gitops init": {}, "gitops status": {}, "graph": {},
	"kubeconfig": {}, "lint": {}, "proxy": {},
	"logs": {}, "maintenance": {}, "man": {}, "options": {}, "password": {}, "rbac": {}, "scp": {},
	"ssh": {}, "ssh-proxy": {}, "status": {}, "support": {}, "timeline": {},
	"upgrade management": {}, "version": {}, "wait cluster": {}, "wait nodepool": {},
}

// TestEveryCommandHasItsConsent: a new command is in the table, and has --yes unless it only reads.
func TestEveryCommandHasItsConsent(t *testing.T) {
	found := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.Runnable() || cmd.HasSubCommands() {
			return
		}
		path := strings.TrimPrefix(cmd.CommandPath(), "hcctl ")
		found[path] = true
		c, known := consents[path]
		if asks := cmd.Flags().Lookup("yes") != nil; !known {
			t.Errorf("hcctl %s: say in the table consents whether it destroys something", path)
		} else if asks != (c.kind != reads) {
			t.Errorf("hcctl %s: --yes: %t, and the table says otherwise", path, asks)
		}
	}
	walk(newRoot(cmdutil.NewFactory(cmdutil.Streams{}, nil)))
	for path := range consents {
		if !found[path] {
			t.Errorf("there is no hcctl %s any more", path)
		}
	}
}

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
	for path, c := range consents {
		for _, line := range c.lines {
			command := path + " " + line
			if c.kind != destroys {
				continue
			}
			for _, typed := range []string{"", "n\n", "y\n"} {
				for _, output := range []string{"", " -o json"} {
					if output != "" && path == "uninstall" {
						continue // it has -o only for the plan
					}
					code, out, errs := hcctlTyped(t, typed, strings.Fields(command+output)...)
					if code != cmdutil.ExitUsage || out != "" || strings.Count(errs, "\n") != 2 ||
						!strings.Contains(errs, "needs --yes here") {
						t.Errorf("%s%s, typed %q: exit %d\n%s%s", command, output, typed, code, out, errs)
					}
				}
			}
			if requests != 0 {
				t.Fatalf("%s: %d requests before the consent", command, requests)
			}
			for _, more := range []string{" --yes", " --dry-run"} {
				before := requests
				if path == "restore" {
					continue // it reads the file first
				}
				if code, _, errs := hcctl(t, strings.Fields(command+more)...); code == cmdutil.ExitUsage || requests == before {
					t.Errorf("%s%s: exit %d\n%s", command, more, code, errs)
				}
			}
			requests = 0
		}
	}
	for _, command := range []string{"start kv-00", "scale kv-00 --replicas 3"} {
		before := requests
		if code, _, errs := hcctl(t, strings.Fields(command)...); code == cmdutil.ExitUsage || requests == before {
			t.Errorf("%s: exit %d\n%s", command, code, errs)
		}
	}
}

// TestWhatMayDestroyNeedsYesWithoutATerminal once it is known that it would; nothing is written.
func TestWhatMayDestroyNeedsYesWithoutATerminal(t *testing.T) {
	world := plantedWorld(t, "")
	t.Setenv("KUBECONFIG", kubeconfigOf(t, world, "{token: some-other-token}"))
	for path, c := range consents {
		if c.kind != mayDestroy {
			continue
		}
		for _, line := range c.lines {
			for _, typed := range []string{"", "y\n"} {
				code, out, errs := hcctlTyped(t, typed, strings.Fields(path+" "+line)...)
				if code != cmdutil.ExitUsage || out != "" || !strings.Contains(errs, "hcctl "+path+" needs --yes here") {
					t.Errorf("%s %s, typed %q: exit %d\n%s%s", path, line, typed, code, out, errs)
				}
			}
		}
	}
}
