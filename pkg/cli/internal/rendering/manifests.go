package rendering

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// PrintManifests prints objects as one YAML stream on stdout.
func PrintManifests(a *cmdutil.Factory, all []*unstructured.Unstructured) error {
	written := make([]client.Object, len(all))
	for i, u := range all {
		written[i] = u
	}
	data, err := objects.YAML(written...)
	if err != nil {
		return err
	}
	return a.Streams.Document(data)
}
