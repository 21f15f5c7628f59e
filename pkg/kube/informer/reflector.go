package informer

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

const (
	// pageToDecode is the maximum number of objects in a page if a Decoder is set. The page then takes most of the memory,
	// because only values are kept.
	pageToDecode = 200
	// pauseTooLarge is the pause after an answer that exceeds the limits.
	pauseTooLarge = time.Minute
	// watchSilence is the maximum time without an event before a watch is restarted.
	//
	// A watch without events is no error: an API server sends no bookmarks for a kind without events since its start, and
	// HTTP/2 pings detect a dead connection within 45 s. The restart helps with proxies that answer pings but have lost
	// the watch. It costs one request per watch every 15 minutes.
	watchSilence = 15 * time.Minute
)

// reflector lists and watches one resource, and keeps its store up to date.
type reflector struct {
	store
	key     Key
	client  dynamic.ResourceInterface
	crds    dynamic.ResourceInterface
	cancel  context.CancelFunc
	backoff transport.Backoff
}

func newReflector(key Key, cancel context.CancelFunc) *reflector {
	s := key.Server
	return &reflector{store: newStore(), key: key, client: s.resource(key), crds: s.Dynamic.Resource(crdResource),
		cancel: cancel}
}

// options selects the objects of the reflector.
func (f *reflector) options() metav1.ListOptions {
	o := metav1.ListOptions{LabelSelector: f.key.Labels, FieldSelector: f.key.Fields}
	if !f.key.List {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", f.key.Name).String()
	}
	return o
}

// run lists and watches until ctx ends.
func (f *reflector) run(ctx context.Context) {
	ctx = transport.WithBackoff(ctx, &f.backoff)
	version := ""
	for ctx.Err() == nil {
		var err error
		if version == "" {
			version, err = f.list(ctx)
		}
		if err == nil {
			version, err = f.watch(ctx, version)
		}
		if err == nil {
			f.backoff.Reset()
			continue
		}
		err = transport.UnwrapNoRetry(err)
		pause := f.backoff.Next()
		if !isExpected(err) && !f.backoff.InGrace(err, pause, f.synced) {
			f.failed(ctx, err)
		}
		if transport.IsTooLarge(err) {
			pause = pauseTooLarge
		}
		if transport.IsKindMissing(err) && f.awaitKind(ctx) {
			pause, f.backoff.Pause = pauseAfterCRD, pauseAfterCRD
		}
		transport.Sleep(ctx, pause)
	}
}

// list fills the store, page by page, and returns the version to watch from.
func (f *reflector) list(ctx context.Context) (string, error) {
	o, items, version := f.options(), objects{}, ""
	err := transport.InPages(ctx, true, func(ctx context.Context, limit int64, from string) (string, int, error) {
		if f.key.Decoder != nil {
			limit = min(limit, pageToDecode)
		}
		if o = transport.Paged(o, limit, from); !f.key.List {
			o.Limit = 0
		}
		l, err := f.client.List(ctx, o)
		if from != "" && apierrors.IsResourceExpired(err) {
			return "", 0, errTooOld // the time between two pages was too long
		}
		if err != nil {
			return "", 0, err
		}
		for i := range l.Items {
			// A pointer into the list would keep all its objects in memory.
			u := &unstructured.Unstructured{Object: l.Items[i].Object}
			items[nameOf(u)] = f.keep(f.key, u)
		}
		version = l.GetResourceVersion()
		return l.GetContinue(), len(l.Items), nil
	})
	if err == nil {
		f.replace(items)
	}
	return version, err
}

// memoryError returns an error if the store uses more memory than the limits allow.
func (f *reflector) memoryError() error {
	f.mu.Lock()
	memory := f.memory
	f.mu.Unlock()
	s := f.key.Server
	return s.Retry.CheckMemory(memory, s.Host, "a watch of "+f.key.Resource.GroupResource().String())
}

// watch follows changes from version on and returns the version to continue from, or "" if a new list is needed. The
// caller pauses after an error; a regular end of the watch by the server is no error.
func (f *reflector) watch(ctx context.Context, version string) (string, error) {
	o := f.options()
	o.ResourceVersion, o.AllowWatchBookmarks = version, true
	w, err := f.client.Watch(ctx, o)
	if apierrors.IsMethodNotSupported(err) {
		// Some aggregated APIs, such as packages.operators.coreos.com, can only be listed: list again after a pause.
		return "", errNotWatchable
	}
	if err != nil {
		if transport.IsPermanent(err) {
			return "", err
		}
		return version, err
	}
	defer w.Stop()
	f.recovered()
	f.backoff.Since = time.Time{}
	received, begun := false, time.Now()
	silence := time.NewTimer(watchSilence)
	defer silence.Stop()
	for {
		var e watch.Event
		var open bool
		select {
		case e, open = <-w.ResultChan():
		case <-silence.C:
			// A watch without events and a lost one look the same, so a new watch replaces it.
			return version, nil
		}
		if !open {
			break
		}
		silence.Reset(watchSilence)
		if e.Type == watch.Error {
			// Usually 410: the version is too old. A new list resolves any error.
			return "", errTooOld
		}
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		received, version = true, u.GetResourceVersion()
		if e.Type != watch.Bookmark {
			f.update(e.Type, f.keep(f.key, u))
			if err := f.memoryError(); err != nil {
				return "", err
			}
		}
	}
	if !received && time.Since(begun) < transport.MaxBackoff && ctx.Err() == nil {
		// The server ended the watch at once: pause, to avoid a tight loop.
		return version, errEmptyWatch
	}
	return version, nil
}

var (
	errEmptyWatch   = errors.New("the watch ended without an event")
	errNotWatchable = errors.New("the resource cannot be watched")
	errTooOld       = errors.New("the version is too old")
)

// isExpected reports whether an error is part of normal operation and needs no report.
func isExpected(err error) bool {
	return errors.Is(err, errEmptyWatch) || errors.Is(err, errNotWatchable) || errors.Is(err, errTooOld)
}

func nameOf(u *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
}
