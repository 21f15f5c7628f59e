// Package rbac has the command rbac, which prints roles.
package rbac
