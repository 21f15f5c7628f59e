package dump

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// summaryFields lists the fields in the summaries. Other fields are not kept in memory.
var summaryFields = [][]string{
	{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}, {"metadata", "creationTimestamp"},
	{"status", "conditions"}, {"status", "phase"}, {"status", "progress"}, {"status", "printableStatus"},
	{"status", "ready"}, {"status", "nodeName"}, {"status", "interfaces"},
	{"spec", "template", "spec", "domain", "memory", "guest"}, {"spec", "template", "spec", "volumes"},
	{"lastTimestamp"}, {"firstTimestamp"}, {"eventTime"}, {"series", "lastObservedTime"}, {"series", "count"},
	{"count"}, {"type"}, {"reason"}, {"message"}, {"involvedObject", "kind"}, {"involvedObject", "name"},
}

// keepForSummary keeps the summary fields of objects. What exceeds the limit becomes a gap.
func (d *Dump) keepForSummary(base, kind string, items []unstructured.Unstructured) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, item := range items {
		kept := unstructured.Unstructured{Object: map[string]any{}}
		for _, path := range summaryFields {
			if value, found, err := unstructured.NestedFieldNoCopy(item.Object, path...); found && err == nil {
				_ = unstructured.SetNestedField(kept.Object, value, path...) // the maps on the path were created here
			}
		}
		if d.summarySize[base] += transport.Memory(kept.Object); d.summarySize[base] > summaryBytes {
			full := &FullError{"what is held for the summaries", summaryBytes}
			d.gaps = append(d.gaps, Gap{What: "some of " + base + kind + " in the summaries", Why: full.Error()})
			return
		}
		d.summaryObjects[base+kind] = append(d.summaryObjects[base+kind], kept)
	}
}
