package hostedcluster

import (
	"fmt"
	"strings"
)

// NotFoundError means there is no hosted cluster of that name, nor anything left of one; or no node pool.
type NotFoundError struct {
	// Noun is what was looked for, "hosted cluster" if empty.
	Noun            string
	Namespace, Name string
	// Others are those there are, as "namespace/name" where the namespace differs, sorted.
	Others []string
}

// mostOthers bounds the names an error lists: it is to be read.
const mostOthers = 20

// Error names the cluster and those there are.
func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("no %s %q in namespace %q", e.noun(), e.Name, e.Namespace)
	if len(e.Others) == 0 {
		return s + "; there is none at all"
	}
	if more := len(e.Others) - mostOthers; more > 0 {
		return fmt.Sprintf("%s; there are: %s and %d more", s, strings.Join(e.Others[:mostOthers], ", "), more)
	}
	return s + "; there are: " + strings.Join(e.Others, ", ")
}

func (e *NotFoundError) noun() string {
	if e.Noun == "" {
		return "hosted cluster"
	}
	return e.Noun
}

// Hint is how to see what there is.
func (e *NotFoundError) Hint() string {
	if e.noun() == "node pool" {
		return "hcctl get nodepools -A lists all node pools"
	}
	return "hcctl get clusters -A lists all hosted clusters"
}

// PoolNotFoundError means there is no NodePool of that name.
type PoolNotFoundError struct {
	Namespace, Name string
	// Others are the NodePools of the namespace, sorted.
	Others []string
}

// Error names the pool and those there are.
func (e *PoolNotFoundError) Error() string {
	s := fmt.Sprintf("no node pool %q in namespace %q", e.Name, e.Namespace)
	if len(e.Others) == 0 {
		return s + "; there is none"
	}
	return s + "; there are: " + strings.Join(e.Others, ", ")
}

// Hint is how to see what there is.
func (*PoolNotFoundError) Hint() string { return "hcctl get nodepools -A lists all node pools" }

// NotInstalledError means the cluster does not know the kind HostedCluster.
type NotInstalledError struct{}

// Error says what is missing.
func (*NotInstalledError) Error() string {
	return "HyperShift is not installed: the API server does not know HostedClusters (hypershift.openshift.io/v1beta1)"
}

// Hint is how to install it.
func (*NotInstalledError) Hint() string {
	return "hcctl check says what is missing, hcctl bootstrap installs it"
}

// ExitCode is 3: a prerequisite is missing.
func (*NotInstalledError) ExitCode() int { return 3 }
