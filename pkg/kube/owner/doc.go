// Package owner tells who decides about an object, or about one field of it: GitOps, Advanced Cluster Management, Helm,
// the Operator Lifecycle Manager, or the field manager that wrote a value last.
//
// It goes by the marks that these tools leave: labels, annotations, owner references, managed fields. All of them are
// texts that somebody else wrote, so names are shown only if they look like names of objects.
package owner
