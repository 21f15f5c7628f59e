// Package removal removes objects that hcctl made, and only those. The label shows the owner of an object, the managed
// fields show the owner of a field.
package removal
