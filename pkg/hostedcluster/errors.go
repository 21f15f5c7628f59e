package hostedcluster

import (
	"fmt"
	"strings"
)

// FlagError is an option whose value cannot work whatever the cluster is.
type FlagError struct {
	// Flag is the flag without dashes, such as "memory".
	Flag string
	// Pool is the place in Options.NodePools of the pool it is about; nil where it is about the cluster itself.
	Pool *int
	// Value as given; empty where it is secret or was not given.
	Value string
	// Message says what is wrong and what would be right.
	Message string
}

// Error is one sentence: the flag, the value, what is wrong.
func (e *FlagError) Error() string {
	where := "--" + e.Flag
	if e.Pool != nil {
		where = "--" + ClusterFlag(e.Flag)
	}
	return e.At(where)
}

// At is the sentence with another name for the flag, such as the field and line of a file.
func (e *FlagError) At(where string) string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", where, e.Message)
	}
	return fmt.Sprintf("%s %q: %s", where, e.Value, e.Message)
}

// ExitCode is 2: wrong usage.
func (*FlagError) ExitCode() int { return 2 }

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
