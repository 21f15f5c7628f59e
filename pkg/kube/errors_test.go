package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/http2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

func TestIsTransient(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	cause := func(code int32, reason metav1.StatusReason, causeType metav1.CauseType) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: reason,
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: causeType}}}}}
	}
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"nil":               {nil, false},
		"cancelled":         {context.Canceled, false},
		"not found":         {apierrors.NewNotFound(pods, "a"), false},
		"forbidden":         {apierrors.NewForbidden(pods, "a", errors.New("no")), false},
		"unauthorized":      {apierrors.NewUnauthorized("no"), false},
		"invalid":           {apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "a", nil), false},
		"too many requests": {apierrors.NewTooManyRequests("slow down", 1), true},
		"a file's error":    {&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, false},
		"untrusted certificate": {&url.Error{Op: "Get", URL: "https://x",
			Err: &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}}, false},
		"connection closed":     {errors.New("http2: client connection force closed via ClientConn.Close"), true},
		"somebody's connection": {apierrors.NewBadRequest("http2: client connection lost"), false},
		"stream reset":          {http2.StreamError{StreamID: 1, Code: http2.ErrCodeInternal}, true},
		"unavailable":           {apierrors.NewServiceUnavailable("starting"), true},
		"webhook refuses":       {apierrors.NewInternalError(errors.New("failed calling webhook: connection refused")), true},
		"webhook cut off": {denied(`failed to get existing IPAddressPool objects: Get "https://10.0.0.1:443/apis/x": ` +
			"dial tcp 10.0.0.1:443: connect: connection refused"), true},
		"webhook denies":        {denied("address range overlaps with pool a, which dial tcp cannot change"), false},
		"wrapped":               {fmt.Errorf("MetalLB: %w", apierrors.NewInternalError(errors.New("x"))), true},
		"lost race":             {apierrors.NewConflict(pods, "a", errors.New("modified")), true},
		"field of someone else": {cause(409, metav1.StatusReasonConflict, metav1.CauseTypeFieldManagerConflict), false},
		"namespace terminating": {cause(403, metav1.StatusReasonForbidden, "NamespaceTerminating"), true},
		"kind missing":          {cause(404, metav1.StatusReasonNotFound, metav1.CauseTypeUnexpectedServerResponse), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsTransient(tc.err); got != tc.want {
				t.Errorf("IsTransient(%v) = %v, want %v", tc.err, got, tc.want)
			}
		})
	}
}

// Admission refuses with the code of a missing permission, and no role helps.
func TestDenialsAreNoMissingPermissions(t *testing.T) {
	forbidden := func(text string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden, Message: text}}
	}
	invalid := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 422, Reason: metav1.StatusReasonInvalid,
		Message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"}}
	for text, err := range map[string]error{
		`admission webhook "a.example" denied the request: no`:                     nil,
		`pods "a" is forbidden: exceeded quota: compute, requested: cpu=1`:         nil,
		`pods "a" is forbidden: status unknown for quota: compute, resources: cpu`: nil,
		`pods "a" is forbidden: violates PodSecurity "restricted:latest": root`:    nil,
		invalid.Error(): invalid,
	} {
		if err == nil {
			err = fmt.Errorf("create: %w", forbidden(text))
		}
		f := Unknown(err)
		if !IsDenied(err) || IsNotPermitted(err) || strings.HasPrefix(f.Message, NotAllowed) || f.Hint.String() != "" {
			t.Errorf("%v: %q, hint %q", err, f.Message, f.Hint.String())
		}
	}
	err := forbidden(`secrets is forbidden: User "bob" cannot list resource "secrets" in API group ""`)
	f := Unknown(err)
	if IsDenied(err) || !IsNotPermitted(err) || !strings.HasPrefix(f.Message,
		NotAllowed) || f.Hint.String() == "" || !f.Final {
		t.Errorf("%v: %q, hint %q", err, f.Message, f.Hint.String())
	}
	if IsDenied(errors.New("denied the request")) || IsDenied(nil) || IsNotPermitted(nil) {
		t.Error("another error is a denial")
	}
}

// A server that is away, or answers as no API server does, must be told apart from one that says "not found".
func TestAnswersThatAreNone(t *testing.T) {
	plain404 := httptest.NewServer(http.NotFoundHandler())
	defer plain404.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	get := func(url string) error {
		c, err := New(&rest.Config{Host: url})
		if err != nil {
			t.Fatal(err)
		}
		return c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "b"}, &corev1.Secret{})
	}
	if err := get(plain404.URL); !IsKindMissing(err) || !apierrors.IsNotFound(err) {
		t.Errorf("a path nobody serves: %v is not a missing kind", err)
	}
	if err := get(gone.URL); !IsTransient(err) || IsKindMissing(err) {
		t.Errorf("a server that is away: %v is not transient", err)
	}
}

func TestEveryKindIsMapped(t *testing.T) {
	mapper, scheme := newMapper(), NewScheme()
	for _, k := range append(unstructuredKinds(), typed...) {
		m, err := mapper.RESTMapping(k.GroupKind(), k.Version)
		if err != nil {
			t.Errorf("%s: %v", k.GroupVersionKind, err)
			continue
		}
		if m.Resource != k.Resource() {
			t.Errorf("%s maps to %s, want %s", k.GroupVersionKind, m.Resource, k.Resource())
		}
	}
	for _, k := range typed {
		if !scheme.Recognizes(k.GroupVersionKind) {
			t.Errorf("%s stands among the typed kinds but is not in the scheme", k.GroupVersionKind)
		}
	}
}

// A cause about the whole object stands beside another one only to say that rules were not looked at.
func TestCauses(t *testing.T) {
	whole := metav1.StatusCause{Field: "<nil>", Message: "some rules were not checked"}
	of := func(causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Details: &metav1.StatusDetails{Causes: causes}}}
	}
	if got := Causes(of(metav1.StatusCause{Field: "spec.arch", Message: "Unsupported value"}, whole)); got !=
		"spec.arch: Unsupported value" {
		t.Errorf("%q", got)
	}
	if got := Causes(of(whole)); got != "<nil>: some rules were not checked" {
		t.Errorf("%q", got)
	}
}

// denied is what the API server answers if a webhook denies with these words and no code of its own.
func denied(words string) error {
	return apierrors.NewForbidden(schema.GroupResource{}, "",
		errors.New(`admission webhook "w.example.com" denied the request: `+words))
}
