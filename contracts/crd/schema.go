package crd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/contracts"
)

// Schemas returns the schema of each API version that a release of the table's kind has, by name of the version. A kind
// with one version alone has the name "".
func Schemas(t contracts.Table, release contracts.Release) (map[string]*apiextensionsv1.JSONSchemaProps, error) {
	if !t.Releases.Has(release) {
		return nil, fmt.Errorf("%s: no fields of release %s are known", t.CRD, release)
	}
	out := map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, version := range versions(t, release) {
		root := newNode(contracts.Field{Type: "object"})
		root.put("apiVersion", contracts.Field{Type: "string"})
		root.put("kind", contracts.Field{Type: "string"})
		anything := contracts.Field{Type: "object", Facets: contracts.Facets{PreserveUnknown: true}}
		switch {
		case t.StatusOnly:
			root.put("spec", anything)
		case t.SpecOnly:
			root.put("status", anything)
		}
		for _, f := range t.In(release, version) {
			if err := root.add(f); err != nil {
				return nil, fmt.Errorf("%s %s: %s: %w", t.CRD, release, f, err)
			}
		}
		if root.below["metadata"] == nil {
			root.put("metadata", contracts.Field{Type: "object"})
		}
		schema, err := root.schema()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.CRD, release, err)
		}
		out[version] = schema
	}
	return out, nil
}

// versions lists the API versions of a release.
func versions(t contracts.Table, release contracts.Release) []string {
	var all []string
	for _, f := range t.Fields {
		if f.Releases.Has(release) && !slices.Contains(all, f.Version) {
			all = append(all, f.Version)
		}
	}
	return all
}

// node is a field with those below it.
type node struct {
	field contracts.Field
	below map[string]*node
	names []string
}

func newNode(f contracts.Field) *node { return &node{field: f, below: map[string]*node{}} }

// add puts a field at its place. It fails if the release lacks the field above it, or has two of the same path.
func (n *node) add(f contracts.Field) error {
	at := n
	for i, name := range f.Path[:len(f.Path)-1] {
		next := at.below[name]
		switch {
		case next == nil && (name == "[]" || name == "{}"):
			next = at.put(name, contracts.Field{Type: at.elements()})
		case next == nil:
			return fmt.Errorf("there is no %s above it", strings.Join(f.Path[:i+1], "."))
		}
		at = next
	}
	name := f.Path[len(f.Path)-1]
	if at.below[name] != nil {
		return fmt.Errorf("it is there twice")
	}
	at.put(name, f)
	return nil
}

func (n *node) put(name string, f contracts.Field) *node {
	next := newNode(f)
	n.below[name], n.names = next, append(n.names, name)
	return next
}

// elements returns T of array<T> and map<T>; "" for other types.
func (n *node) elements() string {
	for _, kind := range []string{"array<", "map<"} {
		if inner, ok := strings.CutPrefix(n.field.Type, kind); ok {
			return strings.TrimSuffix(inner, ">")
		}
	}
	return ""
}

// schema returns the schema of the field and of all below it.
func (n *node) schema() (*apiextensionsv1.JSONSchemaProps, error) {
	s, err := n.ofType()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.field, err)
	}
	if err := setFacets(s, n.field.Facets); err != nil {
		return nil, fmt.Errorf("%s: %w", n.field, err)
	}
	return s, nil
}

func (n *node) ofType() (*apiextensionsv1.JSONSchemaProps, error) {
	s := &apiextensionsv1.JSONSchemaProps{}
	switch kind := n.field.Type; {
	case strings.HasPrefix(kind, "array<"):
		elements, err := n.element("[]")
		if err != nil {
			return nil, err
		}
		if items := n.field.Facets.Items; items != nil {
			if err := setFacets(elements, *items); err != nil {
				return nil, err
			}
		}
		s.Type, s.Items = "array", &apiextensionsv1.JSONSchemaPropsOrArray{Schema: elements}
	case strings.HasPrefix(kind, "map<"):
		elements, err := n.element("{}")
		if err != nil {
			return nil, err
		}
		s.Type, s.AdditionalProperties = "object", &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: elements}
	case kind == "int-or-string":
		s.XIntOrString = true
	case strings.Contains(kind, "/"):
		return wellKnown(kind)
	case kind == "object":
		return n.object()
	case slices.Contains([]string{"string", "integer", "number", "boolean"}, kind):
		s.Type = kind
	default:
		return nil, fmt.Errorf("unknown type %q", kind)
	}
	return s, nil
}

// element returns the schema of a list's elements or a map's values. Where the table says no more of them than that
// they are objects or lists, anything may be in them.
func (n *node) element(name string) (*apiextensionsv1.JSONSchemaProps, error) {
	below := n.below[name]
	if below == nil {
		below = newNode(contracts.Field{Type: n.elements()})
	}
	switch n.elements() {
	case "array":
		return &apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{
			Schema: &apiextensionsv1.JSONSchemaProps{XIntOrString: true}}}, nil
	case "object":
		if len(below.names) == 0 {
			return &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: ptr.To(true)}, nil
		}
	}
	return below.schema()
}

func (n *node) object() (*apiextensionsv1.JSONSchemaProps, error) {
	s := &apiextensionsv1.JSONSchemaProps{Type: "object"}
	for _, name := range n.names {
		property, err := n.below[name].schema()
		if err != nil {
			return nil, err
		}
		if s.Properties == nil {
			s.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		s.Properties[name] = *property
		if n.below[name].field.Facets.Required {
			s.Required = append(s.Required, name)
		}
	}
	slices.Sort(s.Required)
	return s, nil
}

// setFacets writes what the table says besides the type.
func setFacets(s *apiextensionsv1.JSONSchemaProps, f contracts.Facets) error {
	for _, v := range f.Enum {
		raw := []byte(v)
		// A value of an int-or-string that is not JSON, such as 4Ki, is a string.
		if s.Type == "string" || s.XIntOrString && !json.Valid(raw) {
			var err error
			if raw, err = json.Marshal(v); err != nil {
				return err
			}
		}
		s.Enum = append(s.Enum, apiextensionsv1.JSON{Raw: raw})
	}
	if f.Default != nil {
		s.Default = &apiextensionsv1.JSON{Raw: f.Default}
	}
	s.Nullable = s.Nullable || f.Nullable
	s.XEmbeddedResource = s.XEmbeddedResource || f.Embedded
	if f.PreserveUnknown {
		s.XPreserveUnknownFields = ptr.To(true)
	}
	s.Pattern, s.Format = cmp.Or(f.Pattern, s.Pattern), cmp.Or(f.Format, s.Format)
	s.MinLength, s.MaxLength, s.MinItems, s.MaxItems = f.MinLength, f.MaxLength, f.MinItems, f.MaxItems
	s.MinProperties, s.MaxProperties = f.MinProperties, f.MaxProperties
	s.Minimum, s.Maximum = f.Minimum, f.Maximum
	if f.ListType != "" {
		s.XListType, s.XListMapKeys = ptr.To(f.ListType), f.ListKeys
	}
	for _, rule := range f.Rules {
		s.XValidations = append(s.XValidations, apiextensionsv1.ValidationRule{Rule: rule})
	}
	return nil
}
