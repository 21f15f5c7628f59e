package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// location is a kind and a namespace with objects that hcctl created for the cluster.
type location struct {
	kind      kube.Kind
	namespace string
}

// kindsOfOtherSteps are the kinds that other steps remove, or that other controllers create with the HostedCluster's
// labels.
var kindsOfOtherSteps = []string{
	hostedcluster.HostedClusterKind,
	hostedcluster.NodePoolKind,
	"Namespace",
	"ManagedCluster",
	"ManagedClusterInfo",
}

// CreatedObjects has all objects that hcctl created on a management cluster.
type CreatedObjects struct {
	found  []kube.LabelledObject
	unread []string
	// clusters are all HostedClusters. listError is the reason if the user may not list them all.
	clusters  []hostedcluster.Identity
	listError string
}

// Together returns the options for several deletions that share their reads: all objects with hcctl's label, with one
// request per kind. If the user may not list all HostedClusters, it lists those of the namespaces.
func (o Options) Together(ctx context.Context, c *kube.Client, namespaces ...string) (Options, error) {
	found, unread, err := listLabelled(ctx, c)
	if err != nil {
		return o, err
	}
	clusters, listError, err := hostedcluster.ListIdentities(ctx, c, namespaces...)
	if err != nil {
		return o, err
	}
	o.Created, o.Reads = &CreatedObjects{found, unread, clusters, listError}, informer.NewCache(ctx)
	return o, nil
}

// listLabelled lists all objects of these kinds with hcctl's label. It lists all kinds if none is given or if one of
// them has another version now.
func listLabelled(ctx context.Context, r kube.Reader, only ...schema.GroupVersionKind) (
	found []kube.LabelledObject, unread []string, err error) {
	labels := client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner}
	found, unread, err = r.ListLabelled(ctx, labels, only...)
	if len(only) > 0 && kube.IsKindMissing(err) {
		found, unread, err = r.ListLabelled(ctx, labels)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("look for what hcctl made: %w", err)
	}
	return found, unread, nil
}

// findCreated finds the objects of any kind that hcctl created for the cluster, such as address pools and custom
// manifests. They have hcctl's label and the cluster's mark. It adds a note to Left for kinds that the user may not
// list.
func (d *Plan) findCreated(ctx context.Context, r kube.Reader) error {
	if d.InfraID == "" {
		return nil
	}
	var found []kube.LabelledObject
	var unread []string
	if made := d.options.Created; made != nil {
		found, unread = made.found, made.unread
	} else {
		kinds, err := d.recordedKinds(ctx, r)
		if err != nil {
			return err
		}
		if found, unread, err = listLabelled(ctx, r, kinds...); err != nil {
			return err
		}
	}
	for _, f := range found {
		if f.Object.Namespace == d.controlPlaneName() || d.hasServices && f.Object.Namespace == d.servicesName() ||
			slices.Contains(kindsOfOtherSteps, f.Kind.Kind) ||
			d.isCompanion(f.Kind.Kind, f.Object) {
			continue
		}
		switch {
		case d.createdFor(f.Object):
			d.addCreated(f)
		case f.Object.Labels[hostedcluster.InfraLabel] == d.InfraID && hostedcluster.MarkOf(f.Object).Cluster == "":
			d.addLeft(f.Kind.Kind, f.Object)
		}
	}
	if len(unread) > 0 {
		left := "what hcctl may have made for it of kinds that cannot be listed: " + plural.Few(unread, maxNamed)
		if slices.ContainsFunc(unread, func(kind string) bool { return strings.HasPrefix(kind, "secrets:") }) {
			left += fmt.Sprintf("; if Argo CD knows it: %s",
				hint.Run("gitops register", d.Name).Flag("namespace", d.Namespace).Flag("remove"))
		}
		d.Left = append(d.Left, left)
	}
	return nil
}

// recordedKinds returns the kinds that create recorded on the pull Secret; none if it did not, or if the Secret is not
// proven to be this cluster's.
func (d *Plan) recordedKinds(ctx context.Context, r kube.Reader) ([]schema.GroupVersionKind, error) {
	secrets, err := d.secrets(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("list Secrets in namespace %s: %w", d.Namespace, err)
	}
	for i := range secrets {
		if s := &secrets[i]; s.Name == hostedcluster.PullSecretName(d.Name) && d.createdFor(s) {
			kinds, _ := hostedcluster.RecordedKinds(s)
			return kinds, nil
		}
	}
	return nil, nil
}

// addCreated records an object to remove, and its location for later reads.
func (d *Plan) addCreated(f kube.LabelledObject) {
	if d.isOutside(f.Object) {
		d.addOutside("%s %s", f.Kind.Kind, kube.Name(f.Object))
	} else {
		d.addFound("%s %s", f.Kind.Kind, kube.Name(f.Object))
	}
	if at := (location{f.Kind, f.Object.Namespace}); !slices.Contains(d.createdAt, at) {
		d.createdAt = append(d.createdAt, at)
	}
}

// createdFor reports whether hcctl created the object for this cluster. Only a mark proves it, because labels can be
// copied.
func (d *Plan) createdFor(o client.Object) bool {
	m := hostedcluster.MarkOf(o)
	return m.Cluster != "" && d.marked(m) && hostedcluster.WrittenByHcctl(o)
}

// createdObjects returns the objects that still exist.
func (d *Plan) createdObjects(ctx context.Context, r kube.Reader) ([]client.Object, error) {
	var objects []client.Object
	for _, at := range d.createdAt {
		list := at.kind.NewList()
		err := r.List(ctx, list, client.InNamespace(at.namespace),
			client.MatchingLabels{kube.ManagedByLabel: kube.FieldOwner})
		if err != nil && !kube.IsKindMissing(err) {
			return nil, fmt.Errorf("list %s: %w", at.kind.Plural, err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			u.SetGroupVersionKind(at.kind.GroupVersionKind)
			if d.createdFor(u) {
				objects = append(objects, u)
			}
		}
	}
	return objects, nil
}

func (d *Plan) createdGone(ctx context.Context, r kube.Reader) step.Finding {
	objects, err := d.createdObjects(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("objects with annotation %s=%s", hostedcluster.ClusterAnnotation, d.key())
	}
	if len(objects) > 0 {
		return remainingOf(objects)
	}
	return step.OK("gone, or there was none").On("objects hcctl made beside HostedCluster %s", d.key())
}

func (d *Plan) deleteCreated(ctx context.Context) (step.Change, error) {
	objects, err := d.createdObjects(ctx, d.client)
	if err != nil {
		return "", err
	}
	return d.removeAll(ctx, objects)
}
