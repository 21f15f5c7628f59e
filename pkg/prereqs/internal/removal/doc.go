// Package removal removes objects that hcctl made, and only those: the label tells whose an object is, managed fields
// whose a field is.
package removal
