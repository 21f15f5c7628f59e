package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// Structural returns the schema in the form that an API server prunes and validates with. It fails for a schema that an
// API server would refuse.
func Structural(schema *apiextensionsv1.JSONSchemaProps) (*structuralschema.Structural, error) {
	internal := &apiextensions.JSONSchemaProps{}
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, internal, nil)
	if err != nil {
		return nil, err
	}
	s, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	if errs := structuralschema.ValidateStructural(nil, s); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return s, nil
}

// Validator holds objects to one schema.
type Validator struct {
	schema *structuralschema.Structural
	values *validate.SchemaValidator
}

// NewValidator fails for a schema that an API server would refuse.
func NewValidator(schema *apiextensionsv1.JSONSchemaProps) (*Validator, error) {
	s, err := Structural(schema)
	if err != nil {
		return nil, err
	}
	return &Validator{s, validate.NewSchemaValidator(s.ToKubeOpenAPI(), nil, "", strfmt.Default)}, nil
}

// Problems returns why an API server under strict validation refuses an object: fields that the schema does not have,
// and values that it does not allow. The rules in CEL and the types of lists are not looked at.
func (v *Validator) Problems(object map[string]any) (unknown, invalid []string) {
	object = runtime.DeepCopyJSON(object)
	for _, path := range pruning.PruneWithOptions(object, v.schema, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		unknown = append(unknown, fmt.Sprintf("unknown field %q", path))
	}
	for _, err := range v.values.Validate(object).Errors {
		invalid = append(invalid, err.Error())
	}
	slices.Sort(unknown)
	slices.Sort(invalid)
	return unknown, invalid
}

// Problems are those of a Validator for this schema, all in one list.
func Problems(schema *apiextensionsv1.JSONSchemaProps, object map[string]any) ([]string, error) {
	v, err := NewValidator(schema)
	if err != nil {
		return nil, err
	}
	unknown, invalid := v.Problems(object)
	unknown = append(unknown, invalid...)
	slices.Sort(unknown)
	return unknown, nil
}
