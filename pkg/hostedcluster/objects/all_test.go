package objects_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestObjectsGolden(t *testing.T) {
	for name, change := range map[string]func(*options.Cluster){"minimal": nil, "everything": optionstest.Everything} {
		t.Run(name, func(t *testing.T) {
			got, err := objects.YAML(objects.All(optionstest.Named(change), objectstest.Inputs())...)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".yaml")
			if *update {
				if err = os.MkdirAll("testdata", 0o750); err != nil {
					t.Fatal(err)
				}
				if err = os.WriteFile(path, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("differs from %s (go test ./pkg/hostedcluster/objects -update writes it anew):\n%s", path, diff)
			}
		})
	}
}
