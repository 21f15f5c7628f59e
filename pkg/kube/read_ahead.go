package kube

import (
	"context"
	"reflect"
	"sync"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ReadAhead sends the Gets of these objects, which have their names, at once. It returns a Reader whose first Get of
// each waits for that answer, so that what is read before does not cost another round trip. All else is read from r.
func ReadAhead(ctx context.Context, r Reader, objects ...client.Object) Reader {
	ahead := &aheadReader{Reader: r, sent: map[aheadKey]sentGet{}}
	for _, obj := range objects {
		key, answer := client.ObjectKeyFromObject(obj), make(chan error, 1)
		ahead.sent[aheadKey{reflect.TypeOf(obj), key}] = sentGet{obj, answer}
		go func() { answer <- r.Get(ctx, key, obj) }()
	}
	return ahead
}

type aheadKey struct {
	kind reflect.Type
	key  client.ObjectKey
}

type sentGet struct {
	obj    client.Object
	answer <-chan error
}

type aheadReader struct {
	Reader
	mu   sync.Mutex
	sent map[aheadKey]sentGet
}

func (r *aheadReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	k := aheadKey{reflect.TypeOf(obj), key}
	r.mu.Lock()
	sent, ok := r.sent[k]
	delete(r.sent, k)
	r.mu.Unlock()
	if !ok {
		return r.Reader.Get(ctx, key, obj)
	}
	err := <-sent.answer
	reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(sent.obj).Elem())
	return err
}
