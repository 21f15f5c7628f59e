// Package printer implements kubectl's printers for objects: jsonpath, custom-columns, and the order of
// --sort-by.
//
// custom-columns and --sort-by are in k8s.io/kubectl, which links half of Kubernetes. So hcctl implements them
// with client-go's JSONPath, which adds 0.1 MB. go-template is left out: a template looks up methods by name,
// which makes the program a quarter larger.
package printer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Formats that take a value after "=", with kubectl's names. Those with -file take the path of a file.
const (
	JSONPath      = "jsonpath"
	JSONPathJSON  = "jsonpath-as-json"
	JSONPathFile  = "jsonpath-file"
	CustomColumns = "custom-columns"
	CustomColFile = "custom-columns-file"
)

// Formats returns all formats, as a user types them.
func Formats() []string {
	return []string{JSONPath, JSONPathJSON, JSONPathFile, CustomColumns, CustomColFile}
}

// Printer prints objects. Either Print or Columns is set.
type Printer struct {
	// Print writes a document, an object or a list of objects, in the format.
	Print func(w io.Writer, document map[string]any) error
	// Columns are the columns of custom-columns.
	Columns *Columns
}

// New returns the printer of a --output such as jsonpath={.items}, and nil for other formats. read returns a
// file's content. Errors say what is wrong with the value.
func New(output string, read func(path string) ([]byte, error)) (*Printer, error) {
	format, value, _ := strings.Cut(output, "=")
	if !slices.Contains(Formats(), format) {
		return nil, nil
	}
	if value == "" {
		return nil, fmt.Errorf("it needs a value, such as -o %s=%s", format, examples[format])
	}
	kind := strings.TrimSuffix(format, "-file")
	if kind != format {
		data, err := read(value)
		if err != nil {
			return nil, err
		}
		value = string(data)
		if kind == CustomColumns {
			columns, err := columnsOfFile(value)
			return &Printer{Columns: columns}, err
		}
	}
	if kind == JSONPath || kind == JSONPathJSON {
		return jsonPathPrinter(value, kind == JSONPathJSON)
	}
	columns, err := columnsOf(value)
	return &Printer{Columns: columns}, err
}

// examples are values that make sense for a list.
var examples = map[string]string{
	JSONPath: "'{.items[*].metadata.name}'", JSONPathJSON: "'{.items[*].spec}'", JSONPathFile: "FILE",
	CustomColumns: "NAME:.metadata.name,RELEASE:.spec.release.image", CustomColFile: "FILE",
}

// parsePath parses a JSONPath. A missing field is empty, not an error.
func parsePath(text string) (*jsonpath.JSONPath, error) {
	path := jsonpath.New("").AllowMissingKeys(true)
	if err := path.Parse(text); err != nil {
		return nil, fmt.Errorf("the JSONPath %s: %w", text, err)
	}
	return path, nil
}

func jsonPathPrinter(text string, asJSON bool) (*Printer, error) {
	path, err := parsePath(text)
	if err != nil {
		return nil, err
	}
	if !asJSON {
		return &Printer{Print: func(w io.Writer, document map[string]any) error { return path.Execute(w, document) }}, nil
	}
	return &Printer{Print: func(w io.Writer, document map[string]any) error {
		results, err := path.FindResults(document)
		if err != nil {
			return err
		}
		enc := sanitize.NewJSONEncoder(w)
		enc.SetIndent("", "    ")
		for _, part := range results {
			found := make([]any, 0, len(part))
			for _, v := range part {
				found = append(found, v.Interface())
			}
			if err := enc.Encode(found); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// errNoColumns is the error of an empty custom-columns.
var errNoColumns = errors.New("there are no columns: write them as HEADING:.path.to.field, separated by commas")
