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

// workloads are the kinds of Kubernetes whose status says whether they are up. A Job is, once it has completed.
func workloads() []string {
	return []string{"Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "Pod"}
}

// mark notes which of the manifests tell by their status whether they are up: CRDs, workloads, and custom resources.
func (all List) mark() {
	reports := all.reporting()
	for i := range all {
		m := &all[i]
		m.conditions = reports[m.GroupVersionKind()]
		m.tells = m.rank == rankDefinition || m.rank == rankForeign || m.rank == rankCustom ||
			m.rank == rankWorkload && slices.Contains(workloads(), m.GetKind())
	}
}

// reporting are the kinds whose CRD is among the manifests and has status.conditions: their operator is to report.
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

// judgeUp says what an applied object still waits for, or what is wrong with it. Nil means nothing.
func (m Manifest) judgeUp(u *unstructured.Unstructured, now time.Time) *step.Finding {
	if !m.tells {
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
