package kube

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
	"github.com/hcctl/hcctl/pkg/step"
)

// Unread is the Finding of a Check whose read failed for any other reason than "not found": Unknown, never OK. It is
// final where asking again cannot help (no permission, credentials not accepted, a certificate that is not trusted,
// an answer that is too large), and marked where OnAway tells of it. What can be done about it, where that is known,
// is its hint.
func Unread(err error) step.Finding {
	f := step.Unknown("%s", Explain(err))
	f.Outage = transport.IsOutage(err)
	f.Final = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || transport.IsUntrusted(err) ||
		transport.IsTooLarge(err)
	if f.Hint = Remedy(err); apierrors.IsForbidden(err) {
		f.Hint = "hcctl rbac lists what roles there are for, and prints them"
	}
	return f
}

// Remedy is what a person can do where there is nothing to log in with, where the API server and hcctl do not trust
// each other, or where an answer is too large; empty for other errors.
func Remedy(err error) string {
	var large *transport.TooLargeError
	switch {
	case errors.As(err, &large):
		return large.Hint()
	case transport.IsCredentials(err):
		return "log in again, or run that command by itself to see why: is it installed, and in the PATH?"
	case apierrors.IsUnauthorized(err):
		return "log in again (oc login), or give another --context"
	case transport.IsUntrusted(err):
		return "if the cluster has a new CA, get a new kubeconfig from its administrator, or log in again"
	}
	return ""
}
