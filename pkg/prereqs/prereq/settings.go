package prereq

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// Settings are fields of the spec of an operator's object, as hcctl.yaml gives them. Nil says nothing. They are written
// by a field manager of their own, so that they come and go without what hcctl or others have written.
type Settings struct {
	// Path is where the document has them, such as "virtualization.spec".
	Path string
	// File is what messages call the document.
	File string
	// Fields are the settings, as an API server gets them.
	Fields map[string]any
	// Lines are those of the document, by path below Path, such as "liveMigrationConfig.network".
	Lines map[string]int
}

// Read takes the fields from JSON, with whole numbers as an API server has them.
func (s *Settings) Read(content []byte) error { return json.Unmarshal(content, &s.Fields) }

// Reserved is a field that hcctl decides on, and the option that decides it; empty if there is none.
type Reserved struct{ Field, Option string }

// Validate refuses fields that hcctl decides on itself. The error is an *option.Error.
func (s *Settings) Validate(reserved ...Reserved) error {
	if s == nil {
		return nil
	}
	for _, r := range reserved {
		if _, given, _ := unstructured.NestedFieldNoCopy(s.Fields, strings.Split(r.Field, ".")...); given {
			instead := "take it out"
			if r.Option != "" {
				instead = "use " + r.Option
			}
			return option.Errorf(s.Path+"."+r.Field, nil, "hcctl decides on this field: %s", instead)
		}
	}
	return nil
}

// Replaces are the fields that the settings may give another value where nobody has decided on them; what another
// manager has is a conflict. They are for Prerequisite.Replaces.
func (s *Settings) Replaces() []string {
	var out []string
	s.leaves(func(path []string, _ any) { out = append(out, "spec."+strings.Join(path, ".")) })
	return out
}

// In returns own with the settings in it: objects are joined field by field, items of lists by their names. Own stays
// as it is.
func (s *Settings) In(own map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(own)
	if s == nil {
		return out
	}
	joined, _ := join(out, runtime.DeepCopyJSON(s.Fields)).(map[string]any)
	return joined
}

func join(own, given any) any {
	switch given := given.(type) {
	case nil:
		return own
	case map[string]any:
		into, isMap := own.(map[string]any)
		if !isMap {
			return given
		}
		for key, value := range given {
			into[key] = join(into[key], value)
		}
		return into
	case []any:
		into, _ := own.([]any)
		if len(into) == 0 || !named(into) || !named(given) {
			return given
		}
		for _, item := range given {
			i := slices.IndexFunc(into, func(other any) bool { return nameOf(other) == nameOf(item) })
			if i < 0 {
				into = append(into, item)
				continue
			}
			into[i] = join(into[i], item)
		}
		return into
	}
	return given
}

func named(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool { return nameOf(item) == "" })
}

func nameOf(item any) string {
	m, _ := item.(map[string]any)
	name, _ := m["name"].(string)
	return name
}

// leaves calls each for every setting, sorted; a list is one setting.
func (s *Settings) leaves(each func(path []string, value any)) {
	if s != nil {
		leaves(nil, s.Fields, each)
	}
}

func leaves(path []string, value any, each func(path []string, value any)) {
	fields, isMap := value.(map[string]any)
	if !isMap || len(fields) == 0 {
		each(path, value)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		leaves(append(slices.Clone(path), key), fields[key], each)
	}
}

// where names a setting, with its file and line.
func (s *Settings) where(path string) string {
	for at := path; ; {
		if line, known := s.Lines[at]; known {
			return fmt.Sprintf("%s:%d: %s.%s", s.File, line, s.Path, path)
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			return fmt.Sprintf("%s: %s.%s", s.File, s.Path, path)
		}
		at = at[:i]
	}
}

// Judge is f, how the object is, unless the settings cannot be its, or it does not have them. Object is nil where there
// is none. A setting that the CRD does not have is broken whether the object is there or not.
func (s *Settings) Judge(ctx context.Context, r kube.Reader, kind kube.Kind, object *unstructured.Unstructured,
	f step.Finding) step.Finding {
	if s == nil || f.State == step.StateUnknown {
		return f
	}
	fields, err := readSchema(ctx, r, kind)
	if err != nil {
		return kube.Unknown(err).On("CustomResourceDefinition %s.%s", kind.Plural, kind.Group)
	}
	if wrong := s.misfit(kind, fields, false); wrong != nil {
		return *wrong
	}
	if fields == nil && f.State == step.StateMissing {
		f.Message += fmt.Sprintf("; the settings of %s are held to its CRD once the operator has brought it", s.File)
	}
	if object == nil || object.GetDeletionTimestamp() != nil {
		return f
	}
	lacking, kept := s.compare(object, fields)
	on := fmt.Sprintf("%s %s", object.GetKind(), kube.Name(object))
	switch {
	case len(kept) > 0:
		in := ""
		if object.GetNamespace() != "" {
			in = " -n " + object.GetNamespace()
		}
		return step.Broken("%s; hcctl keeps what others have decided", strings.Join(kept, "; ")).On("%s", on).
			WithHint("oc edit %s %s%s, or take the line out of %s", kind.Plural, object.GetName(), in, s.File)
	case len(lacking) > 0:
		return step.Missing("%s of %s not set: %s", plural.Count(len(lacking), "setting"), s.File, Listed(lacking)).
			On("%s", on)
	}
	if f.State == step.StateOK {
		f.Message += fmt.Sprintf("; it has the settings of %s", s.File)
	}
	return f
}

// misfit is the finding of the first setting that a schema does not have; nil where all fit, or where it is nil. Of a
// schema that is foreseen oc knows nothing yet.
func (s *Settings) misfit(kind kube.Kind, fields *crdschema.Schema, foreseen bool) *step.Finding {
	if fields == nil {
		return nil
	}
	wrong := fields.Misfits(s.Fields)
	if len(wrong) == 0 {
		return nil
	}
	f := step.Broken("%s %s", s.where(wrong[0].Path), wrong[0].Detail).On("%s of %s", kind.Kind, kind.GroupVersion())
	if foreseen {
		f = f.WithHint("correct %s: nothing is written before", s.File)
	} else {
		f = f.WithHint("oc explain %s.%s --api-version=%s", kind.Plural, explained(wrong[0].Path), kind.GroupVersion())
	}
	return &f
}

// compare finds the settings that an object lacks, and those of which others have decided otherwise.
func (s *Settings) compare(object *unstructured.Unstructured, fields *crdschema.Schema) (lacking, kept []string) {
	s.leaves(func(path []string, value any) {
		at := append([]string{"spec"}, path...)
		now, there, _ := unstructured.NestedFieldNoCopy(object.Object, at...)
		if there && fields.At(path).Holds(now, value) {
			return
		}
		setter, known := owner.SetBy(object, at...)
		if there && known && !owner.IsHcctl(setter.Manager) && !fields.At(path).Joins() {
			kept = append(kept, fmt.Sprintf("%s is to be %s, and is %s, set by %s", s.where(strings.Join(path, ".")),
				shown(value), shown(now), setter))
			return
		}
		lacking = append(lacking, "spec."+strings.Join(path, "."))
	})
	return lacking, kept
}

// shown is a value as far as it is short.
func shown(v any) string {
	switch v := v.(type) {
	case map[string]any, []any:
		return "otherwise"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// Apply writes the settings into an object that is there, by server-side apply. What others have stays, or is a
// conflict.
func (s *Settings) Apply(ctx context.Context, c *kube.Client, object *unstructured.Unstructured) (step.Change, error) {
	if s == nil {
		return step.Unchanged, nil
	}
	u := NewObject(kube.Kind{GroupVersionKind: object.GroupVersionKind()}, object.GetNamespace(), object.GetName(),
		runtime.DeepCopyJSON(s.Fields))
	return c.ApplySettings(ctx, u)
}

// Create writes a new object with the settings in it, and then says which fields are settings.
func (s *Settings) Create(ctx context.Context, c *kube.Client, own *unstructured.Unstructured) (step.Change, error) {
	if s == nil {
		return c.Apply(ctx, own)
	}
	spec, _ := own.Object["spec"].(map[string]any)
	whole := own.DeepCopy()
	whole.Object["spec"] = s.In(spec)
	change, err := c.Apply(ctx, whole)
	if err == nil {
		_, err = s.Apply(ctx, c, own)
	}
	if err == nil {
		_, err = c.Apply(ctx, own)
	}
	return change, err
}

// ReadSettings is the right of Judge.
func ReadSettings(kind kube.Kind) access.Rule {
	return access.Rule{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io",
		Names: kind.Plural + "." + kind.Group, Unwatched: true, Features: []access.Feature{access.Settings},
		Why: "whether settings of a file fit this release"}
}

// TakeBackSettings is the right of SettingsRemoval. An object of others may have any name.
func TakeBackSettings(kind kube.Kind) access.Rule {
	return access.Rule{Verbs: "get patch", Resources: kind.Plural + "." + kind.Group,
		Features: []access.Feature{access.Settings}, Why: "takes settings out of what others have made"}
}

// SettingsRemoval takes settings out of an object that hcctl did not make; its own goes as a whole.
func SettingsRemoval(id step.ID, title string, kinds ...kube.Kind) Removal {
	return Removal{ID: id, Title: title, Needs: []step.ID{NoHostedClusters},
		Check: func(ctx context.Context, r kube.Reader) step.Finding {
			found, err := withSettings(ctx, r, kinds)
			switch {
			case err != nil:
				return kube.Unknown(err).On("%ss", kinds[0].Kind)
			case found == nil:
				return step.OK("none has settings that hcctl wrote").On("%ss", kinds[0].Kind)
			}
			return step.Missing("it has settings that hcctl wrote").On("%s %s", kinds[0].Kind, kube.Name(found))
		},
		Apply: func(ctx context.Context, c *kube.Client) (step.Change, error) {
			found, err := withSettings(ctx, c, kinds)
			if err != nil || found == nil {
				return step.Unchanged, err
			}
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetGroupVersionKind(found.GroupVersionKind())
			u.SetNamespace(found.GetNamespace())
			u.SetName(found.GetName())
			return c.ApplySettings(ctx, u)
		}}
}

// withSettings is an object of others that has settings, in the version in which they were written; nil if none has.
func withSettings(ctx context.Context, r kube.Reader, kinds []kube.Kind) (*unstructured.Unstructured, error) {
	for _, kind := range kinds {
		list := kind.NewList()
		switch err := r.List(ctx, list); {
		case kube.IsKindMissing(err):
			continue
		case err != nil:
			return nil, err
		}
		for i := range list.Items {
			u := &list.Items[i]
			for _, entry := range u.GetManagedFields() {
				if entry.Manager == owner.Settings && entry.APIVersion == kind.GroupVersion().String() &&
					u.GetLabels()[kube.ManagedByLabel] != kube.FieldOwner && u.GetDeletionTimestamp() == nil {
					u.SetGroupVersionKind(kind.GroupVersionKind)
					return u, nil
				}
			}
		}
	}
	return nil, nil //nolint:nilnil // there is none
}
