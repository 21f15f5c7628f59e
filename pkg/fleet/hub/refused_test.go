package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
)

// One object that others have written wrongly hides no other hosted cluster, and stops no delivery to another site.
func TestABadObjectSpoilsItsOwnRow(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("hcctl-assignments", true, 0), decision("east", "hcctl-assignments"),
		assignment("kv-09", "'no site'"), `
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {name: hcctl.clusters.kv-08, namespace: east}
spec: {workload: {manifests: [{apiVersion: v1, kind: NodePool, metadata: {name: a}, spec: {replicas: three}}]}}
`)
	apply, report := run(t, api, written(), desired(t, "kv-00"), desired(t, "kv-09"))
	if site := assignmentOf(t, api, "kv-00"); site != "east" || workOf(t, api, "east", "kv-00") == nil {
		t.Errorf("kv-00 is assigned to %q: %v", site, report.Err())
	}
	for _, m := range apply.Members {
		if wrong := m.Err != nil; wrong != (m.Subject() == "clusters/kv-09") {
			t.Errorf("%s: %v", m.Subject(), m.Err)
		}
	}
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil {
		t.Fatal(err)
	}
	if reason := f.Sites["hcctl-assignments"].Reason; !strings.Contains(reason, "detach it from the hub") {
		t.Errorf("site hcctl-assignments: %q", reason)
	}
	got := map[string]status.Health{}
	for _, c := range f.Clusters {
		got[c.Name] = c.Health
		if c.Name == "kv-09" && !strings.Contains(c.Message, "ConfigMap hcctl-assignments/hcctl.clusters.kv-09") {
			t.Errorf("kv-09: %q", c.Message)
		}
	}
	if len(got) != 3 || got["kv-09"] != status.Broken || got["kv-00"] != status.Progressing {
		t.Errorf("read %v", got)
	}
}

// A hosted cluster is no site: its users read what is brought there. What its ManagedCluster says is not enough.
func TestAHostedClusterIsNoSite(t *testing.T) {
	hosted := `
apiVersion: hypershift.openshift.io/v1beta1
kind: HostedCluster
metadata: {name: tenant, namespace: clusters}
`
	imported := strings.Replace(managed("tenant", true, 0), "metadata: {name: tenant}",
		"metadata: {name: tenant, annotations: {open-cluster-management/created-via: hypershift}}", 1)
	work := `
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {name: hcctl.clusters.tenant, namespace: east}
`
	for name, tc := range map[string]struct {
		objects []string
		why     string
	}{
		"a hosted cluster of the hub":  {[]string{managed("tenant", true, 0), hosted}, "the name of hosted cluster clusters/tenant"},
		"a hosted cluster at a site":   {[]string{managed("tenant", true, 0), work}, "the name of hosted cluster clusters/tenant"},
		"imported by HyperShift's own": {[]string{imported}, "it is a hosted cluster itself"},
		"one that has the cluster already": {[]string{managed("tenant", true, 0), hosted, assignment("kv-00", "tenant")},
			"the name of hosted cluster clusters/tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHub(t, decision("tenant"))
			api.Register(t, kube.HostedCluster)
			api.Put(t, tc.objects...)
			opt := written()
			opt.CopySecrets = true
			apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "kv-00")}, opt)
			if err == nil && len(apply.Members) == 1 {
				err = apply.Members[0].Err
			}
			if err == nil || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("it is delivered: %v", err)
			}
			// Beside a real site the Placement's choice is left out.
			api.Put(t, managed("west", true, 0), strings.Replace(decision("west"), "hosting-decision-1", "hosting-decision-2", 1))
			if assigned := assignmentOf(t, api, "kv-00"); assigned != "" {
				return
			}
			if _, report := run(t, api, opt, desired(t, "kv-00")); assignmentOf(t, api, "kv-00") != "west" {
				t.Errorf("not delivered to west: %v", report.Err())
			}
		})
	}
}

// A site that gets Secrets for the first time is named.
func TestFirstSecrets(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	opt := written()
	for i, first := range []bool{true, false} {
		name := fmt.Sprintf("kv-%02d", i)
		if opt.CopySecrets = false; prepared(t, api.Client, opt, name).FirstSecrets {
			t.Errorf("%s: Secrets without --copy-secrets", name)
		}
		if opt.CopySecrets = true; prepared(t, api.Client, opt, name).FirstSecrets != first {
			t.Errorf("%s: the first is not %v", name, first)
		}
		if _, report := run(t, api, opt, desired(t, name)); report.Err() != nil {
			t.Fatal(report.Err())
		}
	}
}

// prepared is the plan of one cluster.
func prepared(t testing.TB, c *kube.Client, opt hub.ApplyOptions, name string) hub.Member {
	t.Helper()
	apply, err := hub.PrepareApply(t.Context(), c, []fleet.DesiredCluster{desired(t, name)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return apply.Plans["clusters/"+name]
}
