package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Access is a permission for a resource. An empty namespace means all namespaces and cluster-scoped objects.
type Access struct {
	schema.GroupResource
	// Namespace is empty for all namespaces.
	Namespace string
	// Names limits the permission to these objects; none means all.
	Names []string
	Verbs []string
}

// AccessTo returns the permission for verbs separated by spaces and a resource such as "deployments.apps". A
// subresource follows a slash: "managedclusters/accept.register.open-cluster-management.io".
func AccessTo(verbs, resource string) Access {
	return Access{GroupResource: schema.ParseGroupResource(resource), Verbs: strings.Fields(verbs)}
}

// In limits the permission to one namespace.
func (a Access) In(namespace string) Access {
	a.Namespace = namespace
	return a
}

// Describe returns the resource for a user: "secrets pull-secret in openshift-config".
func (a Access) Describe() string {
	words := append([]string{a.String()}, a.Names...)
	if a.Namespace != "" {
		words = append(words, "in", a.Namespace)
	}
	return strings.Join(words, " ")
}

// maxParallelReviews is the maximum number of SelfSubjectAccessReviews in progress.
const maxParallelReviews = 32

// Denied returns the permissions that the user lacks, in the order of wanted and with the missing verbs only. It
// creates SelfSubjectAccessReviews, which every user may do; for a cluster administrator one review is enough.
func (c *Client) Denied(ctx context.Context, wanted []Access) ([]Access, error) {
	all, err := c.allowed(ctx, "*", "", AccessTo("*", "*.*"))
	if err != nil || all {
		return nil, err
	}
	type review struct {
		access, verb int
		name         string
	}
	var reviews []review
	for i, a := range wanted {
		for j := range a.Verbs {
			for _, name := range a.names() {
				reviews = append(reviews, review{i, j, name})
			}
		}
	}
	allowed, errs := make([]bool, len(reviews)), make([]error, len(reviews))
	Parallelize(len(reviews), maxParallelReviews, func(n int) {
		q := reviews[n]
		allowed[n], errs[n] = c.allowed(ctx, wanted[q.access].Verbs[q.verb], q.name, wanted[q.access])
	})
	var denied []Access
	last := -1
	for n, q := range reviews {
		if errs[n] != nil {
			return nil, errs[n]
		}
		if allowed[n] {
			continue
		}
		if q.access != last {
			last = q.access
			denied = append(denied, wanted[q.access])
			denied[len(denied)-1].Verbs = nil
		}
		a := &denied[len(denied)-1]
		if verb := wanted[q.access].Verbs[q.verb]; !slices.Contains(a.Verbs, verb) {
			a.Verbs = append(a.Verbs, verb)
		}
	}
	return denied, nil
}

// names returns the object names to review, "" for all objects.
func (a Access) names() []string {
	if len(a.Names) == 0 {
		return []string{""}
	}
	return a.Names
}

// allowed reviews one verb on one object, or on all objects if name is empty.
func (c *Client) allowed(ctx context.Context, verb, name string, a Access) (bool, error) {
	resource, sub, _ := strings.Cut(a.Resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: a.Group, Resource: resource,
			Subresource: sub, Namespace: a.Namespace, Name: name},
	}}
	if err := c.Create(ctx, review); err != nil {
		return false, fmt.Errorf("ask for the permission to %s %s: %w", verb, a.Describe(), err)
	}
	return review.Status.Allowed, nil
}

// FormatAccess returns permissions as text for the user, grouped by their verbs: "create, patch a, b; get c".
func FormatAccess(list []Access) string {
	var verbs []string
	resources := map[string][]string{}
	for _, a := range list {
		v := strings.Join(a.Verbs, ", ")
		if !slices.Contains(verbs, v) {
			verbs = append(verbs, v)
		}
		if !slices.Contains(resources[v], a.Describe()) {
			resources[v] = append(resources[v], a.Describe())
		}
	}
	var parts []string
	for _, v := range verbs {
		parts = append(parts, v+" "+strings.Join(resources[v], ", "))
	}
	return strings.Join(parts, "; ")
}
