package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestPasswordsInURLsAreMasked(t *testing.T) {
	proxied := func(url string) map[string]any {
		return map[string]any{"kind": "HostedCluster", "spec": map[string]any{"httpProxy": url}}
	}
	before, after := masked(proxied("http://bob:hunter2@proxy:3128"), proxied("http://bob:hunter3@proxy:3128"))
	if s := fmt.Sprint(before, after); strings.Contains(s, "hunter") || !strings.Contains(s, maskAfter) {
		t.Error(s)
	}
	if _, after := masked(nil, proxied("http://proxy:3128/a@b:c")); !strings.Contains(fmt.Sprint(after), "proxy:3128") {
		t.Error(after)
	}
}
