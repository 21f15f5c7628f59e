package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// IsTransient reports whether a failed write may succeed later: the API server is unreachable or overloaded, a CRD is
// not registered yet, a webhook does not answer or cannot reach its backend, the namespace is being deleted, or another
// client changed the object first.
//
// Rejections are not transient: a missing permission, an invalid object, a field of another manager.
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

// isWebhookCutOff reports whether a webhook denied an object only because its own connection failed. MetalLB's webhook
// lists pools at the API server, and denies while the API server restarts. The first text is that of k8s.io/apiserver
// (admission/plugin/webhook/errors), the second that of Go's net.OpError.
func isWebhookCutOff(err error) bool {
	text := err.Error()
	return strings.Contains(text, "denied the request: ") && strings.Contains(text, ": dial tcp ")
}

// isFieldConflict reports whether server-side apply failed because another manager owns a field.
func isFieldConflict(err error) bool {
	return apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// fieldConflict describes a field conflict: the fields and their managers.
func fieldConflict(err error) string {
	parts := causes(err, func(c metav1.StatusCause) string { return fmt.Sprintf("%s (%s)", c.Field, c.Message) })
	if parts == nil {
		return trim(err)
	}
	return "other field managers own these fields, so they stay as they are: " + redact.Message(strings.Join(parts, ", "))
}

// Causes returns the fields and rules that a rejection lists, on one line; "" if it lists none.
func Causes(err error) string {
	rules := causes(err, func(c metav1.StatusCause) string { return strings.TrimPrefix(c.Field+": "+c.Message, ": ") })
	return trim(errors.New(strings.Join(rules, "; ")))
}

// CauseFields returns the fields that a rejection lists.
func CauseFields(err error) []string {
	return causes(err, func(c metav1.StatusCause) string { return c.Field })
}

// noField is the field of a cause that concerns the whole object, as k8s.io/apiextensions-apiserver writes it.
const noField = "<nil>"

// causes formats the causes in an error of the API server; nil if it has no details.
func causes(err error, text func(metav1.StatusCause) string) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	parts := []string{}
	all := status.Status().Details.Causes
	for _, c := range all {
		// With other causes present, this one only says that the CEL rules were not evaluated.
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

// trim returns the error on one line, with secrets redacted.
func trim(err error) string { return strings.Join(strings.Fields(redact.Message(err.Error())), " ") }

// IsAway reports whether a request got no answer: the server is down, restarting or unreachable.
func IsAway(err error) bool { return transport.IsUnanswered(err) }

// NotAllowed is the prefix of Explain's text for a missing permission.
const NotAllowed = "not allowed: "

// denials are parts of the messages by which admission rejects a write (k8s.io/apiserver v0.36: webhooks,
// ValidatingAdmissionPolicies; k8s.io/pod-security-admission; resource quotas).
var (
	denials = append([]string{"denied the request", "denied request: ", "violates PodSecurity "}, overQuota...)
	// overQuota has the messages of resource quotas.
	overQuota = []string{"exceeded quota: ", "status unknown for quota: "}
)

// IsDenied reports whether admission rejected a write: a webhook, a policy, a quota or pod security. Most of them
// answer 403 like a missing permission, but no role helps.
func IsDenied(err error) bool { return containsOneOf(denials, err) }

// IsOverQuota reports whether a resource quota rejected a write.
func IsOverQuota(err error) bool { return containsOneOf(overQuota, err) }

func containsOneOf(texts []string, err error) bool {
	return (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) &&
		slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// IsNotPermitted reports whether the user lacks a permission for the request.
func IsNotPermitted(err error) bool { return apierrors.IsForbidden(err) && !IsDenied(err) }

// ErrorKind classifies a failed request by its cause: the API server or the connection to it. The hint for the user
// depends on it.
type ErrorKind int

// The error kinds, the most specific one first. The zero value is any other error.
const (
	OtherError ErrorKind = iota
	// TooLarge is an answer that exceeds the limits.
	TooLarge
	// CredentialsCommand is a credential plugin (exec) that failed.
	CredentialsCommand
	// CertificateEnded is an expired client certificate. Unauthorized is any other rejection of the credentials.
	CertificateEnded
	Unauthorized
	// Proxy is a proxy that rejects the request or cannot be reached.
	Proxy
	// OutOfDate is a server certificate that is expired or not valid yet. Untrusted is any other certificate that is not
	// accepted.
	OutOfDate
	Untrusted
	// NotPermitted is a missing permission.
	NotPermitted
	// Webhook is an admission or conversion webhook that does not answer.
	Webhook
	// NotReady is a 5xx answer: the server, or a load balancer in front of it, does not work now.
	NotReady
	// ConnectionRefused is an address on which no process listens, NoName a host name that does not resolve, and NoAnswer
	// any other request without an answer.
	ConnectionRefused
	NoName
	NoAnswer
)

// KindOf classifies the error of a request.
func KindOf(err error) ErrorKind {
	var name *net.DNSError
	switch {
	case err == nil:
		return OtherError
	case transport.IsTooLarge(err):
		return TooLarge
	case transport.IsCredentials(err):
		return CredentialsCommand
	case apierrors.HasStatusCause(err, transport.CertificateEnded):
		return CertificateEnded
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case transport.IsProxy(err): // before the certificate errors, which a proxy can cause, too
		return Proxy
	case isOutOfDate(err):
		return OutOfDate
	case transport.IsUntrusted(err):
		return Untrusted
	case IsNotPermitted(err):
		return NotPermitted
	case webhookCall.MatchString(err.Error()), conversionCall.MatchString(err.Error()):
		return Webhook
	case apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err), apierrors.IsServerTimeout(err):
		return NotReady
	case utilnet.IsConnectionRefused(err):
		return ConnectionRefused
	case errors.As(err, &name) && name.IsNotFound:
		return NoName
	case transport.IsUnanswered(err):
		return NoAnswer
	}
	return OtherError
}

// webhookCall matches the API server's error for a webhook that it could not call (k8s.io/apiserver,
// admission/plugin/webhook/errors): its name, the URL of its Service, and the reason.
var webhookCall = lazyregexp.New(`failed calling webhook "([^"]*)": (?:failed to call webhook: )?` +
	`(?:\w+ "https://([a-z0-9.-]+)\.([a-z0-9-]+)\.svc[:/][^"]*": )?(.*)`)

// conversionCall matches the API server's error for stored objects that it could not convert
// (k8s.io/apiextensions-apiserver, pkg/apiserver/conversion): their version and kind, the URL of the Service, and the
// reason.
var conversionCall = lazyregexp.New(`conversion webhook for ([^ ,]+), Kind=(\w+) failed: ` +
	`(?:\w+ "https://([a-z0-9.-]+)\.([a-z0-9-]+)\.svc[:/][^"]*": )?(.*)`)

// IsKindMissing reports whether the API server does not serve the resource: its CRD is not registered (yet).
func IsKindMissing(err error) bool { return transport.IsKindMissing(err) }
