package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// The table of roles cannot import the names that create gives Secrets, so they are held together here.
func TestRolesNameTheSecretsOfACluster(t *testing.T) {
	for purpose, verb := range map[rbac.Purpose]string{rbac.Editor: "delete", rbac.Density: "get", rbac.Dump: "get"} {
		var may []string
		for _, r := range rbac.Rules(rbac.Options{Purposes: []rbac.Purpose{purpose}, Namespace: "lab",
			ClusterNames: []string{"kv-00"}}) {
			if r.Resources == "secrets" && slices.Contains(strings.Fields(r.Verbs), verb) {
				may = append(may, strings.Fields(r.Names)...)
			}
		}
		for _, name := range deletion.CompanionSecrets("kv-00") {
			if !slices.Contains(may, name) {
				t.Errorf("%s may not %s Secret %s", purpose, verb, name)
			}
		}
	}
}
