package cli

import (
	"cmp"
	"context"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// hubWith is the command line's connection to a hub with two sites, of which west is lost.
func hubWith(t *testing.T) (*kubetest.API, []string) {
	t.Helper()
	api := kubetest.Serve(t, `
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: east}
status: {conditions: [{type: ManagedClusterConditionAvailable, status: "True", reason: ManagedClusterAvailable}]}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: west}
status: {conditions: [{type: ManagedClusterConditionAvailable, status: Unknown, reason: ManagedClusterLeaseUpdateStopped}]}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: hosting-decision-1, namespace: fleets, labels: {cluster.open-cluster-management.io/placement: hosting}}
status: {decisions: [{clusterName: east, reason: ""}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: managed-cluster-lease, namespace: west}
spec: {renewTime: "2026-11-24T11:52:31.000000Z"}
`)
	api.Register(t, kube.ManifestWork, kube.Placement, kube.AddOnPlacementScore, kube.ClusterImageSet)
	api.Put(t, `{apiVersion: hive.openshift.io/v1, kind: ClusterImageSet, metadata: {name: img4.20.4-multi},
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi"}}`)
	api.Path("/version", `{"gitVersion": "v1.33.2"}`)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return api, []string{"--server", server.URL}
}

// callingHub runs hcctl with the connection to the hub, and wants that exit code.
func callingHub(t *testing.T, hub []string) func(code int, args ...string) (out, errs string) {
	t.Helper()
	return func(code int, args ...string) (out, errs string) {
		t.Helper()
		got, out, errs := run(t, append(args, hub...)...)
		if got != code {
			t.Errorf("%v: exit code %d, not %d\n%s%s", args, got, code, out, errs)
		}
		return out, errs
	}
}

const hubFleet = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults:
  metadata: {labels: {env: dev}}
  spec: {releaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"}
clusters: [{metadata: {name: kv-00}}, {metadata: {name: kv-01}}]
`

func TestHub(t *testing.T) {
	api, hub := hubWith(t)
	file := filepath.Join(t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(file, []byte(hubFleet), 0o600); err != nil {
		t.Fatal(err)
	}
	call := callingHub(t, hub)
	apply := []string{"apply", "-f", file, "--hub", "--placement", "fleets/hosting", "--wait", "none"}
	out, _ := call(cmdutil.ExitDiffers, append(apply, "--dry-run")...)
	if !strings.Contains(out, "hcctl.clusters.kv-00") || len(api.Writes()) > 0 {
		t.Errorf("the dry run: %s; %v", out, api.Writes())
	}
	if _, errs := call(cmdutil.ExitMissing, "apply", "-f", file, "--hub", "--yes"); !strings.Contains(errs, "no Placement is named") {
		t.Errorf("%s", errs)
	}
	_, errs := call(cmdutil.ExitDone, append(apply, "-o", "json")...)
	if !strings.Contains(errs, "east (it has not been asked for it yet)") ||
		api.Object(t, kube.ManifestWork, "east", "hcctl-capacity") == nil {
		t.Errorf("the site's room: %s", errs)
	}
	if api.Object(t, kube.ManifestWork, "east", "hcctl.clusters.kv-01") == nil {
		t.Fatal("nothing is delivered")
	}
	before := len(api.Writes())
	call(cmdutil.ExitDone, apply...)
	if again := len(api.Writes()) - before; again != 0 {
		t.Errorf("the second run writes: %v", api.Writes()[before:])
	}
	out, _ = call(cmdutil.ExitDone, "get", "clusters", "--hub", "-A", "-o", "json")
	conforms(t, "hub-status", []byte(out))
	if strings.Count(out, `"site": "east"`) != 2 || !strings.Contains(out, "ManagedClusterLeaseUpdateStopped") {
		t.Errorf("%s", out)
	}
	out, _ = call(cmdutil.ExitMissing, "status", "--hub", "-l", "env=dev")
	if !strings.Contains(out, "2 hosted clusters on 1 site: ") {
		t.Errorf("counts sites without clusters: %s", out)
	}
	if !strings.Contains(out, "Site west is not available (ManagedClusterLeaseUpdateStopped); it has 0 hosted clusters.") {
		t.Errorf("%s", out)
	}
	call(cmdutil.ExitDone, "stop", "cluster", "kv-00", "--hub", "--wait", "none", "--yes")
	call(cmdutil.ExitError, "stop", "cluster", "kv-07", "--hub", "--yes")
	call(cmdutil.ExitUsage, "stop", "cluster", "kv-00", "--hub")
	call(cmdutil.ExitUsage, "upgrade", "cluster", "kv-00", "--hub", "--version", "4.20.9", "--yes")
	call(cmdutil.ExitUsage, "upgrade", "cluster", "kv-00", "--hub", "--version", "4.20.4", "--release-image", "a/b:4.20.4")
	call(cmdutil.ExitUsage, "upgrade", "cluster", "kv-00", "--hub")
	call(cmdutil.ExitDone, "upgrade", "cluster", "kv-00", "--hub", "--version", "4.20.4", "--channel", "fast-4.20", "--wait", "none",
		"--yes")
	call(cmdutil.ExitDone, "upgrade", "cluster", "kv-01", "--hub", "--channel", "eus-4.20", "--wait", "none")
	for name, wanted := range map[string][2]string{
		"kv-00": {"quay.io/openshift-release-dev/ocp-release:4.20.4-multi", "fast-4.20"},
		"kv-01": {"quay.io/openshift-release-dev/ocp-release:4.20.3-multi", "eus-4.20"},
	} {
		raw, err := api.Object(t, kube.ManifestWork, "east", "hcctl.clusters."+name).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range wanted {
			if !strings.Contains(string(raw), `"`+text+`"`) {
				t.Errorf("%s: no %s in %s", name, text, raw)
			}
		}
	}
	call(cmdutil.ExitUsage, "upgrade", "cluster", "kv-00", "--wave", "site")
	call(cmdutil.ExitUsage, "upgrade", "cluster", "kv-00", "--hub", "--release-image", "x:4.20.4", "--node-pools", "workers")
	call(cmdutil.ExitUsage, "wait", "cluster", "kv-00", "--hub", "--for", "condition=EtcdAvailable")
	call(cmdutil.ExitDone, "upgrade", "cluster", "-l", "env=dev", "--hub", "--wave", "env", "--max-unavailable", "1", "--wait", "none",
		"--release-image", "quay.io/openshift-release-dev/ocp-release:4.20.4-multi", "--yes")
	call(cmdutil.ExitDone, "delete", "clusters", "kv-00", "kv-09", "--hub", "--yes")
	call(cmdutil.ExitDone, "wait", "cluster", "kv-00", "--hub", "--for", "deleted")
	if api.Object(t, kube.ManifestWork, "east", "hcctl.clusters.kv-00") != nil {
		t.Error("it is not deleted")
	}
	call(cmdutil.ExitDone, "delete", "clusters", "-f", file, "--hub", "--yes")
	out, _ = call(cmdutil.ExitDone, "get", "clusters", "--hub", "-A", "-o", "name")
	if out != "" {
		t.Errorf("left: %s", out)
	}
}

// hubWithFleet is a hub through which the clusters of a file were delivered.
func hubWithFleet(t *testing.T) (api *kubetest.API, hub []string, file string) {
	t.Helper()
	api, hub = hubWith(t)
	file = filepath.Join(t.TempDir(), "fleet.yaml")
	if err := os.WriteFile(file, []byte(hubFleet), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, append([]string{"apply", "-f", file, "--hub", "--placement", "fleets/hosting", "--wait",
		"none"}, hub...)...); code != cmdutil.ExitDone {
		t.Fatal(out, errs)
	}
	return api, hub, file
}

// Through a hub, too, --yes alone deletes nothing that is still being created, and an age chooses by the hub's clock.
func TestHubSelection(t *testing.T) {
	api, hub, _ := hubWithFleet(t)
	call := callingHub(t, hub)
	for name, age := range map[string]time.Duration{"kv-00": time.Hour, "kv-01": 30 * time.Hour} {
		work := api.Object(t, kube.ManifestWork, "east", "hcctl.clusters."+name).DeepCopy()
		work.SetCreationTimestamp(metav1.NewTime(time.Now().Add(-age)))
		raw, err := work.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		api.Put(t, string(raw))
	}
	del := []string{"delete", "clusters", "--hub", "-l", "env=dev"}
	_, errs := call(cmdutil.ExitUsage, append(del, "--yes")...)
	if !strings.Contains(errs, "of the 2 that match, 1 is still being created: clusters/kv-00; --yes needs --expect 2 here") {
		t.Errorf("%s", errs)
	}
	if _, errs := call(cmdutil.ExitUsage, append(del, "--yes", "--expect", "3")...); !strings.Contains(errs,
		"--expect 3: 2 hosted clusters match, and nothing was deleted: clusters/kv-00, clusters/kv-01") {
		t.Errorf("%s", errs)
	}
	if _, errs := call(cmdutil.ExitDiffers, append(del, "--dry-run")...); !strings.Contains(errs, "--yes needs --expect 2 here") {
		t.Errorf("%s", errs)
	}
	if out, _ := call(cmdutil.ExitDone, "get", "clusters", "--hub", "--older-than", "1d", "-o", "name"); out !=
		"hostedcluster.hypershift.openshift.io/kv-01\n" {
		t.Errorf("%s", out)
	}
	call(cmdutil.ExitDone, "delete", "clusters", "--hub", "--older-than", "1d", "--yes")
	if api.Object(t, kube.ManifestWork, "east", "hcctl.clusters.kv-00") == nil ||
		api.Object(t, kube.ManifestWork, "east", "hcctl.clusters.kv-01") != nil {
		t.Error("the young one is deleted, or the old one is not")
	}
	call(cmdutil.ExitDone, append(del, "--yes", "--expect", "1")...)
}

// Before a cluster is deleted that its site has refused, it is said that some of it may be left there.
func TestHubDeletionOfARefusedCluster(t *testing.T) {
	api, hub, _ := hubWithFleet(t)
	work := api.Object(t, kube.ManifestWork, "east", "hcctl.clusters.kv-00").DeepCopy()
	work.Object["status"] = map[string]any{
		"conditions": []any{map[string]any{"type": "Applied", "status": "False", "reason": "AppliedManifestWorkFailed",
			"message": "1 of 3 manifests failed", "lastTransitionTime": "2026-11-24T12:00:00Z"}},
		"resourceStatus": map[string]any{"manifests": []any{map[string]any{
			"resourceMeta": map[string]any{"group": "hypershift.openshift.io", "kind": "HostedCluster", "name": "kv-00"},
			"conditions": []any{map[string]any{"type": "Applied", "status": "False", "reason": "AppliedManifestFailed",
				"message": "admission webhook denied\x1b[2J it", "lastTransitionTime": "2026-11-24T12:00:00Z"}}}}}}
	raw, err := work.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, string(raw))
	code, _, errs := run(t, append([]string{"delete", "clusters", "kv-00", "kv-01", "--hub", "--yes"}, hub...)...)
	if code != cmdutil.ExitDone {
		t.Errorf("exit code %d: %s", code, errs)
	}
	const want = "clusters/kv-00: site east could not apply all of it (the site cannot apply HostedCluster kv-00: admission " +
		"webhook denied"
	if !strings.Contains(errs, want) || strings.Contains(errs, "clusters/kv-01: site") || strings.Contains(errs, "\x1b[2J") {
		t.Errorf("%s", errs)
	}
}

// Prerequisites go to the sites of a Placement, and check says what the sites say of them.
func TestHubBootstrap(t *testing.T) {
	api, hub := hubWith(t)
	api.Register(t, kube.ManifestWorkReplicaSet)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: metallb-system}}",
		"2.yaml": "{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: pool, namespace: metallb-system}, " +
			"spec: {addresses: [192.0.2.32/28]}}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := callingHub(t, hub)
	call(cmdutil.ExitUsage, "bootstrap", "--hub")
	call(cmdutil.ExitUsage, "bootstrap", "--manifests", dir)
	call(cmdutil.ExitUsage, "bootstrap", "--hub", "--manifests", dir)
	call(cmdutil.ExitUsage, "bootstrap", "--hub", "--manifests", dir, "--placement", "hosting")
	call(cmdutil.ExitUsage, "bootstrap", "--hub", "--site", "east="+dir, "--storage", "existing")
	if _, errs := call(cmdutil.ExitError, "check", "--hub", "--publish"); !strings.Contains(errs, "has been asked") {
		t.Errorf("%s", errs)
	}
	call(cmdutil.ExitUsage, "uninstall", "--hub", "--include-storage", "--yes")
	call(cmdutil.ExitMissing, "bootstrap", "--hub", "--site", "north="+dir, "--yes")
	call(cmdutil.ExitMissing, "check", "--hub")
	bootstrap := []string{"bootstrap", "--hub", "--manifests", dir, "--placement", "fleets/hosting", "--site", "east=" + dir}
	out, _ := call(cmdutil.ExitDiffers, append(bootstrap, "--dry-run")...)
	if !strings.Contains(out, "IPAddressPool metallb-system/pool") || len(api.Writes()) > 0 {
		t.Errorf("the dry run: %s; %v", out, api.Writes())
	}
	call(cmdutil.ExitTimedOut, append(bootstrap, "--yes", "--timeout", "1s")...)
	if api.Object(t, kube.ManifestWorkReplicaSet, "fleets", "hcctl-prerequisites") == nil ||
		api.Object(t, kube.ManifestWork, "east", "hcctl-prerequisites-own") == nil {
		t.Fatal("nothing is delivered")
	}
	out, _ = call(cmdutil.ExitMissing, "check", "--hub", "-o", "json")
	conforms(t, "check", []byte(out))
	if !strings.Contains(out, "east/ipaddresspool-metallb-system-pool") {
		t.Errorf("%s", out)
	}
	call(cmdutil.ExitDone, "uninstall", "--hub", "--yes")
	if api.Object(t, kube.ManifestWork, "east", "hcctl-prerequisites-own") != nil {
		t.Error("it is still delivered")
	}
}

// get and status through a hub print what they print of one management cluster, in the formats that make sense.
func TestHubFormats(t *testing.T) {
	_, hub, _ := hubWithFleet(t)
	for args, want := range map[string]string{
		"-o jsonpath={.clusters[*].name}":                                          "kv-00 kv-01",
		"-o custom-columns=NAME:.name,AT:.site":                                    "NAME    AT\nkv-00   east\nkv-01   east\n",
		"-o custom-columns=NAME:.name --no-headers":                                "kv-00\nkv-01\n",
		"--sort-by .name -o name":                                                  "hostedcluster.hypershift.openshift.io/kv-00\n",
		"-l env=prod -o jsonpath={.clusters[*].name}{.kind}":                       "HubStatus",
		"kv-01 -o jsonpath={.clusters[*].name}":                                    "kv-01",
		"--sort-by .site -o jsonpath={.clusters[0].site}{.sites[*].name}{.health}": "easteast westprogressing",
	} {
		code, out, errs := run(t, slices.Concat([]string{"get", "clusters", "--hub"}, strings.Split(args, " "), hub)...)
		if code != cmdutil.ExitDone || !strings.HasPrefix(out, want) {
			t.Errorf("%s: exit code %d\n%s%s\nwant %q", args, code, out, errs, want)
		}
	}
	if _, out, _ := run(t, append([]string{"get", "clusters", "--hub", "--show-labels"}, hub...)...); !strings.Contains(out, "LABELS") ||
		!strings.Contains(out, "env=dev") {
		t.Errorf("no labels in %s", out)
	}
	for args, want := range map[string]string{
		"--show-labels -o json":         "--show-labels: it is about the table",
		"--watch --output-watch-events": "--output-watch-events: not with --hub",
		"--no-headers":                  "--no-headers: with --hub it is about custom-columns",
		"--watch -o yaml":               "--watch: with --hub it prints lines",
		"--watch --sort-by .name":       "--sort-by: changes come as they happen",
		"kv-00 -l env=dev":              "--selector: give either names or a selector",
		"-o custom-columns":             "it needs a value",
	} {
		code, _, errs := run(t, slices.Concat([]string{"get", "clusters", "--hub"}, strings.Split(args, " "), hub)...)
		if code != cmdutil.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", args, code, errs)
		}
	}
}

// watchedOutput is what a watch writes: seen is called after its first rows, reached when it has the text until.
type watchedOutput struct {
	mu            sync.Mutex
	text          strings.Builder
	until         string
	seen, reached func()
	begun         bool
}

func (w *watchedOutput) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if text := w.text.String(); strings.Contains(text, w.until) {
		w.reached()
	} else if strings.Contains(text, "kv-01") && !w.begun {
		w.begun = true
		go w.seen()
	}
	return len(p), nil
}

func (w *watchedOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// A watch prints all rows once, each change, and what is gone.
func TestHubWatch(t *testing.T) {
	api, hub, file := hubWithFleet(t)
	for _, command := range [][]string{{"get", "clusters", "--hub", "--watch"}, {"status", "--hub", "--watch", "-o", "json"}} {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		out := &watchedOutput{until: "gone", reached: stop, seen: func() {
			for _, kind := range []kube.Kind{kube.ManifestWork, kube.ConfigMap} {
				namespace := map[string]string{kube.ManifestWork.Kind: "east"}[kind.Kind]
				if u := api.Object(t, kind, cmp.Or(namespace, "hcctl-assignments"), "hcctl.clusters.kv-00"); u != nil {
					if err := api.Client.Delete(t.Context(), u); err != nil {
						t.Error(err)
					}
				}
			}
		}}
		code := Main(ctx, append(command, hub...), cmdutil.Streams{In: strings.NewReader(""), Out: out, Err: io.Discard},
			func(string) string { return "" })
		text := out.String()
		if !strings.Contains(text, "kv-01") || strings.Count(text, "kv-01") != 1 || !strings.Contains(text, "gone") {
			t.Errorf("%v: exit code %d\n%s", command, code, text)
		}
		stop()
		if code, out, errs := run(t, append([]string{"apply", "-f", file, "--hub", "--placement", "fleets/hosting", "--wait", "none"},
			hub...)...); code != cmdutil.ExitDone {
			t.Fatal(out, errs)
		}
	}
}

// What is wrong with the files stops everything before anything is written on the hub.
func TestHubBadFleets(t *testing.T) {
	api, hub := hubWith(t)
	for name, tc := range map[string]struct{ text, want string }{
		"twice": {"kind: Fleet\nclusters: [{metadata: {name: kv-00}}, {metadata: {name: kv-00}}]", "kv-00"},
		"size": {"kind: Fleet\ndefaults: {spec: {nodePools: [{replicas: -1}]}}\nclusters: [{metadata: {name: kv-00}}, " +
			"{metadata: {name: kv-01}}]", "replicas"},
		"namespace": {"kind: Fleet\nclusters: [{metadata: {name: kv-00}}, {metadata: {name: kv-01, namespace: Not_One}}]", "Not_One"},
		"secret": {"kind: Fleet\nclusters: [{metadata: {name: kv-00}}, {metadata: {name: kv-01}, spec: {pullSecret: none.json}}]",
			"none.json"},
		"field": {"kind: Fleet\nclusters: [{metadata: {name: kv-00}, spec: {replica: 3}}]", "replica"},
	} {
		file := filepath.Join(t.TempDir(), "fleet.yaml")
		if err := os.WriteFile(file, []byte("apiVersion: hcctl.dev/v1alpha1\n"+tc.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := run(t, append([]string{"apply", "-f", file, "--hub", "--placement", "fleets/hosting"}, hub...)...)
		if code != cmdutil.ExitUsage || !strings.Contains(errs, tc.want) || len(api.Writes()) > 0 {
			t.Errorf("%s: exit code %d, %v: %s", name, code, api.Writes(), errs)
		}
	}
}
