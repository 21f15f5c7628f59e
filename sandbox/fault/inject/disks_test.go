package inject

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/world"
)

func TestMixedDisks(t *testing.T) {
	kept := world.Disk{Path: "/dev/nvme0n1", State: "Available"}
	links, wwn := map[string]int{}, 0
	for worker := range 3 {
		disks := addMixedDisks(worker, []world.Disk{kept})
		if disks[0] != kept {
			t.Errorf("worker %d: an empty disk has changed: %+v", worker, disks[0])
		}
		for _, d := range disks[1:] {
			if d.Type == "" || d.Property == "" || d.State == "" || d.Size == 0 {
				t.Errorf("not described in full: %+v", d)
			}
			if d.Serial == "600508b400105e210000900000490000" {
				wwn++
			} else if links[d.DeviceID]++; links[d.DeviceID] > 1 {
				t.Errorf("two disks are %s", d.DeviceID)
			}
		}
	}
	if wwn != 4 {
		t.Errorf("the shared LUN is seen %d times, want one for each worker and another path", wwn)
	}
}
