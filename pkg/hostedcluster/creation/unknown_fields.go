package creation

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// UnknownFieldsError means that the operator's CRD is older than an option and lacks the field that the option sets.
type UnknownFieldsError struct {
	// Object names the object that could not be written, such as "HostedCluster clusters/kv-00".
	Object string
	// Fields lists the paths of the unknown fields.
	Fields []string
	// Flags lists the flags that set such fields, if known.
	Flags []string
}

// Error returns the object and the unknown fields.
func (e *UnknownFieldsError) Error() string {
	return fmt.Sprintf("%s: this cluster's HyperShift does not know %s", e.Object, strings.Join(e.Fields, ", "))
}

// Hint returns the flags to omit and the multicluster engine that they need.
func (e *UnknownFieldsError) Hint() hint.Text {
	const newer = "a newer multicluster engine may know it"
	if len(e.Flags) == 0 {
		return hint.New(newer)
	}
	var flags, needs []string
	for _, flag := range e.Flags {
		flags = append(flags, hint.Flag(flag).String())
		if text := options.NeedsEngine(flag); text != "" {
			needs = append(needs, text)
		}
	}
	if len(needs) == 0 {
		needs = []string{newer}
	}
	return hint.New("leave out %s; %s", strings.Join(flags, ", "), strings.Join(needs, ", "))
}

// createStrictly returns an apply that creates an object by strictly, if it does not exist.
func (p *Plan) createStrictly(made func() client.Object) func(context.Context) (step.Change, error) {
	return p.createBy(made, p.writeStrictly)
}

// writeStrictly creates an object with strict validation: by default an API server silently drops fields that an older
// CRD lacks, so that an option would have no effect. Fields that every cluster has may be dropped, as with the vendor's
// CLI: an older HyperShift has that behavior without them.
func (p *Plan) writeStrictly(ctx context.Context, made func() client.Object) error {
	obj := made()
	gvk := obj.GetObjectKind().GroupVersionKind()
	err := p.client.CreateNew(ctx, obj, client.FieldValidation(metav1.FieldValidationStrict))
	unknown, lost := unknownFields(made(), err)
	switch {
	case unknown != nil:
		return unknown
	case lost:
		return p.write(ctx, made)
	case err == nil:
		p.cache.store(gvk, obj)
	}
	return err
}

// unknownFields parses the unknown fields from the API server's refusal. It returns an error about those that options
// set; lost is true if there are only others.
func unknownFields(obj client.Object, err error) (unknown *UnknownFieldsError, lost bool) {
	names := hostedcluster.UnknownFields(err)
	lacks := Lacks(obj, names)
	if len(lacks) == 0 {
		return nil, len(names) > 0
	}
	unknown = &UnknownFieldsError{Object: obj.GetObjectKind().GroupVersionKind().Kind + " " + kube.Name(obj)}
	for _, l := range lacks {
		unknown.Fields, unknown.Flags = append(unknown.Fields, l.Field), append(unknown.Flags, l.Flags...)
	}
	return unknown, true
}

// Lack is a field that a HyperShift version lacks, and the flags that set it.
type Lack struct {
	Field string
	Flags []string
}

// Lacks returns the unknown fields that options set. Fields that every cluster has are omitted.
func Lacks(obj client.Object, fields []string) (all []Lack) {
	if len(fields) == 0 {
		return nil
	}
	kind, usual, asked := obj.GetObjectKind().GroupVersionKind().Kind, defaultFields(), fieldsOf(obj)
	for _, name := range fields {
		field := kind + " " + name
		if value, ok := usual[field]; ok && reflect.DeepEqual(value, asked[field]) {
			continue
		}
		lack := Lack{Field: name, Flags: flagsFor(field, asked, usual)}
		if objects.Patches(obj, name) {
			lack.Flags = []string{patchFlag(obj)}
		}
		all = append(all, lack)
	}
	return all
}

// flagsFor returns the flags that set a field, given as kind and path, a field that contains it, or one inside it.
// Of fields inside it, only those count whose value differs from every cluster's.
func flagsFor(field string, asked, usual map[string]any) []string {
	var out []string
	for _, f := range append(options.Fields(), options.FirstPoolFields()...) {
		for _, place := range strings.Split(f.Writes, ", ") {
			value, set := asked[place]
			within := strings.HasPrefix(place, field+".") && set && !reflect.DeepEqual(value, usual[place])
			around := place == field || strings.HasPrefix(field, place+".") || strings.HasPrefix(field, place+"[")
			if f.Flag != "" && (around || within) && !slices.Contains(out, f.Flag) {
				out = append(out, f.Flag)
			}
		}
	}
	return out
}

// defaultFields returns the fields, as kind and path, that every cluster has with any options, with their values.
func defaultFields() map[string]any {
	o := options.ValidatedDefaults("any", options.Defaults().Namespace, "")
	out := map[string]any{}
	for _, obj := range objects.All(o, objects.Inputs{}) {
		if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind == "HostedCluster" || kind == "NodePool" {
			maps.Copy(out, fieldsOf(obj))
		}
	}
	return out
}

// fieldsOf returns the fields of an object, as kind and path, with their values.
func fieldsOf(obj client.Object) map[string]any {
	out := map[string]any{}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err == nil {
		walk(m, obj.GetObjectKind().GroupVersionKind().Kind+" ", func(path string, value any) { out[path] = value })
	}
	return out
}

// walk calls each with the path of each field, in the API server's notation, and its value.
func walk(m map[string]any, prefix string, each func(string, any)) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		each(prefix+key, m[key])
		switch v := m[key].(type) {
		case map[string]any:
			walk(v, prefix+key+".", each)
		case []any:
			for i := range v {
				if item, ok := v[i].(map[string]any); ok {
					walk(item, fmt.Sprintf("%s%s[%d].", prefix, key, i), each)
				}
			}
		}
	}
}
