package upgrade_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/step"
)

// preparePool decides on an upgrade of pool-a.
func preparePool(t *testing.T, m *management, version, releaseImage string,
	wait upgrade.Wait) (*upgrade.PoolPlan, error) {
	t.Helper()
	return upgrade.PreparePool(t.Context(), m.client, "clusters", "pool-a", version, releaseImage, wait)
}

func TestRulesOfPools(t *testing.T) {
	for name, tc := range map[string]struct {
		own, to string
		// want is part of what stands against it, next of what to do instead; both are empty for nothing.
		want, next string
	}{
		"to its control plane": {"4.18.3", "4.19.4", "", ""},
		"where it is":          {"4.19.4", "4.19.4", "", ""},
		"in between":           {"4.17.3", "4.18.9", "", ""},
		"three behind":         {"4.15.3", "4.16.9", "", ""},
		"beyond its control plane": {"4.18.3", "4.19.5", "never newer",
			"hcctl upgrade cluster kv-00 --version 4.19.5 takes both there"},
		"back": {"4.19.3", "4.19.2", "it runs 4.19.3, and pools do not go back",
			"hcctl create nodepool NAME --cluster-name kv-00 --release-image " + image("4.19.2")},
		"too old": {"", "4.15.1", "three minor versions behind|3 minor versions behind", "hcctl upgrade nodepool pool-a"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster("4.19.4"), pools(tc.own), "4.15.1", "4.16.9", "4.18.9", "4.19.2", "4.19.5")
			plan, err := preparePool(t, m, tc.to, "", upgrade.WaitComplete)
			if tc.want == "" {
				if err != nil || plan.Target.Version != tc.to || plan.From != tc.own || len(plan.Notes) > 0 {
					t.Errorf("%+v, %v", plan, err)
				}
				return
			}
			refused, found := (*upgrade.RefusedError)(nil), false
			if !errors.As(err, &refused) {
				t.Fatalf("%v, want %q", err, tc.want)
			}
			for _, want := range strings.Split(tc.want, "|") {
				found = found || strings.Contains(refused.Message, want)
			}
			if !found || !strings.Contains(refused.Hint().String(), tc.next) || refused.Failure() != failure.Misused ||
				!strings.HasPrefix(err.Error(), "NodePool clusters/pool-a cannot go to "+tc.to) {
				t.Errorf("%v (%s), want %q (%s)", err, refused.Hint().String(), tc.want, tc.next)
			}
		})
	}
}

func TestTargetsOfPools(t *testing.T) {
	onDelete := func(np *hyperv1.NodePool) {
		np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyOnDelete}
	}
	for name, tc := range map[string]struct {
		pool                  []*hyperv1.NodePool
		version, image        string
		from, target, release string
		note                  string
	}{
		"its control plane's": {pools("4.18.3"), "", "", "4.18.3", "4.19.4", image("4.19.4"), ""},
		"a version":           {pools("4.18.3"), "4.18.9", "", "4.18.3", "4.18.9", image("4.18.9"), ""},
		"an image":            {pools("4.18.3"), "", "x/y:4.18.7", "4.18.3", "4.18.7", "x/y:4.18.7", ""},
		"an image that nobody knows": {pools("4.18.3"), "", digest, "4.18.3", digest, digest,
			"the version of " + digest + " is not known here"},
		"a new pool, by its release": {editedPools(pools(""), func(np *hyperv1.NodePool) {
			np.Spec.Release.Image = image("4.18.9")
		}), "", "", "4.18.9", "4.19.4", image("4.19.4"), ""},
		"a new pool of a digest": {editedPools(pools(""), func(np *hyperv1.NodePool) {
			np.Spec.Release.Image = digest
		}), "", "", "", "4.19.4", image("4.19.4"), ""},
		"on delete": {editedPools(pools("4.18.3"), onDelete), "", "", "4.18.3", "4.19.4", image("4.19.4"),
			"the pool replaces a VM only after it is deleted"},
		"rolling update": {editedPools(pools("4.18.3"), func(np *hyperv1.NodePool) {
			np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyRollingUpdate}
		}), "", "", "4.18.3", "4.19.4", image("4.19.4"), ""},
	} {
		p, err := preparePool(t, manage(t, cluster("4.20.1?", "4.19.4"), tc.pool, "4.18.9"), tc.version, tc.image,
			upgrade.WaitComplete)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.From != tc.from || p.Target.Name() != tc.target || p.Target.Image != tc.release {
			t.Errorf("%s: from %q to %s, %s", name, p.From, p.Target.Name(), p.Target.Image)
		}
		if notes := strings.Join(p.Notes, "\n"); tc.note == "" && notes != "" || !strings.Contains(notes, tc.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, tc.note)
		}
	}
}

func TestPoolsThatCannotBeUpgraded(t *testing.T) {
	deleted := ptr.To(metav1.NewTime(time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)))
	for name, tc := range map[string]struct {
		hc      *hyperv1.HostedCluster
		pools   []*hyperv1.NodePool
		version string
		want    string
	}{
		"no pool":    {cluster("4.19.4"), nil, "", `no node pool "pool-a"`},
		"no cluster": {nil, pools("4.18.3"), "", `no hosted cluster "kv-00"`},
		"a pool that goes": {cluster("4.19.4"), editedPools(pools("4.18.3"), func(np *hyperv1.NodePool) {
			np.DeletionTimestamp = deleted
		}), "", "NodePool clusters/pool-a is being deleted since 2026-03-01T10:00:00Z"},
		"a cluster that goes": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) { hc.DeletionTimestamp = deleted }),
			pools("4.18.3"), "", "HostedCluster clusters/kv-00 is being deleted since 2026-03-01T10:00:00Z"},
		"a paused pool": {cluster("4.19.4"), editedPools(pools("4.18.3"), func(np *hyperv1.NodePool) {
			np.Spec.PausedUntil = ptr.To("true")
		}), "", "NodePool clusters/pool-a is paused"},
		"a paused cluster": {edited(cluster("4.19.4"), func(hc *hyperv1.HostedCluster) {
			hc.Spec.PausedUntil = ptr.To("true")
		}),
			pools("4.18.3"), "", "HostedCluster clusters/kv-00 is paused"},
		"first roll-out": {cluster("4.19.4?"), pools("4.18.3"), "", "its control plane has not completed any version yet"},
		"first roll-out, a version": {cluster("4.19.4?"), pools("4.18.3"), "4.18.9",
			"its control plane has not completed any version yet"},
		"nobody offers it": {cluster("4.19.4"), pools("4.18.3"), "4.18.7", "no image is known for it"},
	} {
		p, err := preparePool(t, manage(t, tc.hc, tc.pools, "4.18.9"), tc.version, "", upgrade.WaitComplete)
		if err == nil || p != nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %+v, %v, want %q", name, p, err, tc.want)
		}
		if refused := (*upgrade.RefusedError)(nil); errors.As(err, &refused) && (refused.Failure() != failure.Declined ||
			refused.Hint().String() != "hcctl wait cluster kv-00") {
			t.Errorf("%s: kind %d, %s", name, refused.Failure(), refused.Hint().String())
		}
	}
}

func TestStepsOfAPool(t *testing.T) {
	m := manage(t, cluster("4.19.4"), pools("4.18.3"))
	p, err := preparePool(t, m, "", "", upgrade.WaitNone)
	if err != nil || steptest.IDs(p.Steps()) != "pool/release" {
		t.Fatalf("--wait none: %s, %v", steptest.IDs(p.Steps()), err)
	}
	if p, err = preparePool(t, m, "", "", upgrade.WaitComplete); err != nil ||
		steptest.IDs(p.Steps()) != "pool/release pool/machines pool/nodes pool/version" {
		t.Fatalf("%s, %v", steptest.IDs(p.Steps()), err)
	}
	steps := p.Steps()
	if _, err := step.New(steps...); err != nil {
		t.Error(err)
	}
	release, nodes, version := steps[0], steps[2], steps[3]
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateMissing, "NodePool clusters/pool-a",
		"spec.release.image is "+
			image("4.18.3")+", must become "+image("4.19.4"))
	steptest.Expect(t, nodes.Check(t.Context(), nil), step.StateBroken, "another client changed its release to "+
		image("4.18.3"),
		"hcctl upgrade nodepool pool-a --release-image "+image("4.19.4")+" sets it again")
	if change, err := release.Apply(t.Context()); err != nil || change != step.Configured {
		t.Errorf("%s, %v", change, err)
	}
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateOK, "spec.release.image is "+image("4.19.4"))
	if change, err := release.Apply(t.Context()); err != nil || change != step.Unchanged {
		t.Errorf("once more: %s, %v", change, err)
	}
	steptest.Expect(t, nodes.Check(t.Context(), nil), step.StateOK, "nodes joined and ready")
	steptest.Expect(t, version.Check(t.Context(), nil), step.StatePending, "its nodes are at 4.18.3")
	m.pools.Put(pools("4.19.4")[0])
	steptest.Expect(t, version.Check(t.Context(), nil), step.StateOK, "all nodes at 4.19.4", "NodePool clusters/pool-a")
	m.pools.Put(editedPools(pools("4.19.4"), func(np *hyperv1.NodePool) { np.Status.Version = "" })[0])
	steptest.Expect(t, version.Check(t.Context(), nil), step.StatePending, "its nodes are at not set")
}

func TestAPoolThatOthersTouch(t *testing.T) {
	m := manage(t, cluster("4.19.4"), pools("4.18.3"))
	p, err := preparePool(t, m, "", "", upgrade.WaitComplete)
	if err != nil {
		t.Fatal(err)
	}
	release, version := p.Steps()[0], p.Steps()[3]
	m.pools.Put(pools("4.18.9")[0])
	_, err = release.Apply(t.Context())
	if changed := (*hostedcluster.ChangedError)(nil); !errors.As(err, &changed) || changed.Was != image("4.18.3") ||
		changed.Is != image("4.18.9") {
		t.Errorf("another release: %v", err)
	}
	m.pools.Put(editedPools(pools("4.18.3"), func(np *hyperv1.NodePool) {
		np.DeletionTimestamp = ptr.To(metav1.Now())
	})[0])
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateBroken, "being deleted")
	steptest.Expect(t, version.Check(t.Context(), nil), step.StateBroken, "being deleted")
	m.pools.Delete("clusters", "pool-a")
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateBroken, "deleted meanwhile")
	if _, err := release.Apply(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "NodePool clusters/pool-a: ") {
		t.Errorf("gone: %v", err)
	}
	m.pools.Forbid(http.MethodGet)
	steptest.Expect(t, release.Check(t.Context(), nil), step.StateUnknown, "not allowed")
	steptest.Expect(t, version.Check(t.Context(), nil), step.StateUnknown, "not allowed")
}
