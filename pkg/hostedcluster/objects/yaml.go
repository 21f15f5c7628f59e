package objects

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// YAML writes objects as a stream of documents, without status and fields that only a server sets.
func YAML(objects ...client.Object) ([]byte, error) {
	var b bytes.Buffer
	for _, obj := range objects {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kube.Name(obj), err)
		}
		delete(m, "status")
		if meta, ok := m["metadata"].(map[string]any); ok {
			delete(meta, "creationTimestamp")
		}
		if m["kind"] == "Namespace" {
			delete(m, "spec")
		}
		doc, err := sanitize.YAML(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kube.Name(obj), err)
		}
		b.WriteString("---\n")
		b.Write(doc)
	}
	return b.Bytes(), nil
}
