// Package access defines the rules in which hcctl declares permissions: verbs on objects, their namespace, and the
// reason. The prerequisites declare such rules, and pkg/rbac generates roles from them.
package access
