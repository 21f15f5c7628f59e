package kube

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/step"
)

// Unknown returns the Finding of a Check whose read failed with any error except "not found". Its state is
// StateUnknown.
//
// It is Final if a retry cannot help (no permission, bad credentials, an untrusted certificate, a too large answer).
// Outage is set if OnAway reports the error.
func Unknown(err error) step.Finding {
	f := step.Unknown("%s", Explain(err))
	f.Hint, f.Outage = Remedy(err), transport.IsOutage(err)
	f.Final = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || transport.IsUntrusted(err) ||
		transport.IsTooLarge(err) || KindOf(err) == Proxy && !transport.IsUnanswered(err)
	return f
}

// Remedy returns the hint for an error of a request to the management cluster, by its kind; empty if the user can only
// wait. guest.Remedy is that for hosted clusters.
func Remedy(err error) hint.Text {
	var large *transport.TooLargeError
	var webhook *WebhookError
	switch KindOf(err) {
	case TooLarge:
		errors.As(err, &large)
		return large.Hint()
	case CredentialsCommand:
		return hint.New("log in again, or run that command by itself to see why; it has to be installed and in the PATH")
	case CertificateEnded:
		return hint.New("log in again (oc login), or get a new kubeconfig from its administrator")
	case Unauthorized:
		return hint.New("log in again (oc login), or give another %s", hint.Flag("context"))
	case OutOfDate:
		return hint.New("set this machine's clock, or have the cluster's administrator renew that certificate")
	case Untrusted:
		return hint.New("if the cluster has a new CA, get a new kubeconfig from its administrator, or log in again")
	case Proxy:
		return hint.New("the proxy is that of proxy-url in the kubeconfig, or of HTTPS_PROXY; NO_PROXY names hosts that " +
			"need none")
	case NotPermitted:
		return hint.New("%s lists what roles there are for, and prints them", hint.Run("rbac"))
	case Webhook:
		if errors.As(err, &webhook) {
			return webhook.Hint()
		}
		if namespace, name := WebhookService(err); name != "" {
			return hint.New("what serves it has to run: oc get pods,endpoints -n %s (Service %s)", namespace, name)
		}
	case OtherError, NotReady, ConnectionRefused, NoName, NoAnswer: // the user can wait, or correct the address
	}
	return hint.Text{}
}
