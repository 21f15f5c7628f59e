package upgrade_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestPlansFormGraphs(t *testing.T) {
	const poolA, poolB = " pool-pool-a/release pool-pool-a/machines pool-pool-a/nodes pool-pool-a/version",
		" pool-pool-b/release pool-pool-b/machines pool-pool-b/nodes pool-pool-b/version"
	const wait = "control-plane/release control-plane/accepted control-plane/rollout"
	onDelete := func(np *hyperv1.NodePool) {
		np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyOnDelete}
	}
	elsewhere := edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
		hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{Credentials: &hyperv1.KubevirtPlatformCredentials{}}
	})
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []*hyperv1.NodePool
		edit  func(*upgrade.Request)
		want  string
	}{
		"all": {cluster("4.19.4"), pools("4.19.4", "4.19.4"), func(r *upgrade.Request) { r.Version = "4.20.1" },
			wait + poolA + poolB},
		"with channel": {cluster("4.19.4"), nil, func(r *upgrade.Request) { r.Version, r.Channel = "4.20.1", "c" },
			"control-plane/channel " + wait},
		"channel only": {cluster("4.19.4"), pools("4.19.4"), func(r *upgrade.Request) { r.Channel = "c" },
			"control-plane/channel"},
		"no wait": {cluster("4.19.4"), pools("4.19.4"),
			func(r *upgrade.Request) { r.Version, r.Wait = "4.20.1", upgrade.WaitNone }, "control-plane/release"},
		"on delete": {cluster("4.19.4"), editedPools(pools("4.19.4"), onDelete),
			func(r *upgrade.Request) { r.Version = "4.20.1" }, wait + " pool-pool-a/release"},
		"VMs elsewhere": {elsewhere, pools("4.19.4"), func(r *upgrade.Request) { r.Version = "4.20.1" },
			wait + " pool-pool-a/release pool-pool-a/nodes pool-pool-a/version"},
		"version unknown": {cluster("4.19.4"), pools("4.19.4"), func(r *upgrade.Request) { r.ReleaseImage = digest },
			wait + " pool-pool-a/release pool-pool-a/machines pool-pool-a/nodes"},
	} {
		steps := manage(t, tc.hc, tc.pools, "4.20.1").prepare(t, tc.edit).Steps()
		if _, err := step.New(steps...); err != nil || steptest.IDs(steps) != tc.want {
			t.Errorf("%s: %s, want %s; %v", name, steptest.IDs(steps), tc.want, err)
		}
	}
}

// The control plane is followed by what the operator says of it, from the write of the release on.
func TestFollowingTheControlPlane(t *testing.T) {
	asked := func(hc *hyperv1.HostedCluster, version string) *hyperv1.HostedCluster {
		hc.Spec.Release.Image = image(version)
		return hc
	}
	blocked := func(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
		return condition(hc, "Progressing", "False", "Blocked", "ClusterVersionUpgradeable condition is false: cluster "+
			"version is not upgradeable")
	}
	seen := func(hc *hyperv1.HostedCluster, generation int64) *hyperv1.HostedCluster {
		for i := range hc.Status.Conditions {
			hc.Status.Conditions[i].ObservedGeneration = generation
		}
		return hc
	}
	forced := func(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
		hc.Annotations = map[string]string{hyperv1.ForceUpgradeToAnnotation: hc.Spec.Release.Image}
		return hc
	}
	mirrored := cluster("4.20.1?", "4.19.4")
	mirrored.Status.Version.Desired.Image, mirrored.Status.Version.History[0].Image = "mirror.example/x@sha256:1",
		"mirror.example/x@sha256:1"
	mirrored.Spec.Release.Image = image("4.20.1")
	const blockedWords = "Progressing False (Blocked): ClusterVersionUpgradeable condition is false"
	version := func(r *upgrade.Request) { r.Version = "4.20.1" }
	force := func(r *upgrade.Request) { r.ForceTo = image("4.20.1") }
	const tag = "lab.example:5000/ocp:latest"
	toTag := func(r *upgrade.Request) { r.ReleaseImage = tag }
	tagged := func(hc *hyperv1.HostedCluster, progressing string) *hyperv1.HostedCluster {
		hc.Spec.Release.Image = tag
		return condition(hc, "Progressing", progressing, "AsExpected", "HostedCluster is at expected version")
	}
	recorded := func(hc *hyperv1.HostedCluster) {
		hc.Status.Version.Desired.Image, hc.Status.Version.History[0].Image = digest, digest
	}
	for name, tc := range map[string]struct {
		hc       *hyperv1.HostedCluster
		edit     func(*upgrade.Request)
		accepted step.State
		words    string
		trouble  bool
		rolls    step.State
	}{
		"not passed on": {asked(cluster("4.19.4"), "4.20.1"), version, step.StatePending, "has not passed the release on",
			false,
			step.StatePending},
		"vetoed": {blocked(notUpgradeable(asked(cluster("4.19.4"), "4.20.1"))), version, step.StateBroken,
			"hcctl upgrade cluster kv-00 --force-to " + image("4.20.1"), false, step.StatePending},
		"vetoed, says the operator of what was": {
			seen(blocked(notUpgradeable(asked(cluster("4.19.4"), "4.20.1"))), 2), version,
			step.StatePending, "has not passed the release on", false, step.StatePending},
		"vetoed, says the operator of what is to come": {
			seen(blocked(notUpgradeable(asked(cluster("4.19.4"), "4.20.1"))), 4), version,
			step.StateBroken, "--force-to", false, step.StatePending},
		"vetoed, without the mark that forces": {blocked(notUpgradeable(asked(cluster("4.19.4"), "4.20.1"))), force,
			step.StateBroken, "operator foo", false, step.StatePending},
		"vetoed, then forced": {forced(blocked(notUpgradeable(asked(cluster("4.19.4"), "4.20.1")))), force,
			step.StatePending, blockedWords, true, step.StatePending},
		"vetoed, but a patch": {blocked(notUpgradeable(asked(cluster("4.19.4"), "4.19.6"))),
			func(r *upgrade.Request) { r.Version = "4.19.6" }, step.StatePending, blockedWords, true, step.StatePending},
		"vetoed, of a version that is not known": {
			blocked(notUpgradeable(edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
				hc.Spec.Release.Image = digest
			}))),
			func(r *upgrade.Request) { r.ReleaseImage = digest }, step.StatePending, blockedWords, true, step.StatePending},
		"upgradeable, yet blocked": {blocked(condition(asked(cluster("4.19.4"), "4.20.1"), "ClusterVersionUpgradeable",
			"True",
			"AsExpected", "")), version, step.StatePending, blockedWords, true, step.StatePending},
		"blocked otherwise": {blocked(asked(cluster("4.19.4"), "4.20.1")), version, step.StatePending, "Blocked", true,
			step.StatePending},
		"not blocked": {condition(notUpgradeable(asked(cluster("4.19.4"), "4.20.1")), "Progressing", "False", "AsExpected",
			""),
			version, step.StatePending, "has not passed the release on", false, step.StatePending},
		"registry away": {condition(asked(cluster("4.19.4"), "4.20.1"), "ValidReleaseImage", "False", "PayloadArchNotFound",
			"no such host"), version, step.StatePending, "no such host", false, step.StatePending},
		"under way": {cluster("4.20.1?", "4.19.4"), version, step.StateOK, "works towards 4.20.1", false,
			step.StatePending},
		"under way, mirrored": {mirrored, version, step.StateOK, "works towards 4.20.1", false, step.StatePending},
		"there":               {cluster("4.20.1", "4.19.4"), version, step.StateOK, "works towards", false, step.StateOK},
		"an older one is there": {asked(cluster("4.19.4", "4.20.1"), "4.20.1"), version, step.StatePending,
			"not passed", false, step.StatePending},
		"no status": {asked(edited(cluster(), func(hc *hyperv1.HostedCluster) { hc.Status.Version = nil }), "4.20.1"),
			version,
			step.StatePending, "not passed", false, step.StatePending},
		"no history": {asked(cluster(), "4.20.1"), version, step.StatePending, "not passed", false, step.StatePending},
		"neither has a version": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
			hc.Spec.Release.Image, hc.Status.Version.Desired.Version = digest, ""
			hc.Status.Version.History = []configv1.UpdateHistory{{Image: "x/y", State: configv1.CompletedUpdate}}
		}), func(r *upgrade.Request) { r.ReleaseImage = digest }, step.StatePending, "not passed", false, step.StatePending},
		"by a tag without a version, not passed on": {tagged(cluster("4.19.4"), "True"), toTag, step.StatePending,
			"not passed", false, step.StatePending},
		"by a tag without a version, its digest is recorded": {
			edited(tagged(cluster("4.20.1?", "4.19.4"), "False"), recorded), toTag, step.StateOK,
			"works towards", false, step.StatePending},
		"by a tag without a version, there": {edited(tagged(cluster("4.20.1", "4.19.4"), "False"), recorded), toTag,
			step.StateOK, "works towards", false, step.StateOK},
		"by a tag without a version, the operator has not looked": {
			seen(edited(tagged(cluster("4.19.4"), "False"), recorded), 2), toTag, step.StatePending, "not passed", false,
			step.StatePending},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster("4.19.4"), nil, "4.20.1", "4.19.6")
			steps := m.prepare(t, tc.edit).Steps()
			m.clusters.Put(tc.hc)
			f := steptest.Find(t, steps, "control-plane/accepted").Check(t.Context(), nil)
			steptest.Expect(t, f, tc.accepted, tc.words, "HostedCluster clusters/kv-00")
			if f.Trouble != tc.trouble {
				t.Errorf("trouble %v: %s", f.Trouble, f.Message)
			}
			steptest.Expect(t, steptest.Find(t, steps, "control-plane/rollout").Check(t.Context(), nil), tc.rolls,
				"HostedCluster clusters/kv-00")
		})
	}
}

func TestRollouts(t *testing.T) {
	for name, tc := range map[string]struct {
		hc      *hyperv1.HostedCluster
		words   string
		trouble bool
	}{
		"not begun": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.Release.Image = image("4.20.1") }),
			"the roll-out of 4.20.1 has not begun", false},
		"under way": {cluster("4.20.1?", "4.19.4"), "", false},
		"failing": {condition(cluster("4.20.1?", "4.19.4"), "ClusterVersionSucceeding", "False", "Bad",
			"an operator is degraded"),
			"", true},
		"not failing": {condition(cluster("4.20.1?", "4.19.4"), "ClusterVersionSucceeding", "True", "Good", ""), "", false},
	} {
		m := manage(t, cluster("4.19.4"), nil, "4.20.1")
		rollout := steptest.Find(t, m.prepare(t, func(r *upgrade.Request) { r.Version = "4.20.1" }).Steps(),
			"control-plane/rollout")
		m.clusters.Put(tc.hc)
		f := rollout.Check(t.Context(), nil)
		steptest.Expect(t, f, step.StatePending, tc.words)
		if f.Trouble != tc.trouble {
			t.Errorf("%s: trouble %v: %s", name, f.Trouble, f.Message)
		}
	}
}

// Whoever else touches the cluster while it is followed is named.
func TestFollowingWhatOthersTouch(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*management, *hyperv1.HostedCluster)
		state  step.State
		words  string
	}{
		"another release": {func(m *management, hc *hyperv1.HostedCluster) {
			hc.Spec.Release.Image = image("4.19.9")
			m.clusters.Put(hc)
		}, step.StateBroken, "another client changed its release to " + image("4.19.9") + " meanwhile"},
		"past all hope": {func(m *management, hc *hyperv1.HostedCluster) {
			hc.Spec.Release.Image = image("4.20.1")
			m.clusters.Put(condition(hc, "ValidReleaseImage", "False", "InvalidImage", "not a release"))
		}, step.StateBroken, "hcctl upgrade cluster kv-00 lists them; the last that worked was 4.19.4"},
		"deleted": {func(m *management, hc *hyperv1.HostedCluster) { m.clusters.Delete(hc.Namespace, hc.Name) },
			step.StateBroken, "deleted meanwhile"},
		"being deleted": {func(m *management, hc *hyperv1.HostedCluster) {
			hc.DeletionTimestamp = ptr.To(metav1.Now())
			m.clusters.Put(hc)
		}, step.StateBroken, "being deleted"},
		"not readable any more": {func(m *management, _ *hyperv1.HostedCluster) { m.clusters.Forbid("") },
			step.StateUnknown, "not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster("4.19.4"), nil, "4.20.1")
			steps := m.prepare(t, func(r *upgrade.Request) { r.Version, r.Channel = "4.20.1", "stable-4.20" }).Steps()
			tc.change(m, cluster("4.19.4"))
			for _, id := range []step.ID{"control-plane/accepted", "control-plane/rollout"} {
				steptest.Expect(t, steptest.Find(t, steps, id).Check(t.Context(), nil), tc.state, tc.words,
					"HostedCluster clusters/kv-00")
			}
			if strings.Contains(name, "deleted") || tc.state == step.StateUnknown {
				for _, id := range []step.ID{"control-plane/channel", "control-plane/release"} {
					steptest.Expect(t, steptest.Find(t, steps, id).Check(t.Context(), nil), tc.state, tc.words)
				}
			}
		})
	}
}

func TestTheChannelIsWritten(t *testing.T) {
	m := manage(t, cluster("4.19.4"), nil)
	channel := steptest.Find(t, m.prepare(t, func(r *upgrade.Request) { r.Channel = "stable-4.20" }).Steps(),
		"control-plane/channel")
	steptest.Expect(t, channel.Check(t.Context(), nil), step.StateMissing, "spec.channel is not set, must become stable-4.20")
	if change, err := channel.Apply(t.Context()); err != nil || change != step.Configured {
		t.Errorf("%s, %v", change, err)
	}
	steptest.Expect(t, channel.Check(t.Context(), nil), step.StateOK, "spec.channel is stable-4.20",
		"HostedCluster clusters/kv-00")
	if change, err := channel.Apply(t.Context()); err != nil || change != step.Unchanged {
		t.Errorf("once more: %s, %v", change, err)
	}
	spec := m.clusters.Object("clusters", "kv-00")["spec"].(kubetest.Object)
	if got := spec["release"].(kubetest.Object)["image"]; got != image("4.19.4") {
		t.Errorf("the release has become %v", got)
	}
	m.clusters.Put(edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.Channel = "fast-4.19" }))
	_, err := channel.Apply(t.Context())
	changed := (*hostedcluster.ChangedError)(nil)
	if !errors.As(err, &changed) || changed.Was != "not set" || changed.Is != "fast-4.19" ||
		changed.Field != "spec.channel" {
		t.Errorf("somebody else has set another: %v", err)
	}
	m.clusters.Forbid(http.MethodGet)
	if change, err := channel.Apply(t.Context()); err == nil || change != "" ||
		!strings.HasPrefix(err.Error(), "HostedCluster clusters/kv-00: ") {
		t.Errorf("not readable: %s, %v", change, err)
	}
}

func TestTheReleaseIsWritten(t *testing.T) {
	read := func(m *management) (release, forceTo any) {
		o := m.clusters.Object("clusters", "kv-00")
		annotations, _ := o["metadata"].(kubetest.Object)["annotations"].(kubetest.Object)
		return o["spec"].(kubetest.Object)["release"].(kubetest.Object)["image"], annotations[hyperv1.ForceUpgradeToAnnotation]
	}
	m := manage(t, cluster("4.19.4"), nil, "4.20.1")
	release := steptest.Find(t, m.prepare(t, func(r *upgrade.Request) { r.Version = "4.20.1" }).Steps(),
		"control-plane/release")
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateMissing, "spec.release.image is "+image("4.19.4")+
		", must become "+
		image("4.20.1"))
	if change, err := release.Apply(t.Context()); err != nil || change != step.Configured {
		t.Errorf("%s, %v", change, err)
	}
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateOK, "spec.release.image is "+image("4.20.1"))
	if is, forced := read(m); is != image("4.20.1") || forced != nil {
		t.Errorf("written: %v, %v", is, forced)
	}
	if change, err := release.Apply(t.Context()); err != nil || change != step.Unchanged {
		t.Errorf("once more: %s, %v", change, err)
	}
	m.clusters.Put(cluster("4.19.9"))
	_, err := release.Apply(t.Context())
	if changed := (*hostedcluster.ChangedError)(nil); !errors.As(err, &changed) || changed.Was != image("4.19.4") ||
		changed.Is != image("4.19.9") {
		t.Errorf("somebody else has set another: %v", err)
	}
	m.clusters.Forbid(http.MethodGet)
	if _, err := release.Apply(t.Context()); err == nil ||
		!strings.HasPrefix(err.Error(), "HostedCluster clusters/kv-00: ") {
		t.Errorf("not readable: %v", err)
	}

	m = manage(t, notUpgradeable(cluster("4.19.4")), nil, "4.20.1")
	release = steptest.Find(t, m.prepare(t, func(r *upgrade.Request) { r.ForceTo = image("4.20.1") }).Steps(),
		"control-plane/release")
	m.clusters.Put(edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.Release.Image = image("4.20.1") }))
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateMissing, "the annotation "+
		hyperv1.ForceUpgradeToAnnotation+
		" is not set")
	if change, err := release.Apply(t.Context()); err != nil || change != step.Configured {
		t.Errorf("forced: %s, %v", change, err)
	}
	if is, forced := read(m); is != image("4.20.1") || forced != image("4.20.1") {
		t.Errorf("written: %v, %v", is, forced)
	}
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateOK)
}
