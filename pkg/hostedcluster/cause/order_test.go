package cause

import (
	"slices"
	"strings"
	"testing"
)

func TestOperatorOrder(t *testing.T) {
	all := []string{"authentication", "console", "dns", "ingress", "network", "openshift-dns/dns-1"}
	slices.SortStableFunc(all, func(a, b string) int { return OperatorOrder(a) - OperatorOrder(b) })
	if got := strings.Join(all, " "); got != "network dns ingress authentication console openshift-dns/dns-1" {
		t.Error(got)
	}
}
