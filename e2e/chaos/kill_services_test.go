package chaos

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

const somebodysKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXWHqGh4ka6JjJcFuPmKXaIYzZKXiB4GVQEmWU2IMp1 somebody@example.com\n"

// random is what each run makes anew, and what follows from it: keys, certificates, digests and UIDs; and what the API
// server chooses for a Service.
var random = regexp.MustCompile(`("(?:tls\.crt|tls\.key|ca\.crt|ca\.key|ca-bundle\.crt|clientSecret|ssh_host_ecdsa_key|` +
	`ssh_host_ecdsa_key\.pub|config\.yaml|hcctl\.dev/manifest|hcctl\.dev/dex-content|hcctl\.dev/certificate-until)": )"[^"]*"|` +
	`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"nodePort": \d+|"172\.30\.\d+\.\d+"`)

// plainlyWritten is what hcctl has written, without what is random.
func plainlyWritten(t *testing.T, w *world.World) map[string]string {
	t.Helper()
	all := w.Written(t)
	for key, text := range all {
		all[key] = random.ReplaceAllString(text, `$1"..."`)
	}
	return all
}

// TestKilledServices kills create with a jump host and Dex at each of its writes, and then the same command with a
// document that has neither, on a real API server: each ends as an undisturbed run does, and once more writes nothing.
// Writes in the hosted cluster do not go through the proxy: a test of pkg/hostedcluster/services kills at those.
func TestKilledServices(t *testing.T) {
	if !world.WholeLists() {
		t.Skip("make chaos runs it: a test of pkg/hostedcluster/services has the same for each write, on an API server in memory")
	}
	w := world.New(t, "--profile", "ready", "--lean", "--guests", "1", "--speed", "50")
	w.Merge(t, world.AddressPools, "metallb-system", "metallb", `{"spec":{"addresses":["`+w.Addresses+`"]}}`)
	file := func(name, content string) string { return w.File(t, name, content) }
	network, _, _ := strings.Cut(w.Addresses, ".32-")
	dex := file("dex.yaml", "issuer: https://"+network+".100\nstorage: {type: memory}\nenablePasswordDB: true\n")
	head := "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: kv-00, namespace: clusters}\nspec:\n" +
		"  version: 4.20.3\n  infraID: kv-00-fixed\n  pullSecret: " + w.PullSecret + "\n  nodePools: [{replicas: 1}]\n"
	whole := file("whole.yaml", head+"  services:\n    jumpHost: {image: registry.example/openssh, authorizedKeys: "+
		file("keys.pub", somebodysKey)+"}\n    dex: {config: "+dex+"}\n    identity: {groups: {team: view}}\n")
	without := file("without.yaml", head+"  services: {}\n")
	bring := []string{"create", "cluster", "-f", whole, "--wait", "api", "--yes"}
	take := []string{"create", "cluster", "-f", without, "--wait", "api", "--yes"}
	remove := []string{"delete", "cluster", "kv-00", "--yes"}

	before := w.Written(t)
	w.Direct.Must(t, bring...)
	brought := plainlyWritten(t, w)
	w.Direct.Must(t, take...)
	taken := plainlyWritten(t, w)
	w.Direct.Must(t, remove...)

	killedInTurn(t, w, ofWrites, bring...)
	world.Compare(t, brought, plainlyWritten(t, w), "with services brought by runs that were killed")
	writesNothing(t, w, bring...)
	killedInTurn(t, w, ofWrites, take...)
	world.Compare(t, taken, plainlyWritten(t, w), "with services taken away by runs that were killed")
	writesNothing(t, w, take...)
	w.Direct.Must(t, bring...)
	killedInTurn(t, w, ofWrites, remove...)
	w.Same(t, before, "after the cluster with services is deleted by runs that were killed")
}

// writesNothing runs hcctl, which must not send a write.
func writesNothing(t *testing.T, w *world.World, args ...string) {
	t.Helper()
	w.Proxy.Use(func(_ int, r *http.Request) faultproxy.Fault {
		if writes(r) {
			t.Errorf("once more it sends %s %s", r.Method, r.URL.Path)
		}
		return faultproxy.Pass()
	})
	defer w.Proxy.Use(nil)
	if e := w.Hcctl.Start(t, args...).Wait(t); e.Code != 0 {
		t.Errorf("once more: %s", e)
	}
}
