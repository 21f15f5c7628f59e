package inject

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/world"
)

// Every file of objects belongs to a fault and can be read.
func TestObjectsAreOfFaults(t *testing.T) {
	names, err := fs.Glob(files, "objects/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, file := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "objects/"), ".yaml")
		if _, ok := injectors[strings.TrimSuffix(name, "-bare")]; !ok {
			t.Errorf("%s: no fault of that name is brought about here", file)
		}
		objects, err := read(name, world.DefaultNet)
		if err != nil || len(objects) == 0 {
			t.Errorf("%s: %d objects, %v", file, len(objects), err)
		}
	}
}

func TestMakersAreOfFaults(t *testing.T) {
	known := map[string]bool{}
	for _, f := range fault.All() {
		known[f.Name] = true
	}
	for name := range injectors {
		if !known[name] {
			t.Errorf("there is no fault %s", name)
		}
	}
}
