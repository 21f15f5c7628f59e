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
var (
	denials = append([]string{"denied the request", "denied request: ", "violates PodSecurity "}, overQuota...)
	// overQuota are those of quotas.
	overQuota = []string{"exceeded quota: ", "status unknown for quota: "}
)

// IsDenied reports whether admission refused a write: a webhook, a policy, a quota or pod security. Most of them answer
// 403 as a missing permission does, but no role helps against them.
func IsDenied(err error) bool { return saysOneOf(denials, err) }

// IsOverQuota reports whether a quota refused a write.
func IsOverQuota(err error) bool { return saysOneOf(overQuota, err) }

func saysOneOf(texts []string, err error) bool {
	return (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) &&
		slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// IsNotPermitted reports whether the user lacks a permission for the request.
func IsNotPermitted(err error) bool { return apierrors.IsForbidden(err) && !IsDenied(err) }

// ErrorKind is what a failed request says of the API server and of the way to it. It decides what a user can do.
type ErrorKind int

// The kinds, the one that says most first. The zero value is every other error.
const (
	OtherError ErrorKind = iota
	// TooLarge is an answer above the limits.
	TooLarge
	// CredentialsCommand is a command for credentials that has failed.
	CredentialsCommand
	// CertificateEnded is a client certificate that has ended. Unauthorized is any other refusal of the credentials.
	CertificateEnded
	Unauthorized
	// Proxy is a proxy on the way that refuses the request, or is not reached.
	Proxy
	// OutOfDate is a server certificate that has ended or not begun. Untrusted is any other that is not accepted.
	OutOfDate
	Untrusted
	// NotPermitted is a missing permission.
	NotPermitted
	// Webhook is an admission or a conversion webhook that does not answer.
	Webhook
	// NotReady is an answer that the server, or what is before it, does not work now: 5xx.
	NotReady
	// ConnectionRefused is an address at which nothing listens, NoName a host name that does not resolve, and NoAnswer
	// any other request without an answer.
	ConnectionRefused
	NoName
	NoAnswer
)

// KindOf returns the kind of an error of a request.
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
	case transport.IsProxy(err): // before those of a certificate, which a proxy may have, too
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

// webhookCall is how the API server says that it could not call a webhook (k8s.io/apiserver,
// admission/plugin/webhook/errors): its name, the URL of its Service, and why.
var webhookCall = lazyregexp.New(`failed calling webhook "([^"]*)": (?:failed to call webhook: )?` +
	`(?:\w+ "https://([a-z0-9.-]+)\.([a-z0-9-]+)\.svc[:/][^"]*": )?(.*)`)

// conversionCall is how the API server says that it could not convert stored objects (k8s.io/apiextensions-apiserver,
// pkg/apiserver/conversion): their version and kind, the URL of the Service, and why.
var conversionCall = lazyregexp.New(`conversion webhook for ([^ ,]+), Kind=(\w+) failed: ` +
	`(?:\w+ "https://([a-z0-9.-]+)\.([a-z0-9-]+)\.svc[:/][^"]*": )?(.*)`)

// IsKindMissing reports whether the API server does not know the resource: its CRD is not registered (yet).
func IsKindMissing(err error) bool { return transport.IsKindMissing(err) }
