package hostedcluster

import (
	"fmt"
	"strings"
)

// FlagError is an option whose value cannot work whatever the cluster is.
type FlagError struct {
	// Flag is the flag without dashes, such as "memory".
	Flag string
	// Value as given; empty where it is secret or was not given.
	Value string
	// Message says what is wrong and what would be right.
	Message string
}

// Error is one sentence: the flag, the value, what is wrong.
func (e *FlagError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("--%s: %s", e.Flag, e.Message)
	}
	return fmt.Sprintf("--%s %q: %s", e.Flag, e.Value, e.Message)
}

// ExitCode is 2: wrong usage.
func (*FlagError) ExitCode() int { return 2 }

// NotFoundError means there is no hosted cluster of that name, nor anything left of one.
type NotFoundError struct {
	Namespace, Name string
	// Others are the hosted clusters there are, as "namespace/name" where the namespace differs, sorted.
	Others []string
}

// Error names the cluster and those there are.
func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("no hosted cluster %q in namespace %q", e.Name, e.Namespace)
	if len(e.Others) == 0 {
		return s + "; there is none at all"
	}
	return s + "; there are: " + strings.Join(e.Others, ", ")
}

// Hint is how to see what there is.
func (*NotFoundError) Hint() string { return "hcctl get clusters -A lists all hosted clusters" }

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
