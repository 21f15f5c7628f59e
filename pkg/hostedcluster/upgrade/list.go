package upgrade

import (
	"context"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// List lists the releases that a hosted cluster can upgrade to. docs/schema/updates.json describes its JSON.
type List struct {
	step.TypeMeta
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Version is the last completed version, and Image its release; empty before the first.
	Version string `json:"version,omitempty"`
	Image   string `json:"image,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Channels are the channels of the cluster's release, if the update service reports them.
	Channels []string `json:"channels,omitempty"`
	// Ongoing is the requested release, if it is not completed.
	Ongoing string `json:"ongoing,omitempty"`
	// Upgradeable is what the cluster's own operators report about an upgrade to another minor version.
	Upgradeable *Upgradeable `json:"upgradeable,omitempty"`
	// Supported are the minor versions that the HyperShift operator supports.
	Supported []string `json:"supported"`
	// Updates are the newer releases, the newest first.
	Updates   []Update      `json:"updates"`
	NodePools []PoolVersion `json:"nodePools"`
	// Next is the exact next command; empty if there is nothing to do.
	Next hint.Text `json:"next,omitzero"`
	// Why describes Next, or why it is empty.
	Why string `json:"why"`
}

// Upgradeable is the condition ClusterVersionUpgradeable.
type Upgradeable struct {
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Update is one newer release.
type Update struct {
	Version string `json:"version"`
	Image   string `json:"image"`
	Source  Source `json:"source"`
	// ImageSet is the name of the ClusterImageSet, if it is the source.
	ImageSet string         `json:"imageSet,omitempty"`
	Risks    []release.Risk `json:"risks,omitempty"`
	// Refused is why the cluster cannot upgrade to it now; empty if it can.
	Refused string `json:"refused,omitempty"`
}

// PoolVersion is a NodePool and the version of its nodes.
type PoolVersion struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Behind is set if the pool is older than its control plane.
	Behind bool `json:"behind"`
}

// Note returns one word and a reason for a user, such as "recommended".
func (u Update) Note() string {
	switch {
	case u.Refused != "":
		return "not now: " + u.Refused
	case len(u.Risks) > 0:
		return "risks: " + release.RisksText(u.Risks)
	case u.Source == FromUpdates:
		return "recommended"
	}
	return "possible"
}

// From returns where the release was found, for a user.
func (u Update) From(channel string) string {
	if u.Source == FromImageSet {
		return "ClusterImageSet " + u.ImageSet
	}
	return Offer{Source: u.Source, Where: channel}.Label()
}

// Lists returns the releases that a hosted cluster can upgrade to, and only reads. It returns a
// *hostedcluster.NotFoundError or the error of a read.
func Lists(ctx context.Context, r kube.Reader, namespace, name string) (*List, error) {
	w, err := readState(ctx, r, namespace, name)
	if err != nil {
		return nil, err
	}
	return w.list(), nil
}

func (w *clusterState) list() *List {
	l := &List{
		TypeMeta: step.NewTypeMeta("UpdateList"), Namespace: w.hc.Namespace, Name: w.hc.Name,
		Channel:   w.hc.Spec.Channel,
		Supported: append([]string{}, w.supported...), Updates: []Update{}, NodePools: []PoolVersion{},
	}
	l.Version, l.Image = completed(w.hc)
	if v := w.hc.Status.Version; v != nil {
		l.Channels = v.Desired.Channels
	}
	if o, ok := w.ongoing(); ok {
		l.Ongoing = o.Name()
	}
	if u := upgradeable(w.hc); u.Status != "" {
		l.Upgradeable = &Upgradeable{u.Status, u.Reason, u.Message}
	}
	now, known := current(w.hc)
	for _, o := range w.offers {
		if !known || !now.Before(o.version) {
			continue
		}
		u := Update{Version: o.Version, Image: o.Image, Source: o.Source, Risks: o.Risks}
		if o.Source == FromImageSet {
			u.ImageSet = o.Where
		}
		if refused := w.checkUpgrade(o); refused != nil {
			u.Refused = refused.Message
		}
		l.Updates = append(l.Updates, u)
	}
	runs, ok := hostedcluster.ParseVersion(l.Version)
	for i := range w.pools {
		v, has := poolVersion(&w.pools[i], w)
		p := PoolVersion{Name: w.pools[i].Name, Version: w.pools[i].Status.Version, Behind: ok && has && v.Before(runs)}
		l.NodePools = append(l.NodePools, p)
	}
	l.suggestNext(now, known)
	return l
}

// suggestNext sets the next command, in this order: the ongoing upgrade, the newest recommended release, the newest
// patch, the newest release of the next minor version, pools that are behind, a channel.
func (l *List) suggestNext(now hostedcluster.Version, known bool) {
	cluster := hint.Run("upgrade cluster", hostedcluster.Argument(l.Namespace, l.Name))
	if !known {
		l.Why, l.Next = "the cluster has not completed its first version",
			hint.Run("wait cluster", hostedcluster.Argument(l.Namespace, l.Name)).Text()
		return
	}
	if l.Ongoing != "" {
		l.Why, l.Next = "an upgrade to "+l.Ongoing+" is under way; this follows it",
			cluster.Flag("version", l.Ongoing).Text()
		if _, ok := hostedcluster.ParseVersion(l.Ongoing); !ok {
			l.Next = cluster.Flag("release-image", l.Ongoing).Text()
		}
		return
	}
	pick := func(why string, fits func(Update, hostedcluster.Version) bool) bool {
		for _, u := range l.Updates {
			v, _ := hostedcluster.ParseVersion(u.Version)
			if u.Refused == "" && len(u.Risks) == 0 && v.Candidate == "" && fits(u, v) {
				l.Why, l.Next = why, cluster.Flag("version", u.Version).Text()
				return true
			}
		}
		return false
	}
	if pick("the newest release the update service recommends", func(u Update, _ hostedcluster.Version) bool {
		return u.Source == FromUpdates
	}) ||
		pick("the newest patch", func(_ Update, v hostedcluster.Version) bool {
			return v.MinorNumber() == now.MinorNumber()
		}) ||
		pick("the newest of the next minor version", func(Update, hostedcluster.Version) bool { return true }) {
		return
	}
	for _, p := range l.NodePools {
		if p.Behind {
			l.Why, l.Next = "a node pool is older than its control plane",
				hint.Run("upgrade nodepool", hostedcluster.Argument(l.Namespace, p.Name)).Text()
			return
		}
	}
	if l.Channel == "" {
		l.Why = "no channel is set, so that the update service offers nothing"
		l.Next = cluster.Flag("channel", "stable-"+now.MinorName()).Text()
		return
	}
	l.Why = "nothing newer is known that the cluster could go to"
}
