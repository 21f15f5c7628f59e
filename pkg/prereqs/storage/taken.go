package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// newVolume returns a LocalVolume that makes raw volumes of exactly these disks. A LocalVolumeSet would also take disks
// that are added later.
func newVolume(namespace string, held disk.Held) *unstructured.Unstructured {
	return prereq.NewObject(kube.LocalVolume, namespace, localClass, map[string]any{
		"nodeSelector": hosts(held.Hosts),
		"tolerations":  storageTolerations(),
		"storageClassDevices": []any{map[string]any{
			"storageClassName": localClass,
			"volumeMode":       "Block",
			"devicePaths":      anyList(held.Paths),
		}},
	})
}

// hosts returns a core/v1 NodeSelector for nodes by their hostname label.
func hosts(names []string) map[string]any {
	return map[string]any{"nodeSelectorTerms": []any{map[string]any{
		"matchExpressions": []any{map[string]any{"key": corev1.LabelHostname, "operator": "In", "values": anyList(names)}},
	}}}
}

func anyList(texts []string) []any {
	out := make([]any, 0, len(texts))
	for _, t := range texts {
		out = append(out, t)
	}
	return out
}

// taker is a product that takes the nodes' disks by a plan.
type taker struct {
	// title names the product. flags choose it on the command line.
	title string
	flags hint.Args
	// step is the step that makes the plan and applies it.
	step step.ID
	// minNodes is the number of nodes that must have a disk.
	minNodes int
	// sets means that it can use foreign volumes instead.
	sets bool
	held disk.Held
}

func foundationTaker(held disk.Held) taker {
	return taker{title: "OpenShift Data Foundation", step: LocalVolumes, minNodes: minStorageNodes, sets: true, held: held}
}

// made reports whether the object is the one that the taker makes. Its disks are in held, once known.
func (t taker) made(o *unstructured.Unstructured) bool {
	if t.step == LVMCluster {
		class, _ := growableClass(o)
		return o.GetKind() == kube.LVMCluster.Kind && class != nil
	}
	return o.GetKind() == kube.LocalVolume.Kind && o.GetName() == localClass && ofHcctl(o)
}

// taker returns the taker of a run with these settings.
func (s common) taker(ctx context.Context, r kube.Reader) (taker, error) {
	if choice, unknown := s.plan(ctx, r); unknown == nil && choice.source == sourceLVM {
		clusters, err := lvmClusters(ctx, r)
		if err != nil {
			return taker{}, fmt.Errorf("LVMClusters: %w", err)
		}
		return s.lvmTaker(ctx, r, clusters), nil
	}
	sources, err := diskSources(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return taker{}, err
	}
	held, err := heldBy(s.chosen(sources))
	return foundationTaker(held), err
}

// heldBy returns the disks of a LocalVolume that hcctl made, or none for any other source. It fails if the LocalVolume
// selects nodes in another way, because the disk behind a path is unknown then.
func heldBy(source *diskSource) (disk.Held, error) {
	held := disk.Held{Class: localClass}
	if source == nil || source.isSet() || !ofHcctl(source.object) {
		return held, nil
	}
	for _, class := range kube.Maps(source.object, "spec", "storageClassDevices") {
		paths, _, _ := unstructured.NestedStringSlice(class, "devicePaths")
		held.Paths = append(held.Paths, paths...)
	}
	var ok bool
	if held.Hosts, ok = selectedHosts(source.object.Object, "spec", "nodeSelector"); !ok {
		return held, fmt.Errorf("LocalVolume %s: its nodeSelector is not the one that hcctl wrote", kube.Name(source.object))
	}
	return held, nil
}

// selectedHosts returns the hostname labels in a NodeSelector that hosts made, or false if it has another form.
func selectedHosts(object map[string]any, path ...string) (names []string, ok bool) {
	terms, _, _ := unstructured.NestedMap(object, path...)
	for _, term := range listOfMaps(terms, "nodeSelectorTerms") {
		for _, e := range listOfMaps(term, "matchExpressions") {
			values, _, _ := unstructured.NestedStringSlice(e, "values")
			if prereq.Text(e, "key") != corev1.LabelHostname || prereq.Text(e, "operator") != "In" {
				return nil, false
			}
			names = append(names, values...)
		}
	}
	return names, true
}

func listOfMaps(m map[string]any, key string) []map[string]any {
	return kube.Maps(&unstructured.Unstructured{Object: m}, key)
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

// checkDiscovery checks disk discovery and the disks that it found.
func (s common) checkDiscovery(ctx context.Context, r kube.Reader, t taker) step.Finding {
	object := "LocalVolumeDiscovery " + discoveryName
	list := kube.LocalVolumeDiscovery.NewList()
	switch err := r.List(ctx, list); {
	case kube.IsKindMissing(err):
		return step.Missing("the nodes' disks are not looked for: the Local Storage Operator is not installed").
			On("%s", object)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	}
	for i := range list.Items {
		if list.Items[i].GetName() != discoveryName {
			continue
		}
		f, err := s.diskFacts(ctx, r, t)
		if err != nil {
			return kube.Unknown(err).On("%s", object)
		}
		return explained(ctx, r, s.judgeDisks(&list.Items[i], f, t), list.Items[i].GetNamespace(), discoveryMaker)
	}
	return step.Missing("the nodes' disks are not looked for").On("%s", object)
}

// discover starts disk discovery in the namespace of the Local Storage Operator. made is empty if it runs already.
func (s common) discover(ctx context.Context, c *kube.Client) (namespace string, made step.Change, err error) {
	if namespace, err = s.operator(olm.LocalStorage()).Home(ctx, c); err != nil {
		return "", "", err
	}
	err = c.Get(ctx, types.NamespacedName{Namespace: namespace, Name: discoveryName}, kube.LocalVolumeDiscovery.New())
	switch {
	case apierrors.IsNotFound(err):
		made, err = c.Apply(ctx, newDiscovery(namespace))
	case err != nil:
		err = fmt.Errorf("LocalVolumeDiscovery %s/%s: %w", namespace, discoveryName, err)
	}
	return namespace, made, err
}

// take makes volumes of exactly the disks of the plan. source is the LocalVolume of hcctl that grows, or nil.
func (s localVolumes) take(ctx context.Context, c *kube.Client, namespace string,
	source *diskSource) (step.Change, error) {
	held, err := heldBy(source)
	if err != nil {
		return "", err
	}
	f, err := s.agreed(ctx, c, foundationTaker(held))
	if err != nil || f == nil {
		return step.Unchanged, err
	}
	change, err := labelStorageNodes(ctx, c, f.plan.Nodes())
	if err != nil {
		return change, err
	}
	if source != nil {
		namespace = source.object.GetNamespace()
	}
	made, err := c.Apply(ctx, newVolume(namespace, plus(held, *f)))
	return step.Join(change, made), err
}

// agreed makes the plan, shows it, and fails unless the user agrees. It plans again afterwards, because disks may have
// changed while the question was open. It returns nil if the plan is not approved any more; the next check reports
// that.
func (s common) agreed(ctx context.Context, c *kube.Client, t taker) (*diskFacts, error) {
	f, err := s.diskFacts(ctx, c, t)
	if err != nil || s.disagreement(f.plan) != nil {
		return nil, err
	}
	if s.o.consent.Show == nil || c.IsPlanning() {
		return &f, nil
	}
	if err := s.o.consent.Show(ctx, f.plan, s.o.consent.decide(f.plan) == consent.Asks); err != nil {
		return nil, err
	}
	now, err := s.diskFacts(ctx, c, t)
	if err == nil && now.plan.Digest() != f.plan.Digest() {
		err = fmt.Errorf("the disks have changed since they were shown: %s; nothing was taken",
			strings.Join(f.plan.Changes(now.plan), ", "))
	}
	return &now, err
}

// spare adds the unused disks that the selection would take to the finding. It requests to take them only with Grow.
func (s common) spare(f diskFacts, t taker, found step.Finding) step.Finding {
	taken := f.plan.Taken()
	if len(taken) == 0 {
		return found
	}
	if !s.o.Grow {
		names := make([]string, 0, len(taken))
		for _, d := range taken {
			names = append(names, d.Place())
		}
		found.Message += fmt.Sprintf("; disks that are not used: %s (%s takes them, after you agree)", fewOf(names),
			hint.Run("bootstrap", t.flags...).Flag("grow-storage"))
		return found
	}
	detail := strings.Join(f.plan.Lines(false), "\n")
	if bad := s.disagreement(f.plan); bad != nil {
		return bad.On("%s", found.Object).WithDetail(detail)
	}
	return step.Missing("%s, are to be added; digest %s", f.plan.Summary(), f.plan.Digest()).On("%s", found.Object).
		WithDetail(detail)
}
