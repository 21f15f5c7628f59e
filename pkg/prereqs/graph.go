package prereqs

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Graph is the graph of Steps for a cluster that is nowhere: for names, needs and pages. Its steps must not be checked
// or applied.
func Graph(o Validated) (*step.Graph, error) {
	c, err := kube.New(&rest.Config{Host: "https://invalid."})
	if err != nil {
		return nil, err
	}
	return step.New(Steps(c, o)...)
}

// OpenShift is the version of OpenShift that is installed, such as "4.20.3"; empty if it cannot be read.
func OpenShift(ctx context.Context, r kube.Reader) string {
	v, err := prereq.OpenShift(ctx, r)
	if err != nil {
		return ""
	}
	return v.String()
}
