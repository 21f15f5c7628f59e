package upgrade_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// The update service counts before a ClusterImageSet, of which one for the cluster's own kind of payload counts first.
func TestListHasEachVersionOnce(t *testing.T) {
	hc := cluster("4.19.4")
	hc.Spec.Channel = "stable-4.19"
	hc.Status.Version.AvailableUpdates = []configv1.Release{{Version: "4.19.6", Image: "registry.example/r@sha256:66"},
		{Version: "4.19.5"}}
	hc.Status.Version.ConditionalUpdates = []configv1.ConditionalUpdate{
		{Release: configv1.Release{Version: "4.19.7", Image: "registry.example/r@sha256:77"},
			Risks: []configv1.ConditionalUpdateRisk{{Name: "Slow", Message: "may be\n slow", URL: "https://example.com"},
				{Name: "Big"}}},
	}
	m := manage(t, hc, nil, "4.19.3", "4.19.4", "4.19.6", "4.19.7", "4.20.0")
	m.imageSet("a-other", repo+"4.19.8-x86_64")
	m.imageSet("b-own", image("4.19.8"))
	m.imageSet("c-digest", "registry.example/r@sha256:9-multi")
	var got []string
	for _, u := range m.list(t).Updates {
		got = append(got, strings.Join([]string{u.Version, string(u.Source), u.ImageSet, u.Image, u.From("stable-4.19"),
			u.Note()}, "|"))
	}
	want := []string{
		"4.20.0|imageset|img4.20.0|" + image("4.20.0") + "|ClusterImageSet img4.20.0|possible",
		"4.19.8|imageset|b-own|" + image("4.19.8") + "|ClusterImageSet b-own|possible",
		"4.19.7|conditional||registry.example/r@sha256:77|channel stable-4.19|" +
			"risks: Slow: may be slow (https://example.com); Big",
		"4.19.6|available||registry.example/r@sha256:66|channel stable-4.19|recommended",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Which payload is taken of two for one version depends on the payload that the cluster runs.
func TestListPrefersTheClustersOwnPayload(t *testing.T) {
	const digest = "registry.example/ocp-release@sha256:4"
	for name, tc := range map[string]struct{ runs, want string }{
		"for one architecture":  {repo + "4.19.4-x86_64", "x86_64"},
		"for all architectures": {repo + "4.19.4-multi", "multi"},
		"a digest":              {digest, "multi"},
		"a digest like a tag":   {digest + "-x86_64", "multi"},
		"another":               {repo + "4.19.4-s390x", "multi"},
	} {
		m := manage(t, edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.Release.Image = tc.runs }), nil)
		m.imageSet("a", repo+"4.19.8-x86_64")
		m.imageSet("b", repo+"4.19.8-multi")
		m.imageSet("c", repo+"4.19.8-other")
		if got := m.list(t).Updates; len(got) != 1 || got[0].Image != repo+"4.19.8-"+tc.want {
			t.Errorf("%s: %+v, want the payload %s", name, got, tc.want)
		}
	}
	m := manage(t, edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.Spec.Release.Image = digest }), nil)
	m.imageSet("img4.19.8-a", "registry.example/r@sha256:a")
	m.imageSet("img4.19.8-b", repo+"4.19.8-multi")
	if got := m.list(t).Updates; len(got) != 1 || got[0].ImageSet != "img4.19.8-b" {
		t.Errorf("two digests are no kind of payload: %+v", got)
	}
}

func TestListOfAClusterAndItsPools(t *testing.T) {
	hc := notUpgradeable(cluster("4.19.6?", "4.19.4"))
	hc.Namespace, hc.Spec.Channel, hc.Status.Version.Desired.Channels = "clusters", "stable-4.19", []string{"fast-4.19"}
	nodePools := pools("4.19.4", "4.18.9", "")
	nodePools[2].Spec.Release.Image = image("4.19.3")
	l := manage(t, hc, nodePools, "4.19.9", "4.20.1").list(t)
	want := &upgrade.List{
		TypeMeta: step.TypeMeta{APIVersion: "hcctl.dev/v1alpha1", Kind: "UpdateList"}, Namespace: "clusters", Name: "kv-00",
		Version: "4.19.4", Image: image("4.19.4"), Channel: "stable-4.19", Channels: []string{"fast-4.19"},
		Ongoing: "4.19.6", Upgradeable: &upgrade.Upgradeable{Status: "False", Reason: "IncompatibleOperatorsInstalled",
			Message: "operator foo is incompatible with the next minor"},
		Supported: []string{"4.20", "4.19", "4.18", "4.17", "4.16"},
		Updates: []upgrade.Update{
			{Version: "4.20.1", Image: image("4.20.1"), Source: upgrade.FromImageSet, ImageSet: "img4.20.1",
				Refused: "it says that it must not go to another minor version now: ClusterVersionUpgradeable False " +
					"(IncompatibleOperatorsInstalled): operator foo is incompatible with the next minor"},
			{Version: "4.19.9", Image: image("4.19.9"), Source: upgrade.FromImageSet, ImageSet: "img4.19.9"},
		},
		NodePools: []upgrade.PoolVersion{{Name: "pool-a", Version: "4.19.4"},
			{Name: "pool-b", Version: "4.18.9", Behind: true},
			{Name: "pool-c", Behind: true}},
		Next: hint.Run("upgrade cluster", "kv-00").Flag("version", "4.19.6").Text(),
		Why:  "an upgrade to 4.19.6 is under way; this follows it",
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	if note := l.Updates[0].Note(); !strings.HasPrefix(note, "not now: it says that it must not") {
		t.Errorf("note %q", note)
	}
}

func TestListOfAClusterThatIsNotThere(t *testing.T) {
	_, err := upgrade.Lists(t.Context(), manage(t, nil, nil).client, "clusters", "kv-00")
	if missing := (*hostedcluster.NotFoundError)(nil); !errors.As(err, &missing) {
		t.Errorf("no cluster: %v", err)
	}
	for name, s := range map[string]func(*management) *kubetest.Server{
		"node pools": func(m *management) *kubetest.Server { return m.pools },
		"image sets": func(m *management) *kubetest.Server { return m.sets },
		"supported":  func(m *management) *kubetest.Server { return m.configs },
	} {
		m := manage(t, cluster("4.19.4"), nil)
		s(m).Forbid(http.MethodGet)
		if l, err := upgrade.Lists(t.Context(), m.client, "clusters", "kv-00"); err == nil || l != nil {
			t.Errorf("%s that may not be read: %v, %v", name, l, err)
		}
	}
}

func TestNextCommand(t *testing.T) {
	withoutChannel := func(versions ...string) *hyperv1.HostedCluster {
		hc := available(cluster("4.19.4"), versions...)
		hc.Spec.Channel = ""
		return hc
	}
	image9 := "registry.example/ocp-release@sha256:9"
	for name, tc := range map[string]struct {
		hc        *hyperv1.HostedCluster
		pools     []*hyperv1.NodePool
		sets      []string
		want, why string
	}{
		"recommended before newer ones": {available(cluster("4.19.4"), "4.19.6", "4.19.5"), nil, []string{"4.19.9", "4.20.1"},
			"hcctl upgrade cluster kv-00 --version 4.19.6", "the newest release the update service recommends"},
		"recommended without a channel": {withoutChannel("4.19.5"), nil, nil,
			"hcctl upgrade cluster kv-00 --version 4.19.5", "the newest release the update service recommends"},
		"a patch before a minor": {cluster("4.19.4"), nil, []string{"4.19.9", "4.20.1"},
			"hcctl upgrade cluster kv-00 --version 4.19.9", "the newest patch"},
		"the next minor": {cluster("4.19.4"), nil, []string{"4.19.1", "4.20.1", "4.20.2", "4.21.0"},
			"hcctl upgrade cluster kv-00 --version 4.20.2", "the newest of the next minor version"},
		"no candidates": {cluster("4.19.4"), nil, []string{"4.20.0-rc.1"},
			"hcctl upgrade cluster kv-00 --channel stable-4.19", "no channel is set"},
		"no risks": {risky(available(cluster("4.19.4")), "4.19.6"), nil, nil, "", "nothing newer is known"},
		"vetoed": {available(notUpgradeable(cluster("4.19.4"))), nil, []string{"4.20.1"}, "",
			"nothing newer is known"},
		"pools behind": {cluster("4.19.4"), pools("4.19.4", "4.19.3"), nil, "hcctl upgrade nodepool pool-b",
			"a node pool is older than its control plane"},
		"nothing, no channel": {cluster("4.19.4"), pools("4.19.4"), nil,
			"hcctl upgrade cluster kv-00 --channel stable-4.19", "no channel is set"},
		"asked for, not begun": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
			hc.Spec.Release.Image = image("4.19.6")
		}), nil, []string{"4.19.6", "4.19.9"},
			"hcctl upgrade cluster kv-00 --version 4.19.6", "under way"},
		"asked for by digest": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
			hc.Spec.Release.Image = image9
		}), nil, nil, "hcctl upgrade cluster kv-00 --release-image " + image9, "an upgrade to " + image9 + " is under way"},
		"half-way": {cluster("4.19.6?", "4.19.4"), nil, []string{"4.19.9"},
			"hcctl upgrade cluster kv-00 --version 4.19.6", "under way"},
		"never rolled out": {cluster(), nil, []string{"4.19.9"}, "hcctl wait cluster kv-00",
			"has not completed its first version"},
		"first roll-out": {cluster("4.19.6?"), nil, nil, "hcctl upgrade cluster kv-00 --channel stable-4.19", "no channel"},
	} {
		t.Run(name, func(t *testing.T) {
			l := manage(t, tc.hc, tc.pools, tc.sets...).list(t)
			if l.Next.String() != tc.want || !strings.Contains(l.Why, tc.why) {
				t.Errorf("%q (%s), want %q (%s)", l.Next, l.Why, tc.want, tc.why)
			}
			if tc.hc.Status.Version.History == nil && len(l.Updates) > 0 {
				t.Errorf("updates of a cluster without a version: %+v", l.Updates)
			}
		})
	}
}

func TestListWithoutStatus(t *testing.T) {
	l := manage(t, edited(cluster(), func(hc *hyperv1.HostedCluster) { hc.Status.Version = nil }), nil, "4.19.9").list(t)
	if l.Version != "" || l.Channels != nil || l.Upgradeable != nil || len(l.Updates) > 0 ||
		l.Next.String() != "hcctl wait cluster kv-00" {
		t.Errorf("%+v", l)
	}
}
