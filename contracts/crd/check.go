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

// Problems returns why an API server under strict validation refuses an object: fields that the schema does not have,
// and values that it does not allow. The rules in CEL and the types of lists are not looked at.
func Problems(schema *apiextensionsv1.JSONSchemaProps, object map[string]any) ([]string, error) {
	s, err := Structural(schema)
	if err != nil {
		return nil, err
	}
	object = runtime.DeepCopyJSON(object)
	var problems []string
	for _, path := range pruning.PruneWithOptions(object, s, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	result := validate.NewSchemaValidator(s.ToKubeOpenAPI(), nil, "", strfmt.Default).Validate(object)
	for _, err := range result.Errors {
		problems = append(problems, err.Error())
	}
	slices.Sort(problems)
	return problems, nil
}
