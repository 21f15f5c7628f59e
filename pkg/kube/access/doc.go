// Package access is the form in which hcctl writes down rights: what may be done with which objects, where and why.
// The prerequisites bring such rules, and pkg/rbac makes roles of them.
package access
