// Package owner finds the tool that manages an object or one of its fields: GitOps, Advanced Cluster Management, Helm,
// the Operator Lifecycle Manager, or the field manager that wrote a value last.
//
// It reads the marks of these tools: labels, annotations, owner references, managed fields. Any client can write these
// texts, so a name is shown only if it has the form of an object name.
package owner
