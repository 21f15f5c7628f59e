package transport

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// CredentialsError means that the kubeconfig's credential plugin (users[].user.exec) failed. No request was sent.
type CredentialsError struct{ error }

// Unwrap returns client-go's error.
func (e *CredentialsError) Unwrap() error { return e.error }

// credentialsErrorPrefix is the prefix of the untyped errors of client-go's exec plugin (k8s.io/client-go v0.36,
// plugin/pkg/client/auth/exec).
const credentialsErrorPrefix = "getting credentials: "

// asCredentialsError converts an error of the exec plugin to a CredentialsError. It returns other errors unchanged.
func asCredentialsError(err error) error {
	if strings.HasPrefix(err.Error(), credentialsErrorPrefix) {
		return &CredentialsError{err}
	}
	return err
}

// IsCredentials reports whether the credential plugin failed.
func IsCredentials(err error) bool {
	var failed *CredentialsError
	return errors.As(err, &failed)
}

// CredentialsCommandError returns why the credential plugin failed, without client-go's general advice.
func CredentialsCommandError(err error) string {
	var failed *CredentialsError
	errors.As(err, &failed)
	how, _, _ := strings.Cut(strings.TrimPrefix(failed.Error(), credentialsErrorPrefix), "\n")
	return strings.TrimPrefix(how, "exec: ")
}

// CertificateEnded is the cause of a 401 with an expired client certificate. Its message is the expiry time.
const CertificateEnded metav1.CauseType = "ClientCertificateEnded"

// certificateExplainer adds the cause CertificateEnded to a 401 if the kubeconfig's client certificate has expired. The
// API server itself only answers "Unauthorized".
type certificateExplainer struct {
	next http.RoundTripper
	cfg  *rest.Config
}

func (e *certificateExplainer) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := e.next.RoundTrip(req)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	now, noDate := http.ParseTime(answer.Header.Get("Date"))
	if noDate != nil {
		now = time.Now()
	}
	until := certificateEnd(e.cfg)
	if until.IsZero() || now.Before(until) {
		return answer, nil
	}
	body, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonUnauthorized, Code: http.StatusUnauthorized,
		Message: "Unauthorized", Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: CertificateEnded,
			Message: until.UTC().Format(time.RFC3339)}}}})
	_ = answer.Body.Close() // it is not read
	if err != nil {
		return nil, err
	}
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("Content-Type", "application/json")
	answer.Header.Del("Content-Encoding")
	answer.Header.Del("Content-Length")
	return answer, nil
}

// WrappedRoundTripper returns the inner transport, for client-go.
func (e *certificateExplainer) WrappedRoundTripper() http.RoundTripper { return e.next }

// certificateEnd returns the expiry of the client certificate in cfg, zero if it has none.
func certificateEnd(cfg *rest.Config) time.Time {
	loaded := rest.CopyConfig(cfg)
	if loaded.ExecProvider != nil || rest.LoadTLSFiles(loaded) != nil {
		return time.Time{}
	}
	block, _ := pem.Decode(loaded.CertData)
	if block == nil {
		return time.Time{}
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return certificate.NotAfter
}
