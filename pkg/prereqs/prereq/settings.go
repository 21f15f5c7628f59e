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

// Settings are fields of the spec of an operator's object, as given in hcctl.yaml. Nil means none. They have a field
// manager of their own, so that they can be removed without other fields of hcctl or of other managers.
type Settings struct {
	// Path is the position in the document, such as "virtualization.spec".
	Path string
	// File is the name of the document in messages.
	File string
	// Fields are the settings, in the form the API server receives.
	Fields map[string]any
	// Lines maps paths below Path, such as "liveMigrationConfig.network", to lines of the document.
	Lines map[string]int
}

// Read parses the fields from JSON. Whole numbers become int64, as in an API server.
func (s *Settings) Read(content []byte) error { return json.Unmarshal(content, &s.Fields) }

// Reserved is a field that hcctl sets, and the option for it, or "".
type Reserved struct{ Field, Option string }

// Validate refuses fields that hcctl sets itself. The error is an *option.Error.
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

// Replaces returns the fields of the settings, for Prerequisite.Replaces. A field that no other manager owns may be
// changed; else there is a conflict.
func (s *Settings) Replaces() []string {
	var out []string
	s.leaves(func(path []string, _ any) { out = append(out, "spec."+strings.Join(path, ".")) })
	return out
}

// In returns a copy of own with the settings merged in: objects field by field, list items by name.
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

// leaves calls each for every setting in sorted order. A list is one setting.
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

// where returns the name of a setting with its file and line.
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

// Judge returns f, the state of the object, unless the settings are invalid or not set in the object. object is nil if
// exists is none. A setting that the CRD does not have is Broken in any case.
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
	lacking, foreign := s.compare(object, fields)
	on := fmt.Sprintf("%s %s", object.GetKind(), kube.Name(object))
	switch {
	case len(foreign) > 0:
		in := ""
		if object.GetNamespace() != "" {
			in = " -n " + object.GetNamespace()
		}
		return step.Broken("%s; hcctl keeps what others have decided", strings.Join(foreign, "; ")).On("%s", on).
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

// misfit returns a finding about the first setting that the schema does not have. It returns nil if all fit or there is
// no schema. foreseen means that the CRD is not installed, so that oc explain does not work yet.
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
		f = f.WithHint("oc explain %s.%s --api-version=%s", kind.Plural, explainPath(wrong[0].Path), kind.GroupVersion())
	}
	return &f
}

// compare returns the settings that an object lacks, and those that another manager has set to another value.
func (s *Settings) compare(object *unstructured.Unstructured, fields *crdschema.Schema) (lacking, foreign []string) {
	s.leaves(func(path []string, value any) {
		at := append([]string{"spec"}, path...)
		now, exists, _ := unstructured.NestedFieldNoCopy(object.Object, at...)
		if exists && fields.At(path).Holds(now, value) {
			return
		}
		setter, known := owner.SetBy(object, at...)
		if exists && known && !owner.IsHcctl(setter.Manager) && !fields.At(path).Joins() {
			foreign = append(foreign, fmt.Sprintf("%s is to be %s, and is %s, set by %s", s.where(strings.Join(path, ".")),
				shown(value), shown(now), setter))
			return
		}
		lacking = append(lacking, "spec."+strings.Join(path, "."))
	})
	return lacking, foreign
}

// shown formats a scalar value for a message.
func shown(v any) string {
	switch v := v.(type) {
	case map[string]any, []any:
		return "otherwise"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// Apply writes the settings into an existing object by server-side apply. A field of another manager is a conflict.
func (s *Settings) Apply(ctx context.Context, c *kube.Client, object *unstructured.Unstructured) (step.Change, error) {
	if s == nil {
		return step.Unchanged, nil
	}
	u := NewObject(kube.Kind{GroupVersionKind: object.GroupVersionKind()}, object.GetNamespace(), object.GetName(),
		runtime.DeepCopyJSON(s.Fields))
	return c.ApplySettings(ctx, u)
}

// Create writes a new object with the settings in it, and then sets the field manager of the settings.
func (s *Settings) Create(ctx context.Context, c *kube.Client, own *unstructured.Unstructured) (step.Change, error) {
	if s == nil {
		return c.Apply(ctx, own)
	}
	spec, _ := own.Object["spec"].(map[string]any)
	full := own.DeepCopy()
	full.Object["spec"] = s.In(spec)
	change, err := c.Apply(ctx, full)
	if err == nil {
		_, err = s.Apply(ctx, c, own)
	}
	if err == nil {
		_, err = c.Apply(ctx, own)
	}
	return change, err
}

// ReadSettings returns the right of Judge.
func ReadSettings(kind kube.Kind) access.Rule {
	return access.Rule{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io",
		Names: kind.Plural + "." + kind.Group, Unwatched: true, Features: []access.Feature{access.Settings},
		Why: "whether settings of a file fit this release"}
}

// TakeBackSettings returns the right of SettingsRemoval. A foreign object may have any name.
func TakeBackSettings(kind kube.Kind) access.Rule {
	return access.Rule{Verbs: "get patch", Resources: kind.Plural + "." + kind.Group,
		Features: []access.Feature{access.Settings}, Why: "takes settings out of what others have made"}
}

// SettingsRemoval removes settings from an object that hcctl did not create. Its own objects are removed as a whole.
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

// withSettings returns a foreign object that has settings, in the version in which they were written, or nil.
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
