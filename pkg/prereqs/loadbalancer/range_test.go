package loadbalancer

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestLoopbackIsOnlyForThisMachine(t *testing.T) {
	all := []origin{{"--metallb-range", addresses.ParseAll([]string{"192.0.2.0/28", "127.0.1.0/28"})}}
	if f := judgeLoopback(all, true); f != nil {
		t.Errorf("got %+v", f)
	}
	if f := judgeLoopback(all, false); f == nil || f.State != step.StateMissing ||
		!strings.Contains(f.Message, "127.0.1.0/28") {
		t.Errorf("got %+v", f)
	}
}
