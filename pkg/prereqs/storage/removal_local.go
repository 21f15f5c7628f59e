package storage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/step"
)

// localRemoval removes what the Local Storage Operator was told, in the reverse order: the LocalVolumeSet (its operator
// waits until no volume of it is claimed), the LocalVolumeDiscovery, and the label of the storage nodes where hcctl set
// it. The links under /mnt/local-storage of the nodes stay, as after a removal by hand.
type localRemoval struct{ c *kube.Client }

func (s localRemoval) set() removal.Object {
	return removal.Object{Client: s.c, Kind: kube.LocalVolumeSet, Name: localClass, Loss: allData}
}

func (s localRemoval) discovery() removal.Object {
	return removal.Object{Client: s.c, Kind: kube.LocalVolumeDiscovery, Name: discoveryName}
}

func (s localRemoval) check(ctx context.Context) step.Finding {
	for _, r := range []removal.Object{s.set(), s.discovery()} {
		own, _, err := r.Find(ctx)
		if err != nil {
			return kube.Unread(err).On("%ss", r.Kind.Kind)
		}
		if own != nil {
			return r.Check(ctx)
		}
	}
	nodes, err := s.labelled(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("Nodes")
	case len(nodes) > 0:
		return step.Missing("hcctl set its label %s", storageLabel).On("Node %s", nodes[0].Name)
	}
	return s.set().Check(ctx)
}

func (s localRemoval) apply(ctx context.Context) (step.Change, error) {
	for _, r := range []removal.Object{s.set(), s.discovery()} {
		own, _, err := r.Find(ctx)
		if err != nil {
			return "", err
		}
		if own != nil {
			return r.Apply(ctx)
		}
	}
	nodes, err := s.labelled(ctx)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for i := range nodes {
		done, err := prereq.MergePatch(ctx, s.c, &nodes[i], fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, storageLabel))
		if err != nil {
			return change, err
		}
		change = step.Join(change, done)
	}
	return change, nil
}

// labelled are the nodes whose storage label hcctl set.
func (s localRemoval) labelled(ctx context.Context) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	if err := s.c.List(ctx, list); err != nil {
		return nil, err
	}
	var out []corev1.Node
	for i := range list.Items {
		n := &list.Items[i]
		if _, ok := n.Labels[storageLabel]; ok && removal.SetByHcctl(n, "f:metadata", "f:labels", "f:"+storageLabel) {
			out = append(out, *n)
		}
	}
	return out, nil
}
