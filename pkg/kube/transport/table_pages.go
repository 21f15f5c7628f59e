package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// TableAccept requests the API server's table, or objects if it has none.
const TableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

// TablePage is a page of the API server's table, or of objects if it did not answer with a table.
type TablePage[T any] struct {
	// IsTable is set if the page has Columns and Rows instead of Items.
	IsTable bool
	Columns []TableColumn
	Rows    []TableRow[T]
	Items   []*T
	next    string
}

// TableColumn is a column of the API server's table.
type TableColumn struct {
	Name string `json:"name"`
	// Priority is 0 for columns that are shown by default.
	Priority int32 `json:"priority"`
}

// TableRow is a row of the API server's table. Object is nil if none was requested.
type TableRow[T any] struct {
	Cells  []TableCell `json:"cells"`
	Object *T          `json:"object"`
}

// TableCell is a value as text: a string unchanged, null as "", any other value as JSON.
type TableCell string

// UnmarshalJSON implements json.Unmarshaler.
func (c *TableCell) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		*c = ""
	case data[0] != '"':
		*c = TableCell(data)
	case bytes.IndexByte(data, '\\') < 0:
		*c = TableCell(strings.ToValidUTF8(string(data[1:len(data)-1]), "\ufffd"))
	default:
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*c = TableCell(s)
	}
	return nil
}

// Next returns the token of the next page, "" on the last.
func (p *TablePage[T]) Next() string { return p.next }

// decodeTable decodes a table, a list of objects, or one object.
func decodeTable[T any](body io.Reader, single bool) (*TablePage[T], error) {
	if single {
		return decodeSingle[T](body)
	}
	page := &TablePage[T]{}
	var kind string
	next, err := decodeFields(body, map[string]func(*json.Decoder) error{
		"kind":              func(in *json.Decoder) error { return in.Decode(&kind) },
		"columnDefinitions": func(in *json.Decoder) error { return in.Decode(&page.Columns) },
		"rows": func(in *json.Decoder) error {
			return decodeItems(in, "rows", func(row *TableRow[T]) { page.Rows = append(page.Rows, *row) })
		},
		"items": func(in *json.Decoder) error {
			return decodeItems(in, "items", func(item *T) { page.Items = append(page.Items, item) })
		},
	})
	if err != nil {
		return nil, err
	}
	page.IsTable, page.next = kind == "Table", next
	return page, page.check()
}

// decodeSingle decodes the answer to a request for one object.
func decodeSingle[T any](body io.Reader) (*TablePage[T], error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var table struct {
		Kind    string          `json:"kind"`
		Columns []TableColumn   `json:"columnDefinitions"`
		Rows    json.RawMessage `json:"rows"`
	}
	if err := json.Unmarshal(data, &table); err != nil {
		return nil, err
	}
	page := &TablePage[T]{IsTable: table.Kind == "Table", Columns: table.Columns}
	if !page.IsTable {
		item := new(T)
		page.Items = []*T{item}
		return page, json.Unmarshal(data, item)
	}
	if len(table.Rows) > 0 {
		err = json.Unmarshal(table.Rows, &page.Rows)
	}
	if err == nil {
		err = page.check()
	}
	return page, err
}

// check returns an error for a table with rows but no columns.
func (p *TablePage[T]) check() error {
	if p.IsTable && len(p.Columns) == 0 && len(p.Rows) > 0 {
		return fmt.Errorf("a table of %d rows without columns", len(p.Rows))
	}
	return nil
}
