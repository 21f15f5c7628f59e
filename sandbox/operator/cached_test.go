package operator

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// lagging is a cache of ConfigMaps that has what it is given, and no informer of any other kind.
type lagging struct{ client.Client }

func (l lagging) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if _, ok := o.(*corev1.ConfigMap); !ok {
		return &cache.ErrResourceNotCached{}
	}
	return l.Client.Get(ctx, key, o, opts...)
}

func (l lagging) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*corev1.ConfigMapList); !ok {
		return &cache.ErrResourceNotCached{}
	}
	return l.Client.List(ctx, list, opts...)
}

// fixture is a cached client with its API server and its cache, which takes over an object when catchUp is called.
type fixture struct {
	*cachedClient
	t *testing.T
	// asked are the reads that the API server has got.
	asked map[string]int
	live  client.Client
	stale client.Client
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	w := &fixture{t: t, asked: map[string]int{}, stale: fake.NewClientBuilder().WithScheme(scheme).Build()}
	server := fake.NewClientBuilder().WithScheme(scheme).Build()
	w.live = server
	counting := interceptor.NewClient(server, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object,
			opts ...client.GetOption) error {
			w.asked["get"]++
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			w.asked["list"]++
			return c.List(ctx, list, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			w.asked["create"]++
			return c.Create(ctx, o, opts...)
		},
	})
	w.cachedClient = newCachedClient(counting, lagging{w.stale})
	return w
}

// catchUp copies the server's state of a ConfigMap to the cache.
func (w *fixture) catchUp(name string) {
	w.t.Helper()
	ctx, key := w.t.Context(), client.ObjectKey{Namespace: "ns", Name: name}
	now := &corev1.ConfigMap{}
	err := w.live.Get(ctx, key, now)
	old := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	if delErr := w.stale.Delete(ctx, old); client.IgnoreNotFound(delErr) != nil {
		w.t.Fatal(delErr)
	}
	if apierrors.IsNotFound(err) {
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	// The fake client counts versions itself, so updates bring the copy to the server's version.
	version := now.ResourceVersion
	now.ResourceVersion = ""
	if err := w.stale.Create(ctx, now); err != nil {
		w.t.Fatal(err)
	}
	for now.ResourceVersion != version {
		if err := w.stale.Update(ctx, now); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *fixture) read(name string) (value string, found bool) {
	w.t.Helper()
	o := &corev1.ConfigMap{}
	err := w.Get(w.t.Context(), client.ObjectKey{Namespace: "ns", Name: name}, o)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return o.Data["v"], err == nil
}

func (w *fixture) names() []string {
	w.t.Helper()
	list := &corev1.ConfigMapList{}
	if err := w.List(w.t.Context(), list, client.InNamespace("ns")); err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}

// expect fails unless the API server got this many reads since the last call.
func (w *fixture) expect(verb string, want int, when string) {
	w.t.Helper()
	if got := w.asked[verb]; got != want {
		w.t.Errorf("%s: the API server got %d requests to %s, want %d", when, got, verb, want)
	}
	w.asked = map[string]int{}
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Data: map[string]string{"v": value},
	}
}

func TestACachedClientReadsItsOwnWrites(t *testing.T) {
	w := newFixture(t)
	ctx := t.Context()
	o := configMap("a", "1")
	if err := w.Create(ctx, o); err != nil {
		t.Fatal(err)
	}
	if v, _ := w.read("a"); v != "1" {
		t.Errorf("after Create the client reads %q, want 1", v)
	}
	w.expect("get", 1, "before the cache has a new object")
	if names := w.names(); len(names) != 1 {
		t.Errorf("after Create the list has %v, want a", names)
	}
	w.expect("list", 1, "before the cache has a new object")

	w.catchUp("a")
	if v, _ := w.read("a"); v != "1" || len(w.names()) != 1 {
		t.Errorf("the cache has a, and the client reads %q and lists %v", v, w.names())
	}
	w.expect("get", 0, "when the cache has the object")

	before := o.DeepCopy()
	o.Data["v"] = "2"
	if err := w.Patch(ctx, o, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	if v, _ := w.read("a"); v != "2" {
		t.Errorf("after Patch the client reads %q, want 2", v)
	}
	w.expect("get", 1, "before the cache has the patch")
	w.catchUp("a")
	if v, _ := w.read("a"); v != "2" {
		t.Errorf("the cache has the patch, and the client reads %q", v)
	}
	w.expect("get", 0, "when the cache has the patch")

	if err := w.Delete(ctx, o); err != nil {
		t.Fatal(err)
	}
	if _, found := w.read("a"); found || len(w.names()) != 0 {
		t.Error("after Delete the client still reads the object")
	}
	w.catchUp("a")
	w.asked = map[string]int{}
	if _, found := w.read("a"); found {
		t.Error("the client reads a deleted object")
	}
	w.expect("get", 0, "when the cache knows of the deletion")
}

// Somebody else can delete an object before the cache has ever shown its last write.
func TestACachedClientForgetsAWriteOfADeletedObject(t *testing.T) {
	w := newFixture(t)
	o := configMap("a", "1")
	if err := w.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := w.live.Delete(t.Context(), configMap("a", "")); err != nil {
		t.Fatal(err)
	}
	if names := w.names(); len(names) != 0 {
		t.Errorf("the list has %v, want nothing", names)
	}
	w.asked = map[string]int{}
	if names := w.names(); len(names) != 0 {
		t.Errorf("the list has %v, want nothing", names)
	}
	w.expect("list", 0, "once the deletion is known")
}

func TestACachedClientDoesNotCreateWhatTheCacheHas(t *testing.T) {
	w := newFixture(t)
	if err := w.live.Create(t.Context(), configMap("a", "1")); err != nil {
		t.Fatal(err)
	}
	w.catchUp("a")
	if err := w.Create(t.Context(), configMap("a", "2")); !apierrors.IsAlreadyExists(err) {
		t.Errorf("Create of an existing object answers %v, want AlreadyExists", err)
	}
	w.expect("create", 0, "when the cache has the object")
}

func TestACachedClientReadsOtherKindsFromTheAPIServer(t *testing.T) {
	w := newFixture(t)
	if err := w.live.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Get(t.Context(), client.ObjectKey{Name: "ns"}, &corev1.Namespace{}); err != nil {
		t.Errorf("Get of a kind without an informer answers %v", err)
	}
	list := &corev1.NamespaceList{}
	if err := w.List(t.Context(), list); err != nil || len(list.Items) != 1 {
		t.Errorf("List of a kind without an informer answers %v and has %d items", err, len(list.Items))
	}
}
