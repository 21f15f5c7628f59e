package upgrade

import (
	"context"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
)

// RefusedError means that a cluster or pool cannot be changed to a release.
type RefusedError struct {
	// Object is for example "HostedCluster clusters/kv-00". To is the requested release.
	Object, To string
	// Message is the reason, Next what to do instead.
	Message string
	Next    hint.Text
	// Forcible is set if --force-to overrides it.
	Forcible bool
	// Usage is set if the request is wrong, whatever the state of the cluster.
	Usage bool
}

// Error names the object, the release and the reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s cannot go to %s: %s", e.Object, e.To, e.Message)
}

// Hint returns what to do instead.
func (e *RefusedError) Hint() hint.Text { return e.Next }

// Failure returns Misused if the user has to request another release, and otherwise Declined.
func (e *RefusedError) Failure() failure.Kind {
	if e.Usage {
		return failure.Misused
	}
	return failure.Declined
}

// current returns the newest version since the last completed one. The cluster cannot be downgraded below it.
func current(hc *hyperv1.HostedCluster) (hostedcluster.Version, bool) {
	var newest hostedcluster.Version
	found := false
	if v := hc.Status.Version; v != nil {
		for _, h := range v.History {
			if parsed, ok := hostedcluster.ParseVersion(h.Version); ok && (!found || newest.Before(parsed)) {
				newest, found = parsed, true
			}
			if h.State == configv1.CompletedUpdate {
				break
			}
		}
	}
	return newest, found
}

// completed returns the version and image that the control plane last completed; empty if none.
func completed(hc *hyperv1.HostedCluster) (version, image string) {
	if v := hc.Status.Version; v != nil {
		for _, h := range v.History {
			if h.State != configv1.CompletedUpdate {
				continue
			}
			if requested := requestedRelease(hc); requested.known && requested.Version == h.Version {
				return h.Version, requested.Image
			}
			return h.Version, h.Image
		}
	}
	return "", ""
}

// checkUpgrade returns why the hosted cluster cannot upgrade to the release now, or nil. A release of unknown version
// is allowed, because the operator decides.
func (w *clusterState) checkUpgrade(o Offer) *RefusedError {
	refuse := func(usage bool, next hint.Text, format string, args ...any) *RefusedError {
		return &RefusedError{Object: "HostedCluster " + kube.Name(w.hc), To: o.Name(), Message: fmt.Sprintf(format, args...),
			Next: next, Usage: usage}
	}
	self := hostedcluster.Argument(w.hc.Namespace, w.hc.Name)
	list := hint.New("%s lists where it can go", hint.Run("upgrade cluster", self))
	now, known := current(w.hc)
	if !known {
		return refuse(false, hint.Run("wait cluster", self).Text(),
			"it has no version yet: its first roll-out has to complete before it can be upgraded")
	}
	if !o.known {
		return nil
	}
	switch ahead := o.version.MinorNumber() - now.MinorNumber(); {
	case o.version.Before(now):
		return refuse(true, list, "it runs %s, and hosted clusters do not go back to an older version", now)
	case len(w.supported) > 0 && !o.version.MinorIn(w.supported):
		return refuse(true, list, "%s is not among the versions the HyperShift operator supports: %s", o.version.MinorName(),
			strings.Join(w.supported, ", "))
	case ahead > 1:
		e := refuse(true, w.firstStep(now), "it runs %s, and the cluster version operator takes one minor version at a time",
			now)
		e.Forcible = true
		return e
	case ahead == 1:
		if c := upgradeable(w.hc); c.False() {
			e := refuse(false,
				hint.New("do what it asks for; or override it, at your own risk: %s",
					hint.Run("upgrade cluster", self).Flag("force-to", o.Image)),
				"it says that it must not go to another minor version now: %s", c.Describe())
			e.Forcible = true
			return e
		}
	}
	return w.checkPoolSkew(o)
}

// checkPoolSkew returns an error for a pool that would be too many minor versions behind.
func (w *clusterState) checkPoolSkew(o Offer) *RefusedError {
	for i := range w.pools {
		np := &w.pools[i]
		v, ok := poolVersion(np, w)
		if behind := o.version.MinorNumber() - v.MinorNumber(); ok && creation.PoolSkew(v, o.version) != "" {
			return &RefusedError{
				Object: "HostedCluster " + kube.Name(w.hc), To: o.Name(),
				Message: fmt.Sprintf("NodePool %s runs %s and would be %d minor versions behind; %d are supported", np.Name,
					v, behind, creation.MaxSkew),
				Next: hint.New("%s, and then this again",
					hint.Run("upgrade nodepool", hostedcluster.Argument(np.Namespace, np.Name))),
			}
		}
	}
	return nil
}

// firstStep returns the hint for the first upgrade if the requested release is more than one minor version ahead.
func (w *clusterState) firstStep(now hostedcluster.Version) hint.Text {
	for _, o := range w.offers {
		if o.version.MinorNumber() == now.MinorNumber()+1 && w.checkUpgrade(o) == nil {
			return hint.New("first: %s", hint.Run("upgrade cluster",
				hostedcluster.Argument(w.hc.Namespace, w.hc.Name)).Flag("version", o.Version))
		}
	}
	return hint.New("%s lists where it can go",
		hint.Run("upgrade cluster", hostedcluster.Argument(w.hc.Namespace, w.hc.Name)))
}

// upgradeable returns the condition ClusterVersionUpgradeable, which can block another minor version.
func upgradeable(hc *hyperv1.HostedCluster) kube.Condition {
	return conditions.OfCluster(hc).Get(string(hyperv1.ClusterVersionUpgradeable))
}

// poolVersion returns the version of a pool's nodes. Until the operator reports it, it is the version of the pool's
// release.
func poolVersion(np *hyperv1.NodePool, w *clusterState) (hostedcluster.Version, bool) {
	if v, ok := hostedcluster.ParseVersion(np.Status.Version); ok {
		return v, true
	}
	o := w.byImage(np.Spec.Release.Image)
	return o.version, o.known
}

// checkPool returns why a pool cannot change to the release while its control plane has the given version, or nil.
func (w *clusterState) checkPool(np *hyperv1.NodePool, o Offer, controlPlane hostedcluster.Version) *RefusedError {
	refuse := func(next hint.Text, format string, args ...any) *RefusedError {
		return &RefusedError{Object: "NodePool " + kube.Name(np), To: o.Name(), Message: fmt.Sprintf(format, args...),
			Next: next, Usage: true}
	}
	if !o.known {
		return nil
	}
	own, ok := poolVersion(np, w)
	switch {
	case controlPlane.Before(o.version):
		return refuse(hint.New("%s takes both there",
			hint.Run("upgrade cluster", hostedcluster.Argument(w.hc.Namespace, w.hc.Name)).Flag("version", o.Version)),
			"%s", creation.PoolSkew(o.version, controlPlane))
	case ok && o.version.Before(own):
		return refuse(hint.New("a pool of the older version: %s",
			hint.Run("create nodepool", "NAME").Flag("cluster-name",
				hostedcluster.Argument(w.hc.Namespace, w.hc.Name)).Flag("release-image", o.Image)),
			"it runs %s, and pools do not go back to an older version", own)
	case creation.PoolSkew(o.version, controlPlane) != "":
		return refuse(hint.New("%s takes it to its control plane's version",
			hint.Run("upgrade nodepool", hostedcluster.Argument(np.Namespace, np.Name))),
			"%s", creation.PoolSkew(o.version, controlPlane))
	}
	return nil
}

// checkSurge refuses an upgrade that would never end: it temporarily needs one more VM, which cannot be placed as the
// pool requires. A pool that already has the release is not checked. note reports that the VMs could not be counted.
func checkSurge(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster, np *hyperv1.NodePool,
	to Offer) (note string, err error) {
	if np.Spec.Release.Image == to.Image || !hostedcluster.PlatformOf(hc).KubeVirt() {
		return "", nil
	}
	count, err := creation.CountSurge(ctx, c, hc, np)
	if note := creation.NotCounted(err); note != "" {
		return note, nil
	}
	if err != nil || count.Impossible == "" {
		return "", err
	}
	return "", &RefusedError{
		Object: "NodePool " + kube.Name(np), To: to.Name(),
		Message: "it makes one worker VM more for a while, and that finds no place: " + count.Impossible,
		Next: hint.New("one host more, one worker less (%s), a weaker %s (%s), or the control plane alone: %s none",
			hint.Run("scale"), hint.Flag("spread"),
			hint.Run("update nodepool", hostedcluster.Argument(np.Namespace, np.Name)).Flag("help"), hint.Flag("node-pools")),
	}
}
