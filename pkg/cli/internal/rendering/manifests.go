package rendering

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
)

// PrintManifests prints objects as one document of YAML on stdout.
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
