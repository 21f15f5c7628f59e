package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// speakerNodes describes the nodes of MetalLB's speakers, which announce addresses.
type speakerNodes struct {
	// metalLB is the MetalLB with a node selector, or nil if speakers run on every node.
	metalLB  *unstructured.Unstructured
	selector labels.Set
}

// speakersOf reads the selector. A MetalLB without its operator has none.
func speakersOf(ctx context.Context, r kube.Reader) (speakerNodes, error) {
	list := kube.MetalLB.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return speakerNodes{}, err
	}
	for i := range list.Items {
		selector, _, _ := unstructured.NestedStringMap(list.Items[i].Object, "spec", "nodeSelector")
		if list.Items[i].GetName() == metallb.Name && len(selector) > 0 {
			return speakerNodes{&list.Items[i], selector}, nil
		}
	}
	return speakerNodes{}, nil
}

// on returns the nodes that have a speaker.
func (s speakerNodes) on(nodes []corev1.Node) []corev1.Node {
	selector := labels.SelectorFromSet(s.selector)
	return slices.DeleteFunc(slices.Clone(nodes),
		func(n corev1.Node) bool { return !selector.Matches(labels.Set(n.Labels)) })
}

// judge returns a finding if no node has a speaker, else nil.
func (s speakerNodes) judge(nodes []corev1.Node) *step.Finding {
	if s.metalLB == nil || len(s.on(nodes)) > 0 {
		return nil
	}
	var wanted []string
	for _, key := range slices.Sorted(maps.Keys(s.selector)) {
		wanted = append(wanted, sanitize.Word(key+"="+s.selector[key]))
	}
	f := step.Broken("no node has the labels of its spec.nodeSelector (%s), so no speaker runs and nothing announces "+
		"addresses", s.selector).On("MetalLB %s", kube.Name(s.metalLB)).
		WithHint("oc label node NODE %s; or let speakers run on every node: oc patch metallb %s -n %s --type=json -p "+
			`'[{"op":"remove","path":"/spec/nodeSelector"}]'`, strings.Join(wanted, " "), s.metalLB.GetName(),
			s.metalLB.GetNamespace())
	return &f
}

// interfaces maps nodes to the names of their interfaces, as far as NMState reports them.
type interfaces map[string][]string

// readInterfaces reads the interfaces. Nodes without a report are left out.
func readInterfaces(ctx context.Context, r kube.Reader) (interfaces, error) {
	list := kube.NodeNetworkState.NewList()
	if err := r.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	out := interfaces{}
	for i := range list.Items {
		if found := kube.Maps(&list.Items[i], "status", "currentState", "interfaces"); len(found) > 0 {
			name := list.Items[i].GetName()
			for _, m := range found {
				out[name] = append(out[name], prereq.Text(m, "name"))
			}
		}
	}
	return out, nil
}

// missing reports whether none of the nodes has one of the interfaces. known is false if that depends on a node without
// a report.
func (i interfaces) missing(wanted []string, nodes []corev1.Node) (missing, known bool) {
	known = true
	for n := range nodes {
		have, reported := i[nodes[n].Name]
		known = known && reported
		if slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(have, name) }) {
			return false, true
		}
	}
	return known, known
}

// describeInterfaces returns the field and the names, for messages.
func describeInterfaces(names []string) string {
	return fmt.Sprintf("spec.interfaces (%s)", strings.Join(names, ", "))
}
