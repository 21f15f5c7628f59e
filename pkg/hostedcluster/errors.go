package hostedcluster

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// NotFoundError means that no hosted cluster or node pool with this name exists, and no remains of one.
type NotFoundError struct {
	// Noun is the type of the object, "hosted cluster" if empty.
	Noun            string
	Namespace, Name string
	// Others lists the existing ones, sorted, as "namespace/name" if the namespace differs.
	Others []string
	// Unlisted is the error of listing the others, nil if they were listed.
	Unlisted error
}

// maxOthers limits the names in the text of an error.
const maxOthers = 20

// Error returns the missing name and the existing ones.
func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("no %s %q in namespace %q", e.noun(), e.Name, e.Namespace)
	if e.Unlisted != nil {
		return s + unlistedSuffix(e.Unlisted)
	}
	if len(e.Others) == 0 {
		return s + "; there is none at all"
	}
	if more := len(e.Others) - maxOthers; more > 0 {
		return fmt.Sprintf("%s; there are: %s and %d more", s, strings.Join(e.Others[:maxOthers], ", "), more)
	}
	return s + "; there are: " + strings.Join(e.Others, ", ")
}

// Unwrap returns the error of listing the others.
func (e *NotFoundError) Unwrap() error { return e.Unlisted }

// unlistedSuffix returns the end of an error text if the existing names could not be listed.
func unlistedSuffix(err error) string { return fmt.Sprintf(" (nor may the others be listed: %v)", err) }

func (e *NotFoundError) noun() string {
	return cmp.Or(e.Noun, "hosted cluster")
}

// Hint returns the command that lists the existing ones.
func (e *NotFoundError) Hint() hint.Text {
	if e.noun() == "node pool" {
		return hint.New("%s lists all node pools", hint.Run("get nodepools").Flag("A"))
	}
	return hint.New("%s lists all hosted clusters", hint.Run("get clusters").Flag("A"))
}

// PoolNotFoundError means that no NodePool with this name exists.
type PoolNotFoundError struct {
	Namespace, Name string
	// Others lists the NodePools of the namespace, sorted.
	Others []string
	// Unlisted is the error of listing the others, nil if they were listed.
	Unlisted error
}

// Error returns the missing name and the existing ones.
func (e *PoolNotFoundError) Error() string {
	s := fmt.Sprintf("no node pool %q in namespace %q", e.Name, e.Namespace)
	if e.Unlisted != nil {
		return s + unlistedSuffix(e.Unlisted)
	}
	if len(e.Others) == 0 {
		return s + "; there is none"
	}
	return s + "; there are: " + strings.Join(e.Others, ", ")
}

// Unwrap returns the error of listing the others.
func (e *PoolNotFoundError) Unwrap() error { return e.Unlisted }

// Hint returns the command that lists the existing ones.
func (*PoolNotFoundError) Hint() hint.Text {
	return hint.New("%s lists all node pools", hint.Run("get nodepools").Flag("A"))
}

// IsNotFound reports whether err is a *NotFoundError or a *PoolNotFoundError.
func IsNotFound(err error) bool {
	var cluster *NotFoundError
	var pool *PoolNotFoundError
	return errors.As(err, &cluster) || errors.As(err, &pool)
}

// NotInstalledError means that the cluster does not have the kind HostedCluster.
type NotInstalledError struct {
	failure.Absence
}

// Error returns the missing kind.
func (*NotInstalledError) Error() string {
	return "HyperShift is not installed: the API server does not know HostedClusters (hypershift.openshift.io/v1beta1)"
}

// Hint returns the commands that check and install.
func (*NotInstalledError) Hint() hint.Text {
	return hint.New("%s says what is missing, %s installs it", hint.Run("check"), hint.Run("bootstrap"))
}
