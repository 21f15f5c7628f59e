// Package schema has the fields of HostedClusters and NodePools for each release of HyperShift. They come from package
// contracts; a test writes them.
package schema

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
)

//go:embed fields.json.gz
var packed []byte

var fields = sync.OnceValue(func() crdschema.Fields { return crdschema.Unpack(packed) })

// hostedCluster is the kind whose releases are also those of NodePools.
const hostedCluster = "HostedCluster"

// Name returns the name of a minor version for a user: "4.20", "4.23 (5.0)".
func Name(minor int) string {
	names := openshift.MinorNames(minor)
	if len(names) > 1 {
		return names[0] + " (" + strings.Join(names[1:], ", ") + ")"
	}
	return names[0]
}

// Newest returns the newest minor version whose fields are known.
func Newest() int {
	_, newest := fields().Span(hostedCluster)
	return newest
}

// Clamp returns the minor version, or the nearest one whose fields are known.
func Clamp(minor int) int {
	first, newest := fields().Span(hostedCluster)
	return min(max(minor, first), newest)
}

// Of returns the schema of the spec of a HostedCluster or NodePool in that minor version of HyperShift.
func Of(kind string, minor int) *crdschema.Schema {
	return fields().Of(kind, minor, fmt.Sprintf("%s in HyperShift %s", kind, Name(minor)))
}

var index = lazyregexp.New(`\[\d+\]`)

// Has returns the first and the last minor version with a field, such as "spec.taints[0].key". ok is false if none has
// it.
func Has(kind, path string) (first, last int, ok bool) {
	want := index.Get().ReplaceAllString(path, ".[]")
	for _, row := range fields()[kind] {
		if strings.Join(row.Path, ".") != want {
			continue
		}
		for _, span := range row.In {
			if !ok || span[0] < first {
				first = span[0]
			}
			last, ok = max(last, span[1]), true
		}
	}
	return first, last, ok
}
