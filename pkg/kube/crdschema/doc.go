// Package crdschema validates values against the schema of a CRD as an API server does: fields, types, bounds,
// patterns, and the CEL rules that do not refer to the old object.
package crdschema
