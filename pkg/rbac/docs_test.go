package rbac

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/kube/access"
)

// everyOption is what any options of bootstrap but a folder of manifests may need.
func everyOption() Options {
	return Options{Purposes: []Purpose{Bootstrap}, Features: []Feature{access.DefaultClass, access.DataFoundation,
		access.LVMStorage, access.MetalLB, access.Community}}
}

// rolesPage is the ClusterRole and Roles on the page, shorter than YAML is usually written.
func rolesPage() string {
	var b strings.Builder
	for i, object := range (Roles{Name: "hcctl", Options: everyOption()}).Objects() {
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
	golden.Section(t, path, "```yaml\n", "```\n", rolesPage())
}
