// Package kubetest is an in-memory API server for hcctl's tests. Server serves one kind: paged lists, watches that
// tests can break, creates, patches, server-side apply and deletes. API combines all kinds behind a kube.Client.
// Behaviour that only a real API server can prove is tested in a sandbox.
package kubetest
