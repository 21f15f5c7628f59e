package hub

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// siteKey is the key in an assignment's ConfigMap for the name of the site.
const siteKey = "site"

// assignmentKey returns the name of the ConfigMap that assigns a hosted cluster to its site. It depends only on
// the cluster, so that the API server lets only one of two commands create it. A lock would have to expire when
// its owner is killed, and could then have two owners.
func assignmentKey(c fleet.ClusterName) client.ObjectKey {
	return client.ObjectKey{Namespace: hostedcluster.AssignmentsNamespace, Name: WorkName(c)}
}

// newAssignment returns the ConfigMap that assigns a hosted cluster to a site.
func newAssignment(c fleet.ClusterName, site string) *unstructured.Unstructured {
	key, u := assignmentKey(c), kube.ConfigMap.New()
	u.SetNamespace(key.Namespace)
	u.SetName(key.Name)
	u.SetAnnotations(map[string]string{hostedcluster.ClusterAnnotation: c.Namespace + "/" + c.Name})
	u.Object["data"] = map[string]any{siteKey: site}
	return u
}

// siteOf returns the site of an assignment, or "" if it names none.
func siteOf(data map[string]string) string {
	if len(validation.IsDNS1123Label(data[siteKey])) > 0 {
		return ""
	}
	return data[siteKey]
}

// assigned reads the sites that hosted clusters are assigned to. An assignment without a valid site has the site
// "". If it were left out, its cluster could be assigned a second time.
func assigned(ctx context.Context, c *kube.Client) (map[fleet.ClusterName]string, error) {
	type record struct {
		Metadata struct{ Name string }
		Data     map[string]string
	}
	all := map[fleet.ClusterName]string{}
	err := kube.ListDecoded(ctx, c, kube.ConfigMap, func(r *record) {
		if name, ours := ClusterOf(r.Metadata.Name); ours {
			all[name] = siteOf(r.Data)
		}
	}, client.InNamespace(hostedcluster.AssignmentsNamespace))
	if err != nil {
		return nil, fmt.Errorf("list the assignments, ConfigMaps of namespace %s: %w", hostedcluster.AssignmentsNamespace,
			err)
	}
	return all, nil
}

// assign returns the step that assigns a cluster to its site, before anything is delivered.
func (d *delivery) assign() step.Step {
	key := assignmentKey(d.ClusterName)
	return step.Step{ID: "hub/assignment", Title: "assigned to site " + d.Site,
		Check: d.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := &corev1.ConfigMap{}
			err := r.Get(ctx, key, have)
			switch {
			case apierrors.IsNotFound(err):
				return step.Missing("not assigned yet").On("ConfigMap %s", key)
			case err != nil:
				return kube.Unknown(err).On("ConfigMap %s", key)
			case siteOf(have.Data) == d.Site:
				return step.OK("on site %s", d.Site).On("ConfigMap %s", key)
			case d.from != "" && siteOf(have.Data) == d.from:
				return step.Missing("still assigned to site %s", d.from).On("ConfigMap %s", key)
			}
			return d.takenBy(siteOf(have.Data)).On("ConfigMap %s", key)
		}),
		Apply: d.writeAssignment}
}

// takenBy returns the finding that another command has assigned the cluster at the same time.
func (d *delivery) takenBy(site string) step.Finding {
	return step.Broken("another command has assigned it to site %s meanwhile", sanitize.Value(site)).
		WithHint("run the same command again: it goes on with that site")
}

// writeAssignment creates the assignment, or moves it away from the site that the cluster leaves. If another
// command was first, it changes nothing, and the step's Check reports that.
func (d *delivery) writeAssignment(ctx context.Context) (step.Change, error) {
	key, have := assignmentKey(d.ClusterName), &corev1.ConfigMap{}
	err := d.client.Get(ctx, key, have)
	switch {
	case apierrors.IsNotFound(err):
		if err := d.assignmentsNamespace(ctx); err != nil {
			return "", err
		}
		return d.client.CreateOnce(ctx, newAssignment(d.ClusterName, d.Site))
	case err != nil:
		return "", fmt.Errorf("ConfigMap %s: %w", key, err)
	case d.from == "" || siteOf(have.Data) != d.from:
		return step.Unchanged, nil
	}
	// The resourceVersion makes this a conflict if another client moves the cluster at the same time.
	base := have.DeepCopy()
	have.Data[siteKey] = d.Site
	if err := d.client.Patch(ctx, have, client.MergeFromUnchanged(base),
		client.FieldOwner(kube.FieldOwner)); err != nil {
		return "", fmt.Errorf("ConfigMap %s: %w", key, err)
	}
	return step.Configured, nil
}

// assignmentsNamespace creates the namespace of the assignments, unless it exists.
func (d *delivery) assignmentsNamespace(ctx context.Context) error {
	ns := namespaceKind.New()
	ns.SetName(hostedcluster.AssignmentsNamespace)
	err := d.client.Get(ctx, client.ObjectKeyFromObject(ns), &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		_, err = d.client.CreateOnce(ctx, ns)
	}
	if err != nil {
		return fmt.Errorf("namespace %s: %w", ns.GetName(), err)
	}
	return nil
}

// checkAssigned returns an error if the cluster is no longer assigned to the site: a concurrent deletion has
// removed the assignment.
func checkAssigned(ctx context.Context, c *kube.Client, name fleet.ClusterName, site string) error {
	have := &corev1.ConfigMap{}
	key := assignmentKey(name)
	err := c.Get(ctx, key, have)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("ConfigMap %s: %w", key, err)
	}
	if err != nil || siteOf(have.Data) != site {
		return fmt.Errorf("ConfigMap %s does not assign it to site %s any more: another command has changed it; run this "+
			"one again", key, site)
	}
	return nil
}

// unassign returns the step that removes the assignment of a deleted cluster, unless it names another site by
// now.
func unassign(c *kube.Client, site string, name fleet.ClusterName) step.Step {
	key := assignmentKey(name)
	return step.Step{ID: "hub/unassigned", Title: "assignment removed",
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := &corev1.ConfigMap{}
			err := r.Get(ctx, key, have)
			switch {
			case apierrors.IsNotFound(err):
				return step.OK("nothing is left").On("ConfigMap %s", key)
			case err != nil:
				return kube.Unknown(err).On("ConfigMap %s", key)
			case siteOf(have.Data) != site:
				return step.OK("it is assigned to site %s", siteOf(have.Data)).On("ConfigMap %s", key)
			}
			return step.Missing("still assigned to site %s", site).On("ConfigMap %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			have := &corev1.ConfigMap{}
			err := c.Get(ctx, key, have)
			switch {
			case apierrors.IsNotFound(err), err == nil && siteOf(have.Data) != site:
				return step.Unchanged, nil
			case err != nil:
				return "", fmt.Errorf("ConfigMap %s: %w", key, err)
			}
			return c.DeleteUnchanged(ctx, have)
		}}
}

// badAssignment returns the error for an assignment that another client has changed, and that names no site.
func badAssignment(cluster fleet.ClusterName) error {
	return failure.New(failure.Other, hint.New("write the name of the ManagedCluster that has the ManifestWork of this "+
		"name; without one, delete the ConfigMap"),
		"has a wrong assignment: ConfigMap %s: key %s is not the name of a ManagedCluster",
		assignmentKey(cluster), siteKey)
}
