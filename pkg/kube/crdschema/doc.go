// Package crdschema holds values to the schema of a CRD as an API server does: fields, types, bounds, patterns, and the
// rules in CEL that need no older object.
package crdschema
