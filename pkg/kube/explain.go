package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// Explain returns an error as one sentence for a user.
func Explain(err error) string {
	if both := (*transport.DetourError)(nil); errors.As(err, &both) {
		return explain(err) + "; nor is it reached through the management cluster: " + explain(both.Detour)
	}
	return explain(err)
}

func explain(err error) string {
	var urlErr *url.Error
	var large *transport.TooLargeError
	var webhook *WebhookError
	kind := KindOf(err)
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
	case kind == Proxy:
		return proxyRefusal(err)
	case kind == OutOfDate:
		return outOfDate(err)
	case kind == CredentialsCommand:
		return "the command that the kubeconfig names for credentials has failed: " +
			redact.Message(transport.CredentialsCommandError(err))
	case kind == CertificateEnded:
		return "the API server does not accept the credentials: the kubeconfig's client certificate ended at " +
			causeMessage(err, transport.CertificateEnded)
	case kind == Unauthorized:
		return "the API server does not accept the credentials (they may have expired)"
	case kind == Untrusted:
		return fmt.Sprintf("the API server's certificate is not trusted: %v", rootCause(err))
	case kind == NotPermitted:
		return NotAllowed + strings.Replace(trim(err), NotAllowed, "", 1) // the wrapped error may have the prefix, too
	case kind == Webhook: // before 429, which an API server sends if its cache cannot convert the stored objects
		return unansweredWebhook(err)
	case apierrors.IsTooManyRequests(err):
		return "the API server asks to slow down"
	case errors.As(err, &urlErr) && transport.IsUnanswered(err):
		return fmt.Sprintf("the API server at %s does not answer: %s", transport.Host(urlErr.URL),
			noAnswerReason(rootCause(urlErr)))
	case transport.IsUnanswered(err):
		return "the API server does not answer: " + noAnswerReason(err)
	default:
		return trim(err)
	}
}

// outOfDate describes an expired or not yet valid server certificate. The cause may as well be a wrong local clock.
func outOfDate(err error) string {
	server, invalid := "the API server", x509.CertificateInvalidError{}
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		server = transport.Host(urlErr.URL)
	}
	if errors.As(err, &invalid); invalid.Cert == nil {
		return fmt.Sprintf("the certificate of %s cannot be accepted: %v; is this machine's clock right?", server,
			rootCause(err))
	}
	now := time.Now()
	words := "ended at " + invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
	if now.Before(invalid.Cert.NotBefore) {
		words = "begins at " + invalid.Cert.NotBefore.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("the certificate of %s %s, and this machine's clock says %s; is that right?", server, words,
		now.UTC().Format(time.RFC3339))
}

// proxyRefusal describes an error of a proxy, with its address.
func proxyRefusal(err error) string {
	to, urlErr, refused := "the API server", (*url.Error)(nil), (*transport.ProxyError)(nil)
	if errors.As(err, &urlErr) {
		to = "the API server at " + transport.Host(urlErr.URL)
	}
	if errors.As(err, &refused) {
		why := refused.Status
		if refused.Code == http.StatusProxyAuthRequired {
			why += "; it wants a user and a password in its URL"
		}
		return fmt.Sprintf("the proxy %s on the way to %s refuses it: %s", refused.Proxy, to, why)
	}
	at, op := "", (*net.OpError)(nil)
	for next := err; errors.As(next, &op); next = op.Err {
		if op.Addr != nil {
			at = " " + op.Addr.String()
		}
	}
	return fmt.Sprintf("the proxy%s on the way to %s is not reached: %s", at, to, noAnswerReason(rootCause(err)))
}

// unansweredWebhook describes a webhook that does not answer: its name, the Service that serves it, and the reason.
func unansweredWebhook(err error) string {
	if m := conversionCall.FindStringSubmatch(trim(err)); m != nil {
		server := "the conversion webhook of " + strings.TrimSuffix(m[2], "List") + " (" + m[1] + ")"
		if m[3] != "" {
			server += ", which Service " + m[4] + "/" + m[3] + " serves,"
		}
		return server + " does not answer, and without it no object of that kind can be read or written: " + m[5]
	}
	m := webhookCall.FindStringSubmatch(trim(err))
	if m == nil || m[2] == "" {
		return "a webhook does not answer yet: " + trim(err)
	}
	return fmt.Sprintf("webhook %s, which Service %s/%s serves, does not answer yet: %s", m[1], m[3], m[2], m[4])
}

// WebhookService returns the namespace and name of the Service of the webhook that could not be called; "" if the error
// names none.
func WebhookService(err error) (namespace, name string) {
	if m := webhookCall.FindStringSubmatch(err.Error()); m != nil {
		return m[3], m[2]
	}
	if m := conversionCall.FindStringSubmatch(err.Error()); m != nil {
		return m[4], m[3]
	}
	return "", ""
}

// causeMessage returns the message of the cause of this type in an error of the API server.
func causeMessage(err error, kind metav1.CauseType) string {
	parts := causes(err, func(c metav1.StatusCause) string {
		if c.Type != kind {
			return ""
		}
		return c.Message
	})
	return redact.Message(strings.Join(parts, ""))
}

// noAnswerReason describes why no answer came. It replaces Go's texts for timeouts.
func noAnswerReason(err error) string {
	switch text := trim(err); {
	case strings.Contains(text, "TLS handshake timeout"):
		return "it takes the connection and then says nothing"
	case errors.Is(err, context.DeadlineExceeded), strings.Contains(text, "Client.Timeout exceeded"):
		return "no answer in time"
	default:
		return text
	}
}

// isOutOfDate reports whether a certificate was rejected for its validity period. The cause may as well be a wrong
// local clock.
func isOutOfDate(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired
}
