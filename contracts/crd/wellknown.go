package crd

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// wellKnownTypes are the types of Kubernetes that the tables name instead of listing their fields.
func wellKnownTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"core/v1 Affinity":                    reflect.TypeFor[corev1.Affinity](),
		"core/v1 NodeSelector":                reflect.TypeFor[corev1.NodeSelector](),
		"core/v1 NodeSelectorTerm":            reflect.TypeFor[corev1.NodeSelectorTerm](),
		"core/v1 ObjectReference":             reflect.TypeFor[corev1.ObjectReference](),
		"core/v1 PersistentVolumeClaimSpec":   reflect.TypeFor[corev1.PersistentVolumeClaimSpec](),
		"core/v1 PersistentVolumeClaimStatus": reflect.TypeFor[corev1.PersistentVolumeClaimStatus](),
		"core/v1 Probe":                       reflect.TypeFor[corev1.Probe](),
		"core/v1 ResourceRequirements":        reflect.TypeFor[corev1.ResourceRequirements](),
		"core/v1 Toleration":                  reflect.TypeFor[corev1.Toleration](),
		"core/v1 TopologySpreadConstraint":    reflect.TypeFor[corev1.TopologySpreadConstraint](),
		"meta/v1 LabelSelector":               reflect.TypeFor[metav1.LabelSelector](),
	}
}

// wellKnown returns the schema of a type of Kubernetes, made from its Go type: a release's CRD may have fewer of its
// fields, because it was made from an older one.
func wellKnown(name string) (*apiextensionsv1.JSONSchemaProps, error) {
	t, ok := wellKnownTypes()[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %q", name)
	}
	return ofGoType(t)
}

// ofGoType follows the JSON form of a type. A field is required if it is neither a pointer nor omitted when empty.
func ofGoType(t reflect.Type) (*apiextensionsv1.JSONSchemaProps, error) {
	switch t {
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString]():
		return &apiextensionsv1.JSONSchemaProps{XIntOrString: true}, nil
	case reflect.TypeFor[metav1.Time]():
		return &apiextensionsv1.JSONSchemaProps{Type: "string", Format: "date-time"}, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return ofGoType(t.Elem())
	case reflect.String:
		return &apiextensionsv1.JSONSchemaProps{Type: "string"}, nil
	case reflect.Bool:
		return &apiextensionsv1.JSONSchemaProps{Type: "boolean"}, nil
	case reflect.Int32, reflect.Int64:
		return &apiextensionsv1.JSONSchemaProps{Type: "integer", Format: t.Kind().String()}, nil
	case reflect.Slice:
		elements, err := ofGoType(t.Elem())
		if err != nil {
			return nil, err
		}
		return &apiextensionsv1.JSONSchemaProps{Type: "array",
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: elements}}, nil
	case reflect.Map:
		values, err := ofGoType(t.Elem())
		if err != nil {
			return nil, err
		}
		return &apiextensionsv1.JSONSchemaProps{Type: "object",
			AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: values}}, nil
	case reflect.Struct:
		s := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
		return s, addFields(s, t)
	}
	return nil, fmt.Errorf("no schema for %s", t)
}

// addFields adds a struct's fields, and those of the structs in it that have no name of their own.
func addFields(s *apiextensionsv1.JSONSchemaProps, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous {
			if err := addFields(s, f.Type); err != nil {
				return err
			}
			continue
		}
		property, err := ofGoType(f.Type)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		s.Properties[name] = *property
		if !strings.Contains(options, "omitempty") && f.Type.Kind() != reflect.Pointer {
			s.Required = append(s.Required, name)
		}
	}
	slices.Sort(s.Required)
	return nil
}
