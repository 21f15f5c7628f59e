package sites

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube"
)

// value is one value that a site reports of an object: its name, where it is, and its form.
type value struct {
	name, path string
	form       *lazyregexp.Regexp
}

// The forms of reported values.
var (
	formStatus = lazyregexp.New(`^(True|False|Unknown)$`)
	formReason = lazyregexp.New(`^[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?$`)
	formPhase  = lazyregexp.New(`^[A-Za-z][A-Za-z ]{0,63}$`)
	formName   = lazyregexp.New(`^[a-z0-9]([-.a-z0-9+]{0,251}[a-z0-9])?$`)
)

// The names of reported values.
const (
	phase     = "phase"
	installed = "installed"
	available = "available"
	degraded  = "degraded"
	unsolved  = "resolutionFailed"
	because   = "Reason"
)

// condition is the status and the reason of a condition.
func condition(name, kind string) []value {
	path := `.status.conditions[?(@.type=="` + kind + `")].`
	return []value{{name, path + "status", formStatus}, {name + because, path + "reason", formReason}}
}

// good is what says that an object of a kind works: a condition that is True, or a phase with a condition beside it
// that is not the contrary.
type good struct {
	values []value
	phase  string
}

// verdicts are the kinds whose objects say how they are, with what their own operators write (directory contracts).
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
		// Progressing is what is not True where the operator's last pass failed.
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

// allowed are the reported texts that have a known name and its form.
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
