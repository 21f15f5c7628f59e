// Package rbac is the one table of what hcctl's commands need to be allowed, by purpose: hcctl rbac prints roles of it,
// the check cluster/permissions asks for what it says, and the end-to-end tests run as users who have nothing else.
//
// The rules of check, bootstrap and uninstall are those of the prerequisites (prereqs.Rights); the rest are here.
//
// The table is held to what API servers were asked: a request that it does not allow, and a rule that no request
// needed, each fail e2e's TestRoles.
package rbac
