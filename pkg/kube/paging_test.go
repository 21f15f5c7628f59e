package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// item is one object of a list, about as large as said.
func item(name string, size int) string {
	const form = `{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"annotations":{"a":%q}}}`
	return fmt.Sprintf(form, name, strings.Repeat("x", size))
}

// nodes serves a list of objects of a size, in pages as an API server does.
func nodes(count, size int, asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		*asked = append(*asked, q.Get("limit")+"@"+q.Get("continue"))
		from, _ := strconv.Atoi(q.Get("continue"))
		limit, _ := strconv.Atoi(q.Get("limit"))
		if limit == 0 {
			limit = count
		}
		to := min(from+limit, count)
		next := ""
		if to < count {
			next = strconv.Itoa(to)
		}
		w.Header().Set("Content-Type", "application/json")
		const begin = `{"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"1","continue":%q},"items":[`
		_, _ = fmt.Fprintf(w, begin, next)
		for i := from; i < to; i++ {
			if i > from {
				_, _ = io.WriteString(w, ",")
			}
			_, _ = io.WriteString(w, item(fmt.Sprintf("n%03d", i), size))
		}
		_, _ = io.WriteString(w, "]}")
	}
}

// A list that is too large for one page is asked for in smaller ones, and all of it comes, each object once.
func TestPagesGoByBytesToo(t *testing.T) {
	for name, list := range map[string]func(context.Context, *Client, *[]string) error{
		"Pages": func(ctx context.Context, c *Client, got *[]string) error {
			var l corev1.NodeList
			return c.ListPages(ctx, &l, func() { *got = append(*got, namesIn(&l)...) })
		},
		"List": func(ctx context.Context, c *Client, got *[]string) error {
			var l corev1.NodeList
			err := c.List(ctx, &l)
			*got = namesIn(&l)
			return err
		},
		"List, cached": func(ctx context.Context, c *Client, got *[]string) error {
			var l corev1.NodeList
			err := c.List(ctx, &l, FromCache{})
			*got = namesIn(&l)
			return err
		},
		"List, once": func(ctx context.Context, c *Client, got *[]string) error {
			var l corev1.NodeList
			err := c.Reader(informer.NewCache(ctx)).List(ctx, &l)
			*got = namesIn(&l)
			return err
		},
		"Each": func(ctx context.Context, c *Client, got *[]string) error {
			k := Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"), Plural: "nodes"}
			return c.EachPage(ctx, k, "", "", func(items []unstructured.Unstructured) error {
				for i := range items {
					*got = append(*got, items[i].GetName())
				}
				return nil
			})
		},
		"Decoded": func(ctx context.Context, c *Client, got *[]string) error {
			k := Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"), Plural: "nodes"}
			return ListDecoded(ctx, c, k, func(n *named) { *got = append(*got, n.Metadata.Name) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, got []string
			// 60 objects of 25 kB are 1.5 MB: three pages of 512 KiB.
			c := serve(t, true, nodes(60, 25_000, &asked), transport.GuestOf("clusters", "kv-00"), eighth())
			if err := list(t.Context(), c, &got); err != nil {
				t.Fatalf("%v, asked for %v", err, asked)
			}
			if len(got) != 60 || got[0] != "n000" || got[59] != "n059" {
				t.Errorf("got %d objects: %v", len(got), got)
			}
			if last := asked[len(asked)-1]; last != "7@56" {
				t.Errorf("asked for %v", asked)
			}
		})
	}
}

func namesIn(l *corev1.NodeList) []string {
	var out []string
	for i := range l.Items {
		out = append(out, l.Items[i].Name)
	}
	return out
}

// A list that never ends does, however its continue tokens are.
func TestEndlessPages(t *testing.T) {
	for name, tt := range map[string]struct {
		next func(n int) string
		item string
		want string
	}{
		"the same token": {func(int) string { return "on" }, item("a", 10), "the same continue token twice"},
		"tokens in a circle": {
			func(n int) string { return strconv.Itoa(n % 5) }, item("a", 10), "the same continue token twice",
		},
		"empty pages": {strconv.Itoa, "", "more than 50 empty pages"},
		"a long token": {
			func(int) string { return strings.Repeat("x", 20<<10) }, item("a", 10), "a continue token of more than 16 KiB",
		},
		"one object, and again": {strconv.Itoa, item("a", 10), "more than 2000 pages"},
		"many bytes":            {strconv.Itoa, item("a", 2<<20), "more than 64 MiB"},
		"much memory": {
			strconv.Itoa, `{"items":[{}` + strings.Repeat(",{}", 20_000) + `]}`, "what takes more than 96 MiB of memory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			c := serve(t, true, func(w http.ResponseWriter, _ *http.Request) {
				n++
				w.Header().Set("Content-Type", "application/json")
				const form = `{"apiVersion":"v1","kind":"NodeList","metadata":{"continue":%q},"items":[%s]}`
				_, _ = fmt.Fprintf(w, form, tt.next(n), tt.item)
			}, transport.GuestOf("clusters", "kv-00"))
			err := c.ListPages(t.Context(), &corev1.NodeList{}, func() {})
			const form = "the API server of hosted cluster clusters/kv-00 sent %s for a list of nodes; the rest was not read"
			if want := fmt.Sprintf(form, tt.want); err == nil || err.Error() != want {
				t.Errorf("got %v after %d pages, want %s", err, n, want)
			}
		})
	}
}
