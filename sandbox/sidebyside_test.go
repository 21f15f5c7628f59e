package main_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Two sandboxes on one machine use different addresses, so that a client never reaches the wrong hosted cluster. Each
// writes an audit log if the user asks for one.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	pools := map[string]string{}
	for _, name := range []string{"one", "two"} {
		r := launch(t, t.TempDir(), "--profile", "ready", "--audit")
		c := clusterOf(t, r.dir, "kubeconfig")
		pool := read(t, c, "metallb.io/v1beta1", "IPAddressPool", "metallb-system", "metallb")
		ranges, _, err := unstructured.NestedStringSlice(pool.Object, "spec", "addresses")
		if err != nil || len(ranges) != 1 {
			t.Fatalf("sandbox %s: addresses %v: %v", name, ranges, err)
		}
		first, _, _ := strings.Cut(ranges[0], "-")
		if ip := net.ParseIP(first); ip == nil || !ip.IsLoopback() {
			t.Errorf("sandbox %s: %s is no address of this machine's own", name, first)
		}
		if other, ok := pools[ranges[0]]; ok {
			t.Errorf("sandboxes %s and %s both give out %s", other, name, ranges[0])
		}
		pools[ranges[0]] = name
		log, err := os.ReadFile(filepath.Join(r.dir, "logs", "audit.log"))
		if err != nil ||
			!bytes.Contains(log,
				[]byte(`"requestURI":"/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/metallb"`)) {
			t.Errorf("sandbox %s: the read of the pool is not in the audit log of %d bytes: %v", name, len(log), err)
		}
	}
}
