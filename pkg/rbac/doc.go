// Package rbac has the permissions that hcctl's commands need, by purpose. hcctl rbac prints roles from this table, the
// check cluster/permissions reviews its rules, and the end-to-end tests run as users with only these permissions.
//
// The rules of check, bootstrap and uninstall come from the prerequisites (prereqs.Rights); all others are here.
//
// e2e's TestRoles compares the table with the requests to the API servers: it fails for a request that no rule allows,
// and for a rule that no request needs.
package rbac
