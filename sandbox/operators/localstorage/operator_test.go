package localstorage

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// TestDiskMakers holds the condition to what the Local Storage operator writes, 4.12 to 4.21: "DaemonSetsAvailable" is
// the value of its constant, whose name is longer.
func TestDiskMakers(t *testing.T) {
	for _, c := range []struct {
		desired, ready int32
		want           framework.Condition
	}{
		{-1, 0, framework.Condition{Type: "DaemonSetsAvailable", Status: "False", Reason: "",
			Message: "DiskMaker: Not found."}},
		{3, 1, framework.Condition{Type: "DaemonSetsAvailable", Status: "False", Reason: "",
			Message: "DiskMaker: 2/3 Unavailable."}},
		{3, 3, framework.Condition{Type: "DaemonSetsAvailable", Status: "True", Reason: "", Message: "DiskMaker: Available"}},
	} {
		if got := diskMakers(c.desired, c.ready); got != c.want {
			t.Errorf("%d of %d: %+v, want %+v", c.ready, c.desired, got, c.want)
		}
	}
}
