package prereq

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Effect is what an operator that hcctl installs does to the whole cluster, and leaves behind when it is removed.
type Effect struct {
	// By is who does it, such as "MetalLB's operator".
	By string
	// Kind and Name are the object that it makes or changes. Field is what it sets in one that OpenShift has made; empty
	// where it makes the object.
	Kind  kube.Kind
	Name  string
	Field []string
	// Labels is the domain below which it labels objects of the kind; Name is empty then.
	Labels string
	// Does says what that means, as the end of a sentence.
	Does string
	// Since is the first minor version of OpenShift that has it, as openshift.MinorNumber has it; zero means all.
	Since int
	// For is the kind for whose objects it is there. Without any of them it is left behind.
	For kube.Kind
	// Remove is the command that removes it.
	Remove string
}

// object is the object with what is set in it.
func (e Effect) object() string {
	text := e.Kind.Kind + " " + e.Name
	if e.Labels != "" {
		return "labels below " + e.Labels + " of " + e.Kind.Kind + "s"
	}
	if len(e.Field) > 0 {
		text = strings.Join(e.Field, ".") + " of " + text
	}
	return text
}

// String is what a user has to know before the operator is installed.
func (e Effect) String() string {
	verb := "makes"
	if len(e.Field) > 0 || e.Labels != "" {
		verb = "sets"
	}
	return fmt.Sprintf("for the whole cluster: %s %s %s: %s; hcctl uninstall leaves it", e.By, verb, e.object(), e.Does)
}

// Left says what of it is still there although nothing needs it, and how to remove it; "" for nothing.
func (e Effect) Left(ctx context.Context, r kube.Reader) (string, error) {
	users, err := kube.ListStored(ctx, r, e.For)
	switch {
	case err != nil:
		return "", fmt.Errorf("%ss: %w", e.For.Kind, err)
	case len(users) > 0:
		return "", nil
	}
	list := e.Kind.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return "", fmt.Errorf("%s: %w", e.object(), err)
	}
	for i := range list.Items {
		u := &list.Items[i]
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
	return u.GetName() == e.Name && set
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
