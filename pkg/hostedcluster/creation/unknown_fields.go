package creation

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// UnknownFieldsError means that the operator's CRD is older than an option: the field that it would be written to does
// not exist.
type UnknownFieldsError struct {
	// Object is what could not be written, such as "HostedCluster clusters/kv-00".
	Object string
	// Fields are the paths in it.
	Fields []string
	// Flags are those that ask for such a field, where known.
	Flags []string
}

// Error names the fields.
func (e *UnknownFieldsError) Error() string {
	return fmt.Sprintf("%s: this cluster's HyperShift does not know %s", e.Object, strings.Join(e.Fields, ", "))
}

// Hint says which flags to leave out.
func (e *UnknownFieldsError) Hint() string {
	const newer = "a newer multicluster engine may know it"
	if len(e.Flags) == 0 {
		return newer
	}
	return "leave out --" + strings.Join(e.Flags, ", --") + "; " + newer
}

var unknownField = regexp.MustCompile(`unknown field "([^"]+)"`)

// createStrictly creates an object unless there is one of its name, by strictly.
func (p *Plan) createStrictly(made func() client.Object) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		err := p.strictly(ctx, made)
		switch {
		case apierrors.IsAlreadyExists(err):
			return step.Unchanged, nil
		case err != nil:
			return "", err
		}
		return step.Created, nil
	}
}

// strictly creates an object so that no field gets lost: an API server by itself drops what an older CRD does not have,
// and an option would silently do nothing. Fields that are written for every cluster may get lost, as they do with the
// vendor's CLI.
func (p *Plan) strictly(ctx context.Context, made func() client.Object) error {
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
		p.known.note(gvk, obj)
	}
	return err
}

// unknownFields reads out of the API server's refusal which fields it does not know: an error about those that options
// ask for; lost is true where there are only others.
func unknownFields(obj client.Object, err error) (unknown *UnknownFieldsError, lost bool) {
	names := unknownNames(err)
	if len(names) == 0 {
		return nil, false
	}
	kind, usual := obj.GetObjectKind().GroupVersionKind().Kind, usualFields()
	unknown = &UnknownFieldsError{Object: kind + " " + kube.Name(obj)}
	for _, name := range names {
		lost = true
		if !slices.Contains(usual, kind+" "+name) {
			unknown.Fields = append(unknown.Fields, name)
			unknown.Flags = append(unknown.Flags, flagsWriting(kind+" "+name)...)
		}
	}
	if len(unknown.Fields) == 0 {
		return nil, lost
	}
	return unknown, true
}

// unknownNames are the fields that an API server says it does not know.
func unknownNames(err error) []string {
	if !apierrors.IsBadRequest(err) {
		return nil
	}
	var names []string
	for _, m := range unknownField.FindAllStringSubmatch(err.Error(), -1) {
		names = append(names, m[1])
	}
	return names
}

// flagsWriting are the flags that write to the field, given as kind and path, or to one within it.
func flagsWriting(field string) []string {
	var out []string
	for _, f := range append(options.Fields(), options.FirstPoolFields()...) {
		for _, place := range strings.Split(f.Writes, ", ") {
			if f.Flag != "" && (place == field || strings.HasPrefix(place, field+".")) {
				out = append(out, f.Flag)
			}
		}
	}
	return out
}

// usualFields are the fields, as kind and path, that every cluster has whatever the options say.
func usualFields() []string {
	o := options.ValidatedDefaults("any", options.Defaults().Namespace, "")
	var out []string
	for _, obj := range objects.All(o, objects.Inputs{}) {
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		if kind != "HostedCluster" && kind != "NodePool" {
			continue
		}
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			continue
		}
		walk(m, "", func(path string) { out = append(out, kind+" "+path) })
	}
	return out
}

// walk tells the path of each field, as the API server writes them.
func walk(m map[string]any, prefix string, each func(string)) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		each(prefix + key)
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
