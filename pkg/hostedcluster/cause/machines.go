package cause

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Machine explains a worker VM that is not ready by its pod, its volumes, its live migration, or an Event of KubeVirt.
func (w *Walker) Machine(ctx context.Context, vm *kubevirtv1.VirtualMachine) []Symptom {
	var out []Symptom
	for _, name := range dataVolumes(vm) {
		out = append(out, w.dataVolume(ctx, name)...)
	}
	pods, _ := w.pods(ctx)
	for i := range pods {
		if RunsVM(&pods[i], vm.Name) && pods[i].Status.Phase != corev1.PodSucceeded {
			if s := w.Pod(ctx, &pods[i]); !s.OK() {
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		out = append(out, w.migration(ctx, vm.Name)...)
	}
	for _, kind := range []string{"VirtualMachineInstance", "VirtualMachine"} {
		if e, found := w.warning(ctx, kind, vm.Name); found && len(out) == 0 {
			out = append(out, w.eventSymptom(kind+" "+kube.Name(vm), e))
		}
	}
	slices.SortStableFunc(out, byTrouble)
	return limitBelow(out)
}

// migration explains a VM by its newest live migration, if that is unhealthy.
func (w *Walker) migration(ctx context.Context, vm string) []Symptom {
	all, err := w.discovered(ctx, "kubevirt.io", "virtualmachineinstancemigrations")
	if err != nil {
		return nil
	}
	var newest *unstructured.Unstructured
	for i := range all {
		if m := &all[i]; kube.Text(m, "spec", "vmiName") == vm &&
			(newest == nil || m.GetCreationTimestamp().After(newest.GetCreationTimestamp().Time)) {
			newest = m
		}
	}
	if newest == nil {
		return nil
	}
	if s := (Symptom{Verdict: health.Judge(newest, w.now())}); !s.OK() {
		return []Symptom{s}
	}
	return nil
}

// byTrouble sorts symptoms with trouble first: they explain more than those of starting objects.
func byTrouble(a, b Symptom) int {
	switch {
	case a.Trouble == b.Trouble:
		return 0
	case a.Trouble:
		return -1
	}
	return 1
}

// RunsVM reports whether a pod is the virt-launcher pod of a VM. KubeVirt sets the first label up to 1.5 and both in
// 1.8 (virt-controller, services/template.go, podLabels).
func RunsVM(pod *corev1.Pod, name string) bool {
	return pod.Labels[kubevirtv1.DeprecatedVirtualMachineNameLabel] == name ||
		pod.Labels[kubevirtv1.VirtualMachineInstanceIDLabel] == name
}

// dataVolumes returns the names of a VM's DataVolumes, without hotpluggable ones.
func dataVolumes(vm *kubevirtv1.VirtualMachine) []string {
	var names []string
	if vm.Spec.Template == nil {
		return nil
	}
	for _, v := range vm.Spec.Template.Spec.Volumes {
		if v.DataVolume != nil && !v.DataVolume.Hotpluggable {
			names = append(names, v.DataVolume.Name)
		}
	}
	return names
}

// dataVolume explains a DataVolume that is not complete by the pod that imports it, or by its volume claim.
func (w *Walker) dataVolume(ctx context.Context, name string) []Symptom {
	all, err := w.discovered(ctx, "cdi.kubevirt.io", "datavolumes")
	i := slices.IndexFunc(all, func(u unstructured.Unstructured) bool { return u.GetName() == name })
	if err != nil || i < 0 {
		return nil
	}
	s := Symptom{Verdict: health.Judge(&all[i], w.now())}
	if s.OK() {
		return nil
	}
	e, found := w.warning(ctx, "DataVolume", name)
	s = w.withEvent(s, e, found)
	pods, _ := w.pods(ctx)
	for i := range pods {
		if isImporter(&pods[i], name) {
			if p := w.Pod(ctx, &pods[i]); !p.OK() && p.Trouble {
				s.Below = append(s.Below, p)
			}
		}
	}
	s.Below = append(s.Below, w.claim(ctx, name)...)
	return []Symptom{s}
}

// importClaim is on a pod that imports an image. It has the name of the volume claim that the pod fills (CDI,
// pkg/controller/common, LabelImportPvc).
const importClaim = "cdi.kubevirt.io/storage.import.importPvcName"

// isImporter reports whether a pod fills the volume claim of a DataVolume.
func isImporter(pod *corev1.Pod, claim string) bool {
	return pod.Name == "importer-"+claim || pod.Labels[importClaim] == claim || pod.Annotations[importClaim] == claim
}

// Pool explains an unhealthy NodePool, "NAMESPACE/NAME", by its Machines of Cluster API.
func (w *Walker) Pool(ctx context.Context, pool string) []Symptom {
	all, err := w.discovered(ctx, "cluster.x-k8s.io", "machines")
	if err != nil {
		return nil
	}
	var out []Symptom
	for i := range all {
		m := &all[i]
		if m.GetAnnotations()[hostedcluster.NodePoolAnnotation] != pool {
			continue
		}
		s := Symptom{Verdict: health.Judge(m, w.now())}
		if s.Grade().Compare(step.StateFailing) < 0 {
			continue // the VM explains a Machine that is starting
		}
		e, found := w.warning(ctx, "Machine", m.GetName())
		out = append(out, w.withEvent(s, e, found))
	}
	return limitBelow(out)
}

// discovered reads the objects of a kind in the API server's preferred version.
func (w *Walker) discovered(ctx context.Context, group, resource string) ([]unstructured.Unstructured, error) {
	return once(w, resource, func() ([]unstructured.Unstructured, error) {
		kind, err := w.management.DiscoverResource(ctx, schema.GroupResource{Group: group, Resource: resource})
		if err != nil {
			return nil, err
		}
		return kube.ListAll(ctx, w.management, kind.NewList(),
			func(l *unstructured.UnstructuredList) []unstructured.Unstructured { return l.Items }, w.inNamespace())
	})
}
