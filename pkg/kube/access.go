package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Access is a permission: what may be done with a resource, in one namespace or (empty) in all and outside of any.
type Access struct {
	schema.GroupResource
	// Namespace is empty for all namespaces.
	Namespace string
	// Names are the only objects it is about; none means all.
	Names []string
	Verbs []string
}

// AccessTo is a permission written shortly: the verbs apart by spaces, the resource as "deployments.apps", with its
// subresource as "managedclusters/accept.register.open-cluster-management.io".
func AccessTo(verbs, resource string) Access {
	return Access{GroupResource: schema.ParseGroupResource(resource), Verbs: strings.Fields(verbs)}
}

// In is the permission in one namespace only.
func (a Access) In(namespace string) Access {
	a.Namespace = namespace
	return a
}

// Describe is the resource for a person: "secrets pull-secret in openshift-config".
func (a Access) Describe() string {
	words := append([]string{a.String()}, a.Names...)
	if a.Namespace != "" {
		words = append(words, "in", a.Namespace)
	}
	return strings.Join(words, " ")
}

// maxParallelReviews bounds how many questions are under way.
const maxParallelReviews = 32

// Denied asks the API server which of the permissions its user lacks (SelfSubjectAccessReview, which every user may
// create) and returns those, with the lacking verbs only, in the order of wanted. One question does for a user who may
// do everything.
func (c *Client) Denied(ctx context.Context, wanted []Access) ([]Access, error) {
	all, err := c.allowed(ctx, "*", "", AccessTo("*", "*.*"))
	if err != nil || all {
		return nil, err
	}
	type question struct {
		access, verb int
		name         string
	}
	var questions []question
	for i, a := range wanted {
		for j := range a.Verbs {
			for _, name := range a.names() {
				questions = append(questions, question{i, j, name})
			}
		}
	}
	answers, errs := make([]bool, len(questions)), make([]error, len(questions))
	places := make(chan struct{}, maxParallelReviews)
	var wg sync.WaitGroup
	for n, q := range questions {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			answers[n], errs[n] = c.allowed(ctx, wanted[q.access].Verbs[q.verb], q.name, wanted[q.access])
		})
	}
	wg.Wait()
	var denied []Access
	last := -1
	for n, q := range questions {
		if errs[n] != nil {
			return nil, errs[n]
		}
		if answers[n] {
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

// names are the objects to ask about, "" for all.
func (a Access) names() []string {
	if len(a.Names) == 0 {
		return []string{""}
	}
	return a.Names
}

// allowed asks about one verb, of one object or (name empty) of all.
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

// FormatAccess is a list of permissions for a person, those with the same verbs together: "create, patch: a, b; get:
// c".
func FormatAccess(list []Access) string {
	var verbs []string
	of := map[string][]string{}
	for _, a := range list {
		v := strings.Join(a.Verbs, ", ")
		if !slices.Contains(verbs, v) {
			verbs = append(verbs, v)
		}
		if !slices.Contains(of[v], a.Describe()) {
			of[v] = append(of[v], a.Describe())
		}
	}
	var parts []string
	for _, v := range verbs {
		parts = append(parts, v+" "+strings.Join(of[v], ", "))
	}
	return strings.Join(parts, "; ")
}
