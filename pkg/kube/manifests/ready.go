package manifests

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// workloads returns the Kubernetes kinds whose status reports readiness. A Job is ready once it has completed.
func workloads() []string {
	return []string{"Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "Pod"}
}

// markReporting marks the manifests whose status reports readiness: CRDs, workloads, and custom resources.
func (all List) markReporting() {
	reports := all.reporting()
	for i := range all {
		m := &all[i]
		m.conditions = reports[m.GroupVersionKind()]
		m.reportsReady = m.rank == rankDefinition || m.rank == rankForeign || m.rank == rankCustom ||
			m.rank == rankWorkload && slices.Contains(workloads(), m.GetKind())
	}
}

// reporting returns the kinds whose CRD is in the list and has status.conditions, so that their operator reports
// conditions.
func (all List) reporting() map[schema.GroupVersionKind]bool {
	out := map[schema.GroupVersionKind]bool{}
	for _, m := range all {
		if m.rank != rankDefinition {
			continue
		}
		group, kind := kube.Text(m.Unstructured, "spec", "group"), kube.Text(m.Unstructured, "spec", "names", "kind")
		for _, version := range kube.Maps(m.Unstructured, "spec", "versions") {
			name, _ := version["name"].(string)
			_, status, _ := unstructured.NestedFieldNoCopy(version, "subresources", "status")
			_, has, _ := unstructured.NestedFieldNoCopy(version, "schema", "openAPIV3Schema", "properties", "status",
				"properties", "conditions")
			if status && has {
				out[schema.GroupVersionKind{Group: group, Version: name, Kind: kind}] = true
			}
		}
	}
	return out
}

// judgeReady returns the finding for an applied object that is not ready; nil if it is.
func (m Manifest) judgeReady(u *unstructured.Unstructured, now time.Time) *step.Finding {
	if !m.reportsReady {
		return nil
	}
	f := health.Judge(u, now).Finding
	if f.State == step.StateOK {
		if !m.conditions || len(kube.Conditions(u)) > 0 {
			return nil
		}
		f = step.Pending("its operator has not reported its status yet")
	}
	return &f
}
