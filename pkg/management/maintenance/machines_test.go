package maintenance

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func TestMachines(t *testing.T) {
	const (
		migrate, possible = kubevirtv1.EvictionStrategyLiveMigrate, kubevirtv1.EvictionStrategyLiveMigrateIfPossible
		external, none    = kubevirtv1.EvictionStrategyExternal, kubevirtv1.EvictionStrategyNone
		can, cannot       = "LiveMigratable=True", "LiveMigratable=False"
	)
	for name, tc := range map[string]struct {
		put  func(*scene)
		want string
		hint string
	}{
		"migrates":         {func(s *scene) { s.vm("x/vm", migrate, can) }, "clear x/vm: migrates", ""},
		"is held":          {func(s *scene) { s.vm("x/vm", migrate, cannot) }, "blocked x/vm: waits KubeVirt refuses its eviction: LiveMigratable False (R): why", "shut it down with its owner: virtctl stop vm -n x"},
		"with its storage": {func(s *scene) { s.vm("x/vm", migrate, cannot+" StorageLiveMigratable=True") }, "blocked x/vm: waits", "its disks can be migrated"},
		"nobody says":      {func(s *scene) { s.vm("x/vm", migrate, "") }, "unknown x/vm: unknown LiveMigratable not reported yet", ""},
		"if possible":      {func(s *scene) { s.vm("x/vm", possible, can) }, "clear x/vm: migrates", ""},
		"if not possible":  {func(s *scene) { s.vm("x/vm", possible, cannot) }, "clear x/vm: restarts it is shut down, because it cannot be migrated", ""},
		"never":            {func(s *scene) { s.vm("x/vm", none, can) }, "clear x/vm: restarts it is shut down (evictionStrategy None)", ""},
		"a new strategy":   {func(s *scene) { s.vm("x/vm", "Later", can) }, `unknown x/vm: unknown its evictionStrategy is "Later", which hcctl does not know`, ""},
		"no room":          {func(s *scene) { s.vm("x/vm", migrate, can, requesting("33Gi")) }, "blocked x/vm: lost no room on 2 other nodes", "it stays Pending"},
		"a disk of this node": {func(s *scene) {
			s.vm("x/vm", possible, cannot, claiming("disk"))
			s.volume("x", "disk", "a")
		}, "blocked x/vm: lost its data is on this node alone: PersistentVolume pv-disk, of claim disk", "it is unavailable until"},
		"external, of nobody here": {func(s *scene) { s.vm("x/vm", external, can) }, "unknown x/vm: unknown its evictionStrategy is External, and it is of no hosted cluster here", ""},
		"external, nobody knows": {func(s *scene) {
			s.vm("x/vm", external, can)
			s.w.hosted.Err = errors.New("no answer")
		}, "unknown x/vm: unknown HostedClusters are not read: no answer", ""},
		"the cluster's strategy": {func(s *scene) {
			s.vm("x/vm", "", can)
			s.w.virtualization.Items = []unstructured.Unstructured{parsed(s.t, `{"spec":{"evictionStrategy":"None"}}`)}
		}, "clear x/vm: restarts it is shut down (evictionStrategy None)", ""},
		"the cluster's default": {func(s *scene) {
			s.vm("x/vm", "", can)
			s.w.virtualization.Items = []unstructured.Unstructured{parsed(s.t, `{}`)}
		}, "clear x/vm: migrates", ""},
		"no strategy at all": {func(s *scene) { s.vm("x/vm", "", can) }, "unknown x/vm: unknown it has no evictionStrategy, and there is no HyperConverged", ""},
		"the cluster's strategy is not read": {func(s *scene) {
			s.vm("x/vm", "", can)
			s.w.virtualization.Err = errors.New("no answer")
		}, "unknown x/vm: unknown it has no evictionStrategy, and HyperConverged is not read: no answer", ""},
		"on the way here": {func(s *scene) { s.vm("x/vm", migrate, can).Status.NodeName = "b" }, "blocked x/vm: waits it runs on b, and is being migrated to this node", "wait until"},
		"gone": {func(s *scene) {
			s.vm("x/vm", migrate, can)
			s.w.machines.Items = nil
		}, "unknown x/vm: unknown its VirtualMachineInstance does not exist", ""},
		"not read": {func(s *scene) {
			s.vm("x/vm", migrate, can)
			s.w.machines.Items, s.w.machines.Err = nil, errors.New("no answer")
		}, "unknown x/vm: unknown VirtualMachineInstances are not read: no answer", ""},
		// KubeVirt's own budget never lets the pod go, and says nothing of the VM.
		"with KubeVirt's budget": {func(s *scene) {
			s.vm("x/vm", migrate, can)
			s.budget("x", "", 0).Spec.Selector.MatchLabels = map[string]string{kubevirtv1.AppLabel: "virt-launcher"}
		}, "clear x/vm: migrates", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			tc.put(s)
			p := s.plan()
			if len(p.Machines) != 1 {
				t.Fatalf("%s", told(p))
			}
			p.Findings = nil
			expect(t, p, tc.want, "= "+p.Verdict.String())
			if p.Verdict != p.Machines[0].Verdict && s.w.hosted.Err == nil || !begins(p.Machines[0].Hint.String(), tc.hint) {
				t.Errorf("verdict %s, hint %q", p.Verdict, p.Machines[0].Hint)
			}
		})
	}
}

// begins reports whether a text begins so; nothing begins with nothing but nothing.
func begins(s, with string) bool {
	return s == with || with != "" && len(s) > len(with) && s[:len(with)] == with
}

// Workers of hosted clusters are drained inside the hosted cluster by Cluster API, which leaves paused clusters alone.
func TestWorkersOfHostedClusters(t *testing.T) {
	const vm = " clusters-kv-00/kv-00-abc: "
	for name, tc := range map[string]struct {
		paused *string
		want   string
	}{
		"restarts":          {nil, "clear" + vm + "restarts its node is drained inside the hosted cluster, then it starts elsewhere"},
		"paused":            {ptr.To("true"), "blocked" + vm + "waits its hosted cluster is paused"},
		"paused once":       {ptr.To("2026-01-01T00:00:00Z"), "clear" + vm + "restarts"},
		"not really paused": {ptr.To("false"), "clear" + vm + "restarts"},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t)
			s.host(3).Spec.PausedUntil = tc.paused
			s.vm("clusters-kv-00/kv-00-abc", kubevirtv1.EvictionStrategyExternal, "LiveMigratable=False")
			p := s.plan()
			expect(t, p, p.Verdict.String()+" hosted cluster clusters/kv-00", tc.want, "= "+p.Verdict.String())
			if m := p.HostedClusters[0].Machines; len(m) != 1 || m[0].NodePool != "pool" || m[0].Kind != machineKind {
				t.Errorf("%+v", m)
			}
		})
	}
}

// On a single node HyperConverged's default is to shut VMs down.
func TestTheDefaultStrategyOfASingleNode(t *testing.T) {
	s := stage(t)
	s.nodes = s.nodes[:1]
	s.vm("x/vm", "", "LiveMigratable=True")
	s.w.virtualization.Items = []unstructured.Unstructured{parsed(t, `{}`)}
	expect(t, s.plan(), "blocked x/vm: lost none of 0 other nodes may take it", "= blocked")
	if got, _ := s.w.strategy(&s.w.machines.Items[0]); got != kubevirtv1.EvictionStrategyNone {
		t.Errorf("strategy %s", got)
	}
}
