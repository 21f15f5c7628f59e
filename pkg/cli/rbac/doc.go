// Package rbac implements hcctl rbac, which prints roles.
package rbac
