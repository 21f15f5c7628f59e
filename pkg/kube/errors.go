package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// IsTransient reports whether a failed write may succeed later: the API server is away or overloaded, a CRD is not
// registered yet, a webhook does not answer or cannot reach what it asks, the namespace is being deleted, or another
// client won a race.
//
// Refusals are not transient: no permission, an invalid object, a field of another manager.
func IsTransient(err error) bool {
	switch {
	case err == nil, errors.Is(err, context.Canceled), transport.IsTooLarge(err):
		return false
	case IsKindMissing(err), isTerminatingNamespace(err), isWebhookCutOff(err):
		return true
	case apierrors.IsConflict(err):
		return !isFieldConflict(err)
	case apierrors.IsTooManyRequests(err), apierrors.IsServerTimeout(err), apierrors.IsTimeout(err),
		apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err), apierrors.IsUnexpectedServerError(err):
		return true
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code >= 500
	}
	return transport.IsUnanswered(err)
}

// isTerminatingNamespace reports whether a create was refused because its namespace is being deleted.
func isTerminatingNamespace(err error) bool {
	return apierrors.HasStatusCause(err, "NamespaceTerminating")
}

// isWebhookCutOff reports whether a webhook denied an object only because its own connection failed: MetalLB's asks
// the API server for pools, and denies while that restarts. The first words are those of k8s.io/apiserver
// (admission/plugin/webhook/errors), the second those of Go's net.OpError.
func isWebhookCutOff(err error) bool {
	text := err.Error()
	return strings.Contains(text, "denied the request: ") && strings.Contains(text, ": dial tcp ")
}

// isFieldConflict reports whether server-side apply was refused because another manager owns a field.
func isFieldConflict(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// fieldConflict names the fields and their managers.
func fieldConflict(err error) string {
	parts := causes(err, func(c metav1.StatusCause) string { return fmt.Sprintf("%s (%s)", c.Field, c.Message) })
	if parts == nil {
		return trim(err)
	}
	return "other field managers own these fields, so they stay as they are: " + redact.Message(strings.Join(parts, ", "))
}

// Causes returns the fields and rules that a refusal lists, on one line; empty if it lists none.
func Causes(err error) string {
	rules := causes(err, func(c metav1.StatusCause) string { return strings.TrimPrefix(c.Field+": "+c.Message, ": ") })
	return trim(errors.New(strings.Join(rules, "; ")))
}

// CauseFields returns the fields that a refusal lists.
func CauseFields(err error) []string {
	return causes(err, func(c metav1.StatusCause) string { return c.Field })
}

// noField is the field of a cause that is about the whole object, as k8s.io/apiextensions-apiserver writes it.
const noField = "<nil>"

// causes returns the causes in an answer of the API server as text; nil if it has no details.
func causes(err error, text func(metav1.StatusCause) string) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	parts := []string{}
	all := status.Status().Details.Causes
	for _, c := range all {
		// Beside another cause it says only that rules in CEL were not looked at.
		if c.Field == noField && len(all) > 1 {
			continue
		}
		parts = append(parts, text(c))
	}
	return parts
}

func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// trim returns an error on one line, without secrets that the answer repeats.
func trim(err error) string { return strings.Join(strings.Fields(redact.Message(err.Error())), " ") }

// IsAway reports whether a request got no answer: the server is down, restarting or out of reach.
func IsAway(err error) bool { return transport.IsUnanswered(err) }

// NotAllowed begins the text of Explain for a missing permission.
const NotAllowed = "not allowed: "

// denials are parts of the messages with which admission refuses a write (k8s.io/apiserver v0.36: webhooks,
// ValidatingAdmissionPolicies; k8s.io/pod-security-admission; resource quotas).
var denials = []string{
	"denied the request", "denied request: ", "exceeded quota: ", "violates PodSecurity ",
}

// IsDenied reports whether admission refused a write: a webhook, a policy, a quota or pod security. Most of them answer
// 403 as a missing permission does, but no role helps against them.
func IsDenied(err error) bool {
	return (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) &&
		slices.ContainsFunc(denials, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// IsNotPermitted reports whether the user lacks a permission for the request.
func IsNotPermitted(err error) bool { return apierrors.IsForbidden(err) && !IsDenied(err) }

// Explain returns an error as one sentence for a user.
func Explain(err error) string {
	var urlErr *url.Error
	var large *transport.TooLargeError
	var webhook *WebhookError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &webhook):
		return webhook.describe()
	case errors.As(err, &large):
		return trim(large)
	case IsKindMissing(err):
		return "its CRD is not registered yet"
	case isTerminatingNamespace(err):
		return "the namespace is still being deleted"
	case isFieldConflict(err):
		return fieldConflict(err)
	case errors.As(err, &urlErr) && isOutOfDate(err):
		return fmt.Sprintf("the certificate of %s cannot be accepted: %v; is this machine's clock right?",
			transport.Host(urlErr.URL), rootCause(urlErr))
	case transport.IsCredentials(err):
		return "the command that the kubeconfig names for credentials has failed: " +
			redact.Message(transport.CredentialsCommandError(err))
	case apierrors.IsUnauthorized(err):
		return "the API server does not accept the credentials (they may have expired)"
	case transport.IsUntrusted(err):
		return fmt.Sprintf("the API server's certificate is not trusted: %v", rootCause(err))
	case IsNotPermitted(err):
		return NotAllowed + trim(err)
	case apierrors.IsTooManyRequests(err):
		return "the API server asks to slow down"
	case strings.Contains(err.Error(), failedWebhook):
		return "a webhook does not answer yet: " + trim(err)
	case errors.As(err, &urlErr) && transport.IsUnanswered(err):
		return fmt.Sprintf("the API server at %s does not answer: %s", transport.Host(urlErr.URL), silence(rootCause(urlErr)))
	case transport.IsUnanswered(err):
		return "the API server does not answer: " + silence(err)
	default:
		return trim(err)
	}
}

// silence says why no answer came, in place of Go's words for a time limit.
func silence(err error) string {
	switch text := trim(err); {
	case strings.Contains(text, "TLS handshake timeout"):
		return "it takes the connection and then says nothing"
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(text, "Client.Timeout exceeded"):
		return "no answer in time"
	default:
		return text
	}
}

// isOutOfDate reports whether a certificate was refused for its validity time. A wrong local clock is as likely.
func isOutOfDate(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}

// IsKindMissing reports whether the API server does not know the resource: its CRD is not registered (yet).
func IsKindMissing(err error) bool { return transport.IsKindMissing(err) }
