package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Decoded lists what may be thousands of objects page by page, each decoded into an item of the caller's own type, which may have just the fields that
// are wanted: what is not in it costs no memory. It always asks the API server, and again for
// a page that breaks off. It fails as Pages does, by then having called each for the pages before.
func Decoded[T any](ctx context.Context, c *Client, k Kind, each func(*T), opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	cfg := dynamic.ConfigFor(c.rest)
	gv := k.GroupVersion()
	cfg.GroupVersion, cfg.APIPath = &gv, "/apis"
	if k.Group == "" {
		cfg.APIPath = "/api"
	}
	cfg.ContentType, cfg.AcceptContentTypes = "application/json", "application/json"
	r, err := rest.RESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return err
	}
	labelled, selected := o.LabelSelector, o.FieldSelector
	if labelled == nil {
		labelled = labels.Everything()
	}
	if selected == nil {
		selected = fields.Everything()
	}
	want := metav1.ListOptions{LabelSelector: labelled.String(), FieldSelector: selected.String()}
	ctx = context.WithValue(ctx, asItComes{}, true)
	return inPages(ctx, false, func(ctx context.Context, most int64, from string) (string, int, error) {
		options := paged(want, most, from)
		items, next, err := decodedPage[T](ctx, func() (io.ReadCloser, error) {
			return r.Get().NamespaceIfScoped(o.Namespace, o.Namespace != "").Resource(k.Plural).
				VersionedParams(&options, metav1.ParameterCodec).Stream(ctx)
		})
		if err != nil {
			return "", 0, err
		}
		for _, item := range items {
			each(item)
		}
		return next, len(items), nil
	})
}

// decodedPage is one page and where the next begins. It asks again for a page that breaks off.
func decodedPage[T any](ctx context.Context, ask func() (io.ReadCloser, error)) (items []*T, next string, err error) {
	for pause, try := patientFirst, 1; ; try++ {
		body, err := ask()
		if err != nil {
			return nil, "", err
		}
		items = nil
		next, err = decodePage(body, func(item *T) { items = append(items, item) })
		_ = body.Close()
		if err == nil || !isCut(err) || try == failures {
			return items, next, err
		}
		sleep(ctx, pause)
		pause = min(2*pause, patientMost)
	}
}

// decodePage decodes the items of a list one by one as they come, so that a page of megabytes is never held as a whole. It returns where to go on.
func decodePage[T any](body io.Reader, each func(*T)) (next string, err error) {
	in := json.NewDecoder(body)
	if err := enter(in, '{'); err != nil {
		return "", err
	}
	for in.More() {
		field, err := in.Token()
		if err != nil {
			return "", err
		}
		switch field {
		case "metadata":
			var meta struct {
				Continue string `json:"continue"`
			}
			err = in.Decode(&meta)
			next = meta.Continue
		case "items":
			err = decodeItems(in, each)
		default:
			var other json.RawMessage
			err = in.Decode(&other)
		}
		if err != nil {
			return "", err
		}
	}
	// The end has to be there: a body that was cut off is not a list.
	_, err = in.Token()
	return next, cutOff(err)
}

// decodeItems decodes what is in a list of items, which is null where there is none.
func decodeItems[T any](in *json.Decoder, each func(*T)) error {
	first, err := in.Token()
	switch {
	case err != nil:
		return cutOff(err)
	case first == nil:
		return nil
	case first != json.Delim('['):
		return fmt.Errorf("items are no list: %v", first)
	}
	for in.More() {
		item := new(T)
		if err := in.Decode(item); err != nil {
			return cutOff(err)
		}
		each(item)
	}
	_, err = in.Token()
	return cutOff(err)
}

// enter takes the delimiter that begins a document.
func enter(in *json.Decoder, want json.Delim) error {
	switch first, err := in.Token(); {
	case err != nil:
		return cutOff(err)
	case first != want:
		return fmt.Errorf("it begins with %v", first)
	}
	return nil
}

// cutOff is the error of a document that ended too early, which the decoder calls an end like any other.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
