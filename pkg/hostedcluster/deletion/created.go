package deletion

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// place is where objects of a kind are that hcctl made for the cluster.
type place struct {
	kind      kube.Kind
	namespace string
}

// ownSteps are the kinds that other steps remove, and those that others make with the HostedCluster's labels on them.
var ownSteps = []string{
	hostedcluster.HostedClusterKind,
	hostedcluster.NodePoolKind,
	"Namespace",
	"ManagedCluster",
	"ManagedClusterInfo",
}

// Made is what hcctl made on a management cluster, of every kind.
type Made struct {
	found  []kube.LabelledObject
	unread []string
	// clusters are all HostedClusters; where this user may not list all of them, unlisted says why.
	clusters []hostedcluster.Identity
	unlisted string
}

// FindMade looks for it. That takes a request a kind, so who deletes many clusters asks once, and gives the answer to
// each in Options. Who may not list HostedClusters of all namespaces gets to know those of the namespaces given.
func FindMade(ctx context.Context, c *kube.Client, namespaces ...string) (*Made, error) {
	found, unread, err := labelled(ctx, c)
	if err != nil {
		return nil, err
	}
	clusters, unlisted, err := hostedcluster.ListIdentities(ctx, c, namespaces...)
	if err != nil {
		return nil, err
	}
	return &Made{found, unread, clusters, unlisted}, nil
}

// labelled is everything with hcctl's label.
func labelled(ctx context.Context, c *kube.Client) (found []kube.LabelledObject, unread []string, err error) {
	found, unread, err = c.ListLabelled(ctx, client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner})
	if err != nil {
		return nil, nil, fmt.Errorf("look for what hcctl made: %w", err)
	}
	return found, unread, nil
}

// findMade looks at every kind the API server has for what hcctl made for the cluster: pools of addresses, custom
// manifests. All of it carries hcctl's label and the cluster's mark. Kinds that this user may not list are told.
func (d *Plan) findMade(ctx context.Context) error {
	if d.InfraID == "" {
		return nil
	}
	var found []kube.LabelledObject
	var unread []string
	if made := d.options.Made; made != nil {
		found, unread = made.found, made.unread
	} else {
		var err error
		if found, unread, err = labelled(ctx, d.client); err != nil {
			return err
		}
	}
	for _, f := range found {
		if f.Object.Namespace == d.controlPlaneName() || slices.Contains(ownSteps, f.Kind.Kind) ||
			d.isSetting(f.Kind.Kind, f.Object) {
			continue
		}
		switch {
		case d.made(f.Object):
			d.keep(f)
		case f.Object.Labels[hostedcluster.InfraLabel] == d.InfraID && hostedcluster.MarkOf(f.Object).Cluster == "":
			d.leave(f.Kind.Kind, f.Object)
		}
	}
	if len(unread) > 0 {
		d.Left = append(d.Left, "what hcctl may have made for it of kinds that cannot be listed: "+few(unread))
	}
	return nil
}

// keep notes an object that is to be removed, and where others of its kind are looked for then.
func (d *Plan) keep(f kube.LabelledObject) {
	if d.outside(f.Object) {
		d.foundOutside("%s %s", f.Kind.Kind, kube.Name(f.Object))
	} else {
		d.found("%s %s", f.Kind.Kind, kube.Name(f.Object))
	}
	if at := (place{f.Kind, f.Object.Namespace}); !slices.Contains(d.places, at) {
		d.places = append(d.places, at)
	}
}

// made tells whether hcctl made the object for this cluster. Nothing but a mark says so: labels can be copied.
func (d *Plan) made(o client.Object) bool {
	m := hostedcluster.MarkOf(o)
	return m.Cluster != "" && d.marked(m) && hostedcluster.WrittenByHcctl(o)
}

// madeObjects are those that are still there.
func (d *Plan) madeObjects(ctx context.Context) ([]client.Object, error) {
	var objects []client.Object
	for _, at := range d.places {
		list := at.kind.NewList()
		err := d.client.List(
			ctx,
			list,
			client.InNamespace(at.namespace),
			client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner},
		)
		if err != nil && !kube.IsKindMissing(err) {
			return nil, fmt.Errorf("list %s: %w", at.kind.Plural, err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			u.SetGroupVersionKind(at.kind.GroupVersionKind)
			if d.made(u) {
				objects = append(objects, u)
			}
		}
	}
	return objects, nil
}

func (d *Plan) madeGone(ctx context.Context) step.Finding {
	objects, err := d.madeObjects(ctx)
	if err != nil {
		return kube.Unread(err).On("objects with annotation %s=%s", hostedcluster.ClusterAnnotation, d.key())
	}
	for _, o := range objects {
		if o.GetDeletionTimestamp() == nil {
			return step.Missing("still there").On("%s %s", kindOf(o), kube.Name(o))
		}
	}
	for _, o := range objects {
		return held(o, "being deleted").On("%s %s", kindOf(o), kube.Name(o))
	}
	return step.OK("gone, or there was none").On("objects hcctl made beside HostedCluster %s", d.key())
}

func (d *Plan) deleteMade(ctx context.Context) (step.Change, error) {
	objects, err := d.madeObjects(ctx)
	if err != nil {
		return "", err
	}
	return d.removeAll(ctx, objects)
}
