package cmdutil

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// File is one file of a rendered directory.
type File struct {
	// Path is relative to the directory.
	Path string
	Data []byte
}

// Annotations that make Argo CD apply manifests in order, and before their CRDs exist.
const (
	syncWave    = "argocd.argoproj.io/sync-wave"
	syncOptions = "argocd.argoproj.io/sync-options"
	withoutCRD  = "SkipDryRunOnMissingResource=true"
)

// manifest is one planned write to render.
type manifest struct {
	step  *step.Step
	write plan.Write
	wave  int
}

// RenderFiles returns the files of a plan in the order to apply them. where names the cluster.
func RenderFiles(p *Planned, where string) ([]File, error) {
	var files []File
	var resources, patches, secrets []string
	for i, m := range manifestsOf(p) {
		obj := m.write.Sent
		if obj.GetKind() == "Secret" {
			secrets = append(secrets, kube.Name(obj))
			continue
		}
		name := fmt.Sprintf("%03d-%s-%s-%s.yaml", i+1, m.step.ID.Group(), strings.ToLower(obj.GetKind()),
			strings.ReplaceAll(obj.GetName(), ":", "-"))
		if m.write.Merge {
			name = "patches/" + name
			patches = append(patches, patchLine(obj, name))
		} else {
			resources = append(resources, name)
		}
		data, err := m.content(name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, data})
	}
	kustomization, err := sanitize.YAML(map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
		"sortOptions": map[string]any{"order": "fifo"}, "resources": resources,
	})
	if err != nil {
		return nil, err
	}
	files = append(files, File{"kustomization.yaml", kustomization})
	return append(files, File{"NOTES.md", []byte(renderNotes(p, where, patches, secrets))}), nil
}

// manifestsOf returns the plan's writes by wave. Steps without planned needs come first.
func manifestsOf(p *Planned) []manifest {
	var all []manifest
	for _, id := range p.Order {
		for _, w := range p.Writes[id] {
			all = append(all, manifest{p.step(id), w, p.Depth[id]})
		}
	}
	slices.SortStableFunc(all, func(a, b manifest) int { return a.wave - b.wave })
	return all
}

// content returns the file of one manifest. It leaves out hcctl's label, so that hcctl uninstall does not remove
// what GitOps applied.
func (m manifest) content(name string) ([]byte, error) {
	obj := m.write.Sent.DeepCopy()
	labels := obj.GetLabels()
	delete(labels, kube.ManagedByLabel)
	obj.SetLabels(labels)
	if len(labels) == 0 {
		unstructured.RemoveNestedField(obj.Object, "metadata", "labels")
	}
	unstructured.RemoveNestedField(obj.Object, "metadata", "resourceVersion")
	if obj.GetKind() == "Namespace" {
		unstructured.RemoveNestedField(obj.Object, "spec")
	}
	comment := string(Textf("# %s (%s)\n", m.step.Title, m.step.ID))
	if m.write.Merge {
		comment += "# Fields to set on an object that others own. Apply as a merge patch:\n#   " + patchLine(obj, name) + "\n"
	} else {
		annotations := obj.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[syncWave] = strconv.Itoa(m.wave)
		if m.write.Unvalidated != "" {
			annotations[syncOptions] = withoutCRD
		}
		obj.SetAnnotations(annotations)
	}
	data, err := sanitize.YAML(obj.Object)
	return append([]byte(comment), data...), err
}

// patchLine returns the command that applies a merge patch.
func patchLine(obj *unstructured.Unstructured, name string) string {
	kind := strings.ToLower(obj.GetKind())
	if group := obj.GroupVersionKind().Group; group != "" {
		kind += "." + group
	}
	line := "oc patch " + kind + " " + obj.GetName()
	if ns := obj.GetNamespace(); ns != "" {
		line += " -n " + ns
	}
	return line + " --type=merge --patch-file " + name
}

// renderNotes returns how to apply the directory, and what is not in it.
func renderNotes(p *Planned, where string, patches, secrets []string) string {
	var b strings.Builder
	b.WriteString(string(Textf("# What hcctl bootstrap would write to %s\n\n", where)))
	b.WriteString("The numbers are the order. A kind is registered by its operator: apply again, or let Argo CD retry, " +
		"until its CRD is there.\n\n    oc apply --server-side -k .    # again and again until it succeeds\n")
	if len(patches) > 0 {
		b.WriteString("\nThese set fields of objects that others own, and are not in kustomization.yaml:\n\n")
		for _, line := range patches {
			b.WriteString("    " + value(line) + "\n")
		}
	}
	if left := LeftOut(p, secrets); len(left) > 0 {
		b.WriteString("\n## Not rendered\n\nRender again into another directory, or run hcctl bootstrap, once what is " +
			"here is applied and has settled.\n\n")
		for _, line := range left {
			b.WriteString("- " + value(line) + "\n")
		}
	}
	return b.String()
}

// LeftOut lists what a run would do or wait for and no manifest contains.
func LeftOut(p *Planned, secrets []string) []string {
	var lines []string
	for _, f := range p.Forecasts {
		one, more := report.PlannedStep{Forecast: f}, false
		switch one.Action {
		case step.ActionOpen, step.ActionPerson, step.ActionStop, step.ActionUnseen, step.ActionLeave:
			more = true
		case step.ActionWrite:
			more = one.FindingAfter.State == step.StateMissing
		case step.ActionWait:
			more = one.Step.Apply != nil
		case step.ActionKeep:
		}
		if more {
			lines = append(lines, fmt.Sprintf("%s: %s", one.Step.ID, one.Line()))
		}
	}
	for _, name := range secrets {
		lines = append(lines, "Secret "+name+": secrets are not written to files")
	}
	return lines
}
