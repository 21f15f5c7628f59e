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

// Effect is a change to the whole cluster by hcctl, or by an operator that it installs or configures.
type Effect struct {
	// By is the acting component, such as "MetalLB's operator".
	By string
	// Kind and Name are the object that it creates or changes. Field is the path that it sets in an object of OpenShift,
	// or empty if it creates the object.
	//
	// Without Name and Labels the effect concerns every object of the kind. An object in a namespace is read by its name,
	// all others are listed.
	Kind            kube.Kind
	Namespace, Name string
	Field           []string
	// Labels is the domain of the labels that it sets on objects of the kind; Name is empty then.
	Labels string
	// Does describes the consequence, as the end of a sentence.
	Does string
	// Since is the first minor version of OpenShift with the effect, as numbered by openshift.MinorNumber. Zero means all.
	Since int
	// For is the kind whose objects need the effect. If there are none, or For is empty, it is left behind.
	For kube.Kind
	// TakenBack means that a step of uninstall undoes it, unless something else depends on it.
	TakenBack bool
	// As is the name of the setting in messages, if Field is only its marker.
	As string
	// Remove is the command that removes it.
	Remove string
}

// object describes the object and what is set in it.
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

// String describes the effect to users before the operator is installed.
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

// Left describes what remains although no object needs it, and how to remove it, or returns "".
func (e Effect) Left(ctx context.Context, r kube.Reader) (string, error) {
	if e.Name == "" && e.Labels == "" {
		return "", nil
	}
	if e.For.Kind != "" {
		dependents, err := kube.ListStored(ctx, r, e.For)
		switch {
		case err != nil:
			return "", fmt.Errorf("%ss: %w", e.For.Kind, err)
		case len(dependents) > 0:
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

// candidates returns the objects that may have the effect.
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

// on reports whether an object has the effect.
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

// addEffects wraps a check: a Missing finding gets the effects of the installation as detail.
func addEffects(check kube.Check, effects []Effect) kube.Check {
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

// in reports whether the cluster's release has the effect. It is true if the release cannot be read.
func (e Effect) in(ctx context.Context, r kube.Reader) bool {
	if e.Since == 0 {
		return true
	}
	v, err := OpenShift(ctx, r)
	return err != nil || openshift.MinorNumber(v.Major(), v.Minor()) >= e.Since
}
