package prereq

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// Effect is what hcctl, or an operator that it installs or sets to work, does to the whole cluster.
type Effect struct {
	// By is who does it, such as "MetalLB's operator".
	By string
	// Kind and Name are the object that it makes or changes. Field is what it sets in one that OpenShift has made; empty
	// where it makes the object.
	// Without Name and Labels it is about every object of the kind. An object in a namespace is got by its name, all
	// others are listed.
	Kind            kube.Kind
	Namespace, Name string
	Field           []string
	// Labels is the domain below which it labels objects of the kind; Name is empty then.
	Labels string
	// Does says what that means, as the end of a sentence.
	Does string
	// Since is the first minor version of OpenShift that has it, as openshift.MinorNumber has it; zero means all.
	Since int
	// For is the kind for whose objects it is there. Without any of them it is left behind; without a kind it always is.
	For kube.Kind
	// TakenBack is set where a step of uninstall undoes it, as far as nobody else depends on it.
	TakenBack bool
	// As is what messages call what is set, where Field is only the mark of it.
	As string
	// Remove is the command that removes it.
	Remove string
}

// object is the object with what is set in it.
func (e Effect) object() string {
	text := strings.TrimSpace(e.Kind.Kind + " " + strings.TrimPrefix(e.Namespace+"/"+e.Name, "/"))
	if e.Labels != "" {
		return "labels below " + e.Labels + " of " + e.Kind.Kind + "s"
	}
	if len(e.Field) > 0 {
		text = cmp.Or(e.As, strings.Join(e.Field, ".")) + " of " + text
	}
	return text
}

// String is what a user has to know before the operator is installed.
func (e Effect) String() string {
	verb, end := "makes", "hcctl uninstall leaves it"
	switch {
	case len(e.Field) > 0 || e.Labels != "":
		verb = "sets"
	case e.Name == "":
		verb = "changes every"
	}
	if e.TakenBack {
		end = "hcctl uninstall takes it back"
	}
	return fmt.Sprintf("for the whole cluster: %s %s %s: %s; %s", e.By, verb, e.object(), e.Does, end)
}

// Left says what of it is still there although nothing needs it, and how to remove it; "" for nothing.
func (e Effect) Left(ctx context.Context, r kube.Reader) (string, error) {
	if e.Name == "" && e.Labels == "" {
		return "", nil
	}
	if e.For.Kind != "" {
		users, err := kube.ListStored(ctx, r, e.For)
		switch {
		case err != nil:
			return "", fmt.Errorf("%ss: %w", e.For.Kind, err)
		case len(users) > 0:
			return "", nil
		}
	}
	objects, err := e.candidates(ctx, r)
	if err != nil && !kube.IsKindMissing(err) && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("%s: %w", e.object(), err)
	}
	for i := range objects {
		u := &objects[i]
		if !e.on(u) {
			continue
		}
		by := ""
		if len(e.Field) > 0 {
			by = SetBy(u, e.Field...)
		}
		return fmt.Sprintf("%s, by %s%s: %s. To remove it: %s", e.object(), e.By, by, e.Does, e.Remove), nil
	}
	return "", nil
}

// candidates are the objects that may have it.
func (e Effect) candidates(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	if e.Namespace != "" {
		u := e.Kind.New()
		err := r.Get(ctx, types.NamespacedName{Namespace: e.Namespace, Name: e.Name}, u)
		if err != nil {
			return nil, err
		}
		return []unstructured.Unstructured{*u}, nil
	}
	list := e.Kind.NewList()
	err := r.List(ctx, list)
	return list.Items, err
}

// on reports whether an object has it.
func (e Effect) on(u *unstructured.Unstructured) bool {
	if e.Labels != "" {
		for label := range u.GetLabels() {
			if domain, _, _ := strings.Cut(label, "/"); strings.HasSuffix(domain, "."+e.Labels) {
				return true
			}
		}
		return false
	}
	_, set, _ := unstructured.NestedFieldNoCopy(u.Object, e.Field...)
	return u.GetName() == e.Name && set && (e.By != owner.Hcctl || owner.ByHcctl(u, e.Field...))
}

// tellsEffects is a check that says of what is missing what its installation means for the whole cluster.
func tellsEffects(check kube.Check, effects []Effect) kube.Check {
	if len(effects) == 0 {
		return check
	}
	return func(ctx context.Context, r kube.Reader) step.Finding {
		f := check(ctx, r)
		if f.State != step.StateMissing {
			return f
		}
		lines := []string{}
		if f.Detail != "" {
			lines = append(lines, f.Detail)
		}
		for _, e := range effects {
			if e.in(ctx, r) {
				lines = append(lines, e.String())
			}
		}
		f.Detail = strings.Join(lines, "\n")
		return f
	}
}

// in reports whether the cluster's release has it. One that cannot be read may have it.
func (e Effect) in(ctx context.Context, r kube.Reader) bool {
	if e.Since == 0 {
		return true
	}
	v, err := OpenShift(ctx, r)
	return err != nil || openshift.MinorNumber(v.Major(), v.Minor()) >= e.Since
}
