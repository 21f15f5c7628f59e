package prereqtest

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// API is an API server in memory.
type API = kubetest.API

// Request is one verb on one resource, in the terms of RBAC rules.
type Request = kubetest.Request

// Serve starts an API server with the objects of YAML documents.
func Serve(t testing.TB, objects ...string) *API {
	t.Helper()
	return kubetest.Serve(t, objects...)
}
