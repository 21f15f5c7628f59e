// Package kubetest is the API server in memory of hcctl's tests. Server is one kind: lists in pages, watches that can
// be broken, creates, patches, server-side apply and deletes. API is all kinds together behind a kube.Client. What only
// a real API server can prove is tested in a sandbox.
package kubetest
