package kube

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/step"
)

// Unknown returns the Finding of a Check whose read failed for any reason but "not found": StateUnknown.
//
// It is Final if a retry cannot help (no permission, bad credentials, an untrusted certificate, a too large answer),
// and marked as Outage if OnAway reports it. The hint is that of Remedy.
func Unknown(err error) step.Finding {
	f := step.Unknown("%s", Explain(err))
	f.Outage = transport.IsOutage(err)
	f.Final = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || transport.IsUntrusted(err) ||
		transport.IsTooLarge(err)
	if f.Hint = Remedy(err); IsNotPermitted(err) {
		f.Hint = hint.New("%s lists what roles there are for, and prints them", hint.Run("rbac"))
	}
	return f
}

// Remedy returns what a user can do about failed logins, untrusted certificates and too large answers; empty for
// other errors.
func Remedy(err error) hint.Text {
	var large *transport.TooLargeError
	var webhook *WebhookError
	switch {
	case errors.As(err, &webhook):
		return webhook.Hint()
	case errors.As(err, &large):
		return large.Hint()
	case transport.IsCredentials(err):
		return hint.New("log in again, or run that command by itself to see why; it has to be installed and in the PATH")
	case apierrors.IsUnauthorized(err):
		return hint.New("log in again (oc login), or give another %s", hint.Flag("context"))
	case transport.IsUntrusted(err):
		return hint.New("if the cluster has a new CA, get a new kubeconfig from its administrator, or log in again")
	}
	return hint.Text{}
}
