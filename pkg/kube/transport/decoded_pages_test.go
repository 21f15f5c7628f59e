package transport

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestDecodePage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want, next, err string }{
		"as typed lists are written":   {`{"kind":"L","apiVersion":"v1","metadata":{"continue":"on"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{}}]}`, "a b", "on", ""},
		"as untyped lists are written": {`{"apiVersion":"v1","items":[{"metadata":{"name":"a"}}],"kind":"L","metadata":{"continue":"on","resourceVersion":"1"}}`, "a", "on", ""},
		"the last page":                {`{"items":[],"metadata":{}}` + "\n", "", "", ""},
		"no items":                     {`{"items":null,"metadata":{"continue":""}}`, "", "", ""},
		"cut off in an item":           {`{"items":[{"metadata":{"name":"a"}},{"meta`, "a", "", "unexpected EOF"},
		"cut off between items":        {`{"items":[{"metadata":{"name":"a"}},`, "a", "", "unexpected EOF"},
		"cut off after the items":      {`{"items":[{"metadata":{"name":"a"}}]`, "a", "", "unexpected EOF"},
		"nothing":                      {``, "", "", "unexpected EOF"},
		"something else":               {`["a"]`, "", "", "it begins with ["},
		"items that are none":          {`{"items":{"a":1}}`, "", "", "items are not a list: {"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			next, err := decodePage(strings.NewReader(tt.body), func(n *metadataOnly) { got = append(got, n.Metadata.Name) })
			if strings.Join(got, " ") != tt.want || next != tt.next && err == nil || fmt.Sprint(err) != orNil(tt.err) {
				t.Errorf("got %q, next %q, error %v", got, next, err)
			}
		})
	}
}

func orNil(text string) string {
	if text == "" {
		return "<nil>"
	}
	return text
}

// counting tells how much was read.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// A page is decoded as it comes: of five megabytes a few kilobytes are held at a time.
func TestDecodePageHoldsNoPage(t *testing.T) {
	t.Parallel()
	const items, size = 500, 10_000
	item := fmt.Sprintf(`{"metadata":{"name":"a"},"spec":%q}`, strings.Repeat("x", size))
	body := &counting{Reader: strings.NewReader(`{"items":[` + strings.Repeat(item+",", items-1) + item + `]}`)}
	seen := 0
	if _, err := decodePage(body, func(*metadataOnly) {
		seen++
		if held := body.n - seen*len(item); held > 8*size {
			t.Fatalf("%d bytes are held at item %d", held, seen)
		}
	}); err != nil || seen != items {
		t.Fatalf("%d items, %v", seen, err)
	}
}

type metadataOnly struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
}
