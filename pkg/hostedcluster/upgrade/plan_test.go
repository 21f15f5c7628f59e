package upgrade_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const digest = "registry.example/ocp-release@sha256:9"

func TestRulesOfClusters(t *testing.T) {
	version := func(v string) func(*upgrade.Request) { return func(r *upgrade.Request) { r.Version = v } }
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []*hyperv1.NodePool
		to    string
		// want is part of what stands against it; empty for nothing. kind is its kind, next part of its hint.
		want string
		kind failure.Kind
		next string
	}{
		"a patch":        {cluster("4.19.4"), pools("4.19.4"), "4.19.5", "", failure.Other, ""},
		"the same":       {cluster("4.19.4"), pools("4.19.4"), "4.19.4", "", failure.Other, ""},
		"the next minor": {cluster("4.19.4"), pools("4.19.4"), "4.20.1", "", failure.Other, ""},
		"back a patch": {cluster("4.19.4"), nil, "4.19.3", "do not go back", failure.Misused,
			"upgrade cluster kv-00 lists"},
		"back a minor": {cluster("4.19.4"), nil, "4.18.30", "do not go back", failure.Misused,
			"upgrade cluster kv-00 lists"},
		"back to the candidate": {cluster("4.19.0"), nil, "4.19.0-rc.3", "do not go back", failure.Misused,
			"upgrade cluster kv-00 lists"},
		"two minors": {cluster("4.18.4"), nil, "4.20.1", "one minor version at a time", failure.Misused,
			"first: hcctl upgrade cluster kv-00 --version 4.19.5"},
		"two minors, none between": {cluster("4.17.4"), nil, "4.20.1", "one minor version at a time", failure.Misused,
			"upgrade cluster kv-00 --version 4.18.30"},
		"not supported": {cluster("4.20.4"), nil, "4.21.1",
			"4.21 is not among the versions the HyperShift operator supports: 4.20, 4.19", failure.Misused,
			"upgrade cluster kv-00 lists"},
		"vetoed, next minor": {notUpgradeable(cluster("4.19.4")), nil, "4.20.1", "operator foo is incompatible",
			failure.Declined, "hcctl upgrade cluster kv-00 --force-to " + image("4.20.1")},
		"vetoed, a patch":     {notUpgradeable(cluster("4.19.4")), nil, "4.19.5", "", failure.Other, ""},
		"a pool three behind": {cluster("4.19.4"), pools("4.19.4", "4.17.3"), "4.20.1", "", failure.Other, ""},
		"a pool four behind": {cluster("4.19.4"), pools("4.19.4", "4.16.3"), "4.20.1",
			"NodePool pool-b runs 4.16.3 and would be 4 minor versions behind; 3 are supported", failure.Declined,
			"hcctl upgrade nodepool pool-b"},
		"not rolled out yet": {cluster(), nil, "4.20.1", "its first roll-out has to complete", failure.Declined,
			"hcctl wait cluster kv-00"},
		"first roll-out, version unknown": {cluster("?"), nil, "4.20.1", "its first roll-out has to complete",
			failure.Declined,
			"hcctl wait cluster kv-00"},
		"half-way, back to where it was": {cluster("4.20.1?", "4.19.4"), nil, "4.19.4", "do not go back", failure.Misused,
			""},
		"half-way, on to another patch": {cluster("4.20.1?", "4.19.4"), nil, "4.20.2", "", failure.Other, ""},
		"half-way from half-way":        {cluster("4.20.1?", "4.20.2?", "4.19.4"), nil, "4.20.1", "", failure.Other, ""},
		"half-way back from half-way": {cluster("4.20.0?", "4.20.2?", "4.19.4"), nil, "4.20.1", "do not go back",
			failure.Misused, ""},
		"older than its history's end": {cluster("4.19.4", "4.20.1?"), nil, "4.19.5", "", failure.Other, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, tc.hc, tc.pools, "4.18.30", "4.19.3", "4.19.5", "4.19.4", "4.20.1", "4.20.2", "4.21.1", "4.19.0-rc.3")
			_, err := upgrade.Prepare(t.Context(), m.client, request(version(tc.to)))
			var refused *upgrade.RefusedError
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.want != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Message, tc.want) ||
				refused.Failure() != tc.kind || refused.Hint().String() == "" || !strings.Contains(refused.Hint().String(),
				tc.next)):
				t.Errorf("%+v, want %q, kind %d, hint %q", err, tc.want, tc.kind, tc.next)
			case tc.want != "" && !strings.HasPrefix(err.Error(), "HostedCluster clusters/kv-00 cannot go to "+tc.to+": "):
				t.Errorf("it names neither object nor release: %v", err)
			}
		})
	}
}

// TestEveryMinorVersion: with HyperShift of each OpenShift, a cluster of each minor version goes to another patch and
// to the next minor version, under each of its names, exactly where the operator supports that on KubeVirt, and never
// back.
func TestEveryMinorVersion(t *testing.T) {
	allowed := 0
	first := contracts.Release{Major: 4, Minor: 14}
	oldest, newest := contracts.Release{Major: 4, Minor: 12}, contracts.Release{Major: 5, Minor: 1}
	all, err := contracts.Releases{{First: oldest, Last: newest}}.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, hyperShift := range all {
		listed := contracts.HostedVersions(hyperShift)
		text, err := json.Marshal(map[string]any{"versions": listed})
		if err != nil {
			t.Fatal(err)
		}
		for _, minor := range all {
			now, number := minor.String()+".5", openshift.MinorNumber(minor.Major, minor.Minor)
			targets := map[string]bool{}
			for patch, other := range map[string]int{".6": number, ".1": number + 1, ".4": number, ".30": number - 1} {
				for _, name := range openshift.MinorNames(other) {
					targets[name+patch] = patch == ".4" || patch == ".30"
				}
			}
			for to, back := range targets {
				m := manage(t, cluster(now), pools(now), to)
				m.configs.Set(kubetest.Object{"apiVersion": "v1", "kind": "ConfigMap",
					"metadata": kubetest.Object{"namespace": "hypershift", "name": "supported-versions"},
					"data":     kubetest.Object{"supported-versions": string(text)}})
				target, err := contracts.ParseRelease(to)
				if err != nil {
					t.Fatal(err)
				}
				// From its own 4.14 on, HyperShift refuses minors before 4.14 on KubeVirt, whatever it lists.
				want := !back && slices.Contains(listed, target.String()) && (hyperShift.Before(first) || !target.Before(first))
				_, err = upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = to }))
				var refused *upgrade.RefusedError
				if want != (err == nil) || err != nil && !errors.As(err, &refused) {
					t.Errorf("HyperShift of %s, %s to %s: want %t, got %v", hyperShift, now, to, want, err)
				}
				if want {
					allowed++
				}
			}
		}
	}
	if allowed < 150 {
		t.Errorf("%d upgrades are possible", allowed)
	}
}

// Where the operator says nothing of what it supports, any minor version may be.
func TestRulesWithoutSupportedVersions(t *testing.T) {
	m := manage(t, cluster("4.20.4"), nil, "4.21.1", "4.22.0")
	m.configs.Delete("hypershift", "supported-versions")
	p := m.prepare(t, func(r *upgrade.Request) { r.Version = "4.21.1" })
	if p.Target.Version != "4.21.1" || p.From != "4.20.4" {
		t.Errorf("from %s to %+v", p.From, p.Target)
	}
	_, err := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = "4.22.0" }))
	if refused := (*upgrade.RefusedError)(nil); !errors.As(err, &refused) || !refused.Forcible ||
		refused.Next.String() != "first: hcctl upgrade cluster kv-00 --version 4.21.1" {
		t.Errorf("two minors ahead: %+v", err)
	}
	m.sets.Delete("", "img4.21.1")
	_, err = upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = "4.22.0" }))
	if refused := (*upgrade.RefusedError)(nil); !errors.As(err, &refused) ||
		refused.Next.String() != "hcctl upgrade cluster kv-00 lists where it can go" {
		t.Errorf("two minors ahead, nothing in between: %+v", err)
	}
}

func TestAllowing(t *testing.T) {
	for name, tc := range map[string]struct {
		hc         *hyperv1.HostedCluster
		edit       func(*upgrade.Request)
		want, note string
	}{
		"plain": {cluster("4.19.4"), func(r *upgrade.Request) { r.Version = "4.19.6" }, "", ""},
		"with risks": {risky(cluster("4.19.4"), "4.19.6"), func(r *upgrade.Request) { r.Version = "4.19.6" },
			"Slow: may be slow", ""},
		"risks taken": {risky(cluster("4.19.4"), "4.19.6"), func(r *upgrade.Request) {
			r.Version, r.AllowNotRecommended = "4.19.6", true
		}, "", "the update service knows risks of 4.19.6: Slow: may be slow https://example.com/slow"},
		"risks forced": {risky(cluster("4.19.4"), "4.19.6"), func(r *upgrade.Request) { r.ForceTo = image("4.19.6") },
			"", "Slow: may be slow"},
		"vetoed": {notUpgradeable(cluster("4.19.4")), func(r *upgrade.Request) { r.Version = "4.20.1" },
			"operator foo", ""},
		"vetoed and forced": {notUpgradeable(cluster("4.19.4")), func(r *upgrade.Request) { r.ForceTo = image("4.20.1") },
			"", "force-upgrade-to) although it says that it must not"},
		"two minors forced": {cluster("4.18.4"), func(r *upgrade.Request) { r.ForceTo = image("4.20.1") }, "",
			"one minor version at a time"},
		"back, even forced": {cluster("4.19.4"), func(r *upgrade.Request) { r.ForceTo = image("4.18.1") },
			"do not go back", ""},
		"where it is already": {notUpgradeable(cluster("4.19.4")), func(r *upgrade.Request) { r.Version = "4.19.4" }, "", ""},
		"an image that nobody knows": {cluster("4.19.4"), func(r *upgrade.Request) { r.ReleaseImage = digest }, "",
			"the version of " + digest + " is not known here"},
		"under way already": {cluster("4.19.6?", "4.19.4"), func(r *upgrade.Request) { r.Version = "4.19.6" }, "",
			"this upgrade is under way already"},
		"under way elsewhere": {cluster("4.19.6?", "4.19.4"), func(r *upgrade.Request) { r.Version = "4.20.1" }, "",
			"an upgrade to 4.19.6 is under way and has not completed: the cluster goes to 4.20.1 instead"},
		"channel of its release": {edited(cluster("4.19.4"), inChannels("fast-4.19", "stable-4.19")),
			func(r *upgrade.Request) { r.Channel = "stable-4.19" }, "", ""},
		"another channel": {edited(cluster("4.19.4"), inChannels("fast-4.19", "stable-4.19")),
			func(r *upgrade.Request) { r.Channel = "eus-4.20" }, "",
			"the release the cluster runs is not in channel eus-4.20; it is in fast-4.19, stable-4.19"},
		"channels that are not known": {cluster("4.19.4"), func(r *upgrade.Request) { r.Channel = "eus-4.20" }, "", ""},
		"no channel asked for": {edited(cluster("4.19.4"), inChannels("fast-4.19")),
			func(r *upgrade.Request) { r.Version = "4.19.6" }, "", ""},
		"channel before a first version": {edited(cluster(), func(hc *hyperv1.HostedCluster) { hc.Status.Version = nil }),
			func(r *upgrade.Request) { r.Channel = "eus-4.20" }, "", ""},
		"being deleted": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
			hc.DeletionTimestamp = ptr.To(metav1.NewTime(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)))
		}), func(r *upgrade.Request) { r.Version = "4.19.6" },
			"HostedCluster clusters/kv-00 is being deleted since 2026-03-01T10:00:00Z", ""},
		"paused": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.PausedUntil = ptr.To("true") }),
			func(r *upgrade.Request) { r.Version = "4.19.6" }, "paused until it is resumed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, tc.hc, nil, "4.19.6", "4.20.1", "4.18.1")
			p, err := upgrade.Prepare(t.Context(), m.client, request(tc.edit))
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %q", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(p.Notes, "\n"); tc.note == "" && notes != "" || !strings.Contains(notes, tc.note) {
				t.Errorf("notes %q, want %q", notes, tc.note)
			}
		})
	}
}

func inChannels(channels ...string) func(*hyperv1.HostedCluster) {
	return func(hc *hyperv1.HostedCluster) { hc.Status.Version.Desired.Channels = channels }
}

func TestTargets(t *testing.T) {
	hc := available(cluster("4.19.4", "4.19.2"), "4.19.5")
	for name, tc := range map[string]struct {
		edit               func(*upgrade.Request)
		name, image, label string
	}{
		"update service": {func(r *upgrade.Request) { r.Version = "4.19.5" }, "4.19.5", image("4.19.5"),
			"channel stable-4.19"},
		"image set": {func(r *upgrade.Request) { r.Version = "4.19.6" }, "4.19.6", image("4.19.6"),
			"ClusterImageSet img4.19.6"},
		"history": {func(r *upgrade.Request) { r.Version = "4.19.4" }, "4.19.4", image("4.19.4"),
			"the cluster's own history"},
		"known image": {func(r *upgrade.Request) { r.ReleaseImage = image("4.19.6") }, "4.19.6", image("4.19.6"),
			"ClusterImageSet img4.19.6"},
		"tag":    {func(r *upgrade.Request) { r.ReleaseImage = "x/y:4.19.9" }, "4.19.9", "x/y:4.19.9", "as given"},
		"digest": {func(r *upgrade.Request) { r.ForceTo = digest }, digest, digest, "as given"},
	} {
		p := manage(t, hc, nil, "4.19.6").prepare(t, tc.edit)
		if got := p.Target; got.Name() != tc.name || got.Image != tc.image || got.Label() != tc.label {
			t.Errorf("%s: %+v (%s), want %s, %s (%s)", name, got, got.Label(), tc.name, tc.image, tc.label)
		}
	}
	unset := edited(available(cluster("4.19.4"), "4.19.5"), func(hc *hyperv1.HostedCluster) { hc.Spec.Channel = "" })
	if p := manage(t, unset, nil).prepare(t, func(r *upgrade.Request) { r.Version = "4.19.5" }); p.Target.Label() !=
		"update service" {
		t.Errorf("without a channel: %s", p.Target.Label())
	}
}

func TestVersionsThatNobodyOffers(t *testing.T) {
	ask := func(hc *hyperv1.HostedCluster, version string, sets ...string) error {
		_, err := upgrade.Prepare(t.Context(), manage(t, hc, nil, sets...).client,
			request(func(r *upgrade.Request) { r.Version = version }))
		return err
	}
	for name, tc := range map[string]struct {
		err           error
		channel, want string
	}{
		"no channel, nothing offered": {ask(cluster("4.19.4"), "4.19.7"), "stable-4.19",
			`--version "4.19.7": no image is known for it: ` +
				"neither the update service offers it (no channel is set) nor has a ClusterImageSet it"},
		"a channel, and others": {ask(available(cluster("4.19.4"), "4.19.5"), "4.19.7", "4.19.6", "4.18.1"), "stable-4.19",
			`--version "4.19.7": no image is known for it: neither the update service offers it (channel stable-4.19) ` +
				"nor has a ClusterImageSet it; there are: 4.19.6, 4.19.5"},
		"vetoed, which another moment may change": {ask(notUpgradeable(cluster("4.19.4")), "4.20.7", "4.20.1", "4.19.5"),
			"stable-4.20", `--version "4.20.7": no image is known for it: ` +
				"neither the update service offers it (no channel is set) nor has a ClusterImageSet it; there are: 4.19.5"},
	} {
		if tc.err == nil || tc.err.Error() != tc.want || failure.Of(tc.err) != failure.Misused ||
			!strings.HasSuffix(failure.Hint(tc.err).String(), "hcctl upgrade cluster kv-00 --channel "+tc.channel) {
			t.Errorf("%s: %v, want %s", name, tc.err, tc.want)
		}
	}
	refused := (*upgrade.RefusedError)(nil)
	if err := ask(cluster("4.19.4"), "4.18.7"); !errors.As(err, &refused) {
		t.Errorf("what is not allowed anyway needs no image: %v", err)
	}
}

func TestPoolsThatGoAlong(t *testing.T) {
	names := func(p *upgrade.Plan) string {
		var out []string
		for i := range p.Pools {
			out = append(out, p.Pools[i].Name)
		}
		return strings.Join(out, " ")
	}
	going := pools("4.19.4", "4.19.4", "4.19.4")
	going[1].DeletionTimestamp = ptr.To(metav1.Now())
	going[2].Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyOnDelete}
	going[0].Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyRollingUpdate}
	m := manage(t, cluster("4.19.4"), going, "4.19.6")
	for asked, want := range map[string]string{"all": "pool-a pool-c", "none": "", "pool-c": "pool-c",
		"pool-a,pool-c": "pool-a pool-c"} {
		p := m.prepare(t, func(r *upgrade.Request) { r.Version, r.NodePools = "4.19.6", strings.Split(asked, ",") })
		if names(p) != want {
			t.Errorf("--node-pools %s: %s, want %s", asked, names(p), want)
		}
		if notes := strings.Join(p.Notes, "\n"); strings.Contains(notes, "NodePool pool-c replaces a VM only after it is "+
			"deleted") != strings.Contains(want, "pool-c") || strings.Contains(notes, "pool-a") {
			t.Errorf("--node-pools %s: notes %q", asked, notes)
		}
	}
	for _, name := range []string{"pool-x", "pool-b"} {
		_, err := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) {
			r.Version, r.NodePools = "4.19.6", []string{"pool-a", name}
		}))
		want := `no node pool "` + name + `" in namespace "clusters"; there are: pool-a, pool-b, pool-c`
		if missing := (*hostedcluster.PoolNotFoundError)(nil); !errors.As(err, &missing) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	going[0].Spec.PausedUntil = ptr.To("true")
	m.pools.Put(going[0])
	_, err := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = "4.19.6" }))
	if paused := (*hostedcluster.PausedError)(nil); !errors.As(err, &paused) ||
		!strings.HasSuffix(err.Error(), "(or leave it out: --node-pools)") {
		t.Errorf("a pool that is paused: %v", err)
	}
}

func TestPrepareFailsWhereNothingCanBeRead(t *testing.T) {
	m := manage(t, cluster("4.19.4"), nil)
	m.clusters.Forbid("")
	p, err := upgrade.Prepare(t.Context(), m.client, request(nil))
	if err == nil || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// A history may have versions that cannot be read, and a status none at all.
func TestUnreadableHistory(t *testing.T) {
	odd := cluster("4.19.4")
	odd.Status.Version.History = append([]configv1.UpdateHistory{{Version: "?", Image: "x/y",
		State: configv1.PartialUpdate}},
		odd.Status.Version.History...)
	p := manage(t, odd, nil, "4.19.6").prepare(t, func(r *upgrade.Request) { r.Version = "4.19.6" })
	if p.From != "4.19.4" {
		t.Errorf("from %q", p.From)
	}
}
