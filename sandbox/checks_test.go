package main

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/sandbox/cluster"
)

// TestKubernetesOfTheAPIServer: what an API server of another Kubernetes cannot do is refused.
func TestKubernetesOfTheAPIServer(t *testing.T) {
	for _, c := range []struct {
		kubernetes    string
		vendors, lean bool
		err           string
	}{
		{kubernetes: ""},
		{kubernetes: "", vendors: true, lean: true},
		{kubernetes: "1.36", vendors: true, lean: true},
		{kubernetes: "1.33"},
		{kubernetes: "1.35"},
		{kubernetes: "1.32", err: `no API server of Kubernetes "1.32" here: there are 1.33, 1.34, 1.35, 1.36`},
		{kubernetes: "v1.33", err: `no API server of Kubernetes "v1.33"`},
		{kubernetes: "../1.33", err: "no API server of Kubernetes"},
		{kubernetes: "1.34", vendors: true, err: "needs v1 of MutatingAdmissionPolicy"},
		{kubernetes: "1.34", lean: true, err: "leave --openapi=false out"},
	} {
		opts := cluster.Options{Kubernetes: c.kubernetes, RealHyperShift: c.vendors, OpenAPI: !c.lean}
		err := checkKubernetes(opts)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v, want %q", c, err, c.err)
		}
	}
}
