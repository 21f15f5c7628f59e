// Package usage finds the words of operators in Go source: what code reads from their objects, or writes as they do. It
// goes by the places where such words stand, not by a list of them:
//
//   - a label, an annotation, a finalizer: a string DOMAIN/NAME, with a domain that an operator uses;
//   - a condition's type, a reason, a phase: the fields Type, Reason and Phase of a literal; parameters, results,
//     variables and constants that are called so; what such a value is compared with;
//   - the name of an object: the fields Name and Namespace of ObjectMeta and NamespacedName, what SetName gets, and
//     constants that end with Name, Namespace, Finalizer, Label or Annotation.
//
// Constants of this repository are followed; those of other modules are the operators' own.
package usage
