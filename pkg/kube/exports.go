package kube

import (
	"context"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

// Cached and watched reads, see package informer.
type (
	// Informers keep watch-backed copies of what steps read while they wait.
	Informers = informer.Informers
	// Cache reads every object once. It is the step.Reads of a check, and of the preparations of a command.
	Cache = informer.Cache
	// Watch reads from informers, records what one step reads, and wakes it on changes. It is a step.Watch.
	Watch = informer.Watch
	// Changes returns the objects that have changed since the last call.
	Changes = informer.Changes
	// SharedReads lets the first checks of a run's steps share one read cache.
	SharedReads = informer.SharedReads
	// FieldFilter is a ListOption that keeps the objects with this value in a field.
	FieldFilter = informer.FieldFilter
)

// Options of a Client, and limits on what it accepts.
type (
	// Option configures a Client.
	Option = transport.Option
	// Limits are the maximum sizes of what an API server may send.
	Limits = transport.Limits
	// TooLargeError means that a server has sent more than Limits allow.
	TooLargeError = transport.TooLargeError
)

// What ListTable and GetTable return.
type (
	// TablePage is a page of the API server's table, or of objects where it made no table.
	TablePage[T any] = transport.TablePage[T]
	// TableColumn is a column of that table.
	TableColumn = transport.TableColumn
	// TableRow is a row of that table.
	TableRow[T any] = transport.TableRow[T]
)

// NewCache returns an empty Cache. Its reads end with the run's context.
func NewCache(run context.Context) *Cache { return informer.NewCache(run) }

// NewSharedReads returns SharedReads for a run. Its reads end with the run's context.
func NewSharedReads(run context.Context) *SharedReads { return informer.NewSharedReads(run) }

// OnAway calls away when an API server that has answered before does not answer for half a second, and back when it
// answers again. Neither may block.
func OnAway(away func(error), back func(time.Duration)) Option { return transport.OnAway(away, back) }

// GuestOf configures a Client for the API server of a hosted cluster: tight limits, and errors that name the cluster.
func GuestOf(namespace, name string) Option { return transport.GuestOf(namespace, name) }

// HTTPClient returns an HTTP client with the credentials of cfg, which it sends to its server only. It fails if cfg is
// invalid.
func HTTPClient(cfg *rest.Config) (*http.Client, error) { return transport.HTTPClient(cfg) }

// Memory estimates the size of a decoded JSON value in bytes.
func Memory(value any) int64 { return transport.Memory(value) }

// IsOutage reports whether an error only says that the API server is away. OnAway reports that.
func IsOutage(err error) bool { return transport.IsOutage(err) }

// IsCredentials reports whether the command for credentials has failed.
func IsCredentials(err error) bool { return transport.IsCredentials(err) }

// IsKindMissing reports whether the API server does not know the resource: its CRD is not registered (yet).
func IsKindMissing(err error) bool { return transport.IsKindMissing(err) }

// IsTooLarge reports whether a server has sent more than it may.
func IsTooLarge(err error) bool { return transport.IsTooLarge(err) }

// IsUntrusted reports whether the kubeconfig's CA has not signed the server's certificate.
func IsUntrusted(err error) bool { return transport.IsUntrusted(err) }
