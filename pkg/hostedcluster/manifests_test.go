package hostedcluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObjectsGolden(t *testing.T) {
	for name, change := range map[string]func(*Options){"minimal": nil, "everything": everything} {
		t.Run(name, func(t *testing.T) {
			got, err := YAML(Objects(named(change), inputs())...)
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
				t.Errorf("differs from %s (go test ./pkg/hostedcluster -update writes it anew):\n%s", path, diff)
			}
		})
	}
}
