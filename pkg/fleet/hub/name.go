package hub

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/fleet"
)

// Prefixes of the names of ManifestWorks. A namespace has no dot, so that namespace and name can be parsed.
const (
	workPrefix    = "hcctl."
	secretsPrefix = "hcctl-secrets." //nolint:gosec // a name, no credential
)

// WorkName returns the name of the ManifestWork with a hosted cluster's objects.
func WorkName(c fleet.ClusterName) string { return workPrefix + c.Namespace + "." + c.Name }

// SecretsName returns the name of the ManifestWork with a hosted cluster's copied Secrets.
func SecretsName(c fleet.ClusterName) string { return secretsPrefix + c.Namespace + "." + c.Name }

// ClusterOf returns the hosted cluster in the name of a ManifestWork; false for any other name.
func ClusterOf(work string) (fleet.ClusterName, bool) { return parsed(work, workPrefix) }

// secretsOf is ClusterOf for a ManifestWork with Secrets.
func secretsOf(work string) (fleet.ClusterName, bool) { return parsed(work, secretsPrefix) }

func parsed(work, prefix string) (fleet.ClusterName, bool) {
	rest, ours := strings.CutPrefix(work, prefix)
	namespace, name, both := strings.Cut(rest, ".")
	if !ours || !both || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return fleet.ClusterName{}, false
	}
	return fleet.ClusterName{Namespace: namespace, Name: name}, true
}
