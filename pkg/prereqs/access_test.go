package prereqs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
)

// every is what any options but a directory of manifests may need.
func every() []access.Rule {
	ordinary := []access.Feature{access.DefaultClass, access.DataFoundation, access.LVMStorage, access.MetalLB, access.Community,
		access.GitOps, access.HostPath}
	rights := Rights()
	return slices.DeleteFunc(slices.Concat(rights.Check, rights.Bootstrap), func(r access.Rule) bool {
		return !r.Wanted(ordinary)
	})
}

func TestWhatIsWrittenIsAskedFor(t *testing.T) {
	kinds, err := os.ReadFile(filepath.Join("..", "kube", "kinds.go"))
	if err != nil {
		t.Fatal(err)
	}
	resources := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+)\s+= \w+\(\s*"([^"]+)",\s*"\w+",\s*"\w+",\s*"(\w+)"`).
		FindAllStringSubmatch(string(kinds), -1) {
		resources[m[1]] = m[3] + "." + m[2]
	}
	asked := map[string]string{}
	for _, a := range access.Access(every()) {
		asked[a.String()] += strings.Join(a.Verbs, " ") + " "
	}
	written := regexp.MustCompile(`\bNewObject\(kube\.(\w+),`)
	seen := 0
	err = filepath.WalkDir(".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range written.FindAllStringSubmatch(string(source), -1) {
			seen++
			if verbs := asked[resources[m[1]]]; !strings.Contains(verbs, "create") || !strings.Contains(verbs, "patch") {
				t.Errorf("%s writes %s (%q), and its rights are %q", file, m[1], resources[m[1]], verbs)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 8 {
		t.Errorf("found only %d places that write an object", seen)
	}
}

func TestAccessFollowsTheOptions(t *testing.T) {
	has := func(o Options, resource string) bool {
		valid, err := o.Validate()
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(requiredAccess(valid), func(a kube.Access) bool {
			return a.String() == resource && (slices.Contains(a.Verbs, "create") || slices.Contains(a.Verbs, "patch"))
		})
	}
	none := Options{Storage: storage.Options{Mode: storage.ModeNone},
		LoadBalancer: loadbalancer.Options{Mode: loadbalancer.ModeExisting}}
	for resource, want := range map[string][2]bool{
		"storageclusters.ocs.openshift.io": {true, false}, "ipaddresspools.metallb.io": {true, false},
		"lvmclusters.lvm.topolvm.io":         {false, false},
		"subscriptions.operators.coreos.com": {true, true}, "hostedclusters.hypershift.openshift.io": {false, false},
		"clusterroles.rbac.authorization.k8s.io": {false, false},
	} {
		if got := [2]bool{has(Options{}, resource), has(none, resource)}; got != want {
			t.Errorf("%s: got %v, want %v", resource, got, want)
		}
	}
	if !has(Options{Virtualization: virtualization.Options{Manifests: "dir"}}, "clusterroles.rbac.authorization.k8s.io") {
		t.Error("manifests bring roles")
	}
	const known = "gitopsclusters.apps.open-cluster-management.io"
	if has(Options{}, known) || !has(Options{With: OptionalGroups()}, known) {
		t.Error("only who wants GitOps makes clusters known to Argo CD")
	}
}
