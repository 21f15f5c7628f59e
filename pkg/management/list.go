package management

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// List is the result of reading a list, or the error.
type List[T any] struct {
	Items []T
	Err   error
}

// Pages reads a list page by page.
func Pages[L client.ObjectList, T any](ctx context.Context, r kube.Reader, list L, items func(L) []T,
	opts ...client.ListOption) List[T] {
	var a List[T]
	a.Err = r.ListPages(ctx, list, func() { a.Items = append(a.Items, items(list)...) }, opts...)
	return a
}

// Decoded reads the fields of T from each object, page by page.
func Decoded[T any](ctx context.Context, c *kube.Client, kind kube.Kind, opts ...client.ListOption) List[T] {
	var a List[T]
	a.Err = kube.ListDecoded(ctx, c, kind, func(o *T) { a.Items = append(a.Items, *o) }, opts...)
	return a
}
