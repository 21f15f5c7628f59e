package nodepool

import (
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNetworkConflicts(t *testing.T) {
	_, network, err := net.ParseCIDR("10.132.0.0/14")
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{}
	for _, a := range []string{"10.128.2.7", "10.132.4.2", "169.254.0.1"} {
		node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: a})
	}
	if inside, outside := split(node, *network); strings.Join(inside, " ") != "10.132.4.2" ||
		strings.Join(outside, " ") != "10.128.2.7" {
		t.Errorf("inside %v, outside %v", inside, outside)
	}
	for n, want := range map[int]string{0: "10.132.0.2", 3: "10.132.6.2", 128: "10.133.0.2"} {
		if got := managementPort(*network, n); got != want {
			t.Errorf("node %d: %s, want %s", n, got, want)
		}
	}
	long := strings.Repeat("x", 200)
	if got := joinConflicts([]string{long, long, long}); got != long+strings.Repeat(", too many similar errors...", 2) {
		t.Errorf("joined: %s", got)
	}
}
