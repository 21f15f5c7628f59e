package prereqs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

// The orders in which rights and removals are shown. They say nothing else: what is not in them comes last.
//
// A right is named by one of its resources without the group, and by its first object where that is not enough.
const (
	checkOrder = `clusterversions infrastructures images clusteroperators pods secrets configmaps:supported-versions
		deployments:operator configmaps namespaces operatorgroups clusterserviceversions installplans catalogsources
		localvolumediscoveries storageprofiles hyperconvergeds version bgpadvertisements managedclusters managedclusteraddons
		addondeploymentconfigs deployments:router-default hostedclusters ingresscontrollers`
	bootstrapOrder = `customresourcedefinitions customresourcedefinitions:hyperconvergeds.hco.kubevirt.io operatorgroups
		installplans catalogsources storageclasses nodes localvolumediscoveries localvolumes storageclusters
		storagesystems lvmclusters namespaces:openshift-lvm-storage hyperconvergeds metallbs ipaddresspools
		multiclusterengines:multiclusterengine multiclusterengines managedclusters managedclusters/accept
		managedclusteraddons ingresscontrollers serviceaccounts clusterroles`
	uninstallOrder = `clusterversions * namespaces operatorgroups clusterserviceversions ingresscontrollers
		multiclusterengines managedclusteraddons managedclusters hyperconvergeds catalogsources ipaddresspools metallbs
		storageclusters storagesystems localvolumes localvolumesets localvolumediscoveries nodes lvmclusters
		storageclasses`
	removalOrder = `hosted-clusters gitops-cluster gitops-decisions gitops-placement gitops-binding
		cluster-set argocd gitops-operator hypershift-addon local-cluster engine engine-operator
		advertisement pool metallb metallb-operator
		hyperconverged virtualization-operator community-virtualization-operator virtualization-catalog wildcard
		claims default-class storage-cluster data-foundation-operator lvm-cluster lvm-operator local-volumes
		local-storage-operator`
)

// ordered sorts rules as the order has them.
func ordered(rules []access.Rule, order string) []access.Rule {
	places := placesIn(order)
	place := func(r access.Rule) int {
		name, _, _ := strings.Cut(r.Names, " ")
		for _, resource := range strings.Fields(r.Resources) {
			resource, _, _ = strings.Cut(resource, ".")
			for _, key := range []string{resource + ":" + name, resource} {
				if at, known := places[key]; known {
					return at
				}
			}
		}
		return len(places)
	}
	slices.SortStableFunc(rules, func(a, b access.Rule) int { return cmp.Compare(place(a), place(b)) })
	return rules
}

// orderedRemoval sorts steps of uninstall as removalOrder has them.
func orderedRemoval(steps []step.Step) []step.Step {
	places := placesIn(removalOrder)
	place := func(s step.Step) int {
		_, name, _ := strings.Cut(string(s.ID), "/")
		if at, known := places[name]; known {
			return at
		}
		return len(places)
	}
	slices.SortStableFunc(steps, func(a, b step.Step) int { return cmp.Compare(place(a), place(b)) })
	return steps
}

func placesIn(order string) map[string]int {
	places := map[string]int{}
	for i, word := range strings.Fields(order) {
		places[word] = i
	}
	return places
}
