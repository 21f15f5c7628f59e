package dump

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// list writes objects into a file as a List, without secrets and one at a time. Without objects it creates no file.
type list struct {
	dump  *Dump
	path  string
	out   *output
	count int
}

// add writes objects.
func (l *list) add(items []unstructured.Unstructured) error {
	for i := range items {
		if l.out == nil {
			out, err := l.dump.directory.create(l.path)
			if err != nil {
				return err
			}
			l.out = out
			if err := l.out.write([]byte("apiVersion: v1\nkind: List\nitems:\n")); err != nil {
				return err
			}
		}
		text, err := l.dump.item(&items[i])
		if err != nil { // one bad object does not prevent the others
			l.dump.gap(kube.Name(&items[i])+" in "+l.path, fmt.Errorf("it cannot be written: %w", err))
			continue
		}
		if err := l.out.write(text); err != nil {
			return err
		}
		l.count++
		items[i].Object = nil
	}
	return nil
}

// close closes the file.
func (l *list) close() error {
	if l.out == nil {
		return nil
	}
	return l.out.close()
}

// item returns an object as an element of a YAML list, without secrets.
func (d *Dump) item(u *unstructured.Unstructured) ([]byte, error) {
	if transport.Memory(u.Object) > largeObject {
		d.rendering.Lock()
		defer d.rendering.Unlock()
	}
	if u.GetKind() == "Node" {
		unstructured.RemoveNestedField(u.Object, "status", "images")
	}
	data, err := sanitize.YAML(d.redaction.Object(u))
	if err != nil {
		return nil, err
	}
	data = bytes.ReplaceAll(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"), []byte("\n  "))
	return append(append([]byte("- "), data...), '\n'), nil
}
