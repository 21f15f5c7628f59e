package objects_test

import (
	"path/filepath"
	"testing"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

func TestObjectsGolden(t *testing.T) {
	for name, change := range map[string]func(*options.Cluster){"minimal": nil, "everything": optionstest.Everything} {
		t.Run(name, func(t *testing.T) {
			got, err := objects.YAML(objects.All(optionstest.Valid(t, optionstest.Named(change)), objectstest.Inputs())...)
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", name+".yaml"), string(got))
		})
	}
}
