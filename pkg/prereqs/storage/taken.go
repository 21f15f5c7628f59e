package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// newVolume makes raw volumes of these very disks: a LocalVolume names each. A LocalVolumeSet would take a disk that
// comes later by itself.
func newVolume(namespace string, held disk.Held) *unstructured.Unstructured {
	return prereq.NewObject(kube.LocalVolume, namespace, localClass, map[string]any{
		"nodeSelector": hosts(held.Hosts),
		"tolerations":  storageTolerations(),
		"storageClassDevices": []any{map[string]any{
			"storageClassName": localClass,
			"volumeMode":       "Block",
			"devicePaths":      anys(held.Paths),
		}},
	})
}

// hosts is a core/v1 NodeSelector for nodes by their hostname label.
func hosts(names []string) map[string]any {
	return map[string]any{"nodeSelectorTerms": []any{map[string]any{
		"matchExpressions": []any{map[string]any{"key": corev1.LabelHostname, "operator": "In", "values": anys(names)}},
	}}}
}

func anys(texts []string) []any {
	out := make([]any, 0, len(texts))
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

// heldBy is what a LocalVolume that hcctl made takes; nothing of any other source. It fails on one that was made to
// select nodes otherwise: then nobody knows which disks a path takes.
func heldBy(source *diskSource) (disk.Held, error) {
	held := disk.Held{Class: localClass}
	if source == nil || source.isSet() || !ofHcctl(source.object) {
		return held, nil
	}
	for _, class := range kube.Maps(source.object, "spec", "storageClassDevices") {
		paths, _, _ := unstructured.NestedStringSlice(class, "devicePaths")
		held.Paths = append(held.Paths, paths...)
	}
	for _, term := range kube.Maps(source.object, "spec", "nodeSelector", "nodeSelectorTerms") {
		for _, e := range listOfMaps(term, "matchExpressions") {
			values, _, _ := unstructured.NestedStringSlice(e, "values")
			if prereq.Text(e, "key") != corev1.LabelHostname || prereq.Text(e, "operator") != "In" {
				return held, fmt.Errorf("LocalVolume %s: its nodeSelector is not the one that hcctl wrote",
					kube.Name(source.object))
			}
			held.Hosts = append(held.Hosts, values...)
		}
	}
	return held, nil
}

func listOfMaps(m map[string]any, key string) []map[string]any {
	list, _, _ := unstructured.NestedSlice(m, key)
	var out []map[string]any
	for _, item := range list {
		if one, ok := item.(map[string]any); ok {
			out = append(out, one)
		}
	}
	return out
}

// plus adds the disks of a plan.
func plus(held disk.Held, f diskFacts) disk.Held {
	for _, d := range f.plan.Taken() {
		if !slices.Contains(held.Paths, d.Path()) {
			held.Paths = append(held.Paths, d.Path())
		}
		if host := hostOf(f.nodes, d.Node); !slices.Contains(held.Hosts, host) {
			held.Hosts = append(held.Hosts, host)
		}
	}
	slices.Sort(held.Paths)
	slices.Sort(held.Hosts)
	return held
}

// take makes volumes of the disks of the plan, once the person who is asked has agreed: of these disks, and of no
// others. source is the LocalVolume of hcctl that grows; nil means that there is none.
func (s localVolumes) take(ctx context.Context, c *kube.Client, namespace string,
	source *diskSource) (step.Change, error) {
	held, err := heldBy(source)
	if err != nil {
		return "", err
	}
	f, err := s.diskFacts(ctx, c, held)
	if err != nil {
		return "", err
	}
	if s.disagreement(f.plan) != nil {
		return step.Unchanged, nil // the disks have changed since Check, which now says so
	}
	if f, err = s.agreed(ctx, c, f, held); err != nil {
		return "", err
	}
	change, err := labelStorageNodes(ctx, c, f.plan.Nodes())
	if err != nil {
		return change, err
	}
	if source != nil {
		namespace = source.object.GetNamespace()
	}
	made, err := c.Apply(ctx, newVolume(namespace, plus(held, f)))
	return step.Join(change, made), err
}

// agreed shows the plan, and fails unless the user agrees. What was shown is looked at again: disks may have changed
// while the question was open.
func (s localVolumes) agreed(ctx context.Context, c *kube.Client, f diskFacts, held disk.Held) (diskFacts, error) {
	if s.o.consent.Show == nil || c.IsPlanning() {
		return f, nil
	}
	if err := s.o.consent.Show(ctx, f.plan, s.o.consent.decide(f.plan) == consent.Asks); err != nil {
		return f, err
	}
	now, err := s.diskFacts(ctx, c, held)
	if err == nil && now.plan.Digest() != f.plan.Digest() {
		err = fmt.Errorf("the disks have changed since they were shown: %s; nothing was taken",
			strings.Join(f.plan.Changes(now.plan), ", "))
	}
	return now, err
}

// spare are the disks that the selection would take and that no volume is made of. They are told, and taken only if
// storage is to grow.
func (s localVolumes) spare(f diskFacts, found step.Finding) step.Finding {
	taken := f.plan.Taken()
	if len(taken) == 0 {
		return found
	}
	if !s.o.Grow {
		names := make([]string, 0, len(taken))
		for _, d := range taken {
			names = append(names, d.Place())
		}
		found.Message += fmt.Sprintf("; disks that are not used: %s (hcctl bootstrap --grow-storage takes them, after you "+
			"agree)", fewOf(names))
		return found
	}
	detail := strings.Join(f.plan.Lines(false), "\n")
	if bad := s.disagreement(f.plan); bad != nil {
		return bad.On("%s", found.Object).WithDetail(detail)
	}
	return step.Missing("%s, are to be added; digest %s", f.plan.Summary(), f.plan.Digest()).On("%s", found.Object).
		WithDetail(detail)
}
