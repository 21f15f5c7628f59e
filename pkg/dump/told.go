package dump

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// shown are the fields that the summaries are made of. Nothing else of an object is held.
var shown = [][]string{
	{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}, {"metadata", "creationTimestamp"},
	{"status", "conditions"}, {"status", "phase"}, {"status", "progress"}, {"status", "printableStatus"},
	{"status", "ready"}, {"status", "nodeName"}, {"status", "interfaces"},
	{"spec", "template", "spec", "domain", "memory", "guest"}, {"spec", "template", "spec", "volumes"},
	{"lastTimestamp"}, {"firstTimestamp"}, {"eventTime"}, {"series", "lastObservedTime"},
	{"count"}, {"type"}, {"reason"}, {"message"}, {"involvedObject", "kind"}, {"involvedObject", "name"},
}

// remember keeps what the summaries show of objects. What is too much for them is a gap.
func (d *Dump) remember(base, kind string, items []unstructured.Unstructured) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, item := range items {
		kept := unstructured.Unstructured{Object: map[string]any{}}
		for _, path := range shown {
			if value, found, err := unstructured.NestedFieldNoCopy(item.Object, path...); found && err == nil {
				_ = unstructured.SetNestedField(kept.Object, value, path...) // what is on its way was made here
			}
		}
		if d.held[base] += kube.Memory(kept.Object); d.held[base] > toldBytes {
			full := &FullError{"what is held for the summaries", toldBytes}
			d.gaps = append(d.gaps, Gap{"some of " + base + kind + " in the summaries", full.Error()})
			return
		}
		d.told[base+kind] = append(d.told[base+kind], kept)
	}
}
