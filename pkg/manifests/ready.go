package manifests

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// workloads are the kinds of Kubernetes whose status says whether they are up.
func workloads() []string { return []string{"Deployment", "DaemonSet", "StatefulSet"} }

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

// judgeUp says what an applied object still waits for: a CRD to be established, a workload to be available, a custom
// resource to be as its conditions say. Nil means nothing.
func (m Manifest) judgeUp(u *unstructured.Unstructured) *step.Finding {
	switch u.GetKind() {
	case kube.CustomResourceDefinition.Kind:
		return judgeDefinition(u)
	case "Deployment":
		available := kube.FindCondition(kube.Conditions(u), "Available")
		switch {
		case !kube.Observed(u):
			return found(step.Pending("its controller has not processed it yet"))
		case !available.True():
			return found(step.Pending("%s", available.Describe()).WithHint("oc get pods,events -n %s", u.GetNamespace()))
		}
		return nil
	case "DaemonSet":
		return judgePods(u, kube.Number(u, "status", "desiredNumberScheduled"), kube.Number(u, "status", "numberReady"))
	case "StatefulSet":
		replicas, given, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		if !given {
			replicas = 1
		}
		return judgePods(u, replicas, kube.Number(u, "status", "readyReplicas"))
	}
	if !m.tells {
		return nil
	}
	return judgeCustom(u, m.conditions)
}

func judgeDefinition(u *unstructured.Unstructured) *step.Finding {
	conditions := kube.Conditions(u)
	names := kube.FindCondition(conditions, "NamesAccepted")
	established := kube.FindCondition(conditions, "Established")
	switch {
	case established.True():
		return nil
	case names.False():
		return found(step.Broken("%s", names.Describe()).
			WithHint("another CRD has one of its names: remove that or this one"))
	}
	return found(step.Pending("%s", established.Describe()))
}

func judgePods(u *unstructured.Unstructured, desired, ready int64) *step.Finding {
	if kube.Observed(u) && ready >= desired {
		return nil
	}
	return found(step.Pending("%d of %d pods are ready", ready, desired).
		WithHint("oc get pods,events -n %s", u.GetNamespace()))
}

// judgeCustom goes by the conditions that operators have in common, as kstatus does (sigs.k8s.io/cli-utils v0.37):
// Stalled and Degraded mean trouble, Reconciling and Progressing that it works on it, and Ready or Available has to be
// True where it is there. reports is set where an operator is to write conditions.
func judgeCustom(u *unstructured.Unstructured, reports bool) *step.Finding {
	conditions := kube.Conditions(u)
	switch {
	case !kube.Observed(u):
		return found(step.Pending("its operator has not processed its latest change yet"))
	case reports && len(conditions) == 0:
		return found(step.Pending("its operator has not reported its status yet"))
	}
	for _, bad := range []string{"Stalled", "Degraded"} {
		if c := kube.FindCondition(conditions, bad); c.True() {
			return found(step.Pending("%s", c.Describe()).WithTrouble())
		}
	}
	for _, works := range []string{"Reconciling", "Progressing"} {
		if c := kube.FindCondition(conditions, works); c.True() {
			return found(step.Pending("%s", c.Describe()))
		}
	}
	for _, good := range []string{"Ready", "Available"} {
		if c := kube.FindCondition(conditions, good); c.Status != "" && !c.True() {
			return found(step.Pending("%s", c.Describe()))
		}
	}
	return nil
}

func found(f step.Finding) *step.Finding { return &f }
