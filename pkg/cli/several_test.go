package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// fleetServer is an API server with the hosted clusters kv-00 to kv-02 of namespace clusters, each with a node pool.
// The first two have the label fleet=lab. Their operator seems to say that they are paused.
func fleetServer(t *testing.T) (clusters *kubetest.Server, url string) {
	t.Helper()
	const group = "hypershift.openshift.io/v1beta1"
	clusters = kubetest.New(group, "HostedCluster", "hostedclusters")
	pools := kubetest.New(group, "NodePool", "nodepools")
	for i := range 3 {
		name := fmt.Sprintf("kv-%02d", i)
		labels := object{}
		if i < 2 {
			labels["fleet"] = "lab"
		}
		clusters.Set(object{"apiVersion": group, "kind": "HostedCluster", "metadata": object{"namespace": "clusters", "name": name, "uid": name, "labels": labels},
			"spec": object{"infraID": name, "platform": object{"type": "KubeVirt"}},
			"status": object{"conditions": []any{object{"type": "ReconciliationActive", "status": "False"},
				object{"type": "Available", "status": "True"}}}})
		pools.Set(object{"apiVersion": group, "kind": "NodePool", "metadata": object{"namespace": "clusters", "name": name, "uid": "p" + name, "labels": labels},
			"spec": object{"clusterName": name, "replicas": 2, "platform": object{"type": "KubeVirt"}}})
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case clusters.Serves(r):
			clusters.ServeHTTP(w, r)
		case pools.Serves(r):
			pools.ServeHTTP(w, r)
		case r.URL.Path == "/version":
			kubetest.Reply(w, http.StatusOK, object{"gitVersion": "v1.33.5"})
		default:
			kubetest.Refuse(w, http.StatusNotFound, "NotFound")
		}
	}))
	t.Cleanup(s.Close)
	return clusters, s.URL
}

// pausedOnes are the hosted clusters that are paused.
func pausedOnes(s *kubetest.Server) string {
	var names []string
	for i := range 3 {
		name := fmt.Sprintf("kv-%02d", i)
		if spec, ok := s.Object("clusters", name)["spec"].(object); ok && spec["pausedUntil"] != nil {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// TestSeveral: several names or labels are one run with one line for each; one that fails stops none of the others, and
// the exit code is the gravest.
func TestSeveral(t *testing.T) {
	for _, tc := range []struct {
		call, paused, stderr string
		code                 int
	}{
		{"pause kv-00 kv-02 --yes", "kv-00 kv-02", "Pausing 2 hosted clusters and their node pools until they are resumed", 0},
		{"pause kv-00 kv-00 --yes", "kv-00", "Pausing 1 hosted cluster and", 0},
		{"pause clusters -l fleet=lab --until 2h --yes --parallel 1", "kv-00 kv-01", "Next: hcctl --server", 0},
		{"pause -l fleet!=lab -A --yes", "kv-02", "hcctl --server URL resume -l 'fleet!=lab' -A", 0},
		{"pause kv-09 kv-01 --yes", "kv-01", `no hosted cluster "kv-09" in namespace "clusters"`, 1},
		{"pause -l fleet=none --yes", "", "No hosted cluster in namespace clusters has the labels fleet=none", 0},
		{"pause -l fleet=lab --dry-run", "", "2 hosted clusters: 2 to do. Nothing was changed.", 6},
		{"wait cluster kv-00 kv-01 --for condition=Available", "", "Waiting for 2 hosted clusters", 0},
		{"wait cluster -l fleet=lab --for condition=Available=False --timeout 2s", "", "clusters/kv-01", 4},
		{"wait cluster -l fleet=none", "", "there is nothing to wait for", 3},
		{"wait cluster kv-00 kv-09 --for condition=Available", "", `no hosted cluster "kv-09"`, 1},
		{"stop kv-00 kv-01", "", "hcctl stop needs --yes here", 2},
		{"kubeconfig kv-00 kv-09", "", "clusters/kv-09: there is no such hosted cluster", 1},
	} {
		server, url := fleetServer(t)
		code, _, stderr := runBriefly(t, append(words(tc.call), "--server", url)...)
		stderr = strings.ReplaceAll(stderr, url, "URL")
		if code != tc.code || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("%s: exit %d, want %d:\n%s", tc.call, code, tc.code, stderr)
		}
		if got := pausedOnes(server); got != tc.paused {
			t.Errorf("%s: %q are paused, want %q\n%s", tc.call, got, tc.paused, stderr)
		}
		if tc.code == 0 && tc.paused != "" {
			for _, name := range strings.Fields(tc.paused) {
				if !strings.Contains(stderr, "clusters/"+name) {
					t.Errorf("%s: no line about %s:\n%s", tc.call, name, stderr)
				}
			}
		}
	}
}

// TestSeveralForPrograms: the events and the plan of several clusters are the documents that those of one are.
func TestSeveralForPrograms(t *testing.T) {
	_, url := fleetServer(t)
	code, stdout, stderr := runBriefly(t, "pause", "cluster", "-l", "fleet=lab", "--dry-run", "-o", "json", "--server", url)
	if code != 6 || !strings.Contains(stdout, `"PausePlan"`) || strings.Count(stdout, `"pausedUntil`) == 0 &&
		!strings.Contains(stdout, "+  pausedUntil") {
		t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
	}
	conforms(t, "plan", []byte(stdout))
	code, stdout, stderr = runBriefly(t, "pause", "cluster", "kv-00", "kv-01", "--yes", "-o", "json", "--server", url)
	if code != 0 || !strings.Contains(stdout, `"clusters/kv-01"`) {
		t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
	}
	conformLines(t, "events", []byte(stdout))
}

// TestSeveralNamesComplete: each name is offered once.
func TestSeveralNamesComplete(t *testing.T) {
	_, url := fleetServer(t)
	home(t, url)
	for line, want := range map[string]string{
		"pause kv-00 ":                   "kv-01 kv-02 :4",
		"kubeconfig kv-01 ":              "kv-00 kv-02 :4",
		"wait cluster kv-00 kv-02 ":      "kv-01 :4",
		"delete clusters kv-00 ":         "kv-01 kv-02 :4",
		"stop cluster kv-00 kv-01 kv-02": "kv-02 :4",
	} {
		begin := strings.ReplaceAll(want, " ", "\n")
		if strings.HasSuffix(line, "kv-02") {
			begin = "kv-02\n:4"
		}
		if got := offeredIn(t, begin, strings.Split(line, " ")...); !strings.HasPrefix(got, begin) {
			t.Errorf("%s: %q, want %q", line, got, begin)
		}
	}
}

// TestGetSaysWhyADeletionHangs: the table is the API server's, what a deletion waits for is beside it.
func TestGetSaysWhyADeletionHangs(t *testing.T) {
	server, url := fleetServer(t)
	gone := server.Object("clusters", "kv-01")
	metadata, ok := gone["metadata"].(object)
	if !ok {
		t.Fatal("kv-01 has no metadata")
	}
	metadata["deletionTimestamp"], metadata["finalizers"] = "2026-03-01T10:00:00Z", []any{"hypershift.openshift.io/finalizer"}
	server.Set(gone)
	code, stdout, stderr := runBriefly(t, "get", "clusters", "kv-00", "kv-01", "--server", url)
	if code != 0 || !strings.Contains(stdout, "kv-01") || !strings.Contains(stderr,
		"Hosted cluster clusters/kv-01 is being deleted. It waits for ") || strings.Contains(stderr, "kv-00 is being") {
		t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
	}
}

// TestSeveralNodePools: names and labels select them, each has a row, and of those that are named all have to exist.
func TestSeveralNodePools(t *testing.T) {
	for _, tc := range []struct {
		line string
		code int
		want []string
		left string
	}{
		{"scale nodepool kv-00 kv-01 --replicas 1 --wait none", 0,
			[]string{"Scaling 2 node pools to 1 node", "NODE POOL", "clusters/kv-01  configured", "2 of 2 succeeded"}, "3"},
		{"scale -l fleet=lab --replicas 1 --wait none", 0, []string{"2 of 2 succeeded"}, "3"},
		{"scale kv-00 nope --replicas 1 --wait none", cmdutil.ExitError,
			[]string{"1 of 2 succeeded", `no node pool "nope"`}, "3"},
		{"scale kv-00 -l fleet=lab --replicas 1", cmdutil.ExitUsage, []string{"give only one of them"}, "3"},
		{"delete nodepool kv-00 nope --yes --wait none", cmdutil.ExitError, []string{`no node pool "nope"`}, "3"},
		{"delete nodepool kv-00 kv-01 --wait none", cmdutil.ExitUsage, []string{"needs --yes here"}, "3"},
		{"delete nodepool kv-00 kv-01 --dry-run", cmdutil.ExitDiffers, []string{"2 node pools: 2 to do. Nothing was changed",
			"Note on clusters/kv-01: it leaves hosted cluster kv-01 without node pools"}, "3"},
		{"delete nodepool kv-00 nope --yes --wait none --ignore-not-found", 0,
			[]string{"Node pool clusters/nope does not exist", "2 of 2 succeeded"}, "2"},
		{"delete nodepool -l fleet=lab --yes --wait none", 0, []string{"Deleting 2 node pools", "2 of 2 succeeded"}, "1"},
	} {
		_, url := fleetServer(t)
		code, out, errs := runOn(t, url, strings.Fields(tc.line)...)
		for _, want := range tc.want {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%s: no %q in\n%s%s", tc.line, want, out, errs)
			}
		}
		if code != tc.code {
			t.Errorf("%s: exit %d, want %d", tc.line, code, tc.code)
		}
		_, names, errs := runOn(t, url, "get", "nodepools", "-o", "name")
		if got := fmt.Sprint(strings.Count(names, "\n")); got != tc.left {
			t.Errorf("%s: %s node pools are left, want %s\n%s%s", tc.line, got, tc.left, names, errs)
		}
	}
}

// agedServer is fleetServer, and a server whose clock is an hour behind ours: by it kv-00 was created 8 days ago, kv-01
// 2 hours ago and kv-02 half an hour ago. kv-01 has not come up yet.
func agedServer(t *testing.T) (server *kubetest.Server, url string) {
	t.Helper()
	server, inner := fleetServer(t)
	now := time.Now().Add(-time.Hour)
	for name, age := range map[string]time.Duration{"kv-00": 8 * 24 * time.Hour, "kv-01": 2 * time.Hour, "kv-02": time.Hour / 2} {
		one := server.Object("clusters", name)
		one["metadata"].(object)["creationTimestamp"] = now.Add(-age).UTC().Format(time.RFC3339)
		server.Set(one)
	}
	to, err := neturl.Parse(inner)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", now.UTC().Format(http.TimeFormat))
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return server, s.URL
}

// TestSelectingByMarks: an expiry or an owner chooses only what has the mark, a wrong mark never chooses, and a
// selection by labels or age does not take what belongs to another pipeline. With a number that cannot be, what matches
// is listed.
func TestSelectingByMarks(t *testing.T) {
	gitlab := map[string]string{"GITLAB_CI": "true", "CI_PROJECT_PATH": "net/e2e"}
	const kv00, kv01, kv02 = "kv-00", "kv-01", "kv-02"
	for _, tc := range []struct {
		call, want string
		env        map[string]string
		code       int
	}{
		{"get clusters --expired -o name", kv00, nil, 0},
		{"get clusters --owner net.e2e -o name", kv00 + " " + kv01, nil, 0},
		{"get clusters --owner net.e2e --expired -o name", kv00, nil, 0},
		{"get clusters --expired --watch", "cannot be combined with --watch", nil, 2},
		{"get clusters --expired --hub", "not with --hub", nil, 2},
		{"get clusters --owner a/b", "--owner: ", nil, 2},
		{"get clusters kv-00 --expired", "give either names", nil, 2},
		{"delete clusters --expired --yes --expect 9", kv00, nil, 2},
		{"delete clusters --expired --yes --expect 9", kv00, gitlab, 2},
		{"delete clusters --owner net.e2e --yes --expect 9", kv00 + " " + kv01, nil, 2},
		{"delete clusters --owner nobody --yes --expect 9", "none matches", nil, 2},
		{"delete clusters --older-than 1m --yes", "2 belong to an owner: clusters/kv-00, clusters/kv-01", nil, 2},
		{"delete cluster --older-than 1m --yes", "2 belong to an owner: clusters/kv-00, clusters/kv-01", nil, 2},
		{"delete clusters --older-than 1m --yes", `1 do not belong to "net.e2e": clusters/kv-02`, gitlab, 2},
		{"delete clusters -l hcctl.dev/owner=net.e2e --yes --expect 9", kv00 + " " + kv01, nil, 2},
		{"delete clusters --older-than 1m --any-owner --yes --expect 9", kv00 + " " + kv01 + " " + kv02, nil, 2},
		{"delete clusters kv-00 --expired --yes", "one of them says which hosted clusters are meant", nil, 2},
		{"delete clusters --expired --any-owner --yes", "--any-owner: it is about those", nil, 2},
		{"delete clusters --expired --hub --yes", "not with --hub", nil, 2},
	} {
		server, url := agedServer(t)
		for name, marks := range map[string][2]string{kv00: {"net.e2e", "7d"}, kv01: {"net.e2e", "3h"}, kv02: {"", "soon"}} {
			one := server.Object("clusters", name)
			meta := one["metadata"].(object)
			labels, _ := meta["labels"].(object)
			if labels == nil {
				labels = object{}
			}
			if marks[0] != "" {
				labels["hcctl.dev/owner"] = marks[0]
			}
			meta["labels"], meta["annotations"] = labels, object{"hcctl.dev/expires": marks[1]}
			server.Set(one)
		}
		t.Setenv("KUBECONFIG", t.TempDir()+"/none")
		var out, errs bytes.Buffer
		code := Main(t.Context(), append(words(tc.call), "--server", url),
			Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, func(name string) string { return tc.env[name] })
		all := out.String() + errs.String()
		if code != tc.code {
			t.Errorf("%s: exit %d, want %d:\n%s", tc.call, code, tc.code, all)
		}
		if names := strings.Fields(tc.want); strings.HasPrefix(tc.want, "kv-") {
			for _, name := range []string{kv00, kv01, kv02} {
				if strings.Contains(all, name) != slices.Contains(names, name) {
					t.Errorf("%s: want %s:\n%s", tc.call, tc.want, all)
				}
			}
		} else if !strings.Contains(all, tc.want) {
			t.Errorf("%s: want %q:\n%s", tc.call, tc.want, all)
		}
		for _, name := range []string{kv00, kv01, kv02} {
			if one := server.Object("clusters", name); one == nil || one["metadata"].(object)["deletionTimestamp"] != nil {
				t.Errorf("%s: %s is deleted", tc.call, name)
			}
		}
	}
}

// TestSelectingByAge: the age is that of the API server's clock, and another number than the expected deletes nothing.
func TestSelectingByAge(t *testing.T) {
	for _, tc := range []struct {
		call, want string
		code       int
	}{
		{"get clusters --older-than 7d -o name", "kv-00", 0},
		{"get clusters --older-than 90m -o name", "kv-00 kv-01", 0},
		{"get clusters --older-than 45m", "kv-00 kv-01", 0},
		{"get clusters --older-than 29m -o json", "kv-00 kv-01 kv-02", 0},
		{"get clusters -l fleet=lab --older-than 1h", "kv-00 kv-01", 0},
		{"get clusters --older-than 9d", "No hosted clusters in namespace clusters older than 216h0m0s", 0},
		{"get clusters kv-00 --older-than 9d", "give either names or an age", 2},
		{"get clusters --older-than 9d --watch", "cannot be combined with --watch", 2},
		{"get clusters --older-than 9d --watch --hub", "cannot be combined with --watch", 2},
		{"get clusters --older-than 9", `--older-than "9": give an age above zero, such as 90m, 24h or 7d`, 2},

		{"delete clusters -l fleet=lab --yes --expect 1", "--expect 1: 2 hosted clusters match, and nothing was deleted: clusters/kv-00, clusters/kv-01", 2},
		{"delete clusters -l fleet=lab --dry-run --expect 3", "--expect 3: 2 hosted clusters match", 2},
		{"delete clusters -l fleet=none --yes --expect 1", "--expect 1: none matches", 2},
		{"delete nodepool --older-than 9d --yes", "No node pool in namespace clusters is older than", 0},
		{"delete clusters kv-00 --older-than 9d --yes", "one of them says which hosted clusters are meant", 2},
		{"delete cluster kv-00 --older-than 9d --yes", "names and --older-than: give only one of them", 2},
		{"delete cluster kv-00 --expect 1 --yes", "--expect: it needs --selector or --older-than", 2},
		{"delete clusters kv-00 --expect 1 --yes", "--expect: it needs --selector or --older-than", 2},
		{"delete clusters -l fleet=lab --expect 0 --yes", "--expect 0: give the number", 2},
	} {
		server, url := agedServer(t)
		code, stdout, stderr := runBriefly(t, append(words(tc.call), "--server", url)...)
		all := stdout + stderr
		if code != tc.code {
			t.Errorf("%s: exit %d, want %d:\n%s", tc.call, code, tc.code, all)
		}
		if names := strings.Fields(tc.want); strings.HasPrefix(tc.want, "kv-") {
			for _, name := range []string{"kv-00", "kv-01", "kv-02"} {
				if strings.Contains(stdout, name) != slices.Contains(names, name) {
					t.Errorf("%s: want %s:\n%s", tc.call, tc.want, all)
				}
			}
		} else if !strings.Contains(all, tc.want) {
			t.Errorf("%s: want %q:\n%s", tc.call, tc.want, all)
		}
		for _, name := range []string{"kv-00", "kv-01", "kv-02"} {
			if one := server.Object("clusters", name); one == nil || one["metadata"].(object)["deletionTimestamp"] != nil {
				t.Errorf("%s: %s is deleted", tc.call, name)
			}
		}
	}
}
