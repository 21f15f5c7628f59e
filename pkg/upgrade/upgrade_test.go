package upgrade

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/step"
)

const repo = "registry.example/ocp-release:"

func image(version string) string { return repo + version + "-multi" }

// cluster is a HostedCluster with that history, the newest first; a version that ends with "?" is Partial.
func cluster(history ...string) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00", Generation: 3}}
	hc.Status.Version = &hyperv1.ClusterVersionStatus{}
	for i, h := range history {
		version, state := h, configv1.CompletedUpdate
		if v, partial := strings.CutSuffix(h, "?"); partial {
			version, state = v, configv1.PartialUpdate
		}
		if i == 0 {
			hc.Spec.Release.Image = image(version)
			hc.Status.Version.Desired = configv1.Release{Version: version, Image: image(version)}
		}
		hc.Status.Version.History = append(hc.Status.Version.History,
			configv1.UpdateHistory{Version: version, State: state, Image: image(version)})
	}
	return hc
}

func condition(hc *hyperv1.HostedCluster, kind, status, reason, message string) *hyperv1.HostedCluster {
	hc.Status.Conditions = append(hc.Status.Conditions, metav1.Condition{
		Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, Message: message,
		ObservedGeneration: hc.Generation,
	})
	return hc
}

func notUpgradeable(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
	return condition(hc, "ClusterVersionUpgradeable", "False", "IncompatibleOperatorsInstalled",
		"operator foo is incompatible with the next minor")
}

func pools(versions ...string) []hyperv1.NodePool {
	var list []hyperv1.NodePool
	for i, v := range versions {
		np := hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "pool-" + string(rune('a'+i))}}
		np.Spec.Release.Image, np.Status.Version = image(v), v
		list = append(list, np)
	}
	return list
}

func sets(versions ...string) []release.ImageSet {
	var list []release.ImageSet
	for _, v := range versions {
		parsed, _ := hostedcluster.ParseVersion(v)
		list = append(list, release.ImageSet{Name: "img" + v, Image: image(v), Version: parsed})
	}
	return list
}

func worldOf(hc *hyperv1.HostedCluster, nodePools []hyperv1.NodePool, offered ...string) *world {
	return &world{hc: hc, pools: nodePools, offers: catalog(hc, sets(offered...)),
		supported: []string{"4.20", "4.19", "4.18", "4.17", "4.16"}}
}

func TestCatalogHasEachVersionOnce(t *testing.T) {
	hc := cluster("4.19.4")
	hc.Spec.Channel = "stable-4.19"
	hc.Status.Version.AvailableUpdates = []configv1.Release{{Version: "4.19.6", Image: "registry.example/r@sha256:66"}}
	hc.Status.Version.ConditionalUpdates = []configv1.ConditionalUpdate{
		{Release: configv1.Release{Version: "4.19.7", Image: "registry.example/r@sha256:77"},
			Risks: []configv1.ConditionalUpdateRisk{{Name: "Slow", Message: "may be\n slow", URL: "https://example.com"}}},
	}
	list := sets("4.19.7", "4.19.6", "4.19.8", "4.20.0", "4.19.8")
	list[4].Name, list[4].Image = "other", repo+"4.19.8-x86_64"
	var got []string
	for _, o := range catalog(hc, []release.ImageSet{list[4], list[0], list[1], list[2], list[3]}) {
		risks := ""
		for _, r := range o.Risks {
			risks += " " + r.Name + ": " + r.Message
		}
		got = append(got, o.Version+" "+string(o.Source)+" "+o.Image+risks)
	}
	want := []string{
		"4.20.0 imageset " + image("4.20.0"),
		"4.19.8 imageset " + image("4.19.8"),
		"4.19.7 conditional registry.example/r@sha256:77 Slow: may be slow",
		"4.19.6 available registry.example/r@sha256:66",
		"4.19.4 history " + image("4.19.4"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNextCommand(t *testing.T) {
	available := func(hc *hyperv1.HostedCluster, versions ...string) *hyperv1.HostedCluster {
		hc.Spec.Channel = "stable-4.19"
		for _, v := range versions {
			hc.Status.Version.AvailableUpdates = append(hc.Status.Version.AvailableUpdates,
				configv1.Release{Version: v, Image: image(v)})
		}
		return hc
	}
	ongoing := cluster("4.19.4")
	ongoing.Spec.Release.Image = image("4.19.6")
	for name, tc := range map[string]struct {
		w    *world
		want string
	}{
		"recommended before newer ones": {worldOf(available(cluster("4.19.4"), "4.19.6", "4.19.5"), nil, "4.19.9", "4.20.1"),
			"hcctl upgrade cluster kv-00 --version 4.19.6"},
		"a patch before a minor": {worldOf(cluster("4.19.4"), nil, "4.19.9", "4.20.1"),
			"hcctl upgrade cluster kv-00 --version 4.19.9"},
		"the next minor": {worldOf(cluster("4.19.4"), nil, "4.19.1", "4.20.1", "4.20.2", "4.21.0"),
			"hcctl upgrade cluster kv-00 --version 4.20.2"},
		"no candidates": {worldOf(cluster("4.19.4"), nil, "4.20.0-rc.1"),
			"hcctl upgrade cluster kv-00 --channel stable-4.19"},
		"vetoed":       {worldOf(available(notUpgradeable(cluster("4.19.4"))), nil, "4.20.1"), ""},
		"pools behind": {worldOf(cluster("4.19.4"), pools("4.19.4", "4.19.3")), "hcctl upgrade nodepool pool-b"},
		"nothing, no channel": {worldOf(cluster("4.19.4"), pools("4.19.4")),
			"hcctl upgrade cluster kv-00 --channel stable-4.19"},
		"asked for, not begun": {worldOf(ongoing, nil, "4.19.6", "4.19.9"), "hcctl upgrade cluster kv-00 --version 4.19.6"},
		"half-way": {worldOf(cluster("4.19.6?", "4.19.4"), nil, "4.19.9"),
			"hcctl upgrade cluster kv-00 --version 4.19.6"},
		"never rolled out": {worldOf(cluster(), nil, "4.19.9"), "hcctl wait cluster kv-00"},
	} {
		t.Run(name, func(t *testing.T) {
			l := tc.w.list()
			if l.Next != tc.want || l.Why == "" {
				t.Errorf("%q (%s), want %q", l.Next, l.Why, tc.want)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Request)
		flag   string
	}{
		"none":             {func(*Request) {}, ""},
		"version":          {func(r *Request) { r.Version = "4.20.4" }, ""},
		"candidate":        {func(r *Request) { r.Version = "4.21.0-rc.1" }, ""},
		"no version":       {func(r *Request) { r.Version = "4.20" }, "version"},
		"image as version": {func(r *Request) { r.Version = "4.20.4-x86_64" }, "version"},
		"two":              {func(r *Request) { r.Version, r.ReleaseImage = "4.20.4", image("4.20.4") }, "release-image"},
		"forced and more":  {func(r *Request) { r.Version, r.ForceTo = "4.20.4", image("4.20.4") }, "force-to"},
		"version as image": {func(r *Request) { r.ForceTo = "4.20.4" }, "force-to"},
		"channel":          {func(r *Request) { r.Channel = "stable 4.20" }, "channel"},
		"wait":             {func(r *Request) { r.Wait = "nodes" }, "wait"},
		"pools":            {func(r *Request) { r.NodePools = []string{"all", "a"} }, "node-pools"},
		"no pools":         {func(r *Request) { r.NodePools = nil }, "node-pools"},
		"two pools":        {func(r *Request) { r.NodePools = []string{"a", "b"} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{Namespace: "clusters", Name: "kv-00", NodePools: []string{"all"}, Wait: WaitComplete}
			tc.change(&r)
			err := r.Validate()
			var wrong *options.Error
			if tc.flag == "" && err != nil || tc.flag != "" && (!errors.As(err, &wrong) || options.FlagOf(wrong) != tc.flag) {
				t.Errorf("%v, want an error about %q", err, tc.flag)
			}
		})
	}
}

func TestAllowing(t *testing.T) {
	risky := cluster("4.19.4")
	risky.Status.Version.ConditionalUpdates = []configv1.ConditionalUpdate{{
		Release: configv1.Release{Version: "4.19.6", Image: image(
			"4.19.6")}, Risks: []configv1.ConditionalUpdateRisk{{Name: "Slow", Message: "may be slow"}},
	}}
	for name, tc := range map[string]struct {
		hc           *hyperv1.HostedCluster
		version      string
		force, risks bool
		want, note   string
	}{
		"plain":               {cluster("4.19.4"), "4.19.6", false, false, "", ""},
		"with risks":          {risky, "4.19.6", false, false, "Slow: may be slow", ""},
		"risks taken":         {risky, "4.19.6", false, true, "", "Slow: may be slow"},
		"vetoed":              {notUpgradeable(cluster("4.19.4")), "4.20.1", false, false, "operator foo", ""},
		"vetoed and forced":   {notUpgradeable(cluster("4.19.4")), "4.20.1", true, false, "", "force-upgrade-to"},
		"two minors forced":   {cluster("4.18.4"), "4.20.1", true, false, "", "one minor version at a time"},
		"back, even forced":   {cluster("4.19.4"), "4.18.1", true, false, "do not go back", ""},
		"where it is already": {notUpgradeable(cluster("4.19.4")), "4.19.4", false, false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldOf(tc.hc, nil, "4.19.6", "4.20.1", "4.18.1")
			p := &Plan{Cluster: tc.hc, Request: Request{AllowNotRecommended: tc.risks}}
			var found bool
			if p.Target, found = w.byVersion(tc.version); !found {
				t.Fatalf("no %s", tc.version)
			}
			if tc.force {
				p.Request.ForceTo = p.Target.Image
			}
			err := p.allow(w)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if notes := strings.Join(p.Notes, "\n"); tc.note == "" && notes != "" || !strings.Contains(notes, tc.note) {
				t.Errorf("notes %q, want %q", notes, tc.note)
			}
		})
	}
}

func TestFollowingTheControlPlane(t *testing.T) {
	target := offerOf("4.20.1", image("4.20.1"), FromImageSet, "x")
	asked := func(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
		hc.Spec.Release.Image = target.Image
		return hc
	}
	blocked := func(hc *hyperv1.HostedCluster) *hyperv1.HostedCluster {
		return condition(hc, "Progressing", "False", "Blocked", "ClusterVersionUpgradeable condition is false: cluster "+
			"version is not upgradeable")
	}
	mirrored := cluster("4.20.1?", "4.19.4")
	mirrored.Status.Version.Desired.Image, mirrored.Status.Version.History[0].Image = "mirror.example/x@sha256:1", "mirror.example/x@sha256:1"
	for name, tc := range map[string]struct {
		hc              *hyperv1.HostedCluster
		force           bool
		accepted, rolls step.State
		words           string
	}{
		"not passed on": {asked(cluster("4.19.4")), false, step.StatePending, step.StatePending,
			"has not passed the release on"},
		"vetoed": {blocked(notUpgradeable(asked(cluster("4.19.4")))), false, step.StateBroken,
			step.StatePending, "--force-to " + target.Image},
		"vetoed, then forced": {blocked(notUpgradeable(asked(cluster("4.19.4")))), true, step.StateBroken,
			step.StatePending, "operator foo"},
		"blocked otherwise": {blocked(asked(cluster("4.19.4"))), false, step.StatePending, step.StatePending,
			"Blocked"},
		"registry away": {condition(asked(cluster("4.19.4")), "ValidReleaseImage", "False", "PayloadArchNotFound",
			"no such host"), false, step.StatePending, step.StatePending, "no such host"},
		"under way": {cluster("4.20.1?", "4.19.4"), false, step.StateOK, step.StatePending,
			"works towards 4.20.1"},
		"under way, mirrored": {mirrored, false, step.StateOK, step.StatePending, "works towards 4.20.1"},
		"there":               {cluster("4.20.1", "4.19.4"), false, step.StateOK, step.StateOK, "works towards"},
		"forced, without the mark": {blocked(notUpgradeable(asked(cluster("4.19.4")))), true, step.StateBroken,
			step.StatePending, "ClusterVersionUpgradeable"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Cluster: tc.hc, Target: target, From: "4.19.4"}
			if tc.force {
				p.Request.ForceTo = target.Image
			}
			f := p.accepted(tc.hc)
			if f.State != tc.accepted || !strings.Contains(f.Message+f.Hint, tc.words) {
				t.Errorf("accepted: %s %s (%s), want %s %q", f.State, f.Message, f.Hint, tc.accepted, tc.words)
			}
			if f := p.rolledOut(tc.hc); f.State != tc.rolls {
				t.Errorf("rolled out: %s %s, want %s", f.State, f.Message, tc.rolls)
			}
		})
	}
}

func TestPlansFormGraphs(t *testing.T) {
	target := offerOf("4.20.1", image("4.20.1"), FromImageSet, "x")
	onDelete := pools("4.19.4")
	onDelete[0].Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyOnDelete}
	for name, tc := range map[string]struct {
		p    *Plan
		want int
	}{
		"all": {&Plan{Request: Request{Version: "4.20.1", Wait: WaitComplete}, Pools: pools("4.19.4", "4.19.4")},
			3 + 2*4},
		"with channel": {&Plan{Request: Request{Version: "4.20.1", Channel: "c", Wait: WaitComplete}}, 4},
		"channel only": {&Plan{Request: Request{Channel: "c", Wait: WaitComplete}}, 1},
		"no wait":      {&Plan{Request: Request{Version: "4.20.1", Wait: WaitNone}, Pools: pools("4.19.4")}, 1},
		"on delete":    {&Plan{Request: Request{Version: "4.20.1", Wait: WaitComplete}, Pools: onDelete}, 4},
	} {
		tc.p.Cluster, tc.p.Target = cluster("4.19.4"), target
		steps := tc.p.Steps()
		if _, err := step.New(steps...); err != nil || len(steps) != tc.want {
			t.Errorf("%s: %d steps, want %d; %v", name, len(steps), tc.want, err)
		}
	}
}
