package sites

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube"
)

// value is one value that a site reports about an object: its name, its path in the object, and its form.
type value struct {
	name, path string
	form       *lazyregexp.Regexp
}

// Forms of reported values.
var (
	formStatus = lazyregexp.New(`^(True|False|Unknown)$`)
	formReason = lazyregexp.New(`^[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?$`)
	formPhase  = lazyregexp.New(`^[A-Za-z][A-Za-z ]{0,63}$`)
	formName   = lazyregexp.New(`^[a-z0-9]([-.a-z0-9+]{0,251}[a-z0-9])?$`)
)

// Names of reported values.
const (
	phase     = "phase"
	installed = "installed"
	available = "available"
	degraded  = "degraded"
	unsolved  = "resolutionFailed"
	because   = "Reason"
)

// condition returns the values for the status and the reason of a condition.
func condition(name, kind string) []value {
	path := `.status.conditions[?(@.type=="` + kind + `")].`
	return []value{{name, path + "status", formStatus}, {name + because, path + "reason", formReason}}
}

// good defines when an object of a kind works: if a condition is True, or if it has a phase and a condition that
// does not contradict it.
type good struct {
	values []value
	phase  string
}

// verdicts returns the kinds whose objects report their health, with the values that their operators write
// (directory contracts).
func verdicts() map[schema.GroupKind]good {
	conditions := func(kind string) good {
		return good{values: slices.Concat(condition(available, kind), condition(degraded, "Degraded"))}
	}
	phases := func(path, ok, kind string) good {
		return good{values: append([]value{{phase, path, formPhase}}, condition(available, kind)...), phase: ok}
	}
	return map[schema.GroupKind]good{
		kube.HyperConverged.GroupKind():       conditions("Available"),
		kube.MetalLB.GroupKind():              conditions("Available"),
		kube.LocalVolume.GroupKind():          conditions("Available"),
		kube.LocalVolumeDiscovery.GroupKind(): conditions("Available"),
		addonKind():                           conditions("Available"),
		kube.ManagedCluster.GroupKind():       conditions("ManagedClusterConditionAvailable"),
		// MultiClusterEngine has a condition Progressing that is not True if the operator's last reconciliation
		// failed.
		kube.MultiClusterEngine.GroupKind(): phases(".status.phase", "Available", "Progressing"),
		kube.StorageCluster.GroupKind():     phases(".status.phase", "Ready", "Available"),
		kube.LVMCluster.GroupKind():         phases(".status.state", "Ready", "VolumeGroupsReady"),
		subscriptionKind(): {values: slices.Concat([]value{{phase, ".status.state", formPhase},
			{installed, ".status.installedCSV", formName}}, condition(unsolved, "ResolutionFailed"))},
	}
}

func subscriptionKind() schema.GroupKind {
	return schema.GroupKind{Group: "operators.coreos.com", Kind: "Subscription"}
}

func addonKind() schema.GroupKind {
	return schema.GroupKind{Group: "addon.open-cluster-management.io", Kind: "ManagedClusterAddOn"}
}

func valuesOf(kind schema.GroupKind) []value { return verdicts()[kind].values }

// allowed returns the reported texts that have a known name and its form.
func allowed(kind schema.GroupKind, reported []workv1.FeedbackValue) map[string]string {
	known, out := valuesOf(kind), map[string]string{}
	for _, v := range reported {
		i := slices.IndexFunc(known, func(k value) bool { return k.name == v.Name })
		if i >= 0 && v.Value.Type == workv1.String && v.Value.String != nil && known[i].form.MatchString(*v.Value.String) {
			out[v.Name] = *v.Value.String
		}
	}
	return out
}
