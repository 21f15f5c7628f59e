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

// speakerNodes are where MetalLB's speakers run, which announce addresses.
type speakerNodes struct {
	// metalLB is the one with the selector; nil where speakers run on every node.
	metalLB  *unstructured.Unstructured
	selector labels.Set
}

// speakersOf reads the selector; a MetalLB without its operator tells none.
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

// on are the nodes that have a speaker.
func (s speakerNodes) on(nodes []corev1.Node) []corev1.Node {
	selector := labels.SelectorFromSet(s.selector)
	return slices.DeleteFunc(slices.Clone(nodes),
		func(n corev1.Node) bool { return !selector.Matches(labels.Set(n.Labels)) })
}

// judge says that no node has a speaker; nil where one has.
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

// interfaces are the names of the nodes' interfaces, as far as NMState reports them.
type interfaces map[string][]string

// readInterfaces reads them; nodes that nobody reports of are not among them.
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

// missing says that none of the nodes has one of the interfaces. Where a node is not reported of, known is false.
func (i interfaces) missing(wanted []string, nodes []corev1.Node) (missing, known bool) {
	known = true
	for n := range nodes {
		have, told := i[nodes[n].Name]
		known = known && told
		if slices.ContainsFunc(wanted, func(name string) bool { return slices.Contains(have, name) }) {
			return false, true
		}
	}
	return known, known
}

// toldInterfaces names them for a user.
func toldInterfaces(names []string) string {
	return fmt.Sprintf("spec.interfaces (%s)", strings.Join(names, ", "))
}
