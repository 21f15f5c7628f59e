package prereqs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// every is what any options but a folder of manifests may need.
func every() rbac.Options {
	return rbac.Options{Purposes: []rbac.Purpose{rbac.Bootstrap},
		Features: []rbac.Feature{rbac.DefaultClass, rbac.DataFoundation, rbac.LVMStorage, rbac.MetalLB, rbac.Community}}
}

// roles are the ClusterRole and Roles on the page, shorter than YAML is usually written.
func roles() string {
	var b strings.Builder
	for i, object := range (rbac.Roles{Name: "hcctl", Options: every()}).Objects() {
		if i > 0 {
			b.WriteString("---\n")
		}
		kind, namespace, rules := "ClusterRole", "", []rbacv1.PolicyRule(nil)
		switch o := object.(type) {
		case *rbacv1.ClusterRole:
			rules = o.Rules
		case *rbacv1.Role:
			kind, namespace, rules = "Role", "\n  namespace: "+o.Namespace, o.Rules
		}
		fmt.Fprintf(&b, "apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata:\n  name: hcctl%s\nrules:\n", kind,
			namespace)
		for _, r := range rules {
			fmt.Fprintf(&b, "- apiGroups: [%q]\n  verbs: [%s]\n  resources: [%s]\n", r.APIGroups[0], strings.Join(r.Verbs, ", "),
				strings.Join(r.Resources, ", "))
			if len(r.ResourceNames) > 0 {
				fmt.Fprintf(&b, "  resourceNames: [%s]\n", strings.Join(r.ResourceNames, ", "))
			}
		}
	}
	return b.String()
}

func TestThePageOfPermissionsHasThemAll(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "checks", "cluster-permissions.md")
	golden.Section(t, path, "```yaml\n", "```\n", roles())
}

func TestWhatIsWrittenIsAskedFor(t *testing.T) {
	kinds, err := os.ReadFile(filepath.Join("..", "kube", "kinds.go"))
	if err != nil {
		t.Fatal(err)
	}
	resources := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+)\s+= \w+\("([^"]+)", "\w+", "\w+", "(\w+)"\)`).
		FindAllStringSubmatch(string(kinds), -1) {
		resources[m[1]] = m[3] + "." + m[2]
	}
	asked := map[string]string{}
	for _, a := range rbac.Access(rbac.Rules(every())) {
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
				t.Errorf("%s writes %s (%q), and pkg/rbac has %q", file, m[1], resources[m[1]], verbs)
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
		return slices.ContainsFunc(access(valid), func(a kube.Access) bool {
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
}
