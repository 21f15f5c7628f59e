package status

import (
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
)

// Phase is the phase of a hosted cluster's life.
type Phase string

// The phases.
const (
	Creating  Phase = "creating"
	Ready     Phase = "ready"
	Upgrading Phase = "upgrading"
	// NoWorkers is a control plane that is configured without worker nodes.
	NoWorkers Phase = "no workers"
	// Stopped is a control plane whose worker nodes hcctl stop removed; hcctl start brings them back.
	Stopped  Phase = "stopped"
	Paused   Phase = "paused"
	Deleting Phase = "deleting"
)

// Phases lists all phases, in the order of a cluster's life.
func Phases() []Phase {
	return []Phase{Creating, Ready, Upgrading, NoWorkers, Stopped, Paused, Deleting}
}

// workerless reports whether the cluster is meant to have no nodes.
func (p Phase) workerless() bool { return p == NoWorkers || p == Stopped }

// phase returns the current phase of the cluster.
func (v *snapshot) phase() Phase {
	history := []configv1.UpdateHistory{}
	if s := v.hc.Status.Version; s != nil {
		history = s.History
	}
	_, desired := v.versions()
	switch {
	case v.hc.DeletionTimestamp != nil:
		return Deleting
	case hostedcluster.PauseOf(v.hc.Spec.PausedUntil, v.now).Active:
		return Paused
	case !v.workers() && conditions.OfCluster(v.hc).Get(string(hyperv1.HostedClusterAvailable)).True():
		if v.stopped() {
			return Stopped
		}
		return NoWorkers
	case !hostedcluster.IsCreated(v.hc, v.workers()):
		return Creating
	case desired != "", len(history) > 0 && history[0].State == configv1.PartialUpdate:
		return Upgrading
	}
	return Ready
}

// stopped reports whether hcctl stop removed the workers. An annotation then has their number.
func (v *snapshot) stopped() bool {
	return slices.ContainsFunc(v.pools.items, func(np hyperv1.NodePool) bool {
		_, remembered := np.Annotations[hostedcluster.StoppedAnnotation]
		return remembered
	})
}

// workers reports whether the cluster is meant to have worker nodes. It returns true if its NodePools cannot be read,
// and, if users create the nodes, once a release is rolled out.
func (v *snapshot) workers() bool {
	return v.pools.err != nil || v.wanted() > 0 || !v.platform().MakesNodes() && hostedcluster.IsCreated(v.hc, true)
}

// wanted returns the minimum number of nodes of all NodePools.
func (v *snapshot) wanted() int {
	n := 0
	for i := range v.pools.items {
		n += hostedcluster.SizeOf(&v.pools.items[i]).Min
	}
	return n
}

// versions returns the last version that was completely rolled out, and the version being rolled out, if it differs.
// The control plane's components are updated before the cluster's own version.
func (v *snapshot) versions() (version, desired string) {
	status := v.hc.Status.Version
	if status == nil {
		return "", ""
	}
	for _, h := range status.History {
		if h.State == configv1.CompletedUpdate {
			version = h.Version
			break
		}
	}
	if d := status.Desired.Version; d != version {
		return version, d
	}
	if d := v.rollout.Desired; d != version {
		return version, d
	}
	return version, ""
}
