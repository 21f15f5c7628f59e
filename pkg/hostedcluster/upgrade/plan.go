package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Plan is a prepared upgrade.
type Plan struct {
	Request Request
	// Cluster is the HostedCluster as it was read.
	Cluster *hyperv1.HostedCluster
	// Target is the release to upgrade to; zero if only the channel is set.
	Target Offer
	// From is the last completed version.
	From string
	// Pools are the pools to upgrade after the control plane, as they were read.
	Pools []hyperv1.NodePool
	// Notes are messages for the user before the confirmation.
	Notes  []string
	client *kube.Client
}

// Prepare prepares an upgrade and only reads. It returns a *hostedcluster.NotFoundError, *hostedcluster.PausedError,
// *RefusedError or *options.Error, or the error of a read.
func Prepare(ctx context.Context, c *kube.Client, r Request) (*Plan, error) {
	w, err := readState(ctx, c, r.Namespace, r.Name)
	if err != nil {
		return nil, err
	}
	if err := w.checkWritable(c.Now()); err != nil {
		return nil, err
	}
	p := &Plan{Request: r, Cluster: w.hc, client: c}
	p.From, _ = completed(w.hc)
	p.noteChannel()
	if !r.Targeted() {
		return p, nil
	}
	if p.Target, err = w.find(r.Version, r.ReleaseImage+r.ForceTo); err != nil {
		// A forbidden version is refused even if its image is unknown.
		if refused := w.checkUpgrade(newOffer(r.Version, "", FromFlag, "")); refused != nil && refused.Usage {
			return nil, refused
		}
		return nil, err
	}
	if err := p.checkRules(w); err != nil {
		return nil, err
	}
	if p.Pools, err = w.selectPools(r.NodePools); err != nil {
		return nil, err
	}
	if err := p.checkPools(); err != nil {
		return nil, err
	}
	for i := range p.Pools {
		note, err := checkSurge(ctx, c, p.Cluster, &p.Pools[i], p.Target)
		if err != nil {
			return nil, err
		}
		if note != "" && !slices.Contains(p.Notes, note) {
			p.Notes = append(p.Notes, note)
		}
	}
	return p, nil
}

// checkWritable returns an error if the operator would ignore a change: the cluster is paused or is being deleted.
func (w *clusterState) checkWritable(now time.Time) error {
	if w.hc.DeletionTimestamp != nil {
		return fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(w.hc),
			w.hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	return hostedcluster.CheckNotPaused(w.hc, nil, now)
}

// find returns the requested release.
func (w *clusterState) find(version, image string) (Offer, error) {
	if image != "" {
		return w.byImage(image), nil
	}
	if o, ok := w.byVersion(version); ok {
		return o, nil
	}
	channel, offeredText := "no channel is set", ""
	if c := w.hc.Spec.Channel; c != "" {
		channel = "channel " + c
	}
	var offered []string
	for _, o := range w.offers {
		if o.Source != FromHistory && w.checkUpgrade(o) == nil {
			offered = append(offered, o.Version)
		}
	}
	if len(offered) > 0 {
		offeredText = "; there are: " + strings.Join(offered, ", ")
	}
	v, _ := hostedcluster.ParseVersion(version) // version is exact, so it can be parsed
	next := hint.New("give the image with %s, or set the channel that has it: %s", hint.Flag("release-image"),
		hint.Run("upgrade cluster", hostedcluster.Argument(w.hc.Namespace, w.hc.Name)).Flag("channel",
			"stable-"+v.MinorName()))
	return Offer{}, failure.New(failure.Misused, next, "%s %q: no image is known for it: neither the update service "+
		"offers it (%s) nor has a ClusterImageSet it%s", hint.Flag("version"), version, channel, offeredText)
}

// checkRules returns an error if the rules forbid the target. It adds notes about risks and forced upgrades.
func (p *Plan) checkRules(w *clusterState) error {
	if p.Target.Image == w.hc.Spec.Release.Image {
		p.noteOngoing(w)
		return nil
	}
	if refused := w.checkUpgrade(p.Target); refused != nil {
		if p.Request.ForceTo == "" || !refused.Forcible {
			return refused
		}
		p.Notes = append(p.Notes, fmt.Sprintf("forced (annotation %s) although %s", hyperv1.ForceUpgradeToAnnotation,
			refused.Message))
	}
	if !p.Target.known {
		p.Notes = append(p.Notes, fmt.Sprintf("the version of %s is not known here, so that the rules about versions could "+
			"not be checked: the HyperShift operator judges it", p.Target.Image))
	}
	if len(p.Target.Risks) > 0 {
		var risks []string
		for _, r := range p.Target.Risks {
			risks = append(risks, strings.TrimSpace(fmt.Sprintf("%s: %s %s", r.Name, r.Message, r.URL)))
		}
		if !p.Request.AllowNotRecommended && p.Request.ForceTo == "" {
			return &RefusedError{
				Object: "HostedCluster " + kube.Name(w.hc), To: p.Target.Name(), Usage: true,
				Message: "the update service knows risks of it: " + strings.Join(risks, "; "),
				Next:    hint.New("choose another release, or take the risk with %s", hint.Flag("allow-not-recommended")),
			}
		}
		p.Notes = append(p.Notes, "the update service knows risks of "+p.Target.Name()+": "+strings.Join(risks, "; "))
	}
	p.noteOngoing(w)
	return nil
}

// noteOngoing adds a note if an upgrade is under way.
func (p *Plan) noteOngoing(w *clusterState) {
	if o, under := w.ongoing(); under {
		if o.Image == p.Target.Image {
			p.Notes = append(p.Notes, "this upgrade is under way already: it is followed to its end")
		} else {
			p.Notes = append(p.Notes, fmt.Sprintf("an upgrade to %s is under way and has not completed: the cluster goes to %s "+
				"instead", o.Name(), p.Target.Name()))
		}
	}
}

// ongoing returns the requested release if the control plane has not completed it.
func (w *clusterState) ongoing() (Offer, bool) {
	_, image := completed(w.hc)
	if image == "" || image == w.hc.Spec.Release.Image {
		return Offer{}, false
	}
	return w.byImage(w.hc.Spec.Release.Image), true
}

// selectPools returns the pools to upgrade with the cluster.
func (w *clusterState) selectPools(names []string) ([]hyperv1.NodePool, error) {
	if slices.Equal(names, []string{"none"}) {
		return nil, nil
	}
	var pools []hyperv1.NodePool
	all := slices.Equal(names, []string{"all"})
	for i := range w.pools {
		if (all || slices.Contains(names, w.pools[i].Name)) && w.pools[i].DeletionTimestamp == nil {
			pools = append(pools, w.pools[i])
		}
	}
	for _, name := range names {
		if !all && !slices.ContainsFunc(pools, func(np hyperv1.NodePool) bool { return np.Name == name }) {
			e := &hostedcluster.PoolNotFoundError{Namespace: w.hc.Namespace, Name: name}
			for i := range w.pools {
				e.Others = append(e.Others, w.pools[i].Name)
			}
			return nil, e
		}
	}
	return pools, nil
}

// checkPools returns an error for a paused pool, and adds a note for pools with strategy OnDelete.
func (p *Plan) checkPools() error {
	for i := range p.Pools {
		np := &p.Pools[i]
		if err := hostedcluster.CheckNotPaused(nil, np, p.client.Now()); err != nil {
			return fmt.Errorf("%w (or leave it out: %s)", err, hint.Flag("node-pools"))
		}
		if onDelete(np) {
			p.Notes = append(p.Notes, fmt.Sprintf("NodePool %s replaces a VM only after it is deleted "+
				"(spec.management.replace.strategy OnDelete): it is not waited for", np.Name))
		}
	}
	return nil
}

// onDelete reports whether the pool replaces a VM only after it is deleted (upgrade type OnDelete).
func onDelete(np *hyperv1.NodePool) bool {
	return np.Spec.Management.Replace != nil && np.Spec.Management.Replace.Strategy == hyperv1.UpgradeStrategyOnDelete
}

// noteChannel adds a note if the cluster's release is not in the requested channel.
func (p *Plan) noteChannel() {
	v := p.Cluster.Status.Version
	if c := p.Request.Channel; c != "" && v != nil && len(v.Desired.Channels) > 0 &&
		!slices.Contains(v.Desired.Channels, c) {
		p.Notes = append(p.Notes, fmt.Sprintf("the release the cluster runs is not in channel %s; it is in %s", c,
			strings.Join(v.Desired.Channels, ", ")))
	}
}
