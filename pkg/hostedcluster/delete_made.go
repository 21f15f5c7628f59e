package hostedcluster

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// place is where objects of a kind are that hcctl made for the cluster.
type place struct {
	kind      kube.Kind
	namespace string
}

// ownSteps are the kinds that other steps remove, and those that others make with the HostedCluster's labels on them.
var ownSteps = []string{hostedClusterKind, nodePoolKind, "Namespace", "ManagedCluster", "ManagedClusterInfo"}

// Made is what hcctl made on a management cluster, of every kind.
type Made struct {
	found  []kube.Found
	unread []string
}

// FindMade looks for it. That takes a request a kind, so who deletes many clusters asks once, and gives the answer to each in DeleteOptions.
func FindMade(ctx context.Context, c *kube.Client) (*Made, error) {
	found, unread, err := c.Labelled(ctx, client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner})
	if err != nil {
		return nil, fmt.Errorf("look for what hcctl made: %w", err)
	}
	return &Made{found, unread}, nil
}

// findMade looks at every kind the API server has for what hcctl made for the cluster: pools of addresses, Services, custom manifests.
// All of it carries hcctl's label and that of the infraID. Kinds that this user may not list are told.
func (d *Deletion) findMade(ctx context.Context) error {
	if d.InfraID == "" {
		return nil
	}
	made := d.options.Made
	if made == nil {
		var err error
		if made, err = FindMade(ctx, d.client); err != nil {
			return err
		}
	}
	settings := []string{"Secret", "ConfigMap"}
	for _, f := range made.found {
		if f.Object.Labels[InfraLabel] != d.InfraID || f.Object.Namespace == d.controlPlaneName() || slices.Contains(ownSteps, f.Kind.Kind) ||
			f.Object.Namespace == d.Namespace && slices.Contains(settings, f.Kind.Kind) || !kube.WrittenBy(f.Object, kube.FieldOwner) {
			continue
		}
		d.found("%s %s", f.Kind.Kind, kube.Name(f.Object))
		at := place{f.Kind, f.Object.Namespace}
		if !slices.Contains(d.made, at) {
			d.made = append(d.made, at)
		}
	}
	if len(made.unread) > 0 {
		d.Left = append(d.Left, "what hcctl may have made for it of kinds that cannot be listed: "+few(made.unread))
	}
	return nil
}

// madeObjects are those that are still there.
func (d *Deletion) madeObjects(ctx context.Context) ([]client.Object, error) {
	var objects []client.Object
	for _, at := range d.made {
		list := at.kind.NewList()
		err := d.client.List(ctx, list, client.InNamespace(at.namespace), client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner, InfraLabel: d.InfraID})
		if err != nil && !kube.IsKindMissing(err) {
			return nil, fmt.Errorf("list %s: %w", at.kind.Plural, err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			u.SetGroupVersionKind(at.kind.GroupVersionKind)
			if ours(u) {
				objects = append(objects, u)
			}
		}
	}
	return objects, nil
}

// ours leaves out what others made with labels that they copied.
func ours(u *unstructured.Unstructured) bool { return kube.WrittenBy(u, kube.FieldOwner) }

func (d *Deletion) madeGone(ctx context.Context) step.Finding {
	objects, err := d.madeObjects(ctx)
	if err != nil {
		return kube.Unread(err).On("objects with label %s=%s", InfraLabel, d.InfraID)
	}
	for _, o := range objects {
		if o.GetDeletionTimestamp() == nil {
			return step.NotThere("still there").On("%s %s", kindOf(o), kube.Name(o))
		}
	}
	for _, o := range objects {
		return held(o, "being deleted").On("%s %s", kindOf(o), kube.Name(o))
	}
	return step.Okay("gone, or there was none").On("objects hcctl made beside HostedCluster %s", d.key())
}

func (d *Deletion) deleteMade(ctx context.Context) (step.Change, error) {
	objects, err := d.madeObjects(ctx)
	if err != nil {
		return "", err
	}
	return d.removeAll(ctx, objects)
}
