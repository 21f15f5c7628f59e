package main

import "fmt"

// dropDescriptions removes the descriptions from a CRD's schemas, except that of the kind itself. They are three
// quarters of the text and an API server holds each schema several times; validation does not depend on them.
func dropDescriptions(crd map[string]any) error {
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		return fmt.Errorf("spec.versions is missing")
	}
	for _, v := range versions {
		version, _ := v.(map[string]any)
		schema, _ := version["schema"].(map[string]any)
		root, ok := schema["openAPIV3Schema"].(map[string]any)
		if !ok {
			return fmt.Errorf("a version has no schema")
		}
		description := root["description"]
		dropFrom(root)
		if description != nil {
			root["description"] = description
		}
	}
	return nil
}

// dropFrom removes the description of a schema and of all schemas below it. It follows the schema's structure, so that
// a property, default or example called description stays.
func dropFrom(node any) {
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	delete(schema, "description")
	for _, key := range []string{"items", "additionalProperties", "not"} {
		dropFrom(schema[key])
	}
	for _, key := range []string{"properties", "patternProperties", "definitions"} {
		named, _ := schema[key].(map[string]any)
		for _, s := range named {
			dropFrom(s)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for _, s := range list {
			dropFrom(s)
		}
	}
}
