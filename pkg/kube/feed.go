package kube

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// The pauses after a failed list or watch grow from feedPauseFirst to feedPauseMost: short, since somebody is waiting, and
// long enough not to trouble an API server that has just come back.
const (
	feedPauseFirst = 100 * time.Millisecond
	feedPauseMost  = 2 * time.Second
	// feedPauseKind is the pause between a CRD's being established and its being served, which is a matter of milliseconds.
	feedPauseKind = 10 * time.Millisecond
	// kindWait is how long a feed waits for the CRD of its kind before it asks for the kind again.
	kindWait = 10 * time.Second
	// watchSilence is how long a watch may tell nothing before it is begun anew. An API server tells of its version about once a minute
	// (bookmarks). A connection that is dead is found before, by HTTP/2's pings: client-go's 30 s of silence and 15 s for the answer.
	watchSilence = 3 * time.Minute
)

// feed is one list-and-watch and the copy it keeps.
type feed struct {
	key    feedKey
	client dynamic.ResourceInterface
	crds   dynamic.ResourceInterface
	cancel context.CancelFunc

	mu      sync.Mutex
	items   map[types.NamespacedName]*unstructured.Unstructured
	err     error
	first   chan struct{}
	began   bool
	wanters map[*Watch]bool
}

func newFeed(key feedKey, cancel context.CancelFunc) *feed {
	c := key.server
	var r dynamic.ResourceInterface = c.dynamic.Resource(key.resource)
	if key.namespace != "" {
		r = c.dynamic.Resource(key.resource).Namespace(key.namespace)
	}
	crds := c.dynamic.Resource(CustomResourceDefinition.Resource())
	return &feed{key: key, client: r, crds: crds, cancel: cancel, first: make(chan struct{}), wanters: map[*Watch]bool{}}
}

// options selects what the feed is about.
func (f *feed) options() metav1.ListOptions {
	o := metav1.ListOptions{LabelSelector: f.key.labels, FieldSelector: f.key.fields}
	if !f.key.list {
		o.FieldSelector = fields.OneTermEqualSelector("metadata.name", f.key.name).String()
	}
	return o
}

// run lists and watches until ctx ends.
func (f *feed) run(ctx context.Context) {
	ctx = context.WithValue(ctx, selfReliant{}, true)
	pause := feedPauseFirst
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
			pause = feedPauseFirst
			continue
		}
		if IsKindMissing(err) && f.awaitKind(ctx) {
			pause = feedPauseKind
		}
		sleep(ctx, pause)
		pause = min(2*pause, feedPauseMost)
	}
}

// awaitKind waits until the resource's CRD is established, which is when the API server begins to serve it, and tells
// whether that has just happened. It returns at once if the CRD was established before (it is being registered, or does not
// serve the version) or may not be watched; and after kindWait: the kind may come from an aggregated API.
func (f *feed) awaitKind(ctx context.Context) bool {
	name := f.key.resource.Resource + "." + f.key.resource.Group
	selected := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
	l, err := f.crds.List(ctx, selected)
	if err != nil || slices.ContainsFunc(l.Items, established) {
		return false
	}
	selected.ResourceVersion = l.GetResourceVersion()
	w, err := f.crds.Watch(ctx, selected)
	if err != nil {
		return false
	}
	defer w.Stop()
	timer := time.NewTimer(kindWait)
	defer timer.Stop()
	for {
		select {
		case e, ok := <-w.ResultChan():
			crd, isObject := e.Object.(*unstructured.Unstructured)
			switch {
			case !ok || !isObject || e.Type == watch.Error:
				return false
			case established(*crd):
				return true
			}
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// established tells whether the API server serves what the CRD defines.
func established(crd unstructured.Unstructured) bool {
	return FindCondition(Conditions(&crd), "Established").True()
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// list fills the copy anew and returns the version to watch from.
func (f *feed) list(ctx context.Context) (string, error) {
	l, err := f.client.List(ctx, f.options())
	if err != nil {
		f.failed(ctx, err)
		return "", err
	}
	items := make(map[types.NamespacedName]*unstructured.Unstructured, len(l.Items))
	for i := range l.Items {
		items[nameOf(&l.Items[i])] = &l.Items[i]
	}
	f.mu.Lock()
	f.items, f.err = items, nil
	f.begun()
	f.mu.Unlock()
	f.tell()
	return l.GetResourceVersion(), nil
}

// watch follows changes from version on. It returns the version to go on from, "" if that has to be a new list, and an error
// if a pause is due. A watch that the server ends in good order is no error.
func (f *feed) watch(ctx context.Context, version string) (string, error) {
	o := f.options()
	o.ResourceVersion, o.AllowWatchBookmarks = version, true
	w, err := f.client.Watch(ctx, o)
	if apierrors.IsMethodNotSupported(err) {
		// Aggregated APIs such as packages.operators.coreos.com can only be listed: ask again after a pause.
		return "", errNotWatchable
	}
	if err != nil {
		f.failed(ctx, err)
		if isAway(err) || apierrors.IsTooManyRequests(err) {
			return version, err
		}
		return "", err
	}
	defer w.Stop()
	f.recovered()
	got := false
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
			return "", apierrors.FromObject(e.Object)
		}
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		got, version = true, u.GetResourceVersion()
		if e.Type != watch.Bookmark {
			f.store(e.Type, u)
		}
	}
	if !got && ctx.Err() == nil {
		// A server that ends each watch at once must not be asked in a tight loop.
		return version, errEmptyWatch
	}
	return version, nil
}

func (f *feed) store(change watch.EventType, u *unstructured.Unstructured) {
	f.mu.Lock()
	if change == watch.Deleted {
		delete(f.items, nameOf(u))
	} else {
		f.items[nameOf(u)] = u
	}
	f.mu.Unlock()
	f.tell()
}

// failed keeps the error for readers, who learn that nothing can be known now.
func (f *feed) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	f.mu.Lock()
	f.err = err
	f.begun()
	f.mu.Unlock()
	f.tell()
}

func (f *feed) recovered() {
	f.mu.Lock()
	had := f.err != nil
	f.err = nil
	f.mu.Unlock()
	if had {
		f.tell()
	}
}

// begun lets the first readers go on. The caller holds mu.
func (f *feed) begun() {
	if !f.began {
		f.began = true
		close(f.first)
	}
}

func (f *feed) read(ctx context.Context) ([]*unstructured.Unstructured, error) {
	select {
	case <-f.first:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	out := make([]*unstructured.Unstructured, 0, len(f.items))
	for _, u := range f.items {
		out = append(out, u)
	}
	sort.Slice(out, func(i, j int) bool { return Name(out[i]) < Name(out[j]) })
	return out, nil
}

func (f *feed) remember(w *Watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanters[w] = true
}

func (f *feed) forget(w *Watch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.wanters, w)
}

func (f *feed) unwanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.wanters) == 0
}

// tell wakes every step that reads from the feed.
func (f *feed) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.wanters {
		w.wake()
	}
}

var (
	errEmptyWatch   = errors.New("the watch ended without an event")
	errNotWatchable = errors.New("the resource cannot be watched")
)

func nameOf(u *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
}
