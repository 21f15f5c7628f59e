package prereqtest

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// Deleted returns a YAML document's object as being deleted and kept by a finalizer.
func Deleted(document string) string {
	var o map[string]any
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(document, "---\n", "")), &o); err != nil {
		panic(err)
	}
	meta, _ := o["metadata"].(map[string]any)
	meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	meta["finalizers"] = []any{"example.com/hold"}
	out, err := yaml.Marshal(o)
	if err != nil {
		panic(err)
	}
	return "\n---\n" + string(out)
}
