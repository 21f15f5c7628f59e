package client

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// New returns a Client for the kinds of the mapper; kinds of the scheme use their Go types. It sends no request.
func New(cfg *rest.Config, httpClient *http.Client, scheme *runtime.Scheme, mapper meta.RESTMapper) (Client, error) {
	m, err := metadata.NewForConfigAndClient(metadata.ConfigFor(cfg), httpClient)
	if err != nil {
		return nil, err
	}
	codecs := serializer.WithoutConversionCodecFactory{CodecFactory: serializer.NewCodecFactory(scheme)}
	return &restClient{cfg: cfg, http: httpClient, scheme: scheme, mapper: mapper, metadata: m, codecs: zeroing{codecs},
		clients: map[clientKey]rest.Interface{}}, nil
}

type restClient struct {
	cfg      *rest.Config
	http     *http.Client
	scheme   *runtime.Scheme
	mapper   meta.RESTMapper
	metadata metadata.Interface
	codecs   runtime.NegotiatedSerializer

	mu      sync.Mutex
	clients map[clientKey]rest.Interface
}

// clientKey identifies a REST client by group version and encoding.
type clientKey struct {
	version schema.GroupVersion
	typed   bool
}

func (c *restClient) RESTMapper() meta.RESTMapper { return c.mapper }

func (c *restClient) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	switch obj.(type) {
	case *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		if gvk.Kind == "" || gvk.Version == "" {
			return gvk, runtime.NewMissingKindErr("metadata without a kind")
		}
		return gvk, nil
	}
	kinds, _, err := c.scheme.ObjectKinds(obj)
	switch {
	case err != nil:
		return gvk, err
	case len(kinds) == 1:
		return kinds[0], nil
	case !slices.Contains(kinds, gvk):
		return gvk, fmt.Errorf("%T is none of, or more than one of %v", obj, kinds)
	}
	return gvk, nil
}

// mapping finds the resource of an object or of a list's items.
func (c *restClient) mapping(obj runtime.Object) (*meta.RESTMapping, error) {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return nil, err
	}
	if meta.IsListType(obj) {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	return c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
}

// speaksProtobuf reports whether the API server serves the group in protobuf. CRDs are served in JSON only.
func speaksProtobuf(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

// client returns the REST client of a key.
func (c *restClient) client(key clientKey) (rest.Interface, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, known := c.clients[key]; known {
		return r, nil
	}
	cfg := dynamic.ConfigFor(c.cfg)
	if key.typed {
		cfg = rest.CopyConfig(c.cfg)
		cfg.NegotiatedSerializer = c.codecs
		if cfg.ContentType == "" && speaksProtobuf(key.version.Group) {
			cfg.ContentType = runtime.ContentTypeProtobuf
		}
	}
	cfg.GroupVersion, cfg.APIPath = &key.version, "/apis"
	if key.version.Group == "" {
		cfg.APIPath = "/api"
	}
	r, err := rest.RESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, err
	}
	c.clients[key] = r
	return r, nil
}

// request starts a request for an object or a list, without the name. rest.Request rejects an empty name, so a call for
// one object cannot become one for all.
func (c *restClient) request(
	verb string, obj runtime.Object, namespace string, query runtime.Object) (*rest.Request, error) {
	mapping, err := c.mapping(obj)
	if err != nil {
		return nil, err
	}
	_, untyped := obj.(runtime.Unstructured)
	r, err := c.client(clientKey{mapping.GroupVersionKind.GroupVersion(), !untyped})
	if err != nil {
		return nil, err
	}
	return r.Verb(verb).NamespaceIfScoped(namespace, mapping.Scope.Name() == meta.RESTScopeNameNamespace).
		Resource(mapping.Resource.Resource).
		SpecificallyVersionedParams(query, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}), nil
}

// metadataOf returns the metadata client for the object's resource and the namespace.
func (c *restClient) metadataOf(obj runtime.Object, namespace string) (metadata.ResourceInterface, error) {
	mapping, err := c.mapping(obj)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.metadata.Resource(mapping.Resource).Namespace(namespace), nil
	}
	return c.metadata.Resource(mapping.Resource), nil
}

// keepKind restores the kind, because an answer may lack it. Call it with defer.
func keepKind(obj runtime.Object, kind schema.GroupVersionKind) {
	if !kind.Empty() {
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
}

func (c *restClient) Get(ctx context.Context, key ObjectKey, obj Object) error {
	defer keepKind(obj, obj.GetObjectKind().GroupVersionKind())
	if out, ok := obj.(*metav1.PartialObjectMetadata); ok {
		from, err := c.metadataOf(obj, key.Namespace)
		if err != nil {
			return err
		}
		return into(out)(from.Get(ctx, key.Name, metav1.GetOptions{}))
	}
	req, err := c.request(http.MethodGet, obj, key.Namespace, &metav1.GetOptions{})
	if err != nil {
		return err
	}
	return req.Name(key.Name).Do(ctx).Into(obj)
}

// into returns a function that copies an answer to out.
func into[T any](out *T) func(*T, error) error {
	return func(answer *T, err error) error {
		if err == nil {
			*out = *answer
		}
		return err
	}
}

func (c *restClient) List(ctx context.Context, list ObjectList, opts ...ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind()
	defer keepKind(list, kind)
	o := ListOptionsOf(opts)
	if out, ok := list.(*metav1.PartialObjectMetadataList); ok {
		from, err := c.metadataOf(list, o.Namespace)
		if err != nil {
			return err
		}
		err = into(out)(from.List(ctx, *o.query()))
		kind.Kind = strings.TrimSuffix(kind.Kind, "List")
		for i := range out.Items {
			out.Items[i].SetGroupVersionKind(kind)
		}
		return err
	}
	req, err := c.request(http.MethodGet, list, o.Namespace, o.query())
	if err != nil {
		return err
	}
	return req.Do(ctx).Into(list)
}

func (c *restClient) Create(ctx context.Context, obj Object, opts ...WriteOption) error {
	defer keepKind(obj, obj.GetObjectKind().GroupVersionKind())
	o := WriteOptionsOf(opts)
	req, err := c.request(http.MethodPost, obj, obj.GetNamespace(), o.query())
	if err != nil {
		return err
	}
	return req.Body(obj).Do(ctx).Into(obj)
}

func (c *restClient) CreateSubresource(ctx context.Context, of Object, subresource string, request Object,
	opts ...WriteOption) error {
	o := WriteOptionsOf(opts)
	req, err := c.request(http.MethodPost, of, of.GetNamespace(), o.query())
	if err != nil {
		return err
	}
	return req.Name(of.GetName()).SubResource(subresource).Body(request).Do(ctx).Into(request)
}

func (c *restClient) Apply(ctx context.Context, obj *unstructured.Unstructured, opts ...WriteOption) error {
	data, err := obj.MarshalJSON()
	if err != nil {
		return err
	}
	return c.Patch(ctx, obj, RawPatch(types.ApplyYAMLPatchType, data), opts...)
}

func (c *restClient) Patch(ctx context.Context, obj Object, patch Patch, opts ...WriteOption) error {
	defer keepKind(obj, obj.GetObjectKind().GroupVersionKind())
	data, err := patch.Data(obj)
	if err != nil {
		return err
	}
	o := WriteOptionsOf(opts)
	if out, ok := obj.(*metav1.PartialObjectMetadata); ok {
		from, err := c.metadataOf(obj, obj.GetNamespace())
		if err != nil {
			return err
		}
		return into(out)(from.Patch(ctx, obj.GetName(), patch.Type(), data, *o.query()))
	}
	req, err := c.request(http.MethodPatch, obj, obj.GetNamespace(), o.query())
	if err != nil {
		return err
	}
	if o.Subresource != "" {
		req.SubResource(o.Subresource)
	}
	return req.Name(obj.GetName()).SetHeader("Content-Type", string(patch.Type())).Body(data).Do(ctx).Into(obj)
}

func (c *restClient) Delete(ctx context.Context, obj Object, opts ...DeleteOption) error {
	o := DeleteOptionsOf(opts)
	if _, ok := obj.(*metav1.PartialObjectMetadata); ok {
		from, err := c.metadataOf(obj, obj.GetNamespace())
		if err != nil {
			return err
		}
		return from.Delete(ctx, obj.GetName(), *o)
	}
	req, err := c.request(http.MethodDelete, obj, obj.GetNamespace(), &metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	return req.Name(obj.GetName()).Body(o).Do(ctx).Error()
}

// zeroing clears an object before decoding into it, because JSON and protobuf decoders keep fields that an answer does
// not have.
type zeroing struct{ runtime.NegotiatedSerializer }

func (z zeroing) DecoderToVersion(d runtime.Decoder, v runtime.GroupVersioner) runtime.Decoder {
	return zeroingDecoder{z.NegotiatedSerializer.DecoderToVersion(d, v)}
}

type zeroingDecoder struct{ runtime.Decoder }

func (d zeroingDecoder) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (
	runtime.Object, *schema.GroupVersionKind, error) {
	if into != nil {
		reflect.ValueOf(into).Elem().SetZero()
	}
	return d.Decoder.Decode(data, defaults, into)
}
