package kube

import (
	"context"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// Reads that wait and reads that are shared; see their own documentation.
type (
	// Informers keep watch-backed copies of what steps read while they wait.
	Informers = informer.Informers
	// Watch is one step's interest in the objects it reads.
	Watch = informer.Watch
	// Changes tells which objects have changed since it was asked last.
	Changes = informer.Changes
	// SharedReads lets the first looks of a run's steps share what they read.
	SharedReads = informer.SharedReads
	// FieldFilter is a ListOption that keeps the objects with this text in a field.
	FieldFilter = informer.FieldFilter
)

// How a Client is made, and what it may be sent.
type (
	// Option changes a Client.
	Option = transport.Option
	// Limits are the most that an API server may send.
	Limits = transport.Limits
	// TooLargeError means that a server has sent more than Limits allow.
	TooLargeError = transport.TooLargeError
)

// ReadOnce returns a context under which every object and every list is asked for once. It is for looking at a cluster
// at one moment; it must not be waited under, nor written.
func ReadOnce(ctx context.Context) context.Context { return informer.ReadOnce(ctx) }

// NewSharedReads returns SharedReads for a run. Its reads end with the context of the run.
func NewSharedReads(run context.Context) *SharedReads { return informer.NewSharedReads(run) }

// OnAway has away called when the API server, which has answered before, has not answered for half a second, and back
// when it answers again. Neither may block.
func OnAway(away func(error), back func(time.Duration)) Option { return transport.OnAway(away, back) }

// GuestOf is for the API server of a hosted cluster: tight limits, and errors that name the cluster.
func GuestOf(namespace, name string) Option { return transport.GuestOf(namespace, name) }

// HTTPClient is an HTTP client with the credentials of cfg, which stay with its server. It fails if cfg cannot be used.
func HTTPClient(cfg *rest.Config) (*http.Client, error) { return transport.HTTPClient(cfg) }

// Memory estimates what a decoded JSON value takes, in bytes.
func Memory(value any) int64 { return transport.Memory(value) }

// IsOutage tells of an error that it says nothing but that the API server is away, of which OnAway tells.
func IsOutage(err error) bool { return transport.IsOutage(err) }

// IsCredentials tells whether a command for credentials has failed.
func IsCredentials(err error) bool { return transport.IsCredentials(err) }

// IsKindMissing tells whether the API server does not know the resource at all: its CRD is not registered (yet).
func IsKindMissing(err error) bool { return transport.IsKindMissing(err) }

// IsTooLarge tells whether a server has sent more than it may.
func IsTooLarge(err error) bool { return transport.IsTooLarge(err) }

// IsUntrusted tells whether the server showed a certificate that the kubeconfig's CA has not signed.
func IsUntrusted(err error) bool { return transport.IsUntrusted(err) }
