package localstorage

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// The condition is that of the Local Storage operator 4.12 to 4.21. "DaemonSetsAvailable" is the value of its constant,
// which has a longer name.
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
