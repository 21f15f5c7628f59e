package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/audit"
)

// kubernetesReleases are the minor versions of Kubernetes, separated by spaces, that TestKubernetes runs with: those
// that make sandbox-kubernetes builds.
const kubernetesReleases = "HCCTL_E2E_KUBERNETES"

// ownKubernetes is the one that the sandbox's own program has, and all other tests run with.
const ownKubernetes = "1.36"

// mainJob are the scripts that take hcctl through its main job, by the sandbox that they share; "" is one of their own.
var mainJob = []struct {
	share string
	files []string
}{
	{"changing", []string{"sandbox/upgrade", "sandbox/pools"}},
	{"guests", []string{"sandbox/see"}},
	{"hosting", []string{"sandbox/create-options"}},
	{"", []string{"story/story", "sandbox/render", "faults/apiserver-restart"}},
}

// TestKubernetes takes hcctl through its main job with management clusters whose API server is another Kubernetes: from
// a bare cluster to a hosted one that is watched, scaled, upgraded and deleted, and back, also with just the printed
// roles. What these versions do differently is held beside.
func TestKubernetes(t *testing.T) {
	s := settingsFor(t)
	releases := strings.Fields(os.Getenv(kubernetesReleases))
	if len(releases) == 0 || s.kubeconfig != "" {
		t.Skip("make test-kubernetes runs it: it needs the API servers that make sandbox-kubernetes builds")
	}
	for _, release := range append(slices.Clone(releases), ownKubernetes) {
		t.Run(release, func(t *testing.T) {
			of := s
			of.kubernetes = release
			t.Run("differences", func(t *testing.T) { kubernetesDiffers(t, of) })
			if release == ownKubernetes {
				return // all other tests run with it
			}
			t.Run("roles", func(t *testing.T) { rolesAreEnough(t, of) })
			t.Run("uninstall", func(t *testing.T) { uninstalls(t, of) })
			for _, job := range mainJob {
				var files []string
				for _, name := range job.files {
					files = append(files, filepath.Join("testdata", filepath.FromSlash(name)+".txtar"))
				}
				if job.share == "" {
					testscript.Run(t, params(of, files))
					continue
				}
				t.Run(job.share, func(t *testing.T) { runShared(t, of, job.share, files) })
			}
		})
	}
}

// TestMainJob: each script of mainJob is there, and shares what the table says.
func TestMainJob(t *testing.T) {
	for _, job := range mainJob {
		for _, name := range job.files {
			script, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			if shares := sharedName(script); shares != job.share {
				t.Errorf("%s shares %q, not %q", name, shares, job.share)
			}
		}
	}
}

// differences are what matters to a client and is not the same in all of these versions, as their feature gates have
// it.
var differences = map[string]struct {
	// streams is whether a watch can begin with a list (gate WatchList).
	streams bool
	// groups are versions of built-in API groups that not all have.
	groups []string
}{
	"1.33": {streams: false},
	"1.34": {streams: true, groups: []string{"resource.k8s.io/v1"}},
	"1.35": {streams: true, groups: []string{"resource.k8s.io/v1"}},
	"1.36": {streams: true, groups: []string{"resource.k8s.io/v1"}},
}

// kubernetesDiffers holds differences between the versions, and that hcctl needs none of it: it lists and then watches,
// and asks only for kinds that the server has.
func kubernetesDiffers(t *testing.T, s settings) {
	want, known := differences[s.kubernetes]
	if !known {
		t.Fatalf("nothing is known of Kubernetes %s: add it to differences", s.kubernetes)
	}
	s.all = false // its hosted cluster has no API server: a lean sandbox answers at its address
	st := newStage(t, s, s.hosting("ready", 0)...)
	client := st.admin.discovery.RESTClient()
	version, err := st.admin.discovery.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(version.GitVersion, "v"+s.kubernetes+".") {
		t.Fatalf("the API server is Kubernetes %s, want %s", version, s.kubernetes)
	}

	ctx, cancel := requestContext()
	defer cancel()
	stream, err := client.Get().AbsPath("/api/v1/namespaces").Param("watch", "true").Param("sendInitialEvents", "true").
		Param("resourceVersionMatch", "NotOlderThan").Param("allowWatchBookmarks", "true").Stream(ctx)
	if err == nil {
		defer stream.Close() //nolint:errcheck // only read
	}
	if (err == nil) != want.streams || err != nil && !apierrors.IsInvalid(err) {
		t.Errorf("a watch that begins with a list: %v, want it: %v", err, want.streams)
	}
	// None of them speaks CBOR unless an alpha gate is on.
	err = client.Get().AbsPath("/api/v1/namespaces").SetHeader("Accept", "application/cbor").Do(ctx).Error()
	if !apierrors.IsNotAcceptable(err) {
		t.Errorf("a list in CBOR: %v, want 406", err)
	}
	groups, err := st.admin.discovery.ServerGroups()
	if err != nil {
		t.Fatal(err)
	}
	var served []string
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			if slices.Contains(allDifferent(), v.GroupVersion) {
				served = append(served, v.GroupVersion)
			}
		}
	}
	if !slices.Equal(served, want.groups) {
		t.Errorf("served are %v, want %v", served, want.groups)
	}

	admin := &person{stage: st, name: "admin", kubeconfig: st.sandbox.Kubeconfig}
	supportsThis(t, admin, version.GitVersion)
	admin.runs(0, "create", "cluster", "--name", "kv-00", "--node-pool-replicas", "1", "--yes")
	admin.runs(0, "delete", "cluster", "kv-00", "--yes")
	requests, err := st.log.Next()
	if err != nil {
		t.Fatal(err)
	}
	watches, asked := 0, []string{}
	for _, q := range audit.By("hcctl", requests) {
		if strings.Contains(q.URI, "sendInitialEvents") {
			t.Errorf("hcctl asks for a watch that begins with a list, which not every version has: %s", q.URI)
		}
		if q.Verb == "watch" {
			watches++
		}
		for _, group := range allDifferent() {
			if strings.HasPrefix(q.URI, "/apis/"+group+"/") && !slices.Contains(asked, group) {
				asked = append(asked, group)
			}
		}
	}
	if watches == 0 {
		t.Error("hcctl watched nothing: the audit log says nothing of how it watches")
	}
	// delete looks whether anything of a kind is left, whatever kinds the server has.
	if !slices.Equal(asked, want.groups) {
		t.Errorf("hcctl asked for %v, but the server has %v", asked, want.groups)
	}
}

// allDifferent are the groups of differences.
func allDifferent() []string {
	var all []string
	for _, d := range differences {
		all = append(all, d.groups...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// supportsThis: hcctl support says that this version was tested, as it is here.
func supportsThis(t *testing.T, admin *person, version string) {
	t.Helper()
	var answer struct {
		Cluster []struct{ Component, Version, Verdict string }
	}
	out := admin.runs(0, "support", "-o", "json")
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatal(errors.Join(err, errors.New(out)))
	}
	for _, f := range answer.Cluster {
		if f.Component == "Kubernetes API server" && f.Verdict == "tested" && "v"+f.Version == version {
			return
		}
	}
	t.Errorf("support does not say that %s was tested:\n%s", version, out)
}
