package catalog

import (
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/fault"
)

const (
	// futureKubeVersion is a Kubernetes version that no cluster has.
	futureKubeVersion = "1.99.0"
	// invalidPriority exceeds the API server's limit for PriorityClasses of users, 1000000000.
	invalidPriority = 2000000000
)

// InjectFaults changes the catalogs as the catalog faults in the set require.
func InjectFaults(catalogs []Catalog, faults *fault.Set) {
	for i := range catalogs {
		if c := &catalogs[i]; c.Name == RedHat {
			c.injectFaults(faults)
		}
	}
}

func (c *Catalog) injectFaults(faults *fault.Set) {
	if faults.Has(fault.PackageMissing) {
		c.Packages = slices.DeleteFunc(c.Packages, func(p Package) bool { return p.Name == "metallb-operator" })
	}
	if faults.Has(fault.RequirementsNotMet) {
		c.each("kubevirt-hyperconverged", func(b *Bundle) { b.CSV.Spec.MinKubeVersion = futureKubeVersion })
	}
	if faults.Has(fault.InstallPlanFailed) {
		c.each("multicluster-engine", func(b *Bundle) {
			b.Others = append(b.Others, &schedulingv1.PriorityClass{
				TypeMeta:   metav1.TypeMeta{APIVersion: schedulingv1.SchemeGroupVersion.String(), Kind: "PriorityClass"},
				ObjectMeta: metav1.ObjectMeta{Name: "multicluster-engine-critical"},
				Value:      invalidPriority, Description: "Pods of multicluster engine go before all others.",
			})
		})
	}
}

// each changes every bundle of a package.
func (c *Catalog) each(pkg string, change func(*Bundle)) {
	seen := map[*Bundle]bool{}
	for _, p := range c.Packages {
		if p.Name != pkg {
			continue
		}
		for _, ch := range p.Channels {
			for _, b := range ch.Bundles {
				if !seen[b] {
					seen[b] = true
					change(b)
				}
			}
		}
	}
}
