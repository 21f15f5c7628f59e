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

	"github.com/hcctl/hcctl/pkg/kube/internal/transport"
)

const (
	// pauseTooLarge is the pause after a server has sent more than it may.
	pauseTooLarge = time.Minute
	// watchSilence is how long a watch may tell nothing before it is begun anew. It is no sign of harm: an API server
	// tells of its version once a minute (bookmarks), but not of a kind of which nothing has happened since it started;
	// and a connection that is dead is found within 45 s by HTTP/2's pings. It is for what answers pings in between and
	// has forgotten the watch behind it. Each renewal is a request for each watch: six watches of a cluster that is waited
	// for come to less than one in two minutes.
	watchSilence = 15 * time.Minute
)

// reflector is one list-and-watch, which keeps its replica up to date.
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

// options selects what the feed is about.
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

// list fills the replica anew, page by page, and returns the version to watch from.
func (f *reflector) list(ctx context.Context) (string, error) {
	o, items, version := f.options(), objects{}, ""
	err := transport.InPages(ctx, true, func(ctx context.Context, most int64, from string) (string, int, error) {
		if o = transport.Paged(o, most, from); !f.key.List {
			o.Limit = 0
		}
		l, err := f.client.List(ctx, o)
		if from != "" && apierrors.IsResourceExpired(err) {
			return "", 0, errTooOld // it took too long between two pages
		}
		if err != nil {
			return "", 0, err
		}
		for i := range l.Items {
			// Not a pointer into the list, which would keep all of its objects for as long as one of them.
			u := &unstructured.Unstructured{Object: l.Items[i].Object}
			items[nameOf(u)] = f.reuse(f.stripManagedFields(u))
		}
		version = l.GetResourceVersion()
		return l.GetContinue(), len(l.Items), nil
	})
	if err == nil {
		f.replace(items)
	}
	return version, err
}

// memoryError is an error once the watch has brought more objects than may be held.
func (f *reflector) memoryError() error {
	f.mu.Lock()
	memory := f.memory
	f.mu.Unlock()
	s := f.key.Server
	return s.Retry.CheckMemory(memory, s.Host, "a watch of "+f.key.Resource.GroupResource().String())
}

// stripManagedFields leaves out what the readers of a bare feed do not want.
func (f *reflector) stripManagedFields(u *unstructured.Unstructured) *unstructured.Unstructured {
	if f.key.NoManagedFields {
		unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	}
	return u
}

// watch follows changes from version on. It returns the version to go on from, "" if that has to be a new list, and an
// error if a pause is due. A watch that the server ends in good order is no error.
func (f *reflector) watch(ctx context.Context, version string) (string, error) {
	o := f.options()
	o.ResourceVersion, o.AllowWatchBookmarks = version, true
	w, err := f.client.Watch(ctx, o)
	if apierrors.IsMethodNotSupported(err) {
		// Aggregated APIs such as packages.operators.coreos.com can only be listed: ask again after a pause.
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
	got, begun := false, time.Now()
	silence := time.NewTimer(watchSilence)
	defer silence.Stop()
	for {
		var e watch.Event
		var open bool
		select {
		case e, open = <-w.ResultChan():
		case <-silence.C:
			// Nobody can tell a quiet watch from one that something in between has forgotten; another one can.
			return version, nil
		}
		if !open {
			break
		}
		silence.Reset(watchSilence)
		if e.Type == watch.Error {
			// Mostly 410: the version is too old. A new list heals it, and any other error as well.
			return "", errTooOld
		}
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		got, version = true, u.GetResourceVersion()
		if e.Type != watch.Bookmark {
			f.update(e.Type, f.stripManagedFields(u))
			if err := f.memoryError(); err != nil {
				return "", err
			}
		}
	}
	if !got && time.Since(begun) < transport.MaxBackoff && ctx.Err() == nil {
		// A server that ends each watch at once must not be asked in a tight loop. One that lets it last ends it in good
		// order, and nothing is to be missed.
		return version, errEmptyWatch
	}
	return version, nil
}

var (
	errEmptyWatch   = errors.New("the watch ended without an event")
	errNotWatchable = errors.New("the resource cannot be watched")
	errTooOld       = errors.New("the version is too old")
)

// isExpected tells whether an error is business as usual: nobody is told.
func isExpected(err error) bool {
	return errors.Is(err, errEmptyWatch) || errors.Is(err, errNotWatchable) || errors.Is(err, errTooOld)
}

func nameOf(u *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
}
